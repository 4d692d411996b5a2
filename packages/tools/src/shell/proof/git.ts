/**
 * Proves that a `git` command only reads. Git runs programs that its configuration names: diff drivers, filters, a file
 * monitor, a signature checker, the transport for missing objects. So most commands are proven only if every setting is known
 * to be safe. Only listed options are accepted, and abbreviations are not.
 */
import { type GitFacts, isHarmlessSetting } from '../../git/index.ts';
import { asksNothing, isListing } from './git-listing.ts';
import { type GitReader, HISTORY, READERS } from './git-readers.ts';
import { type Allowed, type Arg, isName, mergeAllowed, onlyAllowed } from './options.ts';

export interface GitAround {
  /** The configuration of the repository in which the command runs. */
  readonly git?: GitFacts | undefined;
  /** Returns the same for a folder that `-C` names, as it is written. */
  readonly gitIn?: ((folder: string) => GitFacts | undefined) | undefined;
}

export function isReadOnlyGit(args: readonly Arg[], around: GitAround): boolean {
  // A glob may expand to file names, but not to an option or a command.
  if (!args.every((arg) => arg.exact || isName(arg))) return false;
  const [option] = args;
  if (args.length === 1 && (option?.value === '--version' || option?.value === 'version')) return true;
  const started = startOf(args);
  const [command, ...given] = args.slice(started?.at);
  if (started === undefined || !command?.exact) return false;
  const { value: name } = command;
  if (
    given.every(({ exact }) => exact) &&
    asksNothing(
      name,
      given.map(({ value }) => value),
    )
  )
    return true;
  const facts = started.folder === undefined ? around.git : around.gitIn?.(started.folder);
  if (facts === undefined || given.some(asksForSignature) || given.some(printsFile)) return false;
  const reader = READERS.get(name);
  if (reader) return onlyAllowed(given, reader.allowed) && !runsHelper(reader, given, facts);
  const listing = isListing(name, given);
  return listing !== undefined && !runsHelper(listing, given, facts);
}

const names = (text: string): readonly string[] => text.split(' ');

/** Options of commands without a proof, or without one for these options. They start no program. */
const MORE_OPTIONS: ReadonlyMap<string, Allowed> = new Map<string, Allowed>([
  ['describe', { long: ['dirty', 'broken'] }],
  ['stash', HISTORY],
  ['reflog', HISTORY],
  ['range-diff', { ...HISTORY, long: [...(HISTORY.long ?? []), 'creation-factor', 'no-dual-color'] }],
  ['annotate', READERS.get('blame')?.allowed ?? {}],
  ['blame', { long: ['score-debug', 'reverse', 'ignore-revs-file'] }],
  [
    'show-branch',
    {
      short: 'arg',
      long: names(
        'all remotes current topo-order date-order sparse more list merge-base independent no-name sha1-name topics',
      ),
    },
  ],
  [
    'config',
    {
      short: 'lz',
      long: names(
        'get get-all get-regexp get-urlmatch list name-only show-origin show-scope global local system worktree type null all default includes no-includes',
      ),
    },
  ],
  [
    'branch',
    {
      short: 'arvil',
      long: names(
        'all remotes list show-current verbose ignore-case no-color no-column sort format color column contains no-contains merged no-merged points-at abbrev no-abbrev',
      ),
    },
  ],
  [
    'tag',
    {
      short: 'li',
      valued: 'n',
      long: names(
        'list ignore-case no-color no-column sort format color column contains no-contains merged no-merged points-at',
      ),
    },
  ],
  ['worktree', { short: 'vz', long: ['porcelain', 'verbose'] }],
  ['remote', { short: 'v', long: ['verbose', 'all', 'push'] }],
  ['submodule', { long: ['cached', 'recursive', 'quiet'] }],
  [
    'rev-parse',
    {
      long: names(
        'show-ref-format git-path local-env-vars default since until disambiguate not revs-only no-revs flags no-flags sq-quote',
      ),
    },
  ],
  [
    'ls-files',
    {
      long: names('exclude-from exclude-per-directory sparse empty-directory no-empty-directory debug'),
      short: 'f',
    },
  ],
  ['cat-file', { long: names('batch batch-check batch-all-objects unordered follow-symlinks buffer') }],
  ['var', { short: 'l' }],
  ['check-mailmap', { long: ['stdin'] }],
  ['check-ref-format', { long: ['branch', 'allow-onelevel', 'normalize', 'refspec-pattern'] }],
]);

function allowedFor(command: string): Allowed {
  return mergeAllowed(READERS.get(command)?.allowed ?? {}, MORE_OPTIONS.get(command));
}

/**
 * Returns whether the command runs no program that a repository or the command itself configures. The caller checks
 * settings and other words that name a program.
 */
export function runsOnlyGit(args: readonly Arg[], around: GitAround): boolean {
  const started = startOf(args);
  if (started === undefined || args.some((arg) => !arg.exact || asksForSignature(arg))) return false;
  const [command, ...given] = args.slice(started.at);
  if (command === undefined || command.value.startsWith('verify-')) return false;
  if (!onlyAllowed(given, allowedFor(command.value))) return false;
  const facts = started.folder === undefined ? around.git : around.gitIn?.(started.folder);
  return facts !== undefined && facts.helpers.length === 0 && !facts.mayFilter && !facts.submodules;
}

interface Started {
  /** The index of the command name. */
  readonly at: number;
  readonly folder: string | undefined;
}

const FLAGS: ReadonlySet<string> = new Set(
  (
    '--no-pager -P --no-optional-locks --literal-pathspecs --glob-pathspecs --noglob-pathspecs --icase-pathspecs ' +
    '--no-replace-objects --no-lazy-fetch --no-advice'
  ).split(' '),
);

/** Reads the options before the command. `--git-dir`, `--work-tree` and `--exec-path` lead to files that were not checked. */
function startOf(args: readonly Arg[]): Started | undefined {
  let folder: string | undefined;
  let at = 0;
  while (at < args.length) {
    const option = args[at];
    const value = args[at + 1];
    if (option === undefined || !option.value.startsWith('-')) return { at, folder };
    if (FLAGS.has(option.value)) {
      at += 1;
      continue;
    }
    if (!value?.exact || value.value === '') return undefined;
    if (option.value === '-C')
      folder = folder === undefined || value.value.startsWith('/') ? value.value : `${folder}/${value.value}`;
    else if (option.value !== '-c' || !isHarmlessHere(value.value)) return undefined;
    at += 2;
  }
  return undefined;
}

/**
 * Settings that a command may set with `-c`. They change the output and name no program or file. `diff.autoRefreshIndex` is
 * not among them, because it would undo a setting with which proven commands run.
 */
const PRINTING =
  /^((color|column|advice|log|status|grep)\.|blame\.(coloring|date|showroot|showemail|blankboundary|mark\w+)$|diff\.(?!(?:orderfile|autorefreshindex)$)[^.]+$|core\.(quotepath|abbrev|whitespace|autocrlf|eol|safecrlf|ignorecase|filemode|precomposeunicode|preloadindex|untrackedcache|fsmonitor|commitgraph|multipackindex|warnambiguousrefs)$)/;

function isHarmlessHere(text: string): boolean {
  const [, section = '', sub, name = '', value] =
    /^([\w-]+)\.(?:(.*)\.)?([\w-]+)(?:=(.*))?$/s.exec(text) ?? [];
  const key = [section.toLowerCase(), ...(sub === undefined ? [] : [sub]), name.toLowerCase()].join('.');
  if (/^(core\.pager|pager\.[a-z-]+)$/.test(key))
    return value !== undefined && /^(cat|less|false|)$/.test(value);
  return PRINTING.test(key) && isHarmlessSetting(key, value);
}

/** Git starts another program to check a signature. */
function asksForSignature({ value }: Arg): boolean {
  return /%[-+ ]?G|signature/i.test(value) && value !== '--no-show-signature';
}

/** A ref may name a file that may not be read. `%(raw)` prints it. */
function printsFile({ value }: Arg): boolean {
  return /%\(\*?raw/i.test(value);
}

/** Drivers run for differences, and filters for comparisons of the working tree. Any other helper may run in every command. */
function runsHelper({ needs }: Pick<GitReader, 'needs'>, given: readonly Arg[], facts: GitFacts): boolean {
  const { diff = false, tree = false } = typeof needs === 'function' ? needs(given) : needs;
  if (tree && facts.submodules) return true;
  const { mayFilter } = facts;
  if (mayFilter && given.some(({ value }) => value === '--no-index')) return true;
  // `blame` and `diff HEAD:a b` also read untracked files.
  if (tree && mayFilter && given.some(({ value, exact }) => !exact || mayFilter(value))) return true;
  return facts.helpers.some((helper) => {
    if (/^diff\.(external|.+\.(command|textconv))$/s.test(helper)) return diff;
    return helper.startsWith('filter.') ? tree : true;
  });
}
