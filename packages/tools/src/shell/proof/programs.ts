/** Programs that only read, and which of their options keep it so. What is not listed is not proven. */
import { isReadOnlyFind } from './find.ts';
import { type Allowed, onlyAllowed } from './options.ts';

type Environment = Readonly<Record<string, string | undefined>>;
type Check = (args: readonly string[], environment: Environment) => boolean;

export function isReadOnlyProgram(
  program: string,
  args: readonly string[],
  environment: Environment,
): boolean {
  if (HARMLESS.has(program)) return true;
  const allowed = OPTIONS.get(program);
  if (allowed) return onlyAllowed(args, allowed);
  return CHECKS.get(program)?.(args, environment) ?? false;
}

/** No option and no argument makes them do anything but print. */
const HARMLESS: ReadonlySet<string> = new Set(
  (
    'ls cat head echo true false : pwd cd basename dirname whoami id groups seq sleep rev tac nl cut tr comm wc ' +
    'stat du which realpath readlink nproc uname od expr fold expand unexpand paste join printenv ps free uptime ' +
    'md5sum sha1sum sha224sum sha256sum sha384sum sha512sum cksum sum type'
  ).split(' '),
);

const GREP: Allowed = {
  short: 'EFGPiyvwxcLlqsbHhnTZazUrRIoV',
  valued: 'efmABCdD',
  numbers: true,
  long: (
    'extended-regexp fixed-strings basic-regexp perl-regexp regexp file ignore-case no-ignore-case invert-match ' +
    'word-regexp line-regexp count color colour files-without-match files-with-matches max-count only-matching quiet ' +
    'silent no-messages byte-offset with-filename no-filename label line-number initial-tab null after-context ' +
    'before-context context text binary-files exclude exclude-from exclude-dir include recursive ' +
    'dereference-recursive null-data version help'
  ).split(' '),
};

const OPTIONS: ReadonlyMap<string, Allowed> = new Map<string, Allowed>([
  ['grep', GREP],
  ['egrep', GREP],
  ['fgrep', GREP],
  // Without -f: it never ends.
  [
    'tail',
    { short: 'qvzr', valued: 'nc', numbers: true, long: ['lines', 'bytes', 'quiet', 'silent', 'verbose'] },
  ],
  // Without -o, -T and --compress-program.
  [
    'sort',
    {
      short: 'bdfgiMhnRrVcCmsuz',
      valued: 'kt',
      long: (
        'ignore-leading-blanks dictionary-order ignore-case general-numeric-sort month-sort human-numeric-sort ' +
        'numeric-sort random-sort reverse version-sort check key field-separator merge stable unique zero-terminated'
      ).split(' '),
    },
  ],
  // A second file would be written.
  [
    'uniq',
    { short: 'cdDuiz', valued: 'fsw', operands: 1, long: ['count', 'repeated', 'unique', 'ignore-case'] },
  ],
  ['xxd', { short: 'abeiu', valued: 'clgs', operands: 1 }],
  // Without -l, which runs another program.
  [
    'diff',
    {
      short: 'abBcdeEiNnpqrstTuwyZ',
      valued: 'CUWxX',
      long: (
        'normal brief report-identical-files context unified side-by-side width left-column suppress-common-lines ' +
        'show-c-function show-function-line label expand-tabs initial-tab recursive no-dereference new-file ignore-case ' +
        'ignore-tab-expansion ignore-space-change ignore-all-space ignore-trailing-space ignore-blank-lines ' +
        'ignore-matching-lines text strip-trailing-cr minimal color exclude exclude-from starting-file'
      ).split(' '),
    },
  ],
  [
    'cmp',
    {
      short: 'bls',
      valued: 'in',
      long: ['print-bytes', 'ignore-initial', 'verbose', 'bytes', 'quiet', 'silent'],
    },
  ],
  ['base64', { short: 'dDi', valued: 'wb', long: ['decode', 'ignore-garbage', 'wrap'] }],
  [
    'df',
    {
      short: 'ahHiklPT',
      valued: 'Btx',
      long: ['all', 'human-readable', 'inodes', 'portability', 'print-type', 'total', 'type', 'local'],
    },
  ],
  [
    'file',
    {
      short: 'bhiIkLN',
      long: ['brief', 'mime', 'mime-type', 'mime-encoding', 'dereference', 'no-dereference'],
    },
  ],
  // Without -o and -R, which write files.
  [
    'tree',
    {
      short: 'adfilxpsuhgDFrtcUvqNQJXSnC',
      valued: 'LPI',
      long: [
        'dirsfirst',
        'gitignore',
        'prune',
        'noreport',
        'si',
        'du',
        'sort',
        'filelimit',
        'matchdirs',
        'ignore-case',
      ],
    },
  ],
  [
    'jq',
    {
      short: 'cnreasSRjCM',
      long: 'null-input raw-input slurp compact-output raw-output join-output ascii-output sort-keys color-output monochrome-output tab indent exit-status arg argjson args jsonargs'.split(
        ' ',
      ),
    },
  ],
  ['env', { operands: 0 }],
  ['hostname', { operands: 0, short: 'fsid' }],
  ['arch', { operands: 0 }],
  ['tty', { operands: 0 }],
]);

/** Searching inside archives, `--pre` and `--hostname-bin` run programs; so may whatever a configuration file adds. */
const RIPGREP: Allowed = {
  short: 'abcFHiIlLnNopPqsSuUvVwx0.',
  valued: 'ABCdEefgjmMrtT',
  long: (
    'after-context before-context context binary block-buffered byte-offset case-sensitive color colors column count ' +
    'count-matches crlf no-crlf dfa-size-limit encoding engine field-context-separator field-match-separator file ' +
    'files files-with-matches files-without-match fixed-strings follow glob glob-case-insensitive heading no-heading ' +
    'help hidden no-hidden iglob ignore-case ignore-file include-zero invert-match json line-buffered line-number ' +
    'no-line-number line-regexp max-columns max-columns-preview max-count max-depth max-filesize mmap multiline ' +
    'multiline-dotall no-config no-ignore no-ignore-dot no-ignore-exclude no-ignore-files no-ignore-global ' +
    'no-ignore-messages no-ignore-parent no-ignore-vcs no-messages no-require-git no-unicode null null-data ' +
    'one-file-system only-matching passthru path-separator pcre2 pretty quiet regexp replace smart-case ' +
    'sort sortr stats text threads trim type type-add type-clear type-list type-not unrestricted version vimgrep ' +
    'with-filename no-filename word-regexp'
  ).split(' '),
};

const CHECKS: ReadonlyMap<string, Check> = new Map<string, Check>([
  ['find', isReadOnlyFind],
  [
    'rg',
    (args, environment) =>
      onlyAllowed(args, RIPGREP) && (!environment['RIPGREP_CONFIG_PATH'] || args.includes('--no-config')),
  ],
  // An operand without a plus sign sets the clock.
  [
    'date',
    (args) =>
      args.every(
        (arg, index) =>
          /^(\+|-u$|-R$|-I(date|hours|minutes|seconds|ns)?$|--utc$|--iso-8601|--rfc-|--date=)/.test(arg) ||
          isDateValue(args, index),
      ),
  ],
  // `-v` sets a variable, PATH for one.
  ['printf', ([format = '']) => !format.startsWith('-')],
  // Only to ask what a name means; otherwise it runs it.
  ['command', ([option, ...names]) => (option === '-v' || option === '-V') && names.every(isName)],
  ['sed', isPrintingSed],
  // Package managers may start what a project's settings name even to say their version.
  ['node', ([option, ...more]) => /^(--version|-v)$/.test(option ?? '') && more.length === 0],
  ['python', ([option, ...more]) => /^(--version|-V)$/.test(option ?? '') && more.length === 0],
  ['python3', ([option, ...more]) => /^(--version|-V)$/.test(option ?? '') && more.length === 0],
  ['test', isTest],
  ['[', isTest],
]);

function isDateValue(args: readonly string[], index: number): boolean {
  return (
    (args[index] === '-d' && index + 1 < args.length) ||
    (args[index - 1] === '-d' && !args[index]?.startsWith('-'))
  );
}

function isName(arg: string): boolean {
  return !arg.startsWith('-');
}

/** `sed -n '1,20p' file`: lines by number. Other scripts can write files and run commands. */
function isPrintingSed([option, script, ...files]: readonly string[]): boolean {
  return (
    option === '-n' && /^\d+(,(\d+|\$))?p$/.test(script ?? '') && files.length > 0 && files.every(isName)
  );
}

/** `-v` looks up a variable by a name that can contain a substitution. */
function isTest(args: readonly string[]): boolean {
  return args.every((arg) => arg !== '-v' && arg !== '-R' && !/[[$`]/.test(arg));
}
