/** Decides whether a place is protected. A change to a protected place always asks, even if an allow rule matches. */
import path from 'node:path';
import { GIT_DATA_NAMES, isGitFolder } from '@heddle/tools/git';
import { homePlaceName, isHomeInWork } from './home-places.ts';
import { type FilePlace, isAtOrBelow, workingFolders } from './places.ts';
import type { PermissionWorld } from '../world.ts';
import { PROTECTED_PLACES, type ProtectedPlace } from './protected-places.ts';
import {
  literalSegments,
  segmentsMeet,
  namesMeet,
  type Segment,
  segmentsOf,
  type Token,
} from './segments.ts';

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

const dataAround = new WeakMap<PermissionWorld['exists'], Map<string, string | undefined>>();

/** Folders of a longer path are looked at only if they exist, because a command can name thousands. */
const USUAL_DEPTH = 32;

/**
 * Returns the outermost folder of git's data at or above a path. A bare repository may contain its working trees, whose files
 * are not data. Cached, because many paths have the same folders.
 */
export function gitDataAround(file: string, world: PermissionWorld): string | undefined {
  const known = dataAround.get(world.exists) ?? new Map<string, string | undefined>();
  dataAround.set(world.exists, known);
  const segments = file.split('/').filter((segment) => segment !== '');
  let folder = '';
  let found: string | undefined;
  for (const [depth, segment] of segments.entries()) {
    folder += `/${segment}`;
    if (depth > USUAL_DEPTH && !world.exists(folder)) return found;
    if (!known.has(folder)) known.set(folder, dataAt(folder, found, world));
    found = known.get(folder);
  }
  return found;
}

function dataAt(folder: string, around: string | undefined, world: PermissionWorld): string | undefined {
  if (around === undefined) return isGitData(folder, world) ? folder : undefined;
  return world.exists(`${folder}/.git`) ? undefined : around;
}

/** Returns the name of the protected place. Case does not matter, because some file systems ignore it. */
export function protectedPlaceName(place: FilePlace, world: PermissionWorld): string | undefined {
  return (
    protectedPath(place.path, world) ??
    (place.real === place.path ? undefined : protectedPath(place.real, world))
  );
}

/** Returns the name of the protected place at a path, without a look at links. */
export function protectedPath(file: string, world: PermissionWorld): string | undefined {
  const isIn = (folder: string): boolean => isAtOrBelow(file, folder);
  if (world.configDirs.some((folder) => isIn(folder) || isIn(world.realpath(folder)))) {
    return "a place of the agent's own settings";
  }
  const names = namesOf(file);
  const written = file.split('/').filter(Boolean);
  const found = protectedAt(names, 0, (depth) => isCheckout(`/${written.slice(0, depth).join('/')}`, world));
  if (found === undefined) return homePlaceName(file, world);
  return names.slice(found.at, found.at + found.place.segments.length).join('/');
}

/** Heddle and the user may start a session in a checkout of any version control. */
function isCheckout(folder: string, world: PermissionWorld): boolean {
  const places = [folder, world.realpath(folder)];
  const isWorkedIn = workingFolders(world).some((root) => places.some((place) => isAtOrBelow(root, place)));
  return isWorkedIn || world.isLinkedTree?.(folder) === true;
}

/** Returns whether names below a folder are those of a protected place, or below one. */
export function isProtectedBelow(names: readonly string[]): boolean {
  return protectedAt(names.map(foldCase), 0) !== undefined;
}

/** Returns whether a sandboxed command must not change an existing file or folder, because it is at or below a place. */
export function isLockedIfPresent(file: string): boolean {
  const found = protectedAt(namesOf(file), 0);
  return found !== undefined && found.place.sandbox !== 'writable';
}

function namesOf(file: string): readonly string[] {
  return foldCase(file).split('/').filter(Boolean);
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

/**
 * Returns the outermost place that contains a path, and the position of its first name. `isTree` returns whether the first names are
 * those of a checkout. If it is absent, the names decide.
 */
function protectedAt(
  names: readonly string[],
  root: number,
  isTree: (depth: number) => boolean = () => true,
): { readonly place: ProtectedPlace; readonly at: number } | undefined {
  for (let at = root; at < names.length; at++) {
    const place = startingWith(names[at] ?? '').find((one) => matchesAt(one, names, at));
    if (place === undefined) continue;
    // Other branches are checked out below the agent's folder, with their own protected places.
    const isOfAgent = /^\.(claude|heddle)$/.test(names[at] ?? '') && names[at + 1] === 'worktrees';
    const isBelowTree = isOfAgent && names.length > at + 2 && isTree(at + 3);
    return isBelowTree ? protectedAt(names, at + 2, isTree) : { place, at };
  }
  return undefined;
}

/** Returns whether a protected place can be deeper in the folder, because its names are the first ones of the place: `.config`. */
export function leadsToProtected(names: readonly string[]): boolean {
  const folded = names.map(foldCase);
  return startingWith(folded[0] ?? '').some(
    ({ segments, fromRoot }) =>
      !fromRoot &&
      segments.length > folded.length &&
      folded.every((name, at) => isNamed(name, segments[at] ?? '')),
  );
}

const byFirstName = new Map<string, ProtectedPlace[]>();
const families: { readonly begin: string; readonly place: ProtectedPlace }[] = [];
for (const place of PROTECTED_PLACES) {
  const [first = ''] = place.segments;
  if (first.includes('*')) families.push({ begin: first.slice(0, first.indexOf('*')), place });
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
    return name !== undefined && isNamed(name, segment);
  });
}

/** `*` in the name of a place matches any part of a name, and there is at most one. */
function isNamed(name: string, segment: string): boolean {
  const at = segment.indexOf('*');
  return at < 0 ? name === segment : isOfFamily(name, familyOf(segment, at));
}

interface NameFamily {
  readonly begin: string;
  readonly end: string;
}

function familyOf(segment: string, at = segment.indexOf('*')): NameFamily {
  return { begin: segment.slice(0, at), end: segment.slice(at + 1) };
}

function isOfFamily(name: string, { begin, end }: NameFamily): boolean {
  return name.length >= begin.length + end.length && name.startsWith(begin) && name.endsWith(end);
}

/** Returns the text after the star. Undefined if there is none. */
function endOfFamily(name: string): string | undefined {
  const at = name.indexOf('*');
  return at < 0 ? undefined : name.slice(at + 1);
}

const lastNames = new Set([
  ...PROTECTED_PLACES.map(({ segments }) => segments.at(-1) ?? ''),
  '.bin',
  'bin',
  'scripts',
]);
const lastFamilies = Array.from(lastNames)
  .filter((name) => name.includes('*'))
  .map((name) => familyOf(name));

/**
 * Returns whether a path with this last name can be a protected place. It is a fast filter for walks over many files. Hidden names can
 * be one in the home folder.
 */
export function canEndProtected(name: string): boolean {
  if (name.startsWith('.')) return true;
  const lower = foldCase(name);
  return lastNames.has(lower) || lastFamilies.some((family) => isOfFamily(lower, family));
}

/** Returns whether a name with this end can be a protected place. */
export function canCompleteProtected(end: string): boolean {
  const lower = foldCase(end);
  return Array.from(lastNames).some((name) => {
    const last = endOfFamily(name);
    return name.endsWith(lower) || (last !== undefined && last !== '' && lower.endsWith(last));
  });
}

const allNames = new Set([...lastNames, ...PROTECTED_PLACES.flatMap(({ segments }) => segments)]);

/** Returns whether a test accepts a name of git's data, or one that is a part of a protected place. */
export function someProtectedName(accepts: (name: readonly Token[]) => boolean): boolean {
  return [...allNames, ...GIT_DATA_NAMES].some((name) => {
    const segment = segmentsOf(foldCase(name), true).at(-1);
    return segment === undefined || typeof segment === 'string' || accepts(segment);
  });
}

/** Returns whether a name that contains this text can be a part of a protected place. */
export function canBeInProtected(text: string): boolean {
  const lower = foldCase(text);
  return Array.from(allNames).some((name) => {
    const last = endOfFamily(name);
    return name.includes(lower) || (last !== undefined && last !== '' && lower.includes(last));
  });
}

/** Returns whether letters and digits between two texts can make a name that is protected in every folder. */
export function canSurroundProtected(begin: string, end: string): boolean {
  const [first, last] = [foldCase(begin), foldCase(end)];
  return PROTECTED_PLACES.some(
    ({ segments: [name = '', ...more], fromRoot }) =>
      more.length === 0 &&
      !fromRoot &&
      (endOfFamily(name)
        ? ['a', /(?<!\w)\w*$/.exec(name)?.[0] ?? ''].some((middle) =>
            isNamed(`${first}${middle}${last}`, name),
          )
        : name.startsWith(first) &&
          name.endsWith(last) &&
          /^[a-z\d]+$/.test(name.slice(first.length, name.length - last.length))),
  );
}

const firstNames = new Set([
  ...PROTECTED_PLACES.filter(({ segments }) => segments.length > 1).map(
    ({ segments: [first = ''] }) => first,
  ),
  ...'node_modules .venv venv env .env vendor .bundle'.split(' '),
]);

/** Returns whether a folder with this name is the start of a protected place, but not protected itself: `.config`. */
export function canBeginProtected(name: string): boolean {
  return firstNames.has(foldCase(name));
}

/** The names of protected places and of folders of programs that match at any depth. */
export const PLACE_NAMES: readonly (readonly string[])[] = [
  ...PROTECTED_PLACES.filter(({ fromRoot }) => !fromRoot).map(({ segments }) => segments),
  ...['node_modules/.bin', '.venv/bin', 'venv/bin', 'env/bin', '.env/bin', 'vendor/bin', '.bundle/bin'].map(
    (name) => name.split('/'),
  ),
];

/** Returns whether a folder may contain a protected place without being one: `.config`, `x/node_modules`. */
export function mayHoldProtected(folder: string, world: PermissionWorld): boolean {
  if (isHomeInWork({ path: folder, real: folder }, world)) return true;
  const names = foldCase(folder).split('/').filter(Boolean);
  return PLACE_NAMES.some((segments) =>
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
  if (glob.startsWith('.') && isHomeInWork(folder, world)) return `~/${glob}`;
  const known = matches.get(world.exists) ?? new Map<string, string | undefined>();
  matches.set(world.exists, known);
  const key = `${folder.path}\0${glob}`;
  if (!known.has(key)) known.set(key, findMatch(folder.path, glob, world));
  return known.get(key);
}

/** A decision asks several times about the same glob. Copies of a world share their functions. */
const matches = new WeakMap<PermissionWorld['exists'], Map<string, string | undefined>>();

/** A folder that cannot be listed may contain each of them. */
const EVERY_VISIBLE = PROTECTED_PLACES.map(({ segments: [first = ''] }) => first);

/** A comparison takes less time than a look at a file. */
const STEPS_PER_SHAPE = 0.75;
/** A comparison with so many more segments takes as long again. */
const SEGMENTS_PER_LOOK = 16;

function findMatch(folder: string, glob: string, world: PermissionWorld): string | undefined {
  shapes ??= PROTECTED_PLACES.map(shapeOf);
  const segments = glob.split('/').length;
  const stepsPerShape = STEPS_PER_SHAPE * (1 + Math.floor(segments / SEGMENTS_PER_LOOK));
  world.spend?.(Math.ceil(shapes.length * stepsPerShape) + Math.floor(glob.length / 2));
  let present: ReadonlySet<string> | undefined;
  const isPresent = (name: string): boolean => {
    present ??= new Set(world.list(folder)?.map(foldCase) ?? EVERY_VISIBLE);
    return present.has(name);
  };
  const written = segmentsOf(foldCase(glob)).map((segment) => (segment === 'globstar' ? 'visible' : segment));
  const [first] = written;
  const whole: readonly Segment[] = [...literalSegments(foldCase(folder)), ...written];
  return shapes.find(({ name, shape, first: begins, isVisible }) => {
    if (!isVisible) return segmentsMeet(whole, shape, false);
    if (first === undefined || !mayBe(first, begins) || !isPresent(begins)) return false;
    return begins === name || world.exists(`${folder}/${name}`);
  })?.name;
}

export function mayBe(segment: Segment, name: string): boolean {
  return typeof segment === 'string' || namesMeet(segment, Array.from(name), false);
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
