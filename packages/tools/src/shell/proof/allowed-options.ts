/** Programs that only read, and their options that only read. A program or option that is not listed is not proven. */
import type { Allowed } from './options.ts';

/** Programs that only print, with any options and arguments. */
const SAFE_PROGRAMS: ReadonlySet<string> = new Set(
  (
    'ls cat head echo true false : pwd cd pushd popd basename dirname whoami id groups seq sleep rev tac nl cut tr comm wc ' +
    'stat du which realpath readlink nproc uname od expr fold expand unexpand paste join printenv free uptime ' +
    'md5sum sha1sum sha224sum sha256sum sha384sum sha512sum b2sum cksum sum type hexdump strings column lscpu lsblk pgrep ' +
    'whereis fmt numfmt tsort factor locale cal look eza exa users logname'
  ).split(' '),
);

const GREP: Allowed = {
  harmless: true,
  short: 'EFGPiyvwxcLlqsbHhnTZazUrRIoV',
  valued: 'efmABCdD',
  numbers: true,
  long: [
    ...(
      'extended-regexp fixed-strings basic-regexp perl-regexp regexp file ignore-case no-ignore-case invert-match ' +
      'word-regexp line-regexp count color files-without-match files-with-matches max-count only-matching quiet ' +
      'silent no-messages byte-offset with-filename no-filename label line-number initial-tab null after-context ' +
      'before-context context text binary-files exclude exclude-from exclude-dir include recursive ' +
      'dereference-recursive null-data version help'
    ).split(' '),
    'colour',
  ],
};

const FD: Allowed = {
  short: 'HIusgiFaLp0q1Vh',
  valued: 'dteEScoj',
  long: (
    'hidden no-ignore no-ignore-vcs no-ignore-parent unrestricted case-sensitive ignore-case glob regex fixed-strings ' +
    'absolute-path follow full-path print0 max-depth min-depth exact-depth prune type extension exclude size changed-within ' +
    'changed-before owner color threads max-results quiet show-errors strip-cwd-prefix one-file-system version help'
  ).split(' '),
};

export const OPTIONS: ReadonlyMap<string, Allowed> = new Map<string, Allowed>([
  ['grep', GREP],
  ['egrep', GREP],
  ['fgrep', GREP],
  // With -f the time limit of the tool ends it.
  [
    'tail',
    {
      harmless: true,
      short: 'qvzrfF',
      valued: 'ncs',
      numbers: true,
      long: ['lines', 'bytes', 'quiet', 'silent', 'verbose', 'follow', 'retry', 'pid', 'sleep-interval'],
    },
  ],
  // Without -o, -T and --compress-program.
  [
    'sort',
    {
      short: 'bdfgiMhnRrVcCmsuz',
      valued: 'ktS',
      long: (
        'ignore-leading-blanks dictionary-order ignore-case general-numeric-sort month-sort human-numeric-sort ' +
        'numeric-sort random-sort reverse version-sort check key field-separator merge stable unique zero-terminated ' +
        'parallel buffer-size debug sort help version'
      ).split(' '),
    },
  ],
  // A second file would be written.
  [
    'uniq',
    {
      short: 'cdDuiz',
      valued: 'fsw',
      operands: 1,
      long: ['count', 'repeated', 'unique', 'ignore-case', 'skip-fields', 'skip-chars'],
    },
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
      harmless: true,
      short: 'bls',
      valued: 'in',
      long: ['print-bytes', 'ignore-initial', 'verbose', 'bytes', 'quiet', 'silent'],
    },
  ],
  // With an unknown option or a wrong value, one version writes to the log of the system.
  ['pidof', { short: 'scqnxz' }],
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
      separate: true,
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
  // Without -o.
  ['iconv', { short: 'csl', valued: 'ft', long: ['from-code', 'to-code', 'list', 'silent'] }],
  // Without -x, -X and -l, which run programs.
  ['fd', FD],
  ['fdfind', FD],
  // Without -v, which runs another version of the program.
  ['getconf', { short: 'a' }],
  ['env', { operands: 0 }],
  // Its other options ask a name server.
  ['hostname', { operands: 0, short: 's' }],
  ['arch', { operands: 0 }],
  ['tty', { operands: 0 }],
]);

/** Without options that run programs: search in archives, `--pre`, `--hostname-bin`. A configuration file may add them. */
export const RIPGREP: Allowed = {
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

export const JQ: Allowed = {
  short: 'cnreasSRjCMV',
  long: (
    'null-input raw-input slurp compact-output raw-output join-output ascii-output sort-keys color-output ' +
    'monochrome-output tab indent exit-status arg argjson args jsonargs'
  ).split(' '),
};

/** For `ss`. Without -K, which closes connections, -D, which writes a file, and -r, which asks for names. */
export const SOCKETS: Allowed = {
  short: 'tulnpaeomiswx46HO',
  long: 'tcp udp listening numeric processes all extended info summary no-header ipv4 ipv6'.split(' '),
};

/** Without -D and +m, which write files. */
export const NETSTAT: Allowed = {
  short: 'tulnpaerswxgi46',
  long: 'tcp udp listening numeric program all route'.split(' '),
};
export const LSOF: Allowed = { short: 'abnPltUVR', valued: 'ipcusd' };

/**
 * Programs that print their version without reading the project. Package managers, version managers and build tools are not
 * listed, because a file of the project may name the program that prints the version. `top` creates a folder for its settings,
 * podman one for its storage, and nvim one for its log. `gh` rewrites older settings first, and asks its server for their user. `valgrind` loads
 * the settings of the working directory, and a `kubectl` that starts another version asks the cluster first.
 */
export const VERSIONED: ReadonlySet<string> = new Set(
  (
    'bash zsh fish dash gcc g++ cc c++ clang clang++ make gmake cmake ninja jq yq tree fd fdfind rg ag bat tar gzip zip unzip curl ' +
    'wget sed awk gawk grep find xargs diff patch less vim emacs nano touch mkdir cp mv rm ln chmod tee tmux screen sqlite3 psql docker perl ' +
    'openssl ssh rsync bwrap ffmpeg convert magick pandoc shellcheck ld as nm objdump strace python python3 node ' +
    'deno uv ruff protoc nginx file sort ps htop bc dc m4 socat nc nmap hyperfine delta fzf zoxide lsof ss ip'
  ).split(' '),
);

/** Returns true if a program has no effects for any arguments, which may also come from a pipe, a variable or a glob. */
export function isHarmlessProgram(program: string): boolean {
  return SAFE_PROGRAMS.has(program) || OPTIONS.get(program)?.harmless === true;
}
