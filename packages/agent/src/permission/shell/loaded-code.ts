/**
 * Finds code that a program loads from a file. It is unknown, and in these languages it may run other programs. So a rule with
 * a wildcard does not cover it, as it does not cover the same code in the words of the command.
 */
import type { ShellWord } from '@heddle/tools/shell';
import { isInside, placesOf } from '../paths/places.ts';
import { AWK_BLANK } from './awk-code.ts';
import { runsProjectPrograms } from './chosen-programs.ts';
import { touchesFiles } from './files/files-of.ts';
import { argumentsOf } from './files/operands.ts';
import { runsFiles } from './interpreters.ts';
import { AWK_VALUED, LONGEST_PROGRAM } from './program-options.ts';
import type { WordScope } from './possible-values.ts';
import { baseName, isManager, isRunner } from './runners.ts';
import { optionPattern, shortOption } from './short-options.ts';

/** Words with which a program loads code, or settings that do. Beginnings of a long option count. */
const LOADS: readonly (readonly [RegExp, RegExp])[] = [
  [
    /^[gmn]?awk$/,
    new RegExp(`^(?:${shortOption('fiEWD', AWK_VALUED)}|--(?:fil|i|e|de))|@${AWK_BLANK}include\\b`),
  ],
  // Some versions have a letter `l` without a value.
  [/^g?sed$/, optionPattern({ letters: 'f', valued: 'ei', long: 'fi' })],
  [/^openssl$/, /^--?(config|pre$|post$)|^(SO_PATH|DIR_ADD):/],
  // They load a library.
  [/^ssh-keygen$/, optionPattern({ letters: 'Dw', valued: 'abCEFfIMmNnOPRrSsTtVWYZz' })],
  [/^ssh-add$/, optionPattern({ letters: 'seS', valued: 'EHht' })],
  [/^helm$/, /^--post-renderer(=|$)/],
  // A file of defaults can name filters.
  [
    /^pandoc$/,
    new RegExp(
      `^(?:${shortOption('FLd', 'frtwoDMVHBATc')}|--(?:fil|lu|def|data-d)|--pdf-engine=.*/)|\\.lua$`,
    ),
  ],
  [/^d?mypy$/, /^--python-e/],
  [/^dc$/, optionPattern({ letters: 'f', valued: 'e', long: 'f' })],
  [
    /^psql$/,
    new RegExp(`^(?:${shortOption('f', 'cdhopFLPRTUv')}|--fil)|\\\\(?:i|ir|include|include_relative)\\b`),
  ],
  [
    /^(mysql|mariadb)/,
    /^--(defaults-[ef]|plugin|default-a|pager=(?!(less|more|cat)( -[\w-]+)*$))|(^|[;\n])\s*(source\b|\\\.)|^[^'"`]*\\\./i,
  ],
  // Its users can be programs.
  [/^/, /^--kubeconfig(=|$)/],
];

/** Returns the words that load code. */
function loadingWords<Word extends Pick<ShellWord, 'value'>>(
  program: string,
  args: readonly Word[],
): readonly Word[] {
  const loads = LOADS.filter(([programs]) => programs.test(program));
  return args.filter(({ value }) => loads.some(([, words]) => words.test(value)));
}

interface LoadedCode {
  readonly reason: string;
  /** Returns whether the words of a rule contain each option that loads code: `Bash(sed -f *)`. */
  readonly isNamedBy: (rule: readonly string[]) => boolean;
}

/** Returns why the code that the command runs is unknown, or undefined. */
export function findLoadedCode(
  [name, ...given]: readonly ShellWord[],
  scope: Pick<WordScope, 'folders' | 'world'>,
): LoadedCode | undefined {
  const program = baseName(name?.value ?? '');
  const args = program === 'gawk' ? withoutInplace(given, scope) : withoutUserSettings(given, scope);
  const words = loadingWords(program, args);
  const option = words[0] ?? (program === 'mlr' ? findMillerCode(args) : undefined);
  if (option)
    return {
      reason: `${option.text} makes ${program} run code that may run another program.`,
      isNamedBy: (rule) => {
        const at = rule.findIndex((text) => baseName(text) === program);
        const named = rule.slice(at + 1).map((value) => ({ value }));
        return at >= 0 && words.length > 0 && loadingWords(program, named).length >= words.length;
      },
    };
  const own = isOpenToProject(name?.value ?? '') ? findOwnProgram(args, scope) : undefined;
  if (own)
    return {
      reason: `${own.text} may make ${program} run a program or library of the project.`,
      isNamedBy: (rule) => rule.includes(own.value),
    };
  const isUnknown = program === 'dc' ? !isPlainDc(args) : readsCode(program, args);
  return isUnknown
    ? {
        reason: `${program} may run another program for a text in a file or on its input.`,
        isNamedBy: () => false,
      }
    : undefined;
}

/** They run code of the project by design: build tools, compilers, test runners, and tools with settings in its language. */
const BUILDS =
  /^(cmake|ctest|ninja|meson|bazel|bazelisk|gradle|mvn|ant|sbt|mix|rebar3|dotnet|swift|zig|tox|nox|pytest|jest|vitest|mocha|ava|playwright|cypress|tsx|ts-node|esbuild|vite|webpack|rollup|tsc|eslint|oxlint|prettier|biome|rspec|rake|phpunit|just|task|mage|[gc]?cc|g\+\+|c\+\+|clang(\+\+)?|ld|ld\.\w+|scons|invoke|fab|ansible[\w-]*|terraform|tofu|pulumi|bats|turbo)$/;

/** Returns whether a program is not meant to run files of the project. The words of file programs are files. */
function isOpenToProject(name: string): boolean {
  const program = baseName(name);
  return !(
    (name.includes('/') && !/^\/(usr\/)?(local\/)?bin\//.test(name)) ||
    runsFiles(program) ||
    isRunner(program) ||
    isManager(program) ||
    touchesFiles(program) ||
    runsProjectPrograms(program) ||
    BUILDS.test(program)
  );
}

/** Parts of the name of an option whose value is a program or a library. */
const PROGRAM_NAME =
  /(^|[-_.])(plugins?|filters?|exec|executable|engine|command|cmd|renderer|pager|editor|shell|program|helper|wrapper|runner|interpreter|compiler|linker|python|hooks?|load|lib|library|provider|module|driver|askpass|preprocessor|pre|script|bin|binary|extension|pkcs11|agent)($|[-_.])/i;
/** The beginning of the name of an option whose value is data. */
const DATA_NAME =
  /^(in|out|file|exclude|include|ignore|path|src|source|target|dest|entry|from|to$|log|ref|body|data|dir|name|prefix|suffix|message|title|only|match|glob|pattern|test|spec|conf)/i;
const LIBRARY = /\.(so(\.[\d.]+)?|dylib|dll)$/;

/** Returns an option whose value names an existing program or library of the project: `x --plugin ./y`, `x --with=./y.so`. */
function findOwnProgram(
  args: readonly ShellWord[],
  { folders, world }: Pick<WordScope, 'folders' | 'world'>,
): ShellWord | undefined {
  const isOwn = (text: string): boolean =>
    [text, ...text.split(/[\s=:,]+/)].some((name) => {
      if (name === '' || name.startsWith('-')) return false;
      return placesOf(name, folders ?? [], world).some(
        (place) =>
          isInside(place, world) &&
          (world.isProgram?.(place.real) === true || (LIBRARY.test(name) && world.exists(place.real))),
      );
    });
  return args.find(({ kind, value }, index) => {
    if (kind !== 'literal') return false;
    const [, option, attached] = /^--?([A-Za-z][\w.-]+)(?:=(.*))?$/s.exec(value) ?? [];
    if (option === undefined) return /[:=]/.test(value) && LIBRARY.test(value) && isOwn(value);
    if (attached !== undefined)
      return (PROGRAM_NAME.test(option) || !DATA_NAME.test(option)) && isOwn(attached);
    const next = args[index + 1];
    return PROGRAM_NAME.test(option) && next?.kind === 'literal' && isOwn(next.value);
  });
}

/** `gawk -i inplace` loads a library of gawk, unless the folder contains a file with that name. */
function withoutInplace(
  args: readonly ShellWord[],
  { folders, world }: Pick<WordScope, 'folders' | 'world'>,
): readonly ShellWord[] {
  const at = args.findIndex(({ value }, index) => value === '-i' && args[index + 1]?.value === 'inplace');
  const isOwn = ['inplace', 'inplace.awk'].some(
    (file) => folders?.some((folder) => world.exists(`${folder}/${file}`)) !== false,
  );
  return at < 0 || isOwn || world.foldersMayChange === true ? args : args.toSpliced(at, 2);
}

/** Returns the words without `--kubeconfig ~/.kube/x`, which belongs to the user. */
function withoutUserSettings(
  args: readonly ShellWord[],
  { world }: Pick<WordScope, 'world'>,
): readonly ShellWord[] {
  return args.filter(({ value }, index) => {
    if (!/^--kubeconfig(=|$)/.test(value)) return true;
    const next = args[index + 1];
    const isTilde = value === '--kubeconfig' && next?.kind === 'tilde';
    const file = value === '--kubeconfig' ? (next?.value ?? '') : value.slice('--kubeconfig='.length);
    const path = file.replace(isTilde ? /^~/ : /^\$(HOME|\{HOME\})/, world.home);
    return !path.startsWith(`${world.home}/.kube/`) || path.includes('..');
  });
}

const SQLITE_VALUED = '-separator -nullvalue -newline -cmd -init -vfs -mmap -maxsize -A -escape -nonce'.split(
  ' ',
);

/** Returns whether a database client has no query in its words, so that it runs the text on its input. */
function readsCode(program: string, args: readonly ShellWord[]): boolean {
  const has = (option: RegExp): boolean => args.some(({ value }) => option.test(value));
  if (has(/^--?(version|help)$/)) return false;
  if (program === 'psql') return !has(/^(-[^-dfhopFLPRTUv]*[cl]|--(com|li)|-[V?]$)/);
  if (/^(mysql|mariadb)$/.test(program)) return !has(/^(-[^-DhPSup]*e|--exe|-[V?]$)/);
  return /^sqlite3?$/.test(program) && argumentsOf(args, SQLITE_VALUED).operands.length < 2;
}

/**
 * Returns whether a program may run a file of the project, or its words may contain code that does. A folder without trust
 * may not decide that.
 */
export function mayLoadCode(program: string, args: readonly ShellWord[]): boolean {
  if (loadingWords(program, args).length > 0) return true;
  // The viewer of manual pages is a setting of the repository.
  if (program === 'git') return args.some(({ value }) => /^(help|--help)$/.test(value));
  if (/^[gmn]?awk$/.test(program)) return hasUnknownAwk(args) || args.some(({ value }) => mayAwkRun(value));
  if (program === 'mlr') return mayMillerRun(args);
  return program === 'dc' && !isPlainDc(args);
}

const AWK_INDIRECT = new RegExp(String.raw`@${AWK_BLANK}[\w:]+${AWK_BLANK}\(|\\\r?\n`);

/** Returns whether a text may call a function by its name in a variable, continue a line, or write to a program. */
function mayAwkRun(text: string): boolean {
  if (text.length > LONGEST_PROGRAM || AWK_INDIRECT.test(text) || /extension\s*\(/.test(text)) return true;
  // A single `|` before the first `print` is part of a pattern, unless `getline` reads from it.
  return /(?<![A-Za-z_])printf?\b.*\||\|.*getline/s.test(text.replaceAll('||', ' '));
}

/** Returns whether a word that may be the program is unknown. The words after the program are files. */
function hasUnknownAwk(args: readonly ShellWord[]): boolean {
  for (const [index, { kind, text, value }] of args.entries()) {
    const isValue = /^-[vF]$/.test(args[index - 1]?.value ?? '');
    // Without quotes, the shell splits a value into more words.
    if (kind !== 'literal' && !(/^(-[vF])?[\w=]*"[^"]*"$/.test(text) && (isValue || /^-[vF]/.test(text))))
      return true;
    if (!isValue && kind === 'literal' && !value.startsWith('-')) return false;
  }
  return false;
}

/** Returns a word with which a verb of Miller reads its code from a file, or writes to a program. */
function findMillerCode(args: readonly ShellWord[]): ShellWord | undefined {
  const at = args.findIndex(({ value }) => /^(put|filter)$/.test(value));
  if (args[0]?.value === '-s') return args[0];
  const code = at < 0 ? [] : args.slice(at + 1);
  return code.find((word) => word.value === '-f' || (/[a-z]/.test(word.value) && mayMillerRun([word])));
}

/** Miller writes to a program after `|`, and reads its words or the code of a verb from a file. */
function mayMillerRun(args: readonly ShellWord[]): boolean {
  let verb = '';
  return args.some(({ kind, value }, index) => {
    if (/^(put|filter|then)$/.test(value)) verb = value;
    if ((verb === 'put' || verb === 'filter') && (value === '-f' || kind === 'dynamic')) return true;
    if (index === 0 && value === '-s') return true;
    // A comment can contain a quote, so texts are not left out then.
    const code = value.includes('#') ? value : value.replace(/"(?:[^"\\]|\\.)*"/gs, '""');
    return code.replaceAll('||', ' ').includes('|');
  });
}

/** Returns whether all code of dc is in its words, and neither runs a program (`!`) nor reads more code (`?`). */
function isPlainDc(args: readonly ShellWord[]): boolean {
  const isCode = (index: number): boolean => /^(-e|--expression)$/.test(args[index]?.value ?? '');
  return (
    args.some(({ value }) => /^(-e|--expression)/.test(value)) &&
    args.every(
      ({ kind, value }, index) =>
        kind === 'literal' &&
        !/[?]|!(?![<>=])/.test(value) &&
        (isCode(index - 1) || /^(-e|--expression)/.test(value)),
    )
  );
}
