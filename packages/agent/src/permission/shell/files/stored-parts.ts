/** Creates the parts for files that git stored. */
import path from 'node:path';
import type { FilePart } from '../../part.ts';
import { type FilePlace, isAtOrBelow } from '../../paths/places.ts';
import type { KnownRepository, PermissionWorld } from '../../world.ts';
import { literalWord, type Touch } from './touch.ts';

/**
 * Returns the part for files that git stored, in some place or in the whole repository. Outside of a repository it has no
 * places.
 */
export function storedPart(
  { word, whole = false, rewrites = false }: Pick<Touch, 'word' | 'whole' | 'rewrites'>,
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
  return found.some(({ isBorrowed }) => isBorrowed) ? [part, storedElsewhere(part)] : [part];
}

/** Returns the part for a command that shows stored contents of an unknown repository, or writes them to unknown places. */
export function storedElsewhere(part: FilePart): FilePart {
  return { ...part, places: undefined, rewrites: false };
}

/** A path in the folder with git's data. Some disks ignore case. */
const GIT_DATA = /^(.*?)\/\.git(?:\/(.*))?$/is;

/**
 * The names in that folder that contain no lines of files. All others may: objects, but also plain copies, such as
 * `ADD_EDIT.patch`, `COMMIT_EDITMSG`, `lost-found` and `rebase-merge`. The data of other working trees and of submodules
 * have the same names.
 */
const WITHOUT_CONTENTS =
  /^((HEAD|[A-Z]+(_[A-Z]+)*_HEAD|MERGE_(MODE|MSG|RR)|SQUASH_MSG|config(\.worktree)?|description|packed-refs|shallow|index|gitdir|commondir|locked|gc\.pid)(\.lock)?|(refs|logs|hooks|info|branches|reftable)(\/.*)?)$/s;

/** Returns the top of the repository of which the path may show stored contents. `isWhole`: also all files below it. */
function topOfContents(file: string, isWhole: boolean): string | undefined {
  const [, top, inside = ''] = GIT_DATA.exec(file) ?? [];
  if (top === undefined || (inside === '' && !isWhole) || WITHOUT_CONTENTS.test(inside)) return undefined;
  return top === '' ? '/' : top;
}

/** Returns the parts for stored contents that a call gets by reading the data of git: `cp -r .git x`. */
export function storedInData(
  places: readonly FilePlace[] | undefined,
  isWhole: boolean,
  world: PermissionWorld,
): FilePart[] {
  const tops = (places ?? []).flatMap(({ path: at, real }) =>
    [at, real].flatMap((file) => topOfContents(file, isWhole) ?? []),
  );
  return [...new Set(tops)].flatMap((top) =>
    storedPart({ word: literalWord(top), whole: true }, 'history', [{ path: top, real: top }], world),
  );
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
