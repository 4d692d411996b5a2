/**
 * Finds words with which a command does more than a rule for it is meant for: `npm install -g x`, `pylint --init-hook=…`. A
 * rule with a wildcard covers them only if its own text contains the word.
 */
import type { ShellWord } from '@heddle/tools/shell';
import { beginsOption } from './interpreters.ts';
import { isMake, plainDefinition } from './make-words.ts';
import { choosesLocation, installsGlobally, npmOption } from './npm-options.ts';
import { baseName } from './runners.ts';
import { optionPattern, shortOption } from './short-options.ts';

interface WiderWords {
  readonly programs: RegExp;
  /** A word that must be among the others. */
  readonly beside?: RegExp;
  readonly words: Pick<RegExp, 'test'>;
  /** Words with this beginning of the next one do not count. */
  readonly unless?: RegExp;
  /** Continues the sentence "… makes the program …". */
  readonly effect: string;
  /** A rule for the whole program (`Bash(npm *)`) covers it. It is meant for everything that the program does. */
  readonly isOfCommand?: true;
}

const INSTALLS =
  /^(i|in|ins|inst|insta|instal|install|isnt|isnta|isntal|isntall|add|ci|update|up|upgrade|rebuild|link|ln|remove|rm|uninstall|un|unlink)$/;
/** Compilers and their tools. Another value of a variable such as CC is a program of any kind. */
const COMPILER = String.raw`(?:[\w-]+-)?(?:cc|gcc|g\+\+|c\+\+|clang|clang\+\+|ar|ld|lld|nm|ranlib|strip|objcopy|go|cargo|python3?|node|npm)(?:-[\d.]+)?`;
/** Properties of MSBuild with a plain meaning. Others can be commands: `-p:PreBuildEvent=…`. */
const PROPERTY =
  '(?:Configuration|Platform|Version\\w*|TargetFramework|RuntimeIdentifier|WarningLevel|TreatWarningsAsErrors|NoWarn|' +
  'CollectCoverage|Threshold|Deterministic|ContinuousIntegrationBuild|DebugType|DebugSymbols|Optimize)';

/** Settings of pytest with a plain meaning. Others name files (`log_file`), or contain options (`addopts`). */
const PYTEST_SETTING =
  '(?:python_(?:files|classes|functions)|testpaths|norecursedirs|collect_imported_tests|markers|filterwarnings|minversion|' +
  'xfail_strict|strict\\w*|console_output_style|empty_parameter_set_mark|enable_assertion_pass_hook|faulthandler_\\w+|' +
  'doctest_(?:optionflags|encoding)|junit_\\w+|verbosity_\\w+|truncation_\\w+|' +
  'log_(?:cli|level|format|date_format|auto_indent)|log_cli_\\w+|tmp_path_retention_\\w+|' +
  'asyncio_\\w+|anyio_mode|timeout|timeout_\\w+|session_timeout|django_find_project|mock_\\w+|reruns|reruns_delay)';

const WIDER: readonly WiderWords[] = [
  {
    programs: /^(npm|pnpm|yarn|bun)$/,
    beside: INSTALLS,
    words: { test: installsGlobally },
    effect: 'install programs for all projects',
    isOfCommand: true,
  },
  {
    programs: /^npm$/,
    beside: INSTALLS,
    words: { test: choosesLocation },
    unless: /^(project|user)$/,
    effect: 'install programs for all projects',
    isOfCommand: true,
  },
  {
    programs: /^(npm|pnpm)$/,
    beside: /^audit$/,
    words: { test: (word) => word === 'fix' || npmOption(word)?.name === 'fix' },
    effect: 'change and install dependencies',
    isOfCommand: true,
  },
  {
    programs: /^(docker|podman|nerdctl|docker-compose)$/,
    words: /^--push(=(?!false)|$)|type=registry|push=true/,
    effect: 'publish an image',
    isOfCommand: true,
  },
  {
    programs: /^(docker|podman|nerdctl|docker-compose)$/,
    beside: /^build$/,
    words: /^--(ssh|secret)(=|$)/,
    effect: 'give keys to the build',
    isOfCommand: true,
  },
  {
    programs: /^(docker|podman|nerdctl|docker-compose)$/,
    beside: /^down$/,
    words: /^(-[a-uw-z]*v[a-z]*|--volumes|--rmi)(=|$)/,
    effect: 'remove volumes or images',
    isOfCommand: true,
  },
  {
    programs: /^(kubectl|oc)$/,
    words: /^(-s|--server)(=|$)|^-s[^-]/,
    effect: 'send your credentials to another server',
    isOfCommand: true,
  },
  {
    programs: /^dotnet$/,
    beside: /^(build|test|restore|format|clean|pack|publish)$/,
    words: new RegExp(
      `^[-/]{1,2}(?:p|property|rp|restoreproperty)(?:$|[:=](?!${PROPERTY}=[\\w.,/+-]*$))|^[-/]{1,2}(?:t|target):|^RunConfiguration\\.|^@`,
      'i',
    ),
    effect: 'run other targets, or commands of a text or a file',
    isOfCommand: true,
  },
  {
    programs: /^deno$/,
    beside: /^test$/,
    words: /^(?!--(reload|allow|deny)).*\b(https?|npm|jsr|data|blob):/i,
    effect: 'run code of another host',
    isOfCommand: true,
  },
  {
    programs: /^uv$/,
    beside: /^pip$/,
    words: /^(-p|--python)(=.*\/|$)/,
    unless: /^[\w.]+$/,
    effect: 'start another program',
    isOfCommand: true,
  },
  {
    programs: /^just$/,
    words: optionPattern({
      letters: 'ceg',
      valued: 'dfs',
      long: '(command|shell(-arg|-command)?|set|chooser|choose|edit|global-justfile)(=|$)',
    }),
    effect: 'run another program',
    isOfCommand: true,
  },
  {
    programs: /^task$/,
    words: new RegExp(`^(?:${shortOption('g', 'dtoCI')}|--global(=|$))|https?:`),
    effect: 'run tasks of another file',
    isOfCommand: true,
  },
  {
    programs: /^go$/,
    beside: /^(build|test|vet|list|install|run)$/,
    words: /^--?gccgoflags/,
    effect: 'start another compiler',
    isOfCommand: true,
  },
  // They insert values of variables and words into the text of a shell.
  {
    programs: /^(make|just|task)$/,
    words: /[;|&`$()<>\n\\]/,
    effect: 'run commands of this text',
    isOfCommand: true,
  },
  {
    programs: /^make$/,
    words: new RegExp(
      `^(?:CC|CXX|CPP|LD|AR|AS|FC|RM|CP|MV|INSTALL|LEX|YACC|GO|CARGO|PYTHON\\d?|NODE|NPM|\\w*(?:CMD|COMMAND|BIN|EXE|PROGRAM|PROG|WRAPPER|LAUNCHER|RUNNER|TOOL|CC|CXX))\\s*[:+?]*=(?!${COMPILER}$)`,
    ),
    effect: 'run another program',
    isOfCommand: true,
  },
  {
    programs: /^(pytest|py\.test)$/,
    words: /^--(past[a-z]*|bas[a-z]*|tx|px|rsyncdir)(=|$)|^@/,
    effect: 'send results to another host, remove a folder, or start another program',
  },
  {
    programs: /^(pytest|py\.test)$/,
    words: /^--(pdb|pdbcls|trace)(=|$)/,
    effect: 'run the commands on its input',
  },
  {
    programs: /^(pytest|py\.test)$/,
    words: new RegExp(
      `^${shortOption('o', 'kmpncrW')}(?!${PYTEST_SETTING}=)|^--ov[a-z-]*(?:$|=(?!${PYTEST_SETTING}=))`,
    ),
    unless: new RegExp(`^${PYTEST_SETTING}=`),
    effect: 'use a setting that may contain other options, or name files that it writes',
  },
  // The text can name folders that it empties or fills, with letters as numbers.
  {
    programs: /^jest$/,
    words: /^(?:-c=?|--c\w*=)?\s*\{(?!\}$)/,
    effect: 'use all settings of this text',
  },
  { programs: /^mocha$/, words: /^(inspect|debug)$/, effect: 'run the commands on its input' },
  { programs: /^pylint$/, words: beginsOption('ini|t-hook'), effect: 'run code of this text' },
  { programs: /^d?mypy$/, words: beginsOption('ins|tall-types'), effect: 'install packages' },
  { programs: /^d?mypy$/, words: /^@/, effect: 'read options from a file' },
  { programs: /^(based)?pyright$/, words: /^--pythonpath(=|$)/, effect: 'start another program' },
  { programs: /^actionlint$/, words: /^--?(shellcheck|pyflakes)(=.|$)/, effect: 'start another program' },
  {
    programs: /^ctest$/,
    words:
      /^(-[SDTMA]|--(script|build-and-test|test-command|launch|dashboard|test-action|test-model|add-notes|submit|extra-submit))/,
    effect: 'run a script or another program, or send results to another host',
  },
  {
    programs: /^tox$/,
    words: optionPattern({ letters: 'x', valued: 'ec', long: 'override|discover|runner' }),
    effect: 'run other commands',
  },
  {
    programs: /^nox$/,
    words: /^(-P|--force-python|--extra-python)/,
    effect: 'start another program',
  },
  {
    programs: /^phpunit$/,
    words: /(prepend|append)_file|allow_url|extension=/,
    effect: 'run code of another file',
  },
  {
    programs: /^vitest$/,
    words: /^--(api|ui|inspect\w*)([.=-]|$)/,
    effect: 'start a server that runs code',
  },
  // Node runs the text of such an address.
  {
    programs: /^(mocha|ava|vitest|jest|eslint|prettier|stylelint|bun)$/,
    words: /(^|[=,\s])data:/i,
    effect: 'run code of this text',
  },
  { programs: /^ava$/, words: /^--node-arguments/, effect: 'run code of this text' },
  { programs: /^mocha$/, words: /^(-n|--node-option)/, effect: 'run code of this text' },
  { programs: /^eslint$/, words: /^--init$/, effect: 'install and run a package' },
  {
    programs: /^(?:pdf|xe|lua|e?u?p)?(?:la)?tex$/,
    words: /^--?(?:shell-escape|enable-write18)|\\write18|\\ShellEscape|\\input\s*\{?["']?\|/,
    effect: 'run commands of a text',
  },
  {
    programs: /^latexmk$/,
    words: /^--?(?:[er]$|[a-z]*latex=|shell-escape|enable-write18|usepretex|pretex)/,
    effect: 'run other programs or code',
  },
  { programs: /^hg$/, words: /^--config(?:=|$)/, effect: 'use settings that can run programs' },
  {
    programs: /^svn$/,
    words: /^--(?:diff3?-cmd|editor-cmd|config-option|config-dir)/,
    effect: 'start another program',
  },
  {
    programs: /^exiftool$/,
    words: /^-(?:if\d*|p|printFormat|config)$|\$\{[^};]*;/i,
    effect: 'run code of a text',
  },
  { programs: /^(?:magick|convert)$/, words: /^-script$|^msl:/i, effect: 'run commands of a file' },
  { programs: /^javac$/, words: /^-J|^@/, effect: 'load other code' },
  { programs: /^nginx$/, words: /^-[a-zA-Z?]*g/, effect: 'load other code' },
  { programs: /^pandoc$/, words: /^lua$/, effect: 'run code of a file' },
  {
    programs: /^helm$/,
    words: /^--kube-(?:apiserver|token)(?:=|$)/,
    effect: 'send your credentials to another server',
    isOfCommand: true,
  },
];

interface WiderMeaning {
  readonly reason: string;
  /** Returns whether a rule with these words is meant for it. */
  readonly isNamedBy: (rule: readonly string[]) => boolean;
}

/** Returns why a rule with a wildcard does not cover the command, or undefined. */
export function findWiderWord([name, ...args]: readonly ShellWord[]): WiderMeaning | undefined {
  const program = baseName(name?.value ?? '');
  const isMakeProgram = isMake(program);
  for (const wider of WIDER) {
    if (!wider.programs.test(isMakeProgram ? 'make' : program)) continue;
    const values = args.map(({ value }) => (isMakeProgram ? plainDefinition(value) : value));
    if (wider.beside && !values.some((value) => wider.beside?.test(value))) continue;
    const [found] = widerIn(values, wider);
    if (found === undefined) continue;
    return {
      reason: `${found} makes ${program} ${wider.effect}.`,
      isNamedBy: (rule) => {
        const at = rule.findIndex((text) => baseName(text) === program);
        if (at < 0) return wider.isOfCommand === true && rule.length === 0;
        const named = rule.slice(at + 1);
        return (wider.isOfCommand === true && named.length === 0) || widerIn(named, wider).length > 0;
      },
    };
  }
  return undefined;
}

function widerIn(values: readonly string[], { words, unless }: WiderWords): readonly string[] {
  return values.filter(
    (value, index) =>
      words.test(value) && (value.includes('=') || unless?.test(values[index + 1] ?? '') !== true),
  );
}
