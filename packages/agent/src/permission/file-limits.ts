/**
 * Computes the files that a command can change and see in the read-only view or in the view for edits. A view is a second
 * safeguard: it applies the rules and protected places again, in a form that the kernel enforces. It allows nothing
 * that the decision did not allow.
 */
import path from 'node:path';
import type { FileLimits } from '@heddle/core';
import type { FilePart, Part } from './part.ts';
import { environmentPart, mayBeEnvironmentPart } from './paths/environments.ts';
import {
  areRelated,
  foldersUp,
  isAtOrBelow,
  isAtOrBelowSome,
  isBelow,
  isSink,
  knownEntries,
  realFolders,
} from './paths/places.ts';
import { ownPlaces } from './paths/own-program.ts';
import { gitSourcesIn, isProgramFolder, programPlaces, protectedBehindLink } from './paths/program-places.ts';
import { canEndProtected, isGitData, isInGitData, protectedPlaceName } from './paths/protected.ts';
import { presentSecrets } from './paths/secret-files.ts';
import type { CompiledRules } from './rules/compile.ts';
import type { PathPattern } from './rules/path-pattern.ts';
import type { FolderEntry, PermissionWorld } from './world.ts';

/** Each place is a mount, and the time that mounts take grows with the square of their number. */
const MOST_PLACES = 100;

/** The number of entries that are looked at in the working directories, those near the top first. */
const MOST_ENTRIES = 3_000;

/** Without these, no program starts. */
const SYSTEM = /^\/(?:(?:usr|lib\w*|bin|sbin|dev|proc|sys)(?:\/|$)|$)/;

interface Limited {
  readonly parts: readonly Part[];
  readonly rules: CompiledRules;
  readonly world: PermissionWorld;
}

/** Returns undefined if no file is hidden. */
export function readLimits(limited: Limited): FileLimits | undefined {
  const hidden = hiddenPlaces(limited).slice(0, MOST_PLACES);
  return hidden.length === 0 ? undefined : { writable: [], unwritable: [], hidden };
}

/** Returns undefined if the whole disk is a place of edits. */
export function editLimits(limited: Limited): FileLimits | 'too many places' | undefined {
  const { parts, world, rules } = limited;
  const edits = parts.flatMap((part) => (part.kind === 'write' || part.kind === 'remove' ? [part] : []));
  const writable = writableFolders(edits, world);
  if (writable.includes('/')) return undefined;
  const hidden = hiddenPlaces(limited, writable);
  const found = guardedPlaces(writable, denyPatterns(rules, 'Edit'), world);
  const guarded = [...found].filter((place) => !hidden.includes(place));
  // The decision looked at everything below a removed folder. It accepts that `node_modules/.bin` goes with its folder.
  const removed = edits.flatMap(({ kind, places = [] }) => (kind === 'remove' ? places : []));
  // It also accepts edits of caches in a folder of packages that this process loads.
  const own = new Set(ownPlaces(world));
  const isEditedBelow = (folder: string): boolean =>
    edits.some(({ places = [] }) => places.some(({ real }) => isBelow(real, folder)));
  const kept = guarded.filter(
    (place) =>
      !(own.has(place) && isEditedBelow(place)) && !removed.some(({ real }) => isAtOrBelow(place, real)),
  );
  const known = new Set([...kept, ...hidden, ...writable]);
  // In other folders, and below another place, nothing is writable.
  const unwritable = kept.filter((place) => writable.includes(innermostAround(place, known) ?? ''));
  if (unwritable.length + hidden.length > MOST_PLACES) return 'too many places';
  return { writable, unwritable, hidden };
}

/** A checkout below the agent's folder, which is protected otherwise. */
const CHECKOUT = /^.*\/\.(?:claude|heddle)\/worktrees\/[^/]+(?=\/|$)/;

/**
 * Returns one folder in each working directory that contains all edits there, so that files can move inside it. For a
 * place outside, which a rule permits, it is the place's own folder, or the file itself if only its contents change.
 */
function writableFolders(edits: readonly FilePart[], world: PermissionWorld): string[] {
  const roots = realFolders(world);
  const folders = new Map<string, string>();
  const outside: string[] = [];
  for (const { places = [], by, glob } of edits) {
    const spots = places.flatMap(({ path: written, real }) => {
      if (isSink(real, 'write')) return [];
      // The edit may replace or remove the link that was written.
      const name = path.posix.basename(written);
      const link = path.posix.join(world.realpath(path.posix.dirname(written)), name);
      return link === real ? [real] : [link, real];
    });
    for (const spot of spots) {
      const folder = glob ? spot : nearestExisting(path.posix.dirname(spot), world);
      const [checkout = ''] = CHECKOUT.exec(spot) ?? [];
      const root = world.exists(checkout) ? checkout : roots.find((one) => isAtOrBelow(spot, one));
      const isFile = world.exists(spot) && !world.exists(`${spot}/.`);
      if (root === undefined) outside.push(isFile && by === 'redirection' ? spot : folder);
      else folders.set(root, commonFolder(isAtOrBelow(folder, root) ? folder : root, folders.get(root)));
    }
  }
  const isProtected = (place: string): boolean =>
    protectedPlaceName({ path: place, real: place }, world) !== undefined ||
    [...programPlaces(world), ...gitSourcesIn(place, world)].some((known) => isAtOrBelow(place, known));
  return [...new Set([...folders.values(), ...outside])].filter((place) => !isProtected(place));
}

function commonFolder(one: string, other: string = one): string {
  return isAtOrBelow(other, one) ? one : commonFolder(path.posix.dirname(one), other);
}

function nearestExisting(folder: string, world: PermissionWorld): string {
  return folder === '/' || world.exists(folder) ? folder : nearestExisting(path.posix.dirname(folder), world);
}

/** Returns the existing places in some folders that edits must not change. */
function guardedPlaces(
  folders: readonly string[],
  denied: readonly PathPattern[],
  world: PermissionWorld,
): ReadonlySet<string> {
  // The repository around the edits may be nested too deeply for the places of programs.
  const around = folders
    .flatMap((folder) => gitSourcesIn(folder, world))
    .filter((place) => !place.includes('/.git/'));
  const known = [
    ...programPlaces(world),
    ...ownPlaces(world),
    ...around,
    ...world.configDirs.map((folder) => world.realpath(folder)),
  ];
  const guarded = new Set(known.filter((place) => world.exists(place) && world.realpath(place) === place));
  const names = new Set([
    ...Array.from(guarded, (place) => path.posix.basename(place)),
    'HEAD',
    'node_modules',
  ]);
  const uncounted = withoutSteps(world);
  const listed = {
    exists: (file: string): boolean =>
      knownEntries(path.posix.dirname(file), uncounted).some(
        ({ name }) => name === path.posix.basename(file),
      ),
  };
  const isProtected = (file: string): boolean =>
    protectedPlaceName({ path: file, real: file }, world) !== undefined ||
    isProgramFolder(file) ||
    protectedBehindLink(file, world) !== undefined ||
    (mayBeEnvironmentPart(file) && environmentPart(file, listed) !== undefined);
  const isCandidate = (name: string): boolean =>
    denied.length > 0 || names.has(name) || canEndProtected(name) || mayBeEnvironmentPart(`/${name}`);
  walkFromTop(folders, world, isCandidate, (file, { name, kind }) => {
    const folder = path.posix.dirname(file);
    if (name === 'HEAD' && !folders.includes(folder) && isGitData(folder, world)) guarded.add(folder);
    if (name === 'node_modules') {
      if (world.exists(`${file}/.bin`)) guarded.add(`${file}/.bin`);
      return false;
    }
    const isDenied = denied.some((pattern) => pattern.matches(file));
    if (!isDenied && !guarded.has(file) && !isProtected(file)) return true;
    // A link itself cannot be guarded, only its target.
    guarded.add(kind === 'link' ? world.realpath(file) : file);
    return false;
  });
  return guarded;
}

/**
 * Returns the existing files and folders that deny rules for reading match, and those with logins of this program. Files that a proof
 * depends on are left out, because the command would find others in their place.
 */
function hiddenPlaces({ parts, rules, world }: Limited, writable: readonly string[] = []): string[] {
  const patterns = hidingPatterns(rules, world);
  const secrets = presentSecrets(world);
  if (patterns.length === 0 && secrets.length === 0) return [];
  const isPattern = (place: string): boolean => /[*?[\]\\]/.test(place);
  const places = patterns.flatMap(({ pattern: { globs }, isIn }) =>
    globs.map((glob) => glob.replace(/(?:\/\*\*)+$/, '')).filter((place) => isPattern(place) || isIn(place)),
  );
  const literal = places.filter((place) => !isPattern(place) && world.exists(place));
  const found = new Set([...secrets, ...literal]);
  const isHidden = (file: string): boolean =>
    rules.concerns('deny', file) && patterns.some(({ pattern, isIn }) => isIn(file) && pattern.matches(file));
  const folders = realFolders(world);
  if (places.some(isPattern))
    walkFromTop(folders, world, isAnyName, (file, { name, kind }) => {
      // The target of a link can have a name that no rule hides.
      if (kind !== 'link' && isHidden(file)) found.add(file);
      return !found.has(file) && name !== 'node_modules' && name !== '.git';
    });
  const needed = [world.cwd, world.realpath(world.cwd), ...folders, ...writable];
  const mayRunGit = parts.some(namesGit);
  const isNeeded = (place: string): boolean =>
    SYSTEM.test(place) ||
    needed.some((folder) => isAtOrBelow(folder, place)) ||
    (!secrets.includes(place) && isUsedByProofs(place, mayRunGit, world));
  const others = [...found].flatMap((place) => world.mountedBelow?.(place).map(({ name }) => name) ?? []);
  const named = new Set([...found, ...others.filter(world.exists)]);
  const hidden = [...named].filter((place) => world.realpath(place) === place && !isNeeded(place));
  const all = new Set(hidden);
  return hidden.filter((place) => innermostAround(place, all) === undefined);
}

interface HidingPattern {
  readonly pattern: PathPattern;
  readonly isIn: (file: string) => boolean;
}

/** Rules of a project hide only its own files. Outside, they could hide settings on which other programs depend. */
function hidingPatterns({ deny }: CompiledRules, world: PermissionWorld): readonly HidingPattern[] {
  const isInProject = (file: string): boolean => isAtOrBelowSome(file, realFolders(world));
  return deny.flatMap(({ names, specifier, rule: { source } }) => {
    if (!specifier?.path || !names('Read')) return [];
    const isOfProject = source === 'project' || source === 'local';
    return [{ pattern: specifier.path, isIn: isOfProject ? isInProject : () => true }];
  });
}

function namesGit(part: Part): boolean {
  if (part.kind !== 'command') return false;
  return part.beginnings.length > 0 || part.suspect.some(({ canonical }) => /\bgit\b/.test(canonical));
}

/**
 * Returns whether a proof may depend on a place. Without it, git would look for another repository, and the search path would lead to
 * another program.
 */
function isUsedByProofs(place: string, mayRunGit: boolean, world: PermissionWorld): boolean {
  if (place.split('/').includes('.git') || isInGitData(place, world)) return true;
  const searched = (world.environment['PATH'] ?? '').split(':').filter((entry) => entry.startsWith('/'));
  const isSearched = searched
    .flatMap((entry) => [path.posix.normalize(entry), world.realpath(entry)])
    .some((entry) => areRelated(entry, place) && entry !== '/');
  if (isSearched || !mayRunGit) return isSearched;
  const sources = [...gitSourcesIn(world.cwd, world), ...(world.gitIn(world.cwd)?.sources ?? [])];
  return (
    sources.some((source) => isAtOrBelow(source, place) || isAtOrBelow(world.realpath(source), place)) ||
    containsRepository(place, world) ||
    isTracked(place, world)
  );
}

function containsRepository(place: string, world: PermissionWorld): boolean {
  if (!world.exists(`${place}/.`)) return false;
  return (
    isGitData(place, world) ||
    world.exists(`${place}/.git`) ||
    (world.nestedRepositories?.(place) ?? []).length > 0
  );
}

function isAnyName(): boolean {
  return true;
}

/** Git reports a tracked file as changed if it appears empty. */
function isTracked(place: string, world: PermissionWorld): boolean {
  const repository = world.repository(path.posix.dirname(place));
  if (typeof repository === 'string') return repository === 'unknown';
  return repository.tracked()?.some((file) => isAtOrBelow(file, place)) ?? true;
}

function denyPatterns({ deny }: CompiledRules, tool: 'Read' | 'Edit'): readonly PathPattern[] {
  return deny.flatMap(({ names, specifier }) => (specifier?.path && names(tool) ? [specifier.path] : []));
}

/** Returns the innermost of some folders that contain a place. The place itself does not count. */
function innermostAround(place: string, folders: ReadonlySet<string>): string | undefined {
  return foldersUp(place)
    .slice(1)
    .find((folder) => folders.has(folder));
}

function withoutSteps(world: PermissionWorld): PermissionWorld {
  return { ...world, entries: world.entriesUncounted ?? world.entries };
}

/**
 * Visits candidates among the entries of folders breadth-first, up to a limit. Enters all folders unless `visit` declines. The folders
 * take no steps of the decision: a project with many of them is ordinary, and the limit bounds the time.
 */
function walkFromTop(
  folders: readonly string[],
  world: PermissionWorld,
  isCandidate: (name: string) => boolean,
  visit: (file: string, entry: FolderEntry) => boolean,
): void {
  const uncounted = withoutSteps(world);
  const open = [...folders];
  let seen = 0;
  for (const folder of open) {
    const entries = knownEntries(folder, uncounted);
    seen += entries.length;
    if (seen > MOST_ENTRIES) return;
    for (const entry of entries) {
      // Most entries are files with other names. They need no path.
      const isFolder = entry.kind === 'folder';
      const isVisited = isCandidate(entry.name);
      if (!isFolder && !isVisited) continue;
      const file = folder === '/' ? `/${entry.name}` : `${folder}/${entry.name}`;
      if ((!isVisited || visit(file, entry)) && isFolder) open.push(file);
    }
  }
}
