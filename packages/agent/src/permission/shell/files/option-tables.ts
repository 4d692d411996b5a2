/**
 * The options of programs that read some of their words and write others. A word counts as only read if every option of the
 * command is listed here, so that its position is certain.
 */
import type { ShellWord } from '@heddle/tools/shell';
import { CURL_OPTIONS } from './curl-options.ts';
import { argumentsOf, dashedOptions, type OptionTable } from './operands.ts';
import { searchOptionsOf } from './search-options.ts';

interface ReaderOptions extends OptionTable {
  /** The program also finds options after its operands, on every system. */
  readonly isMixed?: boolean;
}

function table(valued: string, letters: string, flags: string, isMixed = false): ReaderOptions {
  const long = flags === '' ? [] : flags.split(' ').map((name) => `--${name}`);
  return { valued: valued === '' ? [] : valued.split(' '), letters, long, isMixed };
}

const COPY = table(
  '-S --suffix -t --target-directory --no-preserve --sparse',
  'abdfiHlLnPpRrsTuvxZ',
  'archive attributes-only backup copy-contents debug dereference force interactive keep-directory-symlink link ' +
    'no-clobber no-dereference no-target-directory one-file-system parents preserve recursive reflink ' +
    'remove-destination strip-trailing-slashes symbolic-link update verbose context help version',
);

const TAR = table(
  '-f -C -T -X -b --file --directory --cd --exclude --files-from --exclude-from --strip-components --mode --owner --group ' +
    '--mtime --sort --format --blocking-factor',
  'cxtruvzjJZakUOpmhSP',
  'create extract get list append update verbose gzip gunzip ungzip bzip2 xz zstd lzma auto-compress keep-old-files ' +
    'keep-newer-files overwrite to-stdout preserve-permissions same-permissions same-owner no-same-owner ' +
    'no-same-permissions dereference one-file-system exclude-vcs totals numeric-owner touch wildcards no-wildcards anchored ' +
    'no-anchored no-recursion ignore-failed-read remove-files hard-dereference xattrs acls help version',
  true,
);

const TABLES: ReadonlyMap<string, ReaderOptions> = new Map([
  ['cp', COPY],
  [
    'install',
    table(
      '-g -m -o -S -t --group --mode --owner --suffix --target-directory --strip-program',
      'bcCdDpsTvZ',
      'backup compare directory preserve-timestamps strip no-target-directory verbose preserve-context context debug help version',
    ),
  ],
  [
    'ln',
    table(
      '-S --suffix -t --target-directory',
      'bdFfiLnPrsTv',
      'backup directory force interactive logical no-dereference no-target-directory physical relative symbolic verbose help version',
    ),
  ],
  [
    'mv',
    table(
      '-S --suffix -t --target-directory',
      'bfhinTuvZ',
      'backup context debug exchange force interactive no-clobber no-copy no-target-directory strip-trailing-slashes update verbose help version',
    ),
  ],
  ['git mv', table('', 'fknv', 'force dry-run verbose')],
  ['tar', TAR],
  ['gtar', TAR],
  ['bsdtar', TAR],
  ['unzip', table('-d -x -P', 'abBCfjklLnopqtTuvXz', '', true)],
  ['zip', table('-x -i -P -b -n -Z', 'rqjmuyXevDg0123456789', 'recurse-paths quiet symlinks', true)],
  [
    'sort',
    table(
      '-k -t -S -T -o --key --field-separator --buffer-size --temporary-directory --output --parallel --batch-size --sort',
      'bdfghiMnRrVcCmsuz',
      'ignore-leading-blanks dictionary-order ignore-case general-numeric-sort ignore-nonprinting month-sort human-numeric-sort ' +
        'numeric-sort random-sort reverse version-sort check merge stable unique zero-terminated debug help version',
      true,
    ),
  ],
  ['base64', table('-w -b -o --wrap', 'dDi', 'decode ignore-garbage help version', true)],
  [
    'shuf',
    table(
      '-n -i -o --head-count --input-range --output',
      'erz',
      'echo repeat zero-terminated help version',
      true,
    ),
  ],
  [
    'iconv',
    table('-f -t -o --from-code --to-code --output', 'csl', 'list silent verbose help version', true),
  ],
  [
    'uniq',
    table('-f -s -w --skip-fields --skip-chars --check-chars', 'cdDiuz', 'count repeated unique ignore-case'),
  ],
  ['scp', table('-c -D -F -i -J -l -o -P -S -X', '346ABCOpqRrTv', '')],
  ['sftp', table('-B -b -c -D -F -i -J -l -o -P -R -S -s -X', '46AaCfNpqrv', '')],
  [
    'rsync',
    table(
      '-e -f -T -B -M --rsh --exclude --include --files-from --filter --exclude-from --include-from --bwlimit --timeout ' +
        '--contimeout --max-size --min-size --max-delete --chmod --chown --usermap --groupmap --block-size --modify-window ' +
        '--compress-level --skip-compress --compress-choice --checksum-choice --out-format --info --debug --port --address ' +
        '--password-file --iconv --log-file --log-file-format --backup-dir --suffix --temp-dir --partial-dir --compare-dest ' +
        '--copy-dest --link-dest --write-batch --only-write-batch --read-batch --rsync-path --protocol --remote-option ' +
        '--stop-after --stop-at --outbuf --sockopts --checksum-seed --max-alloc --early-input',
      'avqcruRbdlLkKHpEAXogDtOJSWxnzhPiICym4608',
      'archive verbose recursive backup delete delete-before delete-during delete-delay delete-after delete-excluded compress ' +
        'progress stats human-readable dry-run update dirs links perms times omit-dir-times group owner checksum partial ' +
        'inplace existing ignore-existing remove-source-files force relative numeric-ids itemize-changes hard-links acls ' +
        'xattrs sparse whole-file one-file-system quiet prune-empty-dirs copy-links safe-links copy-unsafe-links copy-dirlinks ' +
        'keep-dirlinks size-only ignore-times append append-verify fuzzy mkpath devices specials executability no-perms ' +
        'no-owner no-group no-times no-links no-implied-dirs no-relative cvs-exclude list-only delay-updates blocking-io ' +
        'ignore-errors super fake-super preallocate from0 protect-args secluded-args ipv4 ipv6 no-motd version help',
      true,
    ),
  ],
  ['curl', { ...CURL_OPTIONS, isMixed: true }],
  [
    'wget',
    table(
      '-a -o -e -i -B -t -O -T -w -Q -P -U -l -A -R -D -I -X --append-output --output-file --execute --input-file --base --tries ' +
        '--output-document --timeout --wait --quota --directory-prefix --user-agent --level --accept --reject --domains ' +
        '--include-directories --exclude-directories --header --post-data --post-file --body-data --body-file --method ' +
        '--load-cookies --save-cookies --ca-certificate --ca-directory --certificate --private-key --user --password --referer ' +
        '--limit-rate --max-redirect --waitretry --dns-timeout --connect-timeout --read-timeout --cut-dirs --default-page ' +
        '--secure-protocol --progress --prefer-family --bind-address --start-pos --compression --restrict-file-names',
      'bdqvcSNxkKpEHLrmF46hV',
      'quiet verbose no-verbose continue no-clobber timestamping recursive no-parent mirror page-requisites convert-links ' +
        'adjust-extension span-hosts relative no-directories force-directories no-host-directories protocol-directories ' +
        'no-check-certificate content-disposition trust-server-names show-progress server-response spider background ' +
        'no-cookies no-cache no-proxy no-hsts inet4-only inet6-only keep-session-cookies https-only retry-connrefused ' +
        'content-on-error no-dns-cache debug help version',
      true,
    ),
  ],
  [
    'sed',
    table('-e -f -l --expression --file --line-length', 'nErsuzi', 'quiet silent debug in-place posix'),
  ],
  ['awk', table('-F -v -f', '', '')],
  ['gawk', table('-F -v -f', '', '')],
  ['mawk', table('-F -v -f', '', '')],
  ['nawk', table('-F -v -f', '', '')],
]);

const NONE: ReaderOptions = table('', '', '');

/** Returns the options of the program. */
export function optionsOf(program: string): OptionTable {
  return TABLES.get(program) ?? NONE;
}

/** Options of wget with two letters. */
const WGET_PAIRS = /^-n[cvdHp]$/;

/**
 * Returns whether every option of the program is known, so that the meaning of each word is certain. Abbreviated options,
 * values that look like options, and options behind operands (which some systems read as operands) make it uncertain.
 */
export function isUnderstood(program: string, args: readonly ShellWord[]): boolean {
  const options = TABLES.get(program) ?? searchOptionsOf(program);
  if (options === undefined) return false;
  const isMixed = 'isMixed' in options && options.isMixed;
  const words = program.endsWith('tar')
    ? dashedOptions(args)
    : args.filter(({ value }) => program !== 'wget' || !WGET_PAIRS.test(value));
  const end = words.findIndex(({ value }) => value === '--');
  const before = end < 0 ? words : words.slice(0, end);
  if (!before.every(isOneKnownWord)) return false;
  const given = argumentsOf(before, options);
  if (given.isUncertain) return false;
  const values = given.valuesOf(...options.valued);
  // A value that looks like an option, or `--` as a value, is read as an option by some programs.
  if (values.some(({ value }) => /^-\S/.test(value))) return false;
  if (takesNext(before.at(-1), options)) return false;
  const first = before.findIndex((word) => given.operands.includes(word));
  // These options of zip take all words up to the next option, or up to `@`.
  if (
    program === 'zip' &&
    before.some(({ value }, at) => value === '@' || (at < first && /^-[a-zA-Z]*[xi]/.test(value)))
  )
    return false;
  return isMixed || first < 0 || before.slice(first).every(({ value }) => !/^-./.test(value));
}

/** The word is an option whose value would be the next word. */
function takesNext(last: ShellWord | undefined, options: OptionTable): boolean {
  return (
    last !== undefined &&
    argumentsOf([last, last], options)
      .valuesOf(...options.valued)
      .includes(last)
  );
}

/** An unknown word may become an option, or several words. */
export function isOneKnownWord({ kind, value, begins, single }: ShellWord): boolean {
  if (kind === 'literal' || kind === 'tilde') return true;
  return kind === 'pattern' ? /^[^-+*?[(@!]/.test(value) : single && /^[^-]/.test(begins);
}
