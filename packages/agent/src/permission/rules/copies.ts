/** Finds the patterns for copies of files, in the working trees of a repository, and for their names in other mounts of the disk. */
import path from 'node:path';
import type { WorkingTrees } from '@heddle/tools/git';
import { isAtOrBelow } from '../paths/places.ts';
import type { PermissionWorld } from '../world.ts';
import { type AnchoredPattern, literalStart, nameMatcher, segmentsOfPattern } from './path-pattern.ts';

/** Returns the folders that contain all matches of a pattern. */
export function placeOf(pattern: AnchoredPattern): readonly string[] {
  if (pattern.anyDepth) return pattern.folders;
  const literal = literalStart(segmentsOfPattern(pattern));
  return pattern.folders.map((folder) => path.posix.join(folder, ...literal));
}

/**
 * Returns patterns for the copies, in other working trees, of the files that a pattern matches. A pattern that matches a
 * whole working tree, or that names a linked one from outside, is about that tree alone.
 */
export function copiesOf(
  pattern: AnchoredPattern,
  trees: readonly WorkingTrees[],
  foldsCase: boolean,
): readonly AnchoredPattern[] {
  return trees.flatMap(({ top, others, isLinked }) =>
    pattern.folders.flatMap((from) => {
      // A pattern for any depth already matches in the trees below its folder.
      const targets = others.filter((other) => !pattern.anyDepth || !isAtOrBelow(other, from));
      if (targets.length === 0) return [];
      if (isAtOrBelow(from, top)) {
        const inside = from.slice(top.length);
        const isWhole = inside === '' && isAnything(segmentsOfPattern(pattern));
        return isWhole ? [] : [{ ...pattern, folders: targets.map((other) => other + inside) }];
      }
      if (isLinked || !isAtOrBelow(top, from)) return [];
      const segments = [...(pattern.anyDepth ? ['**'] : []), ...segmentsOfPattern(pattern)];
      const names = top.slice(from.length).split('/').filter(Boolean);
      return restsAfter(names, segments, foldsCase)
        .filter((rest) => !isAnything(rest))
        .map((rest) => {
          const anyDepth = rest[0] === '**';
          return { folders: targets, rest: rest.slice(anyDepth ? 1 : 0).join('/'), anyDepth };
        });
    }),
  );
}

/** Returns patterns for the other names of the files that a pattern matches, on disks that are mounted more than once. */
export function mountedCopiesOf(
  pattern: AnchoredPattern,
  { realpath, mountedBelow, foldsCase }: Pick<PermissionWorld, 'realpath' | 'mountedBelow' | 'foldsCase'>,
): readonly AnchoredPattern[] {
  if (mountedBelow === undefined) return [];
  const { anyDepth } = pattern;
  const segments = segmentsOfPattern(pattern);
  const after = anyDepth ? ['**', ...segments] : segments.slice(literalStart(segments).length);
  return [...new Set(placeOf(pattern).map(realpath))].flatMap((start) =>
    mountedBelow(start).flatMap(({ folder, name }): readonly AnchoredPattern[] => {
      // A pattern for any depth already matches below its own place.
      if (after[0] === '**' && isAtOrBelow(name, start)) return [];
      const inside = folder.slice(start.length).split('/').filter(Boolean);
      return restsAfter(inside, after, foldsCase).map((rest) => inFolder(name, rest));
    }),
  );
}

/** The names of the folder are a part of the pattern, so that only that folder can contain a match. */
function inFolder(folder: string, rest: readonly string[]): AnchoredPattern {
  if (rest[0] === '**' && rest.length > 1)
    return { folders: [folder], rest: rest.slice(1).join('/'), anyDepth: true };
  const names = folder.split('/').map((name) => name.replace(/[\\*?[{]/g, '\\$&'));
  return { folders: ['/'], rest: [...names, ...rest].join('/'), anyDepth: false };
}

function isAnything(segments: readonly string[]): boolean {
  return segments.every((segment) => /^\*+$/.test(segment));
}

/** Returns what may follow in a pattern after the names of a folder. Empty if the folder does not match its beginning. */
function restsAfter(
  names: readonly string[],
  segments: readonly string[],
  foldsCase: boolean,
): readonly (readonly string[])[] {
  let reached = new Set([0]);
  for (const name of names) {
    const next = new Set<number>();
    for (const at of reached) {
      const segment = segments[at];
      if (segment === undefined) continue;
      if (segment === '**') {
        next.add(at);
        reached.add(at + 1);
      } else if (nameMatcher(segment, foldsCase)(foldsCase ? name.toLowerCase() : name)) next.add(at + 1);
    }
    reached = next;
  }
  return Array.from(reached, (at) => segments.slice(at));
}

/**
 * Adds working trees that were moved by hand. Their repository still has their former place, but each of them names its
 * repository, and so the same other trees.
 */
export function withMoved(
  trees: readonly WorkingTrees[],
  touched: readonly WorkingTrees[],
): readonly WorkingTrees[] {
  return trees.map((tree) => {
    const known = new Set([tree.top, ...tree.others]);
    const moved = touched.filter(
      ({ top, others }) => !known.has(top) && others.some((one) => known.has(one)),
    );
    return moved.length === 0 ? tree : { ...tree, others: [...tree.others, ...moved.map(({ top }) => top)] };
  });
}
