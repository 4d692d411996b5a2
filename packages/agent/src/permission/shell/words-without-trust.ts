/**
 * Programs and words that run nothing that the project chooses. In a folder without trust, only they run in the
 * read-only view. A program or option that is not listed may run another program, load code, or read settings that do. So may
 * a word whose beginning is not known.
 */
import path from 'node:path';
import {
  type Arg,
  endOfFindRun,
  isHarmlessProgram,
  isName,
  isReadingExpression,
  onlyAllowed,
  type ShellWord,
  wordArguments,
} from '@heddle/tools/shell';
import { foldersAround } from '../paths/places.ts';
import type { PermissionWorld } from '../world.ts';
import { asksForHelp } from './chosen-programs.ts';
import { startFoldersOf } from './files/find.ts';
import { mayBeMoved } from './git-folders.ts';
import { names, OPENSSL, OPTIONS, SED, TAR } from './options-without-trust.ts';
import type { Unwrapped } from './runners.ts';
import type { Folders, Variables } from './shell-state.ts';

interface Scope {
  readonly folders: Folders;
  readonly world: PermissionWorld;
  readonly variables: Variables;
}

/** No option of any version runs a program, loads code, or names settings that do. Others are in the list of the proof. */
const ANY_WORDS: ReadonlySet<string> = new Set(
  (
    'bzcat xzcat zstdcat lz4cat readelf zipinfo xxd base32 base64 file uniq lsd tokei scc gron jq diff df bc findmnt ' +
    'tree unzip 7z gzip xz bzip2 zstd xmllint shellcheck test [ printf dpkg-query lsb_release ' +
    'journalctl'
  ).split(' '),
);

/** Every word must be known, and not the name of a file that `find` finds: it may be code, or name a command. */
const EXACT_WORDS = /^(rpm|ip|hostname|ifconfig|crontab|java|node|perl|gcc|g\+\+|cc|c\+\+|clang|clang\+\+)$/;

type Check = (args: readonly Arg[], words: readonly ShellWord[], more: boolean) => boolean;

const CHECKS: ReadonlyMap<string, Check> = new Map<string, Check>([
  ['find', (_, words, more) => !more && isPlainFind(words)],
  ['tar', isPlainTar],
  ['sed', isPlainSed],
  ...names('awk gawk mawk nawk').map((name) => [name, isPlainAwk] as const),
  [
    'openssl',
    (args) =>
      args.every((arg) => (arg.value.startsWith('-') ? isOpensslOption(arg) : isName(arg) && isLocal(arg))),
  ],
  ['ip', (args) => IP.test(args.map(({ value }) => value).join(' '))],
]);

/** Settings of the project that name programs or code. */
const SETTINGS: ReadonlyMap<string, string> = new Map([['npm', '.npmrc']]);

/** Words that are not options, and still act as one: a file with options, a command of a pager, a macro, a remote archive. */
const ACTS: readonly (readonly [RegExp, RegExp])[] = [
  [/^(nm|objdump|size|ar|jar)$/, /^@/],
  [/^(less|more)$/, /^\+/],
  [/^(tar|openssl)$/, /^[^/]*:/],
  // Macros run programs: `%(id)`, `%{lua:…}`, `%[…]`. Options such as `--dbpath` and formats with `:expand` expand them as well.
  [/^rpm$/, /%/],
  [/^man$/, /[^\w.+@:-]/],
  [/^(bat|batcat)$/, /^cache$/],
  [/^npm$/, /^help$/],
];

/** Returns whether the command runs only the program itself, which runs nothing that the project chooses. */
export function runsOnlyItself({ words, more }: Unwrapped, scope: Scope): boolean {
  const [name, ...rest] = words;
  if (name?.kind !== 'literal') return false;
  const program = name.value.replace(/^\/(usr\/)?bin\//, '').replace(/^pip3$/, 'pip');
  if (takesAnyWords(program)) return true;
  const args = rest.flatMap((word) => argumentsIn(word, scope));
  const isKnown = !more && args.every(({ exact }) => exact);
  if (
    isKnown &&
    asksForHelp(
      program,
      args.map(({ value }) => value),
    )
  )
    return true;
  const needsExact = EXACT_WORDS.test(program);
  if (needsExact && (!isKnown || args.some(({ value }) => value.includes('{}')))) return false;
  const acts = ACTS.filter(([programs]) => programs.test(program));
  if (args.some(({ value }) => acts.some(([, word]) => word.test(value)))) return false;
  if (isConfigured(program, scope)) return false;
  const given = more ? [...args, UNKNOWN] : args;
  const check = CHECKS.get(program);
  if (check) return check(given, rest, more);
  const allowed = OPTIONS.get(program);
  // The words of a program without a list here are checked as a whole where the programs of the view are listed.
  return allowed === undefined ? needsExact : onlyAllowed(given, allowed);
}

function takesAnyWords(program: string): boolean {
  return isHarmlessProgram(program) || ANY_WORDS.has(program);
}

const UNKNOWN: Arg = { value: '', exact: false };

/** A variable of the script at the start of a word, with or without quotes, and plain text after it. */
const VARIABLE = /^("?)\$(?:(\w+)|\{(\w+)\})([\w./:=@%+,-]*)\1([\w./:=@%+,-]*)$/;
/** The shell does not split it. */
const UNSPLIT = /^[\w./:=@%+,-]*$/;

/** Returns the arguments that the shell makes of a word, as far as they are known. */
function argumentsIn(word: ShellWord, { variables }: Scope): readonly Arg[] {
  const [found, quote = '', bare, braced, ...ends] = VARIABLE.exec(word.text) ?? [];
  const values = found === undefined ? undefined : variables(bare ?? braced ?? '');
  if (values === undefined) return wordArguments(word);
  return values.map(({ text, isGlob }) => {
    if (isGlob) return { value: /^[^*?[]*/.exec(text)?.[0] ?? '', exact: false };
    return quote !== '' || UNSPLIT.test(text) ? { value: text + ends.join(''), exact: true } : UNKNOWN;
  });
}

/** Returns whether the project has settings for the program, in a folder of the command or above it. */
function isConfigured(program: string, { folders, world }: Scope): boolean {
  const file = SETTINGS.get(program);
  if (file === undefined) return false;
  const isHome = (at: string): boolean => at === world.home || at === world.realpath(world.home);
  return (
    folders === undefined ||
    folders.some(
      (folder) =>
        (world.takesLong === true && mayBeMoved(folder, world)) ||
        foldersAround(folder, world, isHome).some((at) => world.exists(path.posix.join(at, file))),
    )
  );
}

/**
 * Commands after `-exec` are checked on their own. After `-execdir`, a name may begin with a dash, and the folder was not
 * checked.
 */
function isPlainFind(words: readonly ShellWord[]): boolean {
  // The names that it finds begin with these words. They act as options of some programs: `find @x -exec nm {} +`.
  if (
    startFoldersOf(words)
      .flatMap(wordArguments)
      .some(({ value }) => /^[@+]|^[^/]*:/.test(value))
  )
    return false;
  for (let at = 0; at < words.length; at++) {
    const word = words[at];
    const program = words[at + 1]?.value ?? '';
    if (
      word?.kind === 'literal' &&
      (word.value === '-exec' || (word.value === '-execdir' && takesAnyWords(program)))
    ) {
      const end = endOfFindRun(words, at + 1);
      // Some versions end the command at any plus sign.
      if (end < 0 || words.slice(at, end).some(({ value }) => value === '+')) return false;
      at = end;
    } else if (word && !wordArguments(word).every(isPlainExpression)) return false;
  }
  return true;
}

function isPlainExpression({ value, exact }: Arg): boolean {
  return value.startsWith('-') ? exact && isReadingExpression(value) : exact || value !== '';
}

/** A name that is not known to its end may be an address, unless it has a slash before the colon. */
function isLocal({ value, exact }: Arg): boolean {
  return exact || value.includes('/');
}

const OLD_TAR = new RegExp(`^[${TAR.short}${TAR.valued}]+$`);

/** A first word without a dash is letters of options. */
function isPlainTar(args: readonly Arg[], words: readonly ShellWord[], more: boolean): boolean {
  const [first, ...rest] = args;
  if (more || words[0]?.kind !== 'literal' || first === undefined) return false;
  if (!args.every(isLocal)) return false;
  const isOld = !first.value.startsWith('-');
  return (!isOld || OLD_TAR.test(first.value)) && onlyAllowed(isOld ? rest : args, TAR);
}

/** The code must be in the words themselves. Its contents are checked elsewhere. `{}` is the name of a file after `find -exec`. */
function isPlainSed(args: readonly Arg[], words: readonly ShellWord[], more: boolean): boolean {
  const first = words.findIndex(({ kind, value }) => kind !== 'literal' || !value.startsWith('-'));
  const isCode = (index: number): boolean =>
    index <= first ||
    words[index]?.value.startsWith('-') === true ||
    /^(-\w*e|--expression)$/.test(words[index - 1]?.value ?? '');
  if (first < 0 && more) return false;
  return (
    words.every(
      ({ kind, value }, index) => !isCode(index) || (kind === 'literal' && !value.includes('{}')),
    ) && onlyAllowed(args, SED)
  );
}

const AWK_OPTION =
  /^(-F.|-v\w+=|--(re-interval|posix|traditional|characters-as-bytes|sandbox|csv|non-decimal-data|bignum|use-lc-numeric|optimize|no-optimize)$)/s;

/** Some versions read options after the code, too. */
function isPlainAwk(args: readonly Arg[], words: readonly ShellWord[]): boolean {
  const isPlain = (arg: Arg): boolean =>
    arg.value.startsWith('-')
      ? /^-[Fv]?$/.test(arg.value) || AWK_OPTION.test(arg.value)
      : arg.exact || isName(arg);
  if (!args.every(isPlain)) return false;
  let at = 0;
  for (; words[at]?.value.startsWith('-'); at++) {
    const { value = '', kind = 'dynamic', single = false } = words[at] ?? {};
    if (/^-[Fv]$/.test(value)) {
      at++;
      if (words[at]?.single !== true) return false;
    } else if (!AWK_OPTION.test(value) || !(kind === 'literal' || single)) return false;
  }
  const code = words[at];
  return code?.kind === 'literal' && !code.value.includes('{}');
}

function isOpensslOption({ value, exact }: Arg): boolean {
  const [, name = ''] = /^--?([\w-]+)$/.exec(value) ?? [];
  return exact && (OPENSSL.has(name) || /^(sha|blake|sm)[\w-]*$/.test(name));
}

/** Commands that print addresses, links and routes. Others run programs: `ip netns exec`, also abbreviated, and `ip vrf exec`. */
const IP =
  /^(-(br|brief|c|color|color=\w+|4|6|o|s|d|j|p|json|details|statistics|oneline) )*(a|addr|address|l|link|r|route|n|neigh|rule|maddr)( (s|sh|show|ls|list|get))?( (dev|up|to|scope|table))?( [\w.:/-]+)*$/;
