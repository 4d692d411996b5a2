/**
 * Programs that load a file with variables, and print it or pass it to another program. Such a file has a name that is fixed, unless
 * an option names another one.
 */
import { omitUndefined } from '@heddle/core';
import type { ShellWord } from '@heddle/tools/shell';
import { literalWord, type Touch, touch } from './touch.ts';

interface Loader {
  readonly programs: RegExp;
  /** The program loads the files only with these words. */
  readonly words: RegExp;
  readonly files: readonly string[];
  /** Without another value, the program passes the contents to another one. */
  readonly knowledge?: Touch['knowledge'];
  /** Options with the names of other files. With one of them, the program does not load these. */
  readonly others?: RegExp;
}

const ENVIRONMENT = ['.env', '.env.local'];
/** Files for a stage, in projects that have several. */
const STAGES = 'development production test staging'
  .split(' ')
  .flatMap((stage) => [`.env.${stage}`, `.env.${stage}.local`]);
const PRINTS = /(^| )(list|get|-p|-d|debug)( |$)/;
/** Words of a command that prints its variables, or of code that may do so. */
const MAY_PRINT =
  /(^|[ /])(g?env|printenv|export|declare|typeset|set|-\w*[ceEpr]|--(eval|print|command|exec\w*)(=\S*)?|(ba|da|z|k|a)?sh)( |$)/;
/** Variables without a value get that of the file. */
const PASSES_VARIABLE =
  /^(?=((?:[^]*? )??compose ))\1(?=((?:[^]*? )??(?:run|exec) ))\2(?:[^]* )?(-e ?|--env[ =])[A-Za-z_]\w*( |$)/;

const LOADERS: readonly Loader[] = [
  { programs: /^direnv$/, words: /^(export|dump|show_dump)\b/, files: ['.envrc', ...ENVIRONMENT] },
  { programs: /^direnv$/, words: /^exec\b/, files: ['.envrc', ...ENVIRONMENT], knowledge: 'mentioned' },
  { programs: /^dotenv(-cli|\.cli|\.__main__)?$/, words: PRINTS, files: ENVIRONMENT },
  {
    programs: /^(dotenv[\w.-]*|env-cmd|godotenv|shdotenv|varlock)$/,
    words: /^(?!-*(help|version)$)/,
    files: [...ENVIRONMENT, '.env.keys', '.env-cmdrc', '.env-cmdrc.json', ...STAGES],
    knowledge: 'mentioned',
    others: /^(-[ef]|--(env-file|file|path))(=|$)|^-[ef]./,
  },
  {
    programs: /^(docker|podman|nerdctl)$/,
    words:
      /^(?=((?:[^]*? )??compose ))\1(?:[^]* )?(config|convert)( |$)|^(?=((?:[^]*? )??bake ))\4(?:[^]* )?--print(=|$| )/,
    files: ENVIRONMENT,
    knowledge: 'mentioned',
  },
  {
    programs: /^(docker|podman|nerdctl)$/,
    words: PASSES_VARIABLE,
    files: ENVIRONMENT,
    knowledge: 'mentioned',
  },
  {
    programs: /^deno$/,
    words: /(^| )--env(-file)?( |$)/,
    files: ENVIRONMENT,
    knowledge: 'mentioned',
  },
  // Their commands usually are programs of the project, which print nothing of the file.
  {
    programs: /^(pipenv|foreman|honcho|heroku|netlify|bun|bunx)$/,
    words: MAY_PRINT,
    files: [...ENVIRONMENT, ...STAGES],
    knowledge: 'mentioned',
  },
  // A library that any program can load first: `node -r dotenv/config a.js`.
  {
    programs: /^/,
    words: /(^|[ =/]|-r)dotenv[\w-]*\/(config|load|auto|rails)\b/,
    files: ENVIRONMENT,
    knowledge: 'mentioned',
  },
];

/** Commands of the loaders themselves. Their options follow. */
const OWN_WORD = /^(run|get|set|list|ls|exec|encrypt|decrypt|keypair|rotate|ext|pro|build|load|debug)$/;

/** Returns the files with variables that the program loads. */
export function environmentFiles(name: string, args: readonly ShellWord[]): Touch[] {
  const given = name.replace(/(?<=.)@[\w.^~-]+$/, '');
  const [, compose] = /^(docker|podman|nerdctl)-compose$/.exec(given) ?? [];
  const program = compose ?? given;
  const text = [...(compose === undefined ? [] : ['compose']), ...args.map(({ value }) => value)].join(' ');
  return LOADERS.filter(
    ({ programs, words, others }) =>
      programs.test(program) &&
      words.test(text) &&
      !(others && ownOptions(args).some((word) => others.test(word))),
  ).flatMap(({ files, knowledge }) =>
    files.map((file) => touch('read', literalWord(file), undefined, omitUndefined({ knowledge }))),
  );
}

/** Returns the options before the command that the program runs. A word after an option is its value. */
function ownOptions(args: readonly ShellWord[]): readonly string[] {
  const options: string[] = [];
  for (let at = 0; at < args.length; at++) {
    const { value = '', kind } = args[at] ?? {};
    if (value === '--' || kind === 'dynamic') break;
    if (value.startsWith('-')) {
      // With these, the fixed names count as well.
      if (/^(--(fallback|convention|cascade)(=|$)|-c$)/.test(value)) return [];
      options.push(value);
      if (/^(-[ef]|--(env-file|file|path))$/.test(value)) at++;
    } else if (!OWN_WORD.test(value)) break;
  }
  return options;
}
