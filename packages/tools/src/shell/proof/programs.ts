/** Proves that a program only reads with the given arguments. */
import { ARCHIVE_CHECKS, ARCHIVE_OPTIONS, YQ } from './archives.ts';
import { isReadOnlyAwk, isReadOnlyFind, isReadOnlyPs, isReadOnlyXargs } from './special-programs.ts';
import {
  isHarmlessProgram,
  JQ,
  LSOF,
  NETSTAT,
  OPTIONS,
  RIPGREP,
  SOCKETS,
  VERSIONED,
} from './allowed-options.ts';
import { type Allowed, type Arg, onlyAllowed } from './options.ts';
import { isReadOnlySed } from './sed.ts';

type Environment = Readonly<Record<string, string | undefined>>;

interface Surroundings {
  readonly environment?: Environment | undefined;
  readonly isDockerLocal?: (() => boolean) | undefined;
}

export function isReadOnlyProgram(
  program: string,
  args: readonly Arg[],
  { environment = {}, isDockerLocal }: Surroundings,
): boolean {
  const allowed = OPTIONS.get(program);
  if (allowed === undefined && isHarmlessProgram(program)) return true;
  const [first] = args;
  // For its help, the client asks the service for its abilities, and starts its plugins.
  if (program === 'docker' && first?.value !== '--version' && isDockerLocal?.() !== true) return false;
  if (VERSIONED.has(program) && args.length === 1 && first?.exact && asksVersion(program, first.value))
    return true;
  if (allowed) return onlyAllowed(args, allowed);
  const check = CHECKS.get(program);
  if (check) return check(args, environment);
  return args.every(({ exact }) => exact) && (EXACT.get(program)?.(args.map(({ value }) => value)) ?? false);
}

/** Returns the options of a program that only read, if the proof has a list of them. */
export function provenOptions(program: string): Allowed | undefined {
  return program === 'rg' ? RIPGREP : (OPTIONS.get(program) ?? ARCHIVE_OPTIONS.get(program));
}

/** Some programs know only one of these spellings, and read the others as a file name. */
function asksVersion(program: string, option: string): boolean {
  if (option === '--version') return true;
  if (option === '--help') return !/^(nc|dc|bc|m4|fish|git)$/.test(program);
  return /^(ssh|tmux) -V$|^(perl|gcc|clang|node) -v$|^(openssl) version$|^ffmpeg -version$/.test(
    `${program} ${option}`,
  );
}

type Check = (args: readonly Arg[], environment: Environment) => boolean;

const CHECKS: ReadonlyMap<string, Check> = new Map<string, Check>([
  ...ARCHIVE_CHECKS,
  ['find', isReadOnlyFind],
  ['xargs', isReadOnlyXargs],
  ['sed', isReadOnlySed],
  ...['awk', 'gawk', 'mawk', 'nawk'].map((name) => [name, isReadOnlyAwk] as const),
  [
    'rg',
    (args, environment) =>
      onlyAllowed(args, RIPGREP) &&
      (!environment['RIPGREP_CONFIG_PATH'] ||
        args.some(({ value, exact }) => exact && value === '--no-config')),
  ],
  // An argument with a plus sign can name a file to write. Without -n, the names of addresses are looked up on the network.
  [
    'lsof',
    (args) =>
      args.every(({ value }) => !/^\+|@/.test(value)) &&
      onlyAllowed(args, LSOF) &&
      args.some(({ value, exact }) => exact && LSOF_NUMBERS.test(value)),
  ],
  ['netstat', (args) => onlyAllowed(args, NETSTAT) && printsNumbers(args)],
  ['ss', (args) => args.every(namesNoHost) && onlyAllowed(args, SOCKETS)],
  // A jq program can read other files. Some versions of yq give it to jq.
  ['jq', (args) => args.every(({ value }) => !loadsJqModules(value)) && onlyAllowed(args, JQ)],
  ['yq', (args) => args.every(({ value }) => !loadsJqModules(value)) && onlyAllowed(args, YQ)],
  ['printf', ([format]) => format === undefined || (format.exact && isPrintingFormat(format.value))],
]);

/** `-n` among letters without a value. In `-cn` it is a value. */
const LSOF_NUMBERS = /^-[lPtUwRbCOX]*n/;

/** Without this option, the names of addresses are looked up on the network. */
function printsNumbers(args: readonly Arg[]): boolean {
  return args.some(({ value, exact }) => exact && /^(-[a-mo-zA-Z]*n[a-zA-Z]*|--numeric)$/.test(value));
}

/** `import "x" as $y`, `include @text "x"`, `"x" | modulemeta`. A field or a text is not a keyword: `.include`, `"import"`. */
export function loadsJqModules(program: string): boolean {
  return /(?<![.$\w"])((import|include)\b[^]*"|modulemeta\b)/.test(program);
}

/** Keywords of a filter of `ss`. Any other word would be looked up on the network as the name of a host. */
const SS_KEYWORD =
  /^(?:state|exclude|all|connected|synchronized|bucket|big|established|syn-sent|syn-recv|fin-wait-[12]|time-wait|closed|close-wait|last-ack|listening|listen|closing|and|or|not|sport|dport|dev|fwmark|autobound|eq|ne|neq|gt|ge|geq|lt|le|leq)$/;

function namesNoHost({ value, exact }: Arg): boolean {
  return exact && (SS_KEYWORD.test(value) || /^(?:-.*|[=!<>()&|]+|:[\w-]+|[\d.:*/[\]]+)$/.test(value));
}

/** Programs for which every word must be known. */
const EXACT: ReadonlyMap<string, (args: readonly string[]) => boolean> = new Map([
  // An operand without a plus sign sets the clock.
  [
    'date',
    (args: readonly string[]) =>
      args.every(
        (arg, index) =>
          /^(\+|-u$|-R$|-I(date|hours|minutes|seconds|ns)?$|--utc$|--iso-8601|--rfc-|--date=|-d.|-r$|--reference=)/.test(
            arg,
          ) ||
          (args[index - 1] === '-r' && !arg.startsWith('-')) ||
          isDateValue(args, index),
      ),
  ],
  // Only the form that prints the meaning of a name. Otherwise it runs the program.
  [
    'command',
    ([option, ...names]) =>
      (option === '-v' || option === '-V') && names.every((name) => !name.startsWith('-')),
  ],
  // Package managers are not listed: to print their version, they may start a program that the project names.
  ['node', ([option, ...more]) => /^(--version|-v)$/.test(option ?? '') && more.length === 0],
  ['python', ([option, ...more]) => /^(--version|-V)$/.test(option ?? '') && more.length === 0],
  ['python3', ([option, ...more]) => /^(--version|-V)$/.test(option ?? '') && more.length === 0],
  ['ps', isReadOnlyPs],
  ['umask', ([...args]) => args.every((arg) => arg === '-S' || arg === '-p')],
  ['ulimit', (args) => args.every((arg) => /^-[HS]*[acdefilmnpqrstuvx]?$/.test(arg))],
  ['jobs', (args) => args.every((arg) => /^-[lnprs]+$/.test(arg))],
  ['dirs', (args) => args.every((arg) => /^-[lpv]+$/.test(arg))],
  ['alias', (args) => args.every((arg) => arg === '-p')],
  ['who', (args) => args.every((arg) => /^-[abdlmpqrstTuw]+$/.test(arg))],
  ['w', (args) => args.every((arg) => /^-[hsfoi]+$/.test(arg))],
  [
    'ip',
    (args) =>
      /^(-(br|brief|c|color|4|6|o) )*(a|addr|address|l|link|r|route|neigh)( (show|list|ls))?$/.test(
        args.join(' '),
      ),
  ],
  // For `LABEL=x` it opens all disks, and writes what it finds.
  ['findmnt', (args) => args.every((arg) => /^(-[aADJlnrTR]+|(?!\w+=)[^-].*)$/.test(arg))],
  ['test', isTest],
  ['[', isTest],
]);

function isDateValue(args: readonly string[], index: number): boolean {
  return (
    (args[index] === '-d' && index + 1 < args.length) ||
    (args[index - 1] === '-d' && !args[index]?.startsWith('-'))
  );
}

/** `-v` sets a variable, for example PATH. `%n` sets one as well, to the number of characters. */
function isPrintingFormat(format: string): boolean {
  return !format.startsWith('-') && !/%[-+ #0'*.\d]*[hlLjqtz]*n/.test(format);
}

/** `-v` looks up a variable by a name that can contain a substitution. */
function isTest(args: readonly string[]): boolean {
  return args.every((arg) => arg !== '-v' && arg !== '-R' && !/[[$`]/.test(arg));
}
