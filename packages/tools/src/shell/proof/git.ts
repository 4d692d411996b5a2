/**
 * Whether a `git` command only reads. Git runs programs that its configuration names: diff drivers, filters, a file monitor, a
 * signature checker, the transport that fetches missing objects. So most commands are proven only where every setting is known
 * to be harmless. Options are those that are known to read; an abbreviation is not known.
 */
import { type GitFacts, isHarmlessSetting } from '../../git/index.ts';
import { asksNothing, isListing } from './git-listing.ts';
import { type GitReader, READERS } from './git-readers.ts';
import { type Arg, isName, onlyAllowed } from './options.ts';

export interface GitAround {
  /** What is configured where the command would run. */
  readonly git?: GitFacts | undefined;
  /** The same for a folder that `-C` names, as it is written. */
  readonly gitIn?: ((folder: string) => GitFacts | undefined) | undefined;
}

export function isReadOnlyGit(args: readonly Arg[], around: GitAround): boolean {
  // A glob can become names of files, never an option or a command.
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
  // A signature is checked by a program of its own.
  if (facts === undefined || given.some(asksForSignature)) return false;
  const reader = READERS.get(name);
  if (reader) return onlyAllowed(given, reader.allowed) && !runsHelper(reader, given, facts);
  const listing = isListing(name, given);
  return listing !== undefined && !runsHelper(listing, given, facts);
}

/**
 * Returns whether the command runs no program that a repository or the command itself configures. Its options need not be
 * known. The caller checks options that name a program.
 */
export function runsOnlyGit(args: readonly Arg[], around: GitAround): boolean {
  const started = startOf(args);
  if (started === undefined || args.some((arg) => !arg.exact || asksForSignature(arg))) return false;
  if (args[started.at]?.value.startsWith('verify-')) return false;
  const facts = started.folder === undefined ? around.git : around.gitIn?.(started.folder);
  return facts !== undefined && facts.helpers.length === 0 && !facts.hasFilters && !facts.submodules;
}

interface Started {
  /** Where the name of the command is. */
  readonly at: number;
  readonly folder: string | undefined;
}

const FLAGS: ReadonlySet<string> = new Set(
  (
    '--no-pager -P --no-optional-locks --literal-pathspecs --glob-pathspecs --noglob-pathspecs --icase-pathspecs ' +
    '--no-replace-objects --no-lazy-fetch --no-advice'
  ).split(' '),
);

/** Options before the command. `--git-dir`, `--work-tree`, `--exec-path` and the like lead to something that was not read. */
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

/** Settings that a command may bring itself: how something is printed, and nothing that names a program or a file. */
const PRINTING =
  /^((color|column|advice|log|status|blame|grep)\.|diff\.[^.]+$|core\.(quotepath|abbrev|whitespace|autocrlf|eol|safecrlf|ignorecase|filemode|precomposeunicode|preloadindex|untrackedcache|fsmonitor|commitgraph|multipackindex|warnambiguousrefs)$)/;

function isHarmlessHere(text: string): boolean {
  const [, section = '', sub, name = '', value] =
    /^([\w-]+)\.(?:(.*)\.)?([\w-]+)(?:=(.*))?$/s.exec(text) ?? [];
  const key = [section.toLowerCase(), ...(sub === undefined ? [] : [sub]), name.toLowerCase()].join('.');
  if (/^(core\.pager|pager\.[a-z-]+)$/.test(key))
    return value !== undefined && /^(cat|less|false|)$/.test(value);
  return PRINTING.test(key) && isHarmlessSetting(key, value);
}

function asksForSignature({ value }: Arg): boolean {
  return /%[-+ ]?G|signature/i.test(value) && value !== '--no-show-signature';
}

/** Drivers run when a difference is shown, filters when files of the working tree are compared. Anything else may always run. */
function runsHelper({ needs }: Pick<GitReader, 'needs'>, given: readonly Arg[], facts: GitFacts): boolean {
  const { diff = false, tree = false } = typeof needs === 'function' ? needs(given) : needs;
  if (tree && facts.submodules) return true;
  // Attributes of files that are not tracked were not looked at.
  if (facts.hasFilters && given.some(({ value }) => value === '--no-index')) return true;
  return facts.helpers.some((helper) => {
    if (/^diff\.(external|.+\.(command|textconv))$/s.test(helper)) return diff;
    return helper.startsWith('filter.') ? tree : true;
  });
}
