/**
 * Options with which a program runs nothing that the project chooses, for folders without trust. An option that is not listed
 * may run another program, load code, or read settings that do.
 */
import { type Allowed, mergeAllowed, provenOptions } from '@heddle/tools/shell';

export const names = (text: string): readonly string[] => text.split(' ');

/** Options in addition to those of the proof. They may write or use the network, which the view prevents. */
const MORE_OPTIONS: ReadonlyMap<string, Allowed> = new Map<string, Allowed>([
  ['sort', { valued: 'T', long: names('temporary-directory batch-size files0-from') }],
  [
    'rg',
    {
      short: 'z',
      long: names('search-zip auto-hybrid-regex debug trace ignore no-mmap no-json hyperlink-format'),
    },
  ],
  ['nm', { short: 'BlsU', valued: 'ftX', long: names('line-numbers format radix special-syms synthetic') }],
  [
    'objdump',
    {
      short: 'SlwFgGWi',
      valued: 'mbE',
      long: names(
        'source line-numbers wide dwarf info architecture target visualize-jumps disassembler-options',
      ),
    },
  ],
  ['size', { valued: 'f', long: ['radix', 'common'] }],
  ['fd', { long: ['and', 'format', 'base-directory', 'path-separator', 'search-path', 'ignore-file'] }],
]);

/** Programs with a list of options. A program with another check is not among them. */
export const OPTIONS: ReadonlyMap<string, Allowed> = new Map<string, Allowed>([
  ...names('sort rg nm objdump size fd fdfind zcat gzcat bat batcat ag yq getconf').map(
    (name) => [name, mergeAllowed(provenOptions(name) ?? {}, MORE_OPTIONS.get(name))] as const,
  ),
  ['colordiff', provenOptions('diff') ?? {}],
  // Without -s, which names a library.
  ['getent', { short: 'i', long: ['no-idn'] }],
  ['dpkg', { short: 'lLsSp', long: names('list listfiles status search print-avail') }],
  ['ar', { short: 'tpvOP' }],
  ['jar', { short: 'tvf' }],
  [
    'apt-cache',
    { short: 'aniq', long: names('installed names-only all-versions no-all-versions full recurse quiet') },
  ],
  // Without -p: a file of text is a list of packages to rpm, and macros in it run programs.
  [
    'rpm',
    {
      short: 'qaiflcdRvgs',
      long: names(
        'last requires provides changelog scripts triggers whatprovides whatrequires conflicts obsoletes ' +
          'list info docfiles configfiles state all file',
      ),
    },
  ],
  [
    'npm',
    {
      short: 'glap',
      valued: 'w',
      long: names(
        'depth json all global long parseable prod production dev omit include link package-lock-only unicode workspace ' +
          'workspaces include-workspace-root no-color color silent',
      ),
    },
  ],
  [
    'pip',
    {
      short: 'louvqf',
      long: names(
        'format outdated uptodate local user not-required exclude-editable pre verbose files all exclude ' +
          'disable-pip-version-check no-color no-input isolated quiet',
      ),
    },
  ],
  [
    'gem',
    {
      short: 'ladqV',
      long: names(
        'local all details no-details versions no-versions installed prerelease quiet verbose exact',
      ),
    },
  ],
  [
    'less',
    {
      short: 'NSRXFEeinIgGsMmqQrwJKLUuV',
      long: names(
        'no-init quit-if-one-screen chop-long-lines LINE-NUMBERS RAW-CONTROL-CHARS raw-control-chars ignore-case',
      ),
    },
  ],
  ['more', { short: 'dlfpcsu', valued: 'n', long: names('silent logical squeeze plain lines') }],
  ['man', { short: 'kfaw', long: names('apropos whatis all where path') }],
]);

/** Options with which `tar` only lists. */
export const TAR = {
  short: 'tvzjJZapPhSOmRinBl',
  valued: 'fCXbKN',
  long: names(
    'list file directory verbose gzip bzip2 xz zstd lz4 lzma lzip auto-compress exclude exclude-from exclude-vcs ' +
      'strip-components full-time utc numeric-owner wildcards no-wildcards wildcards-match-slash anchored no-anchored ' +
      'ignore-case null no-recursion totals show-stored-names absolute-names block-number occurrence force-local',
  ),
} as const satisfies Allowed;

/** The code of `sed` is checked elsewhere. */
export const SED: Allowed = {
  short: 'nErsuz',
  valued: 'el',
  long: names(
    'quiet silent expression regexp-extended separate unbuffered null-data posix line-length debug sandbox',
  ),
};

/** Options of `openssl`, without their dashes. */
export const OPENSSL: ReadonlySet<string> = new Set(
  names(
    'in inform noout text subject issuer dates startdate enddate fingerprint serial pubkey modulus purpose ext hash email ' +
      'subject_hash issuer_hash md5 hex r binary c a v d b s f p V i dump offset length strparse oid nameopt certopt verify ' +
      'verbose show_chain CAfile CApath untrusted partial_chain crl_check stdname tls1_2 tls1_3 digest-algorithms ' +
      'cipher-algorithms public-key-algorithms mac-algorithms commands digest-commands disabled lastupdate nextupdate crlnumber',
  ),
);
