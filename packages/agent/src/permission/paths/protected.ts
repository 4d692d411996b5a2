/** Decides whether a place is protected. A change to a protected place always asks, even if an allow rule matches. */
import path from 'node:path';
import { GIT_DATA_NAMES, isGitFolder, repositoriesAround } from '@heddle/tools/git';
import { type FilePlace, isAtOrBelow, knownEntries, onceFor, placesOf, workingFolders } from './places.ts';
import type { PermissionWorld } from '../world.ts';
import { PROTECTED_PLACES, type ProtectedPlace } from './protected-places.ts';
import { literalSegments, segmentsMeet, namesMeet, type Segment, segmentsOf } from './segments.ts';

/** Folders with programs that later commands run by name, if the search path contains them. */
const PROGRAM_FOLDERS =
  /\/(?:node_modules\/\.bin|\.?venv\/(?:bin|scripts)|vendor\/bin|\.bundle\/bin)(?=\/|$)/;

/** Returns whether a path is one of the usual folders of programs, or below one. */
export function isProgramFolder(file: string): boolean {
  return PROGRAM_FOLDERS.test(foldCase(file));
}

/**
 * Returns the folder of programs, or the file that names some, that a change to a place affects. These are the usual
 * folders, entries of the search path in a working directory, and places that settings of git name. Naming or running
 * such a program is ordinary, so only a change asks.
 */
export function programFolder(
  { path: written, real }: FilePlace,
  world: PermissionWorld,
): string | undefined {
  for (const file of written === real ? [written] : [written, real]) {
    const [usual] = PROGRAM_FOLDERS.exec(foldCase(file)) ?? [];
    if (usual !== undefined) return usual.slice(1);
    const entry = programPlaces(world).find((folder) => isAt(file, folder));
    if (entry !== undefined) return entry;
  }
  // A nested repository, or another working tree, has its own settings.
  return world
    .gitSources?.(path.posix.dirname(real))
    .places.find((source) => isAt(real, world.realpath(source)));
}

/** Returns whether git might take hooks or settings from a place, because not all of its settings can be read. */
export function mayBeGitSource({ real }: FilePlace, world: PermissionWorld): boolean {
  return [path.posix.dirname(real), world.root, world.cwd].some(
    (folder) => world.gitSources?.(folder).isComplete === false,
  );
}

/**
 * Returns the places in working directories whose programs run by name or by git, and those that a protected link leads to.
 * A working directory itself is left out, because every file in it would count.
 */
export const programPlaces = onceFor((world) => {
  const sources = gitPlaces(world);
  return [...searchedFolders(world), ...insideRoots([...sources, ...linkTargets(sources, world)], world)];
});

/** Nested repositories count, because their settings can name places beside them. */
function gitPlaces(world: PermissionWorld): readonly string[] {
  const folders = [...new Set([world.root, world.cwd, ...world.directories])];
  const below = foldersIn(folders, world);
  const nested = [...below, ...foldersIn(below, world)].filter((folder) => world.exists(`${folder}/.git`));
  return [...folders, ...nested].flatMap((folder) => world.gitSources?.(folder).places ?? []);
}

/** The number of folders that are searched for repositories. More would take longer than a decision may. */
const MOST_FOLDERS = 300;

function foldersIn(folders: readonly string[], world: PermissionWorld): readonly string[] {
  if (world.gitSources === undefined) return [];
  return folders
    .flatMap((folder) =>
      knownEntries(folder, world)
        .filter(({ kind, name }) => kind === 'folder' && !/^(\.|node_modules$)/.test(name))
        .map(({ name }) => path.posix.join(folder, name)),
    )
    .slice(0, MOST_FOLDERS);
}

/** Folders whose links are followed, in working directories and the home folder. */
const LINK_FOLDERS =
  '. .git .git/hooks .claude .claude/hooks .heddle .cursor .vscode .husky .githooks .config'.split(' ');

/** The folders of version control are large, and a program runs only what is in the listed ones. */
const VERSION_CONTROL = /^(\.git|\.hg|\.svn|\.jj|\.bzr|\.sl)$/i;

/** The number of folders below protected folders that are searched for links. */
const MOST_LINK_FOLDERS = 100;

/** Returns the folders in a working directory that are protected, and those below them. */
function protectedFolders(top: string, world: PermissionWorld): readonly string[] {
  const found: string[] = [];
  let level = [top];
  while (level.length > 0 && found.length < MOST_LINK_FOLDERS) {
    level = level.flatMap((folder) =>
      (world.entries(folder) ?? [])
        .filter(({ kind, name }) => kind === 'folder' && !VERSION_CONTROL.test(name))
        .map(({ name }) => path.posix.join(folder, name))
        .filter((inner) => protectedPath(inner, world) !== undefined),
    );
    found.push(...level);
  }
  return found.slice(0, MOST_LINK_FOLDERS);
}

/** Returns the targets of links at protected places. A change to a target changes the protected place. */
function linkTargets(sources: readonly string[], world: PermissionWorld): readonly string[] {
  const tops = new Set([world.root, world.cwd, ...world.directories, world.home]);
  const linksIn = (folder: string): readonly string[] =>
    knownEntries(folder, world)
      .filter(({ kind }) => kind === 'link')
      .map(({ name }) => path.posix.join(folder, name));
  const named = [...tops].flatMap((top) =>
    LINK_FOLDERS.filter((name) => mayExist(name, top, world)).map((name) => path.posix.join(top, name)),
  );
  const deeper = [...tops].flatMap((top) => (top === world.home ? [] : protectedFolders(top, world)));
  const links = [...new Set([...named, ...deeper])]
    .flatMap(linksIn)
    .filter((link) => protectedPath(link, world) !== undefined);
  const inSources = sources.flatMap((source) => [source, ...linksIn(source)]);
  return [...links, ...inSources].map((link) => world.realpath(link));
}

/** Returns whether each segment of a relative path may exist. The folders are listed once, and most of them are missing. */
function mayExist(name: string, top: string, world: PermissionWorld): boolean {
  let folder = top;
  return name.split('/').every((segment) => {
    const entries = world.entries(folder);
    folder = path.posix.join(folder, segment);
    return segment === '.' || (entries?.some((entry) => entry.name === segment) ?? true);
  });
}

const searchedFolders = onceFor((world) => {
  const entries = world.environment['PATH']?.split(':') ?? [];
  return insideRoots(entryFolders(entries, world), world);
});

function entryFolders(entries: readonly string[], world: PermissionWorld): readonly string[] {
  return entries.flatMap((entry) =>
    placesOf(entry, [world.cwd], world).flatMap((place) => [place.path, place.real]),
  );
}

function insideRoots(entries: readonly string[], world: PermissionWorld): readonly string[] {
  const roots = workingFolders(world);
  return [...new Set(entries.flatMap((entry) => [entry, world.realpath(entry)]))].filter(
    (entry) => roots.some((root) => entry !== root && isAt(entry, root)) && !roots.includes(entry),
  );
}

/** Returns whether a new folder in this place may contain one of the program places. Working directories are not new. */
export function isAboveSearched(place: string, world: PermissionWorld): boolean {
  const roots = workingFolders(world);
  if (roots.some((root) => isAt(root, place))) return false;
  return programPlaces(world).some((folder) => folder.startsWith(`${place}/`));
}

/** Returns whether a folder with a name that the glob matches may contain, in the target, one of the program places. */
export function mayFillSearched(
  { path: written, real }: FilePlace,
  glob: string,
  world: PermissionWorld,
): boolean {
  const name = segmentsOf(glob).at(-1);
  return [written, real].some((target) =>
    programPlaces(world)
      .filter((folder) => folder.startsWith(`${target}/`))
      .map((folder) => folder.slice(target.length + 1).split('/', 1)[0] ?? '')
      .some((first) => name !== undefined && mayBe(name, first)),
  );
}

/**
 * Returns whether the search path may lead from a name to a program of the project. A relative entry and a working
 * directory may do so for every name, because the script itself can create the file there.
 */
export function mayRunProjectProgram(name: string, world: PermissionWorld): boolean {
  const { PATH } = world.environment;
  if (PATH === undefined || name === '' || name.includes('/') || BUILTINS.has(name)) return false;
  return (
    openEntries(world).length > 0 ||
    [...searchedFolders(world), ...searchedAround(world)].some((entry) => world.exists(`${entry}/${name}`))
  );
}

/** The entries of the search path in a repository around a working directory. Its files belong to the project. */
const searchedAround = onceFor((world) => {
  const realHome = world.realpath(world.home);
  const containsHome = (folder: string): boolean =>
    isAtOrBelow(world.home, folder) || isAtOrBelow(realHome, world.realpath(folder));
  const tops = workingFolders(world).flatMap((folder) =>
    repositoriesAround(folder, containsHome, world.exists),
  );
  return entryFolders((world.environment['PATH'] ?? '').split(':'), world).filter((entry) =>
    [entry, world.realpath(entry)].some((folder) => tops.some((top) => isAt(folder, top))),
  );
});

/** The absolute entries of the search path that belong to the project. Proven commands run without them. */
export const projectEntries = onceFor((world) => {
  const roots = workingFolders(world);
  const around = searchedAround(world);
  return (world.environment['PATH'] ?? '')
    .split(':')
    .filter(
      (entry) =>
        around.includes(entry) ||
        [entry, world.realpath(entry)].some((folder) => roots.some((root) => isAt(folder, root))),
    );
});

/** The entries of the search path that are relative, or a working directory. */
const openEntries = onceFor((world) => {
  const roots = workingFolders(world);
  return (world.environment['PATH'] ?? '')
    .split(':')
    .filter(
      (entry) =>
        !path.posix.isAbsolute(entry) ||
        [path.posix.resolve(entry), world.realpath(entry)].some((folder) => roots.includes(folder)),
    );
});

/** The shell runs these itself, without the search path. */
const BUILTINS: ReadonlySet<string> = new Set(
  (
    ': [ alias break cd command continue dirs echo exit export false jobs popd printf pushd pwd read return set test true ' +
    'type ulimit umask wait'
  ).split(' '),
);

/** Returns the name of git's data that a name means. Some disks ignore case. */
export function gitDataName(
  name: string,
  { foldsCase }: Pick<PermissionWorld, 'foldsCase'>,
): (typeof GIT_DATA_NAMES)[number] | undefined {
  return GIT_DATA_NAMES.find((known) => known === name || (foldsCase && foldCase(known) === foldCase(name)));
}

/** Returns whether the last name of a path may be one that git looks for in a repository, on any disk. */
export function isGitDataPath(file: string): boolean {
  return gitDataName(path.posix.basename(file), { foldsCase: true }) !== undefined;
}

/** Returns whether git takes a folder for a repository without a working tree. */
export function isGitData(folder: string, world: PermissionWorld): boolean {
  return isGitFolder((name) => world.exists(`${folder}/${name}`));
}

const gitData = new WeakMap<PermissionWorld['exists'], Map<string, boolean>>();

/**
 * Returns whether a path is in a folder of git's data, which can have any name: `git init --separate-git-dir`. Cached,
 * because many paths have the same folders. Copies of a world share their functions.
 */
export function isInGitData(file: string, world: PermissionWorld): boolean {
  const known = gitData.get(world.exists) ?? new Map<string, boolean>();
  gitData.set(world.exists, known);
  const passed: string[] = [];
  let answer: boolean | undefined;
  for (let folder = file; folder !== '/' && answer === undefined; folder = path.posix.dirname(folder)) {
    answer = known.get(folder) ?? (isGitData(folder, world) ? true : undefined);
    passed.push(folder);
  }
  for (const folder of passed) known.set(folder, answer === true);
  return answer === true;
}

/** Returns the name of the protected place. Case does not matter, because some file systems ignore it. */
export function protectedPlaceName(place: FilePlace, world: PermissionWorld): string | undefined {
  return (
    protectedPath(place.path, world) ??
    (place.real === place.path ? undefined : protectedPath(place.real, world))
  );
}

function protectedPath(file: string, world: PermissionWorld): string | undefined {
  if (world.configDirs.some((folder) => isAt(file, folder) || isAt(file, world.realpath(folder)))) {
    return "the agent's own settings";
  }
  return protectedName(foldCase(file).split('/').filter(Boolean), 0);
}

/**
 * Some disks compare names by the case folding of Unicode, in which `ſ` is an `s`. They ignore the form of accents, and
 * characters without a shape. A letter that has another one as its capital letter counts as that one.
 */
export function foldCase(name: string): string {
  if (/^[ -~]*$/.test(name)) return name.toLowerCase();
  const visible = name.replace(/\p{Default_Ignorable_Code_Point}/gu, '');
  return visible.normalize('NFC').toUpperCase().toLowerCase();
}

function protectedName(names: readonly string[], root: number): string | undefined {
  for (let at = root; at < names.length; at++) {
    const found = startingWith(names[at] ?? '').find((place) => matchesAt(place, names, at));
    if (found === undefined) continue;
    // Other branches are checked out below the agent's folder, with their own protected places.
    const isCheckout = /^\.(claude|heddle)$/.test(names[at] ?? '') && names[at + 1] === 'worktrees';
    if (isCheckout && names.length > at + 2) return protectedName(names, at + 2);
    return names.slice(at, at + found.segments.length).join('/');
  }
  return undefined;
}

const byFirstName = new Map<string, ProtectedPlace[]>();
const families: { readonly begin: string; readonly place: ProtectedPlace }[] = [];
for (const place of PROTECTED_PLACES) {
  const [first = ''] = place.segments;
  if (first.includes('*')) families.push({ begin: first.slice(0, -1), place });
  else byFirstName.set(first, [...(byFirstName.get(first) ?? []), place]);
}

function startingWith(name: string): readonly ProtectedPlace[] {
  const named = byFirstName.get(name) ?? NO_PLACES;
  const family = families.filter(({ begin }) => name.startsWith(begin));
  return family.length === 0 ? named : [...named, ...family.map(({ place }) => place)];
}

const NO_PLACES: readonly ProtectedPlace[] = [];

function matchesAt({ segments, fromRoot }: ProtectedPlace, names: readonly string[], at: number): boolean {
  if (fromRoot && at > 0) return false;
  return segments.every((segment, index) => {
    const name = names[at + index];
    if (name === undefined) return false;
    return segment.endsWith('*') ? name.startsWith(segment.slice(0, -1)) : name === segment;
  });
}

const lastNames = new Set([
  ...PROTECTED_PLACES.map(({ segments }) => segments.at(-1) ?? ''),
  '.bin',
  'bin',
  'scripts',
]);
const lastBeginnings = Array.from(lastNames)
  .filter((name) => name.endsWith('*'))
  .map((name) => name.slice(0, -1));

/**
 * Returns whether a path with this last name can be a protected place. It is a fast filter for walks over many files.
 */
export function canEndProtected(name: string): boolean {
  const lower = foldCase(name);
  return lastNames.has(lower) || lastBeginnings.some((beginning) => lower.startsWith(beginning));
}

/** Returns whether a name with this end can be a protected place. */
export function canCompleteProtected(end: string): boolean {
  return Array.from(lastNames).some((name) => name.endsWith(foldCase(end)));
}

const allNames = new Set([...lastNames, ...PROTECTED_PLACES.flatMap(({ segments }) => segments)]);

/** Returns whether a name that contains this text can be a part of a protected place. */
export function canBeInProtected(text: string): boolean {
  const lower = foldCase(text);
  return Array.from(allNames).some((name) => name.includes(lower));
}

/** Returns whether letters and digits between two texts can make a name that is protected in every folder. */
export function canSurroundProtected(begin: string, end: string): boolean {
  const [first, last] = [foldCase(begin), foldCase(end)];
  return PROTECTED_PLACES.some(
    ({ segments: [name = '', ...more], fromRoot }) =>
      more.length === 0 &&
      !fromRoot &&
      name.startsWith(first) &&
      name.endsWith(last) &&
      /^[a-z\d]+$/.test(name.slice(first.length, name.length - last.length)),
  );
}

const firstNames = new Set([
  ...PROTECTED_PLACES.filter(({ segments }) => segments.length > 1).map(
    ({ segments: [first = ''] }) => first,
  ),
  ...'node_modules .venv venv vendor .bundle'.split(' '),
]);

/** Returns whether a folder with this name is the start of a protected place, but not protected itself: `.config`. */
export function canBeginProtected(name: string): boolean {
  return firstNames.has(foldCase(name));
}

const OUTER_FOLDERS = [
  ...PROTECTED_PLACES.filter(({ fromRoot }) => !fromRoot).map(({ segments }) => segments),
  ...['node_modules/.bin', '.venv/bin', 'venv/bin', 'vendor/bin', '.bundle/bin'].map((name) =>
    name.split('/'),
  ),
];

/** Returns whether a folder may contain a protected place without being one: `.config`, `x/node_modules`. */
export function mayHoldProtected(folder: string): boolean {
  const names = foldCase(folder).split('/').filter(Boolean);
  return OUTER_FOLDERS.some((segments) =>
    segments.slice(0, -1).some((_, at) => {
      const begin = segments.slice(0, at + 1);
      return begin.every((segment, index) => names[names.length - begin.length + index] === segment);
    }),
  );
}

type ProtectedShape = ReturnType<typeof shapeOf>;

function shapeOf({ segments, fromRoot }: (typeof PROTECTED_PLACES)[number]) {
  const name = segments.join('/');
  const shape: readonly Segment[] = [...(fromRoot ? [] : (['**'] as const)), ...segmentsOf(name, true), '**'];
  return { name, shape, first: segments[0] ?? '', isVisible: !fromRoot && !name.startsWith('.') };
}

/** Made for the first glob: it takes 4 ms, and most sessions have none. */
let shapes: readonly ProtectedShape[] | undefined;

/**
 * Returns a protected place that a glob below a folder may match. A leading wildcard does not match hidden names. A
 * visible name counts only if it exists, because `*` would match all of them.
 */
export function protectedMatch(folder: FilePlace, glob: string, world: PermissionWorld): string | undefined {
  shapes ??= PROTECTED_PLACES.map(shapeOf);
  world.spend?.(shapes.length + Math.floor(glob.length / 2));
  const written = segmentsOf(foldCase(glob)).map((segment) => (segment === 'globstar' ? 'visible' : segment));
  const [first] = written;
  const whole: readonly Segment[] = [...literalSegments(foldCase(folder.path)), ...written];
  return shapes.find(({ name, shape, first: begins, isVisible }) => {
    if (!isVisible) return segmentsMeet(whole, shape, false);
    return first !== undefined && mayBe(first, begins) && world.exists(`${folder.path}/${name}`);
  })?.name;
}

function mayBe(segment: Segment, name: string): boolean {
  return typeof segment === 'string' || namesMeet(segment, Array.from(name), false);
}

function isAt(file: string, folder: string): boolean {
  return file.startsWith(folder) && (file.length === folder.length || file[folder.length] === '/');
}

/** The number of tracked files that are compared in one step. */
const TRACKED_PER_STEP = 100;

/**
 * Returns whether one of the `lists` of submodules exists, and the operand is a submodule or contains one. Git tracks a submodule
 * like a file, but on the disk it is a folder, or it is missing.
 */
export function mayChangeSubmodule(
  lists: readonly FilePlace[] | undefined,
  { places, glob }: { readonly places: readonly FilePlace[] | undefined; readonly glob?: unknown },
  world: PermissionWorld,
): boolean {
  if (lists?.every(({ path: list }) => !world.exists(list)) === true) return false;
  if (places === undefined || glob !== undefined) return true;
  return places.some(({ path: operand, real }) => {
    const repository = world.repository(real);
    if (repository === 'none') return false;
    const tracked = repository === 'unknown' ? undefined : repository.tracked();
    world.spend?.(Math.ceil((tracked?.length ?? 0) / TRACKED_PER_STEP));
    const isIn = (file: string): boolean =>
      [operand, real].some((top) => file === top || file.startsWith(`${top === '/' ? '' : top}/`));
    return (
      tracked?.filter(isIn).some((file) => {
        world.spend?.(1);
        return !world.exists(file) || world.exists(`${file}/.`);
      }) ?? true
    );
  });
}
