/** Creates the parts for files of the working tree that git stores. */
import path from 'node:path';
import type { FilePart, StoredFiles } from '../../part.ts';
import { type FilePlace, isAtOrBelow, once, tildeExpanded } from '../../paths/places.ts';
import { mayLieBelow } from '../../rules/held-files.ts';
import type { PathPattern } from '../../rules/path-pattern.ts';
import type { KnownRepository, PermissionWorld } from '../../world.ts';
import type { Folders } from '../shell-state.ts';
import { selectedFiles, type SelectedFiles } from './git-pathspecs.ts';
import { meant } from './meant-places.ts';
import { trackedNames } from './tracked-names.ts';
import type { Addition, Touch } from './touch.ts';

/** The numbers of folders and of untracked entries per walk. Git walks through the working tree as well. */
const MOST_FOLDERS = 3_000;
const MOST_UNTRACKED = 20_000;
/** Most entries are only looked up by name. */
const ENTRIES_PER_STEP = 64;
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
    const someTracked: Test = (fits, pattern) => {
      const answers = tests.map((test) => test(fits, pattern));
      return answers.find((answer) => answer === true) ?? answers.find((answer) => answer !== false) ?? false;
    };
    return { someTracked, isAddition: true };
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
  const listed = once(() => (repository ? repository.tracked() : NO_FILES));
  const tracked = once(() => trackedNames(listed() ?? NO_FILES, world));
  const isAdded = (file: string, isFolder: boolean): boolean =>
    untracked === 'all' || repository?.isIgnored?.(file, isFolder) !== true;
  const below = (region: string): Found =>
    untrackedBelow(region, { top, world, isAdded, isTracked: (file) => tracked().has(file) });
  const whole = new Map(starts.map((start) => [start, once(() => below(start))]));
  const areFiles = once(() =>
    starts.every((start) => tracked().has(start) || (world.exists(start) && !world.exists(`${start}/.`))),
  );
  return (fits, pattern) => {
    if (listed() === undefined) return 'unclear';
    const isStored = (file: string): boolean => fits(file) && selects(file);
    const candidates = areFiles() ? starts.filter((start) => tracked().has(start)) : tracked().with(pattern);
    const isChanged = (file: string): boolean =>
      repository?.mayHaveChanged?.(file) !== false && world.exists(file);
    if (candidates.some((file) => isStored(file) && isChanged(file))) return true;
    if (untracked === 'none') return false;
    const found = starts.flatMap((start): Found[] => {
      const regions = regionsOf(start, pattern);
      return regions === 'all' ? [whole.get(start)?.() ?? NO_FILES] : regions.map(below);
    });
    if (found.some((files) => files !== 'unclear' && files.some(isStored))) return true;
    return found.includes('unclear') ? 'unclear' : false;
  };
}

const NO_FILES: readonly string[] = [];

/** A rule for a fixed place needs no look at other folders. */
function regionsOf(start: string, pattern: PathPattern): readonly string[] | 'all' {
  const inner = pattern.within(start);
  if (!pattern.isSpread && inner.length === pattern.globs.length) return inner;
  return mayLieBelow(start, pattern) ? 'all' : [];
}

/** `unclear`: there are more files than can be looked at, or a folder cannot be read. */
type Found = readonly string[] | 'unclear';

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
  if (region !== top && !isAdded(region, true)) return [];
  if (region.split('/').includes('.git')) return [];
  const found: string[] = [];
  const open = [region];
  let folders = 0;
  let others = 0;
  for (let at = open.pop(); at !== undefined; at = open.pop()) {
    const entries = (world.entriesUncounted ?? world.entries)(at);
    if (entries === undefined || ++folders > MOST_FOLDERS) return 'unclear';
    world.spend?.(1 + Math.ceil(entries.length / ENTRIES_PER_STEP));
    if (at !== top && entries.some(({ name }) => name === '.git') && isNested(at, world)) continue;
    for (const { name, kind } of entries) {
      const file = path.posix.join(at, name);
      // A folder may have taken the place of a tracked file.
      if (kind === 'folder' && name !== '.git' && isAdded(file, true)) open.push(file);
      if (kind === 'folder' || isTracked(file)) continue;
      if (++others > MOST_UNTRACKED) return 'unclear';
      if (kind === 'file' && isAdded(file, false)) found.push(file);
    }
  }
  return found;
}

function isNested(folder: string, world: PermissionWorld): boolean {
  if (world.entries(folder)?.some(({ name }) => name === '.git') !== true) return false;
  const repository = world.repository(folder);
  return typeof repository === 'object' && world.realpath(repository.top) === folder;
}
