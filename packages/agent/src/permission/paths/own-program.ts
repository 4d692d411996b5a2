/**
 * The files that this process itself loads or starts: its code, the packages that it loads late, ripgrep, and Node. A session can
 * work in the folder that contains them: a project with Heddle in its `node_modules`, or Heddle's own repository.
 */
import { existsSync, readdirSync, realpathSync, statSync } from 'node:fs';
import path from 'node:path';
import { configFolderIn } from '@heddle/models/environment';
import type { PermissionWorld } from '../world.ts';
import { foldersUp, isAtOrBelow, isBelow, onceFor, workingFolders } from './places.ts';
import { foldCase } from './protected.ts';

let found: (() => readonly string[]) | undefined;

/** Returns the places of the running program. Searched once, because the process keeps to them, but for what its next start runs. */
export function ownProgram(): readonly string[] {
  found ??= programAt(import.meta.dirname, process.execPath, configFolderIn(process.env));
  return found();
}

/**
 * Returns a function for the places of the program with this folder of code. One need not exist: a package there would be loaded.
 * The user's own folder can contain packages. They look for further packages in the folders above it.
 */
export function programAt(
  codeFolder: string,
  executable: string,
  configFolder?: string,
): () => readonly string[] {
  const start = realPath(codeFolder);
  const config = configFolder === undefined ? [] : [configFolder, realPath(configFolder)];
  const { code, repository, sources } = codeAround(start);
  const places = [
    ...new Set([
      ...code,
      // The packages of ripgrep and Node are in these as well.
      ...[start, ...config].flatMap(packageFolders),
      ...[executable, realPath(executable)].flatMap((file) => [file, path.resolve(file, GLOBAL_PACKAGES)]),
    ]),
  ];
  const all = [...places, ...sources];
  return () => (repository !== undefined && mayRunSources(repository) ? all : places);
}

const PACKAGES = 'node_modules';

/** Node searches it last. The folders of packages in the home folder do not count: `leaveGlobalPackages`. */
const GLOBAL_PACKAGES = '../../lib/node';

/** Returns the folders in which Node looks for packages of a file in this folder. */
function packageFolders(start: string): readonly string[] {
  return foldersUp(start)
    .filter((folder) => path.basename(folder) !== PACKAGES)
    .map((folder) => path.join(folder, PACKAGES));
}

/** Tools write these into a folder of packages, and no program loads them. */
const CACHES = /^\.(cache|vite|vite-temp|vitest|tmp|temp|package-lock\.json|yarn-integrity|modules\.yaml)$/;

interface ProgramCode {
  readonly code: readonly string[];
  /** Set if the bundle of a repository runs. */
  readonly repository?: string;
  /** The sources beside the bundle. */
  readonly sources: readonly string[];
}

/** In a repository, only the code that runs counts: the bundle and what starts it, or the sources of all packages. */
function codeAround(start: string): ProgramCode {
  const installed = /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+/.exec(start)?.[0];
  if (installed !== undefined) return { code: [installed], sources: [] };
  const top = foldersUp(start).find((folder) =>
    ['heddle', 'heddle.js'].some((name) => existsSync(path.join(folder, 'bin', name))),
  );
  if (top === undefined) return { code: [start], sources: [] };
  const [first = ''] = path.relative(top, start).split(path.sep);
  const packages = path.join(top, 'packages');
  const sources = namesIn(packages)
    .map((name) => path.join(packages, name))
    .flatMap((one) => [`${one}/src`, `${one}/package.json`]);
  const launcher = ['bin', 'dist'].map((name) => path.join(top, name));
  return first === 'packages'
    ? { code: [...launcher, ...sources], sources: [] }
    : { code: [...launcher, path.join(top, first)], repository: top, sources };
}

/**
 * Returns whether the next start runs the sources instead of the bundle once one of them is newer: if the bundle is missing, or HEAD
 * may have moved since the build. This is the condition of `bin/heddle`.
 */
function mayRunSources(repository: string): boolean {
  const built = changedAt(path.join(repository, 'dist/.stamp'));
  const moved = changedAt(path.join(repository, '.git/logs/HEAD'));
  return built === undefined || moved === undefined || moved >= built;
}

function changedAt(file: string): number | undefined {
  try {
    return statSync(file, { throwIfNoEntry: false })?.mtimeMs;
  } catch {
    return undefined;
  }
}

/** Returns whether a change to a file changes the running program. To name, read or run such a file is ordinary. */
export function isOwnProgram(file: string, { ownProgram: places = [], foldsCase }: PermissionWorld): boolean {
  const fold = (name: string): string => (foldsCase ? foldCase(name) : name);
  const name = fold(file);
  return places.some((place) => {
    if (!isAtOrBelow(name, fold(place))) return false;
    const [first = ''] = path.posix.relative(fold(place), name).split('/');
    return path.posix.basename(place) !== PACKAGES || !CACHES.test(first);
  });
}

/** Returns the places of the running program that are in a working directory. */
export const ownPlaces = onceFor((world) => {
  const roots = workingFolders(world);
  return (world.ownProgram ?? []).filter((place) => roots.some((root) => isBelow(place, root)));
});

/** Each place is a mount of its own. */
const MOST_MOUNTS = 100;

/**
 * Returns the existing places of the running program in working directories that a sandboxed command must not write. Of a folder of
 * packages, these are its entries without caches and the links that package managers write, or the whole folder if there are too
 * many.
 */
export function lockedProgram(world: PermissionWorld): readonly string[] {
  const places = ownPlaces(world)
    .filter((place) => world.exists(place))
    .flatMap((place) => {
      if (path.posix.basename(place) !== PACKAGES) return [place];
      const names = world.list(place)?.filter((name) => name !== '.bin' && !CACHES.test(name));
      if (names === undefined || names.length > MOST_MOUNTS) return [place];
      return names.map((name) => path.posix.join(place, name));
    });
  return [...new Set(places)];
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

function realPath(file: string): string {
  try {
    return realpathSync.native(file);
  } catch {
    return file;
  }
}
