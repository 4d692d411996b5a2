/** Decides whether a folder that a program reads, copies or removes as a whole may contain files of a rule. */
import type { FilePart } from '../part.ts';
import { literalSegments } from '../paths/segments.ts';
import { endsWithOneOf, isHiddenFromSearch } from '../paths/walk-tree.ts';
import type { PermissionWorld } from '../world.ts';
import type { PathPattern } from './path-pattern.ts';

export type SearchedWorld = Pick<PermissionWorld, 'exists' | 'exceptionsIn' | 'spend'>;

/** Returns whether a folder that is walked may contain a match of a rule. */
export function holds(
  folder: string,
  pattern: PathPattern,
  { deep, endings }: Pick<FilePart, 'deep' | 'endings'>,
  world: SearchedWorld,
): boolean {
  if (pattern.anywhere) return deep === 'all' && mayLieBelow(folder, pattern);
  const start = folder === '/' ? '' : folder;
  const isShown = (inner: string): boolean => {
    const names = inner
      .slice(folder.length)
      .split('/')
      .filter((name) => name !== '');
    return names.every((_, at) => {
      const file = `${start}/${names.slice(0, at + 1).join('/')}`;
      const isFolder = at < names.length - 1 || world.exists(`${file}/.`);
      const isSelected = !isFolder && mayEndWith(file, endings);
      return isSelected || !isHiddenFromSearch(file, isFolder, world);
    });
  };
  return pattern
    .within(folder)
    .some(
      (inner) =>
        world.exists(inner) && (deep === 'all' ? mayHaveEnding(inner, endings, world) : isShown(inner)),
    );
}

/** Returns whether a name, or a pattern of names, may have one of these endings. */
export function mayEndWith(name: string, endings: readonly string[] = []): boolean {
  return endings.length > 0 && (/[*?[\]\\]/.test(name) || endsWithOneOf(name, endings));
}

/** Returns whether a file below the folder can match the rule, whether it exists or not. */
export function mayLieBelow(folder: string, pattern: PathPattern): boolean {
  return pattern.meets([...literalSegments(folder), '**'], true, 'any');
}

/** Returns whether an existing file has one of these endings, or is a folder with such files. */
export function mayHaveEnding(
  file: string,
  endings: readonly string[] | undefined,
  { exists }: SearchedWorld,
): boolean {
  return endings === undefined || endsWithOneOf(file, endings) || exists(`${file}/.`);
}
