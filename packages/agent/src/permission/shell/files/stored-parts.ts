/** Creates the parts for files that git stored. */
import path from 'node:path';
import type { FilePart, PathsBelow } from '../../part.ts';
import { type FilePlace, isAtOrBelow, once } from '../../paths/places.ts';
import { gitDataAround } from '../../paths/protected.ts';
import type { KnownRepository, PermissionWorld } from '../../world.ts';
import { literalWord, type Touch } from './touch.ts';

/**
 * Returns the part for files that git stored, in some place or in the whole repository. Outside of a repository it has no
 * places.
 */
export function storedPart(
  {
    word,
    whole = false,
    rewrites = false,
    readsTree = false,
  }: Pick<Touch, 'word' | 'whole' | 'rewrites' | 'readsTree'>,
  stored: NonNullable<Touch['stored']>,
  places: readonly FilePlace[] | undefined,
  world: PermissionWorld,
): FilePart[] {
  const around = (places ?? []).map(({ real }) => world.repository(real));
  const isNowhere = around.every((repository) => repository === 'none');
  const found = around.filter((repository) => typeof repository === 'object');
  const isKnown = places !== undefined && (isNowhere || found.length === around.length);
  const tops = found.map(({ top }): FilePlace => ({ path: top, real: world.realpath(top) }));
  const shown = whole || isNowhere ? tops : (places ?? []);
  // All working trees have the same history, so a rule about a file of one concerns it in the others.
  const elsewhere =
    stored === 'history' && !rewrites ? found.flatMap((repository) => inOtherTrees(shown, repository)) : [];
  const someTracked = (fits: (path: string) => boolean): boolean => {
    const tracked = isKnown ? found.map((repository) => repository.tracked()) : [undefined];
    return tracked.some((files) => {
      world.spend?.(Math.ceil((files?.length ?? 0) / TRACKED_PER_STEP));
      return files?.some(fits) ?? true;
    });
  };
  const part: FilePart = {
    kind: 'read',
    shown: whole ? 'the contents that git stored' : word.value,
    tool: 'Bash',
    places: isKnown ? [...shown, ...elsewhere] : undefined,
    deep: 'no',
    stored: { someTracked: stored === 'tracked' ? someTracked : undefined },
    ...(rewrites ? { rewrites } : {}),
    knowledge: 'known',
    by: 'command',
    glob: undefined,
    concern: undefined,
  };
  const { stored: _, ...plain } = part;
  const behindLinks: FilePart = {
    ...plain,
    places: [],
    followsLinks: true,
    below: once(() => trackedBehindLinks(shown, found, world)),
  };
  const parts = readsTree ? [part, behindLinks] : [part];
  return found.some(({ isBorrowed }) => isBorrowed) ? [...parts, storedElsewhere(part)] : parts;
}

/** Returns the places of tracked files below a folder that was replaced by a link. */
function trackedBehindLinks(
  shown: readonly FilePlace[],
  found: readonly KnownRepository[],
  world: PermissionWorld,
): PathsBelow {
  const tracked = found.map((repository) => repository.tracked());
  const files = tracked
    .flatMap((paths) => paths ?? [])
    .filter((file) =>
      shown.some(({ path: at, real }) => [at, real].some((place) => isAtOrBelow(file, place))),
    );
  const tops = new Map(found.map(({ top }) => [top, world.realpath(top)]));
  const named = new Set(files.map((file) => path.posix.dirname(file)));
  world.spend?.(Math.ceil(named.size / FOLDERS_PER_STEP));
  const moved = new Map<string, string>();
  for (const folder of named) {
    const [top = '', realTop = ''] = [...tops].find(([at]) => isAtOrBelow(folder, at)) ?? [];
    const real = world.realpath(folder);
    if (real !== path.posix.join(realTop, path.posix.relative(top, folder))) moved.set(folder, real);
  }
  const paths = files.flatMap((file) => {
    const folder = moved.get(path.posix.dirname(file));
    return folder === undefined ? [] : [path.posix.join(folder, path.posix.basename(file))];
  });
  return { paths, isComplete: tracked.every((list) => list !== undefined), mayGrow: false };
}

/** The number of folders that are resolved in one step. */
const FOLDERS_PER_STEP = 4;

/** Returns whether the names are branches in each repository that they may be looked up in. */
export function areCommits(
  { prefersPaths = false }: Touch,
  names: readonly string[],
  places: readonly FilePlace[] | undefined,
  world: PermissionWorld,
): boolean {
  const isCertain = (name: string, { real }: FilePlace): boolean => {
    if (prefersPaths && world.exists(path.posix.resolve(real, name))) return true;
    const repository = world.repository(real);
    return typeof repository === 'object' && repository.isBranch?.(name) === true;
  };
  return places?.every((place) => names.every((name) => isCertain(name, place))) === true;
}

/** Returns the part for a command that shows stored contents of an unknown repository, or writes them to unknown places. */
export function storedElsewhere(part: FilePart): FilePart {
  return { ...part, places: undefined, rewrites: false };
}

/** A path in the folder with git's data. Some disks ignore case. */
const GIT_DATA = /^(.*?\/\.git)(?:\/(.*))?$/is;

/**
 * The names in that folder that contain no lines of files. All others may: objects, but also plain copies, such as
 * `ADD_EDIT.patch`, `COMMIT_EDITMSG`, `lost-found` and `rebase-merge`. The data of other working trees and of submodules
 * have the same names.
 */
const WITHOUT_CONTENTS =
  /^((HEAD|[A-Z]+(_[A-Z]+)*_HEAD|MERGE_(MODE|MSG|RR)|SQUASH_MSG|config(\.worktree)?|description|packed-refs|shallow|index|gitdir|commondir|locked|gc\.pid)(\.lock)?|(refs|logs|hooks|info|branches|reftable)(\/.*)?)$/s;

/** Returns whether a file or folder with this path in git's data may contain lines of stored files. */
export function mayShowStored(inside: string): boolean {
  return !WITHOUT_CONTENTS.test(inside);
}

/** Returns the folder of git's data of which the path may show stored contents. `isWhole`: also all files below it. */
function dataWithContents(file: string, isWhole: boolean, world: PermissionWorld): string | undefined {
  const [, named, below = ''] = GIT_DATA.exec(file) ?? [];
  const folder = named ?? gitDataAround(isWhole ? file : path.posix.dirname(file), world);
  if (folder === undefined) return undefined;
  const inside = named === undefined ? file.slice(folder.length + 1) : below;
  return (inside === '' && !isWhole) || !mayShowStored(inside) ? undefined : folder;
}

/** Returns the parts for stored contents that a call gets by reading the data of git: `cp -r .git x`. */
export function storedInData(
  places: readonly FilePlace[] | undefined,
  isWhole: boolean,
  world: PermissionWorld,
): FilePart[] {
  const folders = (places ?? []).flatMap(({ path: at, real }) =>
    [...new Set([at, real])].flatMap((file) => dataWithContents(file, isWhole, world) ?? []),
  );
  return partsOfData(folders, world);
}

/** Returns the parts for everything that is stored in these folders of git's data. */
export function partsOfData(folders: readonly string[], world: PermissionWorld): FilePart[] {
  return [...new Set(folders)].flatMap((folder) =>
    storedPart({ word: literalWord(folder), whole: true }, 'history', treesOf(folder, world), world),
  );
}

/** Returns the working trees of git's data. Undefined if none is known, so that it may store any file. */
function treesOf(data: string, world: PermissionWorld): readonly FilePlace[] | undefined {
  const inTree = (top: string): FilePlace => ({ path: top, real: top });
  if (path.posix.basename(data).toLowerCase() === '.git') return [inTree(path.posix.dirname(data))];
  const near = new Set([world.root, world.cwd, ...world.directories, path.posix.dirname(data)]);
  const tops = Array.from(near).flatMap((folder) => {
    const repository = world.repository(folder);
    const isOwn =
      typeof repository === 'object' &&
      repository.dataFolders?.some((own) => isAtOrBelow(own, data) || isAtOrBelow(data, own)) === true;
    return isOwn ? [repository.top] : [];
  });
  return tops.length === 0 ? undefined : [...new Set(tops)].map(inTree);
}

function inOtherTrees(places: readonly FilePlace[], repository: KnownRepository): FilePlace[] {
  const { top } = repository;
  return (repository.otherTops?.() ?? []).flatMap((other) =>
    places
      .filter(({ real }) => isAtOrBelow(real, top))
      .map(({ real }) => {
        const file = path.posix.join(other, path.posix.relative(top, real));
        return { path: file, real: file };
      }),
  );
}

/** The number of tracked files that are compared with a rule in one step. */
const TRACKED_PER_STEP = 16;
