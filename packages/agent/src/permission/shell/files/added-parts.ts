/** Creates the parts for files of the working tree that git stores. */
import path from 'node:path';
import type { FilePart, StoredFiles } from '../../part.ts';
import { type FilePlace, isAtOrBelow, tildeExpanded } from '../../paths/places.ts';
import { once, walk } from '../../paths/walk-tree.ts';
import { mayLieBelow } from '../../rules/held-files.ts';
import type { PathPattern } from '../../rules/path-pattern.ts';
import type { KnownRepository, PermissionWorld } from '../../world.ts';
import type { Folders } from '../shell-state.ts';
import { selectedFiles, type SelectedFiles } from './git-pathspecs.ts';
import { meant } from './meant-places.ts';
import type { Addition, Touch } from './touch.ts';

/** The number of entries per walk. Git walks through the working tree as well. */
const MOST_ENTRIES = 20_000;
/** The number of tracked files that are compared with a rule in one step. */
const TRACKED_PER_STEP = 16;
/** Variables with which git uses another working tree, or reads pathspecs in another way. */
const MOVING = ['GIT_DIR', 'GIT_WORK_TREE', 'GIT_INDEX_FILE', 'GIT_ICASE_PATHSPECS', 'GIT_LITERAL_PATHSPECS'];

export function addedPart(
  { word }: Pick<Touch, 'word'>,
  addition: Addition,
  folders: Folders,
  world: PermissionWorld,
): FilePart[] {
  const found = meant(word, folders, world).places?.map((place) => treeAt(place, addition, world));
  const isMoved = MOVING.some((name) => world.environment[name] !== undefined);
  const trees = isMoved || found?.includes(undefined) ? undefined : found?.flatMap((tree) => tree ?? []);
  const storedBy = (untracked: Addition['untracked']): StoredFiles => {
    const tests = (trees ?? []).map((tree) => testOf(tree, untracked, world));
    return { someTracked: (fits, pattern) => tests.some((test) => test(fits, pattern)), isAddition: true };
  };
  const { untracked } = addition;
  const stored = storedBy(untracked);
  const part: FilePart = {
    kind: 'read',
    shown: 'the files that git stores',
    tool: 'Bash',
    places: trees?.flatMap(({ top, files: { named } }) =>
      [top, ...named].map((file): FilePlace => ({ path: file, real: file })),
    ),
    deep: 'no',
    stored: untracked === 'shown' ? { ...stored, withIgnored: storedBy('all') } : stored,
    knowledge: 'known',
    by: 'command',
    glob: undefined,
    concern: undefined,
  };
  return [part];
}

interface Tree {
  readonly top: string;
  readonly repository: KnownRepository | undefined;
  readonly files: SelectedFiles;
}

/** Returns undefined if the working tree is unknown. Without a repository, an earlier command may make one. */
function treeAt({ real }: FilePlace, addition: Addition, world: PermissionWorld): Tree | undefined {
  const repository = world.repository(real);
  if (repository === 'unknown') return undefined;
  const root = world.realpath(world.root);
  const outside = isAtOrBelow(real, root) ? root : real;
  const top = repository === 'none' ? outside : world.realpath(repository.top);
  const texts = addition.pathspecs?.flatMap((word) => {
    const { glob } = word.kind === 'pattern' ? meant(word, [real], world) : {};
    const matches = glob?.found(glob.optioned)?.map((match) => match.path) ?? [];
    // Git takes a name that starts with a sign for a pathspec of its own.
    if (matches.some((file) => path.posix.basename(file).startsWith(':'))) return ['.', ':/'];
    const isCertain = matches.length > 0 && world.foldersMayChange !== true;
    return isCertain
      ? matches
      : [...matches, word.kind === 'tilde' ? tildeExpanded(word.value, world.home) : word.value];
  });
  const ignoresCase = addition.ignoresCase || world.foldsCase;
  return {
    top,
    repository: repository === 'none' ? undefined : repository,
    files: selectedFiles(texts, { folder: real, top, ignoresCase, world }),
  };
}

type Test = NonNullable<StoredFiles['someTracked']>;

function testOf(
  { top, repository, files: { starts, selects } }: Tree,
  untracked: Addition['untracked'],
  world: PermissionWorld,
): Test {
  const tracked = once(() => (repository ? repository.tracked() : []));
  const known = once(() => new Set(tracked()));
  const isAdded = (file: string, isFolder: boolean): boolean =>
    untracked === 'all' || repository?.isIgnored?.(file, isFolder) !== true;
  const below = (region: string): Found =>
    untrackedBelow(region, { top, world, isAdded, isTracked: (file) => known().has(file) });
  const whole = new Map(starts.map((start) => [start, once(() => below(start))]));
  return (fits, pattern) => {
    const listed = tracked();
    world.spend?.(Math.ceil((listed?.length ?? 0) / TRACKED_PER_STEP));
    if (listed === undefined) return true;
    const isStored = (file: string): boolean => fits(file) && selects(file);
    if (
      listed.some(
        (file) => isStored(file) && world.exists(file) && repository?.mayHaveChanged?.(file) !== false,
      )
    )
      return true;
    if (untracked === 'none') return false;
    return starts.some((start) => {
      const regions = regionsOf(start, pattern);
      const found = regions === 'all' ? [whole.get(start)?.() ?? []] : regions.map(below);
      return found.some((files) => files === 'too many' || files.some(isStored));
    });
  };
}

/** A rule for a fixed place needs no look at other folders. */
function regionsOf(start: string, pattern: PathPattern): readonly string[] | 'all' {
  const inner = pattern.within(start);
  if (!pattern.isSpread && inner.length === pattern.globs.length) return inner;
  return mayLieBelow(start, pattern) ? 'all' : [];
}

type Found = readonly string[] | 'too many';

interface Around {
  readonly top: string;
  readonly world: PermissionWorld;
  readonly isAdded: (file: string, isFolder: boolean) => boolean;
  readonly isTracked: (file: string) => boolean;
}

/** Returns the files that git does not track and would add. It stores the text of a link, and only the commit of a nested repository. */
function untrackedBelow(region: string, { top, world, isAdded, isTracked }: Around): Found {
  // Git adds nothing behind a link.
  if (world.realpath(region) !== region) return [];
  for (let at = path.posix.dirname(region); isAtOrBelow(at, top) && at !== top; at = path.posix.dirname(at))
    if (isNested(at, world)) return [];
  if (world.exists(region) && !world.exists(`${region}/.`))
    return !isTracked(region) && isAdded(region, false) ? [region] : [];
  if (region !== top && (!isAdded(region, true) || isNested(region, world))) return [];
  if (region.split('/').includes('.git')) return [];
  const found: string[] = [];
  const answer = walk(
    region,
    world,
    (file, { kind }): undefined => {
      if (kind === 'file' && !isTracked(file) && isAdded(file, false)) found.push(file);
    },
    ({ name }, file) => name !== '.git' && isAdded(file, true) && !isNested(file, world),
    MOST_ENTRIES,
  );
  return answer === undefined ? found : 'too many';
}

function isNested(folder: string, world: PermissionWorld): boolean {
  if (world.entries(folder)?.some(({ name }) => name === '.git') !== true) return false;
  const repository = world.repository(folder);
  return typeof repository === 'object' && world.realpath(repository.top) === folder;
}
