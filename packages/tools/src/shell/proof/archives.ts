/** Proves calls that only print the content of archives, binaries and services. */
import type { Allowed, Arg } from './options.ts';
import { isName, onlyAllowed } from './options.ts';

type Environment = Readonly<Record<string, string | undefined>>;
type Check = (args: readonly Arg[], environment: Environment) => boolean;

const UNPACKED: Allowed = { short: 'fqv', long: ['force', 'quiet', 'verbose', 'help', 'version'] };
const SEARCHED: Allowed = {
  short: 'EFGPivwxclLqsnHhoz',
  valued: 'eABCm',
  numbers: true,
  long: 'extended-regexp fixed-strings perl-regexp ignore-case invert-match word-regexp count line-number only-matching context after-context before-context max-count quiet regexp files-with-matches'.split(
    ' ',
  ),
};

/** Without `--plugin`, which loads a library. */
const SYMBOLS: Allowed = {
  short: 'aACDgnpPrSuvo',
  long: 'demangle dynamic extern-only undefined-only defined-only numeric-sort print-size size-sort no-demangle reverse-sort print-file-name debug-syms help version'.split(
    ' ',
  ),
};
/** Without debugging information, which may be fetched from a server. */
const OBJECTS: Allowed = {
  short: 'adDfhprRtTxsCz',
  valued: 'jM',
  long: 'disassemble disassemble-all file-headers private-headers headers section-headers syms dynamic-syms reloc all-headers full-contents demangle section no-show-raw-insn start-address stop-address help version'.split(
    ' ',
  ),
};
const ELF: Allowed = {
  short: 'ahlSsrdnVAWeu',
  valued: 'xp',
  long: 'all file-header program-headers sections symbols dyn-syms relocs dynamic notes version-info arch-specific headers wide string-dump hex-dump help version'.split(
    ' ',
  ),
};
const SIZES: Allowed = { short: 'ABGdoxt', long: ['format', 'totals', 'help', 'version'] };

/** Programs that replace `@file` by the options in that file. */
const EXPANDS_LISTS = /^(nm|objdump|readelf|size)$/;

function isProven(program: string, allowed: Allowed): Check {
  if (allowed === BAT) return printsWithBat;
  const expands = EXPANDS_LISTS.test(program);
  const rereads = allowed === SEARCHED;
  return (args) =>
    onlyAllowed(args, allowed) &&
    !(expands && args.some(({ value }) => value.startsWith('@'))) &&
    !(rereads && !(args.every(isPlain) && args.every(isCounted))) &&
    !(program === 'bzgrep' && !isInOrder(args));
}

/**
 * Programs such as `zgrep` are scripts that build a command of their words and evaluate it, and their quoting has gaps:
 * `zgrep "-ex'" "-e; make; #" a` runs make. An option with a value needs no quoting, and its value is known.
 */
function isPlain({ value, exact }: Arg): boolean {
  return value.startsWith('-') ? exact && /^[\w=.,:@%+/-]+$/.test(value) : !/['\n\r]/.test(value);
}

/** Some of these scripts do not quote the value of such an option. It may contain options of grep: `bzgrep -A '1 -r' x a`. */
function isCounted({ value, exact }: Arg, index: number, args: readonly Arg[]): boolean {
  return !TAKES_NUMBER.test(args[index - 1]?.value ?? '') || (exact && /^\d+$/.test(value));
}

const TAKES_NUMBER = /^(-[ABCm]|--(after-context|before-context|context|max-count))$/;

/**
 * `bzgrep` gives the pattern to grep after all options, so another option becomes the pattern, and the pattern a file: `bzgrep -e FILE -v a`.
 * The same applies to a dash, and to a pattern or a value in one word with other letters.
 */
function isInOrder(args: readonly Arg[]): boolean {
  const patternAt = args.findIndex(({ value }) => value === '-e');
  return args.every(({ value }, index) =>
    patternAt >= 0 && index > patternAt
      ? !value.startsWith('-')
      : !value.startsWith('-') || value === '-e' || TAKES_NO_PATTERN.test(value),
  );
}

const TAKES_NO_PATTERN = new RegExp(
  `^(--|-[${SEARCHED.short ?? ''}]+|-[ABCm]?\\d+|-[ABCm]|--(?!regexp)[a-z-]+|--(after-|before-)?context=\\d+|--max-count=\\d+)$`,
);

/** A name with a colon is an archive on another machine. */
function isLocal(arg: Arg): boolean {
  return arg.exact && isName(arg) && !arg.value.includes(':');
}

/** `tar tf a.tgz`, `tar -tvzf a.tgz src`, `tar --list --file=a.tar`. No option names a program for unpacking. */
function listsTar(args: readonly Arg[], environment: Environment): boolean {
  if (environment['TAR_OPTIONS']) return false;
  const [first, ...rest] = args;
  const isShort = first?.exact === true && /^-?(?=[a-zA-Z]*t)[tvzjJaf]+$/.test(first.value);
  // A first word without a dash is letters of options, never a file: `tar If ./x a.tar -t` runs `./x`.
  if (!isShort && !first?.value.startsWith('-')) return false;
  const others = isShort ? rest : args;
  const isLong = others.some(({ value }) => value === '--list' || /^-(?=[a-z]*t)[tvzjJaf]+$/.test(value));
  return (isShort || isLong) && others.every((arg) => isLocal(arg) || (arg.exact && isTarOption(arg.value)));
}

function isTarOption(option: string): boolean {
  return (
    /^--(list|verbose|gzip|bzip2|xz|zstd|auto-compress|full-time|utc|wildcards|no-wildcards|numeric-owner)$/.test(
      option,
    ) ||
    /^-[tvzjJa]*f?$/.test(option) ||
    /^--(file|strip-components|exclude)=[^:]+$/.test(option)
  );
}

/** `unzip -l a.zip`, `unzip -v a.zip`, `unzip -Z1 a.zip`. */
function listsZip([first, ...rest]: readonly Arg[], environment: Environment): boolean {
  if (['UNZIP', 'UNZIPOPT', 'ZIPINFO', 'ZIPINFOOPT'].some((name) => environment[name])) return false;
  return first?.exact === true && /^-(?:[lvt]q*|q*[lvt]|Z[12]?)$/.test(first.value) && rest.every(isName);
}

function zipInfo(args: readonly Arg[], environment: Environment): boolean {
  if (['ZIPINFO', 'ZIPINFOOPT'].some((name) => environment[name])) return false;
  return onlyAllowed(args, { short: '12slmvhtTz' });
}

const DOCKER: Allowed = {
  short: 'aqlns',
  valued: 'f',
  long: 'all quiet latest last no-trunc size filter format digests'.split(' '),
};

/** Lists containers and images of the service, which must be on this machine. Podman is not proven: it is the engine itself, and writes its storage. */
function listsContainers(args: readonly Arg[]): boolean {
  const [verb, noun, ...rest] = args;
  if (verb?.exact !== true) return false;
  if (/^(ps|images|version)$/.test(verb.value)) return onlyAllowed(args.slice(1), DOCKER);
  const pair = `${verb.value} ${noun?.exact ? noun.value : ''}`;
  return (
    /^(container|image|volume|network) (ls|list)$/.test(pair) && onlyAllowed(rest, { ...DOCKER, operands: 0 })
  );
}

const BAT: Allowed = {
  short: 'pPAnuf',
  valued: 'lrH',
  long: 'plain paging style color decorations line-range language number show-all highlight-line theme wrap tabs no-pager'.split(
    ' ',
  ),
};

/** Accepts only calls without a pager, because a configuration file may name it. */
function printsWithBat(args: readonly Arg[]): boolean {
  const hasNoPager = args.some(({ value, exact }) => exact && /^(-P|-pp|--paging=never)$/.test(value));
  return (
    hasNoPager &&
    args.every(({ value }) => value !== 'cache' && !/^--paging(?!=never)/.test(value)) &&
    onlyAllowed(args, BAT)
  );
}

/** Without `--pager`. */
const AG: Allowed = {
  short: 'acDfgHilLnQrsStuUvw0',
  valued: 'ABCGmp',
  numbers: true,
  long: 'ackmate after all-text all-types before break case-sensitive color column context count depth filename-pattern files-with-matches files-without-matches filename nofilename fixed-strings group nogroup nobreak heading noheading hidden ignore ignore-case ignore-dir invert-match literal match max-count nocolor numbers nonumbers only-matching smart-case stats unrestricted vimgrep word-regexp help version'.split(
    ' ',
  ),
};

/** Without `-i`, which writes the file, and `-s`, which writes many. */
export const YQ: Allowed = {
  short: 'PrcnNCMeyYtS',
  valued: 'opI',
  long: 'prettyPrint unwrapScalar output-format input-format no-colors colors no-doc exit-status null-input indent raw-output tojson version help'.split(
    ' ',
  ),
};

export const ARCHIVE_OPTIONS: ReadonlyMap<string, Allowed> = new Map<string, Allowed>([
  ...['zcat', 'gzcat', 'bzcat', 'xzcat', 'lzcat', 'zstdcat'].map((name) => [name, UNPACKED] as const),
  ...['zgrep', 'zegrep', 'zfgrep', 'bzgrep', 'xzgrep'].map((name) => [name, SEARCHED] as const),
  ['nm', SYMBOLS],
  ['objdump', OBJECTS],
  ['readelf', ELF],
  ['size', SIZES],
  ['bat', BAT],
  ['batcat', BAT],
  ['ag', AG],
  ['yq', YQ],
]);

export const ARCHIVE_CHECKS: readonly (readonly [string, Check])[] = [
  ...Array.from(ARCHIVE_OPTIONS, ([name, allowed]) => [name, isProven(name, allowed)] as const),
  ['tar', listsTar],
  ['unzip', listsZip],
  ['zipinfo', zipInfo],
  ['docker', listsContainers],
];
