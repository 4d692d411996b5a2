/**
 * Programs that read, and that work in the read-only view. The view keeps every effect inside, so their options need
 * not be understood. Programs that write, need the network or use a service are not listed: the user is asked, instead
 * of seeing them fail.
 */
import { isSafe, type ShellAssignment, type ShellWord } from '@heddle/tools/shell';
import type { CommandPart } from '../part.ts';
import { asksForHelp } from './chosen-programs.ts';
import { touchesFiles } from './files/files-of.ts';
import { isSedInPlace } from './files/operands.ts';
import { optionPattern } from './short-options.ts';

type Fit = CommandPart['confinable'];
type Check = (args: readonly string[]) => boolean;

/** They read only the files in their arguments, and run no program. */
const CLOSED: ReadonlySet<string> = new Set(
  (
    'zcat gzcat bzcat xzcat zstdcat lz4cat b2sum cksum nm objdump readelf size strings bat batcat ' +
    'zipinfo tac rev nl od xxd hexdump cmp comm join paste cut tr fold fmt expand unexpand column look tsort numfmt seq wc ' +
    'head tail cat ls stat file du basename dirname realpath readlink md5sum sha1sum sha224sum sha256sum sha384sum ' +
    'sha512sum sum base32 getconf locale echo test [ printf'
  ).split(' '),
);

/** They read other files, or run programs, or both. */
const OPEN: ReadonlySet<string> = new Set(
  'ag ack awk gawk mawk nawk egrep eza exa lsd tokei cloc scc ldd gron mlr grep fgrep rg jq diff colordiff df bc dc lsblk findmnt getent cal factor nproc'.split(
    ' ',
  ),
);

const words = (text: string): ReadonlySet<string> => new Set(text.split(' '));
const avoiding =
  (options: RegExp): Check =>
  (args) =>
    !args.some((arg) => options.test(arg));
/** Options without a value, in every package manager. The value of another option could look like a verb: `npm -C ls test`. */
const BEFORE_VERB =
  /^(-q|-v|--quiet|--verbose|--silent|--json|--no-color|--offline|--locked|--frozen|--isolated|--no-input)$/;

/** The first word that is not such an option decides. */
const doing = (verbs: string, inverted: Check = () => true): Check => {
  const known = words(verbs);
  return (args) => known.has(args.find((arg) => !BEFORE_VERB.test(arg)) ?? '') && inverted(args);
};
const LISTS_PACKAGES = doing('ls list ll la root prefix explain why query help');
/** With `-g`, which has a value in other package managers. */
const NPM: Check = (args) => LISTS_PACKAGES(args.filter((arg) => !/^(-g|--global)$/.test(arg)));
const PIP = doing('list show freeze check inspect help');

const FD_RUNS = optionPattern({ letters: 'xX', valued: 'cdeEjoSt', long: 'exec' });

/** They only read if they are used in a certain way. */
const CHECKED: ReadonlyMap<string, Check> = new Map<string, Check>([
  ['sed', (args) => !args.some(isSedInPlace)],
  ['sort', avoiding(optionPattern({ letters: 'o', valued: 'kStT', long: 'o' }))],
  ['uniq', (args) => args.filter((arg) => !arg.startsWith('-')).length < 2],
  ['find', avoiding(/^-(delete|fprint|fls|ok)/)],
  ['fd', avoiding(FD_RUNS)],
  ['fdfind', avoiding(FD_RUNS)],
  ['tree', avoiding(optionPattern({ letters: 'oR', long: 'output' }))],
  ['yq', avoiding(optionPattern({ letters: 'is', valued: 'opI', long: 'i(?:n?$|n?=|np?$|np?=|npl|n-)|sp' }))],
  ['tar', listsArchive],
  ['unzip', ([first = '']) => /^-[lvZtp]+$/.test(first)],
  ['7z', listsOneArchive],
  ['ar', ([first = '']) => /^-?[tp][vOP]*$/.test(first)],
  ['jar', ([first = '']) => /^-?t[vf]*$/.test(first)],
  [
    'cpio',
    (args) => args.some((arg) => /^-[a-z]*t/.test(arg)) && avoiding(optionPattern({ letters: 'iop' }))(args),
  ],
  [
    'npm',
    (args) =>
      NPM(args) ||
      (args.length === 1 && args[0] === 'run') ||
      isPair(args, 'pkg get', 'config get', 'config list', 'config ls'),
  ],
  ['pnpm', doing('ls list ll la root why help')],
  ['yarn', doing('list why info help')],
  ['pip', PIP],
  ['pip3', PIP],
  ['python', readsWithPython],
  ['python3', readsWithPython],
  ['node', isShortQuery],
  ['perl', isShortQuery],
  ['cargo', doing('tree metadata version help locate-project pkgid read-manifest')],
  ['go', doing('version env list doc help', avoiding(/^--?[wu](=|$)/))],
  ['rustc', avoiding(/^[^-]|^-o/)],
  ['java', ([first, ...more]) => /^--?version$/.test(first ?? '') && more.length === 0],
  ['gem', doing('list contents environment help')],
  ['bundle', doing('list show help')],
  ['composer', doing('show licenses help')],
  ['dpkg', ([first = '']) => /^(-[lLsSp]|--(list|listfiles|status|search|print-avail))$/.test(first)],
  ['dpkg-query', () => true],
  [
    'ip',
    avoiding(
      /^(a|add|append|c|ch|change|d|del|delete|f|flush|r|rep|replace|restore|s|set|up|down|netns|-b|-batch|-n|-netns)$/,
    ),
  ],
  ['journalctl', avoiding(/^--(vac|rot|fl|sync|rel|smart|setup|update|new)/)],
  ['make', (args) => args.some((arg) => /^(-n|--dry-run|--just-print|--recon)$/.test(arg))],
  ...['gcc', 'g++', 'cc', 'c++', 'clang', 'clang++'].map((name) => [name, isVerbose] as const),
  ...['gzip', 'xz', 'bzip2', 'zstd'].map((name) => [name, decompresses] as const),
  // Other characters can be options as well, and hide one behind them: `-~klk`.
  ['less', avoiding(/^[+]|^-(?!-).*[oOkT]|^-.*--(log|lesskey)|^--(log|lesskey)/is)],
  ['more', avoiding(/^[+]/)],
  ['man', avoiding(optionPattern({ letters: 'PHC', long: 'pager|html|config' }))],
  [
    'hostname',
    (args) => args.every((arg) => /^(-[IisfdA]|--(all-ip-addresses|short|fqdn|domain))$/.test(arg)),
  ],
  ['ifconfig', (args) => args.length === 0 || (args.length === 1 && /^(-a|\w+)$/.test(args[0] ?? ''))],
  ['lsb_release', () => true],
  ['crontab', (args) => args.length === 1 && args[0] === '-l'],
  ['openssl', opensslReads],
  // Each of its options may have one dash.
  ['xmllint', avoiding(/^(-o|--?output|--?shell)/)],
  ['shellcheck', () => true],
  ['sqlite3', (args) => args.length === 2 && !args[0]?.startsWith('-') && SQLITE_READS.test(args[1] ?? '')],
  ['rpm', ([first = '']) => /^-q[a-zA-Z]*$/.test(first)],
  ['apt-cache', doing('show showpkg policy depends rdepends search pkgnames')],
  ['git', readsRepository],
]);

/** Returns whether the view can replace a proof. More arguments may come through a pipe. */
export function classifyConfinement(
  [name, ...rest]: readonly ShellWord[],
  assignments: readonly ShellAssignment[],
): Fit {
  if (name?.kind !== 'literal' || !assignments.every(isSafe)) return 'no';
  const program = name.value.replace(/^\/(usr\/)?bin\//, '');
  // If a variable names the files of an unknown program, these files are not parts of the call.
  if (CLOSED.has(program)) return touchesFiles(program) ? 'closed' : 'yes';
  if (OPEN.has(program)) return 'yes';
  const args = rest.map(({ kind, value, prefix }) => (kind === 'literal' ? value : prefix));
  if (rest[0]?.kind === 'literal' && asksForHelp(program, args)) return 'yes';
  return CHECKED.get(program)?.(args) === true ? 'yes' : 'no';
}

function isShortQuery(args: readonly string[]): boolean {
  return args.length === 1 && /^-[vV]$/.test(args[0] ?? '');
}

function readsWithPython(args: readonly string[]): boolean {
  const [first, second, ...rest] = args;
  return (first === '-m' && second === 'pip' && PIP(rest)) || (args.length === 1 && first === '-V');
}

function decompresses(args: readonly string[]): boolean {
  return args.some((arg) => /^(-[a-zA-Z]*[lt]|--(list|test))$/.test(arg)) || isPrinted(args);
}

function isPrinted(args: readonly string[]): boolean {
  const letters = args.filter((arg) => /^-[a-z]+$/.test(arg)).join('');
  return /c/.test(letters) && /d/.test(letters);
}

const OPENSSL_VERBS = words('version dgst x509 verify asn1parse crl req sha1 sha256 md5 list ciphers');

/** Without options that write a file or load other settings. */
function opensslReads([verb = '', ...rest]: readonly string[]): boolean {
  return (
    OPENSSL_VERBS.has(verb) &&
    !rest.some((arg) => /^-(out|keyout|new|config|engine|writerand|sign)/.test(arg))
  );
}

/** Queries that neither write nor leave the database. */
const SQLITE_READS = /^(\.(tables|schema|databases|indexes|indices)( \w+)?|(select|explain)\b[^;.]*;?)$/i;

/** A compiler without input files prints only information about itself. */
function isVerbose(args: readonly string[]): boolean {
  return args.length === 1 && /^(-v|-dumpversion|-dumpmachine)$/.test(args[0] ?? '');
}

function isPair([first, second]: readonly string[], ...pairs: readonly string[]): boolean {
  return pairs.includes(`${first} ${second}`);
}

function listsArchive(args: readonly string[]): boolean {
  const [first = '', ...rest] = args;
  const isList = (arg: string): boolean => /^-?[a-su-zA-Z]*t[a-zA-Z]*$/.test(arg) && !/[cxruAd]/.test(arg);
  const lists =
    isList(first) || args.includes('--list') || rest.some((arg) => arg.startsWith('-') && isList(arg));
  const writes =
    /^(--(create|extract|get|append|update|delete|concatenate|catenate|index|check|to-)|-[a-zA-Z]*[xru]|-c)/;
  // For an archive of several volumes, its input can name files, and run programs.
  const asksForVolumes = /^(-[a-zA-Z]*[MLF]|--(mul|tape|info|new-v))/;
  const hasVolumes = /^[a-zA-Z]*[MLF]/.test(first) || args.some((arg) => asksForVolumes.test(arg));
  return lists && !hasVolumes && !rest.some((arg) => writes.test(arg));
}

/** Options of 7z with which it looks for no other archives, and reads no list of names. */
const LISTING = /^-(slt|ba|bd|bb[0-3]?|bs[oep][012]|p.*|t\w+|s[cl]\S+|ssc-?|y|r[-0]?|[ix]r?[-0]?!.*)$/i;

/** A wildcard in the name may match any folder, and then 7z opens all files in it. */
function listsOneArchive([first, ...rest]: readonly string[]): boolean {
  const archive = rest.find((arg) => !arg.startsWith('-')) ?? '';
  return (
    first === 'l' &&
    !/[*?]/.test(archive) &&
    rest.every((arg) => (arg.startsWith('-') ? LISTING.test(arg) : !arg.startsWith('@')))
  );
}

const GIT_VALUED = words('-C -c --git-dir --work-tree --namespace --config-env');
/** Without `whatchanged`: newer versions of git prefer an alias with its name. */
const GIT_READS = words(
  'log show diff status blame annotate shortlog describe rev-parse rev-list ls-files ls-tree cat-file grep name-rev ' +
    'merge-base cherry range-diff diff-tree diff-index diff-files for-each-ref show-ref show-branch var ' +
    'check-ignore check-attr check-mailmap check-ref-format count-objects verify-commit verify-tag version help',
);
/** These commands list with these words, and have effects with others. */
const GIT_LISTS: ReadonlyMap<string, Check> = new Map<string, Check>([
  ['stash', ([verb = '']) => /^(list|show)$/.test(verb)],
  ['worktree', ([verb]) => verb === 'list'],
  ['reflog', ([verb = '']) => !/^(expire|delete|drop|write)$/.test(verb)],
  ['remote', (args) => args.every((arg) => /^(-v|--verbose)$/.test(arg)) || args[0] === 'get-url'],
  [
    'config',
    (args) =>
      args.some((arg) => /^(--get(-\w+)*|--list|-l|get|list)$/.test(arg)) && avoiding(/^(-e|--e)/)(args),
  ],
  ['branch', (args) => args.every((arg) => GIT_BRANCHES.test(arg))],
  ['tag', ([first = '-l']) => /^(-l|--list|-n\d*|--contains|--sort=.*|--points-at)$/.test(first)],
  ['notes', ([verb = 'list']) => /^(list|show)$/.test(verb)],
  ['submodule', ([verb = 'status']) => /^(status|summary)$/.test(verb)],
  ['bisect', ([verb]) => verb === 'log'],
]);
const GIT_BRANCHES =
  /^(-[arvi]+|--(all|remotes|list|show-current|verbose|ignore-case|no-color|no-column)|--(sort|format|color|column|contains|merged|no-merged|points-at)=.*)$/;

/** Git opens the file of this name in every folder. */
const OPENS_IN_FOLDERS = /^--exclude-p(?!er-directory=\.gitignore$)/;

/** Options of any git command are accepted. Programs that the repository configures run only in a trusted folder. */
function readsRepository(args: readonly string[]): boolean {
  let at = 0;
  for (let arg = args[at] ?? ''; arg.startsWith('-'); arg = args[at] ?? '') at += GIT_VALUED.has(arg) ? 2 : 1;
  const [verb = '', ...rest] = args.slice(at);
  if (rest.some((arg) => /^--ou(t|tp|tpu|tput)?(=|$)/.test(arg) || OPENS_IN_FOLDERS.test(arg))) return false;
  return GIT_READS.has(verb) || GIT_LISTS.get(verb)?.(rest) === true;
}
