/**
 * The options of programs that only read the files among their words. If a rule restricts reading, only these programs
 * run by proof, and only with these options. An option that names a file is not listed, unless the file is checked.
 */
import type { OptionTable } from './operands.ts';

export interface KnownReader extends OptionTable {
  /** The words that are files: none, all operands, or all after the first one, which is a pattern. */
  readonly files: 'none' | 'all' | 'after the pattern';
}

const list = (text: string): readonly string[] => (text === '' ? [] : text.split(' '));

/** `valued` are short and long options with a value. `long` are those without one, or with an attached one. */
function reader(letters: string, valued = '', long = ''): KnownReader {
  return { letters, valued: list(valued), long: list(long), files: 'all' };
}

/** Without `--check`, which reads the files of a list. */
const CHECKSUM = reader('btz', '', '--binary --text --tag --zero --help --version');
const GREP: KnownReader = {
  files: 'after the pattern',
  letters: 'EFGPivwxycLloqsbHhnTZUarRIz0123456789',
  valued: list(
    '-e -m -A -B -C -d -D --regexp --max-count --after-context --before-context --context --directories --devices --include --exclude --exclude-dir ' +
      '--label --binary-files --group-separator',
  ),
  long: list(
    '--extended-regexp --fixed-strings --basic-regexp --perl-regexp --ignore-case --no-ignore-case --invert-match ' +
      '--word-regexp --line-regexp --count --color --files-with-matches --files-without-match --only-matching ' +
      '--quiet --silent --no-messages --byte-offset --with-filename --no-filename --line-number --initial-tab --null ' +
      '--null-data --text --recursive --dereference-recursive --line-buffered --no-group-separator --help --version',
  ),
};

/** Without `--pre`, `--file`, `--ignore-file`, `--hostname-bin` and searches in archives. */
const RIPGREP: KnownReader = {
  files: 'after the pattern',
  letters: 'abcFhHiIlLnNopPqsSuUvVwx0.',
  valued: list(
    '-e -g -t -T -m -A -B -C -d -E -j -M -r --regexp --glob --iglob --type --type-not --max-count --after-context ' +
      '--before-context --context --max-depth --encoding --threads --max-columns --replace --color --colors ' +
      '--context-separator --engine --field-context-separator --field-match-separator --max-filesize --path-separator ' +
      '--sort --sortr',
  ),
  long: list(
    '--text --byte-offset --count --count-matches --crlf --files --files-with-matches --files-without-match ' +
      '--fixed-strings --follow --no-follow --heading --no-heading --hidden --no-hidden --ignore-case --case-sensitive ' +
      '--smart-case --invert-match --json --line-number --no-line-number --line-regexp --multiline --multiline-dotall ' +
      '--no-filename --with-filename --no-ignore --no-ignore-dot --no-ignore-exclude --no-ignore-files ' +
      '--no-ignore-global --no-ignore-messages --no-ignore-parent --no-ignore-vcs --no-messages --no-require-git ' +
      '--no-config --null --null-data --only-matching --passthru --pcre2 --pretty --quiet --stats --trim --type-list ' +
      '--unrestricted --vimgrep --word-regexp --help --version --binary --line-buffered --column --no-column ' +
      '--max-columns-preview --no-unicode --one-file-system --sort-files --include-zero --glob-case-insensitive',
  ),
};

/** They read standard input, or nothing. No word of theirs is a file that they open. */
const WITHOUT_FILES =
  'echo printf true false : pwd whoami id groups seq sleep which type uname nproc expr printenv free uptime lscpu pgrep ' +
  'pidof whereis locale cal logname numfmt factor tr basename dirname test [ set wait exit return break continue export ' +
  'read command env hostname arch tty umask ulimit jobs dirs alias ps node python python3';

/** All the listed options are exact names. A program may accept the beginning of one, but that is asked about. */
export const KNOWN_READERS: ReadonlyMap<string, KnownReader> = new Map<string, KnownReader>([
  [
    'cat',
    reader('AbeEnstTuv', '', '--number --number-nonblank --show-all --show-ends --show-tabs --squeeze-blank'),
  ],
  ['head', reader('qvz0123456789', '-n -c --lines --bytes', '--quiet --silent --verbose --zero-terminated')],
  [
    'tail',
    reader(
      'qvzrfF0123456789',
      '-n -c -s --lines --bytes --pid --sleep-interval',
      '--quiet --verbose --follow --retry',
    ),
  ],
  ['tac', reader('br', '-s --separator', '--before --regex')],
  ['rev', reader('')],
  ['tsort', reader('')],
  ['nl', reader('p', '-b -d -f -h -i -l -n -s -v -w')],
  ['wc', reader('clmLw', '', '--bytes --chars --lines --words --max-line-length --total')],
  [
    'cut',
    reader(
      'nsz',
      '-b -c -d -f --bytes --characters --delimiter --fields --output-delimiter',
      '--complement --only-delimited',
    ),
  ],
  ['paste', reader('sz', '-d --delimiters', '--serial --zero-terminated')],
  ['join', reader('iz', '-a -e -j -o -t -v -1 -2', '--ignore-case --check-order --nocheck-order --header')],
  ['comm', reader('123z', '', '--check-order --nocheck-order --output-delimiter --total --zero-terminated')],
  ['fold', reader('bs', '-w --width', '--bytes --spaces')],
  ['expand', reader('i', '-t --tabs', '--initial')],
  ['unexpand', reader('a', '-t --tabs', '--all --first-only')],
  [
    'fmt',
    reader(
      'cstu',
      '-w -g -p --width --goal --prefix',
      '--split-only --crown-margin --tagged-paragraph --uniform-spacing',
    ),
  ],
  ['column', reader('txe', '-s -c -o -N')],
  [
    'od',
    reader(
      'abcdfilosvx',
      '-A -j -N -S -t --address-radix --skip-bytes --read-bytes --format',
      '--output-duplicates',
    ),
  ],
  ['hexdump', reader('bcCdovx', '-n -s')],
  ['xxd', reader('abeiup', '-c -l -g -s')],
  [
    'sort',
    reader(
      'bdfgiMhnRrVcCmsuz',
      '-k -t -S --key --field-separator --buffer-size --parallel --sort',
      '--ignore-case --numeric-sort --reverse --unique --check --stable --human-numeric-sort --version-sort --zero-terminated --debug',
    ),
  ],
  [
    'uniq',
    reader(
      'cdDuiz',
      '-f -s -w --skip-fields --skip-chars --check-chars',
      '--count --repeated --unique --ignore-case',
    ),
  ],
  ['base64', reader('dDi', '-w --wrap', '--decode --ignore-garbage')],
  ['cmp', reader('bls', '-i -n --ignore-initial --bytes', '--print-bytes --verbose --quiet --silent')],
  [
    'diff',
    reader(
      'abBdeEiNnpqrstTuwyZ',
      '-C -U -W -x --width --exclude --label',
      '--normal --brief --report-identical-files --context --unified --side-by-side --left-column --suppress-common-lines ' +
        '--show-c-function --expand-tabs --initial-tab --recursive --no-dereference --new-file --ignore-case ' +
        '--ignore-tab-expansion --ignore-space-change --ignore-all-space --ignore-trailing-space --ignore-blank-lines ' +
        '--text --strip-trailing-cr --minimal --color',
    ),
  ],
  ['iconv', reader('cs', '-f -t --from-code --to-code', '--silent')],
  [
    'file',
    reader('bhiIkLN', '', '--brief --mime --mime-type --mime-encoding --dereference --no-dereference'),
  ],
  ['stat', reader('fLtx', '-c --format --printf', '--dereference --file-system --terse')],
  [
    'ls',
    reader(
      'aAbBcCdDfFgGhHiklLmnNopqQrRsStuUvxXZ1',
      '-I -T -w --ignore --hide --tabsize --width --block-size',
      '--all --almost-all --author --classify --color --dereference --directory --escape --file-type --format --full-time ' +
        '--group-directories-first --human-readable --hyperlink --indicator-style --inode --kibibytes --literal --no-group ' +
        '--numeric-uid-gid --quote-name --quoting-style --recursive --reverse --show-control-chars --si --size --sort ' +
        '--time --time-style --zero',
    ),
  ],
  [
    'du',
    reader(
      '0abcDhHklLmPsSx',
      '-B -d -t --block-size --max-depth --threshold --exclude',
      '--all --apparent-size --bytes --total --dereference --human-readable --count-links --no-dereference --separate-dirs ' +
        '--si --summarize --one-file-system --null --time --time-style --inodes',
    ),
  ],
  [
    'df',
    reader(
      'ahHiklPT',
      '-B -t -x --type --exclude-type',
      '--all --human-readable --inodes --portability --print-type --total --local',
    ),
  ],
  [
    'tree',
    reader(
      'adfilxpsuhgDFrtcUvqNQJXSnC',
      '-L -P -I',
      '--dirsfirst --prune --noreport --si --du --matchdirs --ignore-case',
    ),
  ],
  [
    'realpath',
    reader(
      'emLPqsz',
      '--relative-to --relative-base',
      '--canonicalize-existing --canonicalize-missing --logical --physical --quiet --strip --no-symlinks --zero',
    ),
  ],
  [
    'readlink',
    reader('femnqsvz', '', '--canonicalize --canonicalize-existing --canonicalize-missing --no-newline'),
  ],
  ['cd', reader('LPe@')],
  ['pushd', reader('n')],
  ['popd', reader('n')],
  ...list('md5sum sha1sum sha224sum sha256sum sha384sum sha512sum b2sum').map(
    (name) => [name, CHECKSUM] as const,
  ),
  ['cksum', reader('')],
  // A word that begins with a sign for lists is an unknown file.
  ['strings', reader('afow', '-n -t -e --bytes --radix --encoding', '--all --print-file-name')],
  ['zcat', reader('fqv')],
  ['sum', reader('rs')],
  ...list('grep egrep fgrep').map((name) => [name, GREP] as const),
  ['rg', RIPGREP],
  ['ag', { ...reader('ivwQlLcHhnsSar', '', '--ignore-case --literal --count'), files: 'after the pattern' }],
  ...list(WITHOUT_FILES).map((name) => [name, { ...reader(''), files: 'none' }] as const),
]);
