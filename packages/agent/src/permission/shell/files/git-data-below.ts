/** Finds git's data below a folder that is read whole, and decides whether the read shows stored files. */
import path from 'node:path';
import type { FilePart } from '../../part.ts';
import { commandPlace, type FilePlace, isAtOrBelow, isKnownPlace } from '../../paths/places.ts';
import { gitDataAround, isGitData } from '../../paths/protected.ts';
import { namesMeet, type Token, tokensOfName } from '../../paths/segments.ts';
import {
  endsWithOneOf,
  isFile,
  isHiddenFromSearch,
  objectNames,
  type Selection,
  walk,
} from '../../paths/walk-tree.ts';
import type { FolderEntry, PermissionWorld } from '../../world.ts';
import { mayShowStored, partsOfData, storedInData } from './stored-parts.ts';

/** How a folder is read whole. */
export interface DeepRead {
  readonly hidden: boolean;
  readonly follows: boolean;
  /** Only lines of text are shown. Git's objects are compressed, so they show nothing. */
  readonly isText: boolean;
  /** Folders with the name `.git` are left out. */
  readonly skipsGit: boolean;
  readonly endings?: readonly string[] | undefined;
  readonly selects?: Pick<Selection, 'mayMatch' | 'mayMatchSome' | 'withContents'> | undefined;
}

/** Returns the parts for stored files that are shown because the read reaches the data of git. */
export function storedBelow(
  starts: readonly FilePlace[],
  read: DeepRead,
  world: PermissionWorld,
): readonly FilePart[] {
  const open = [...new Set(starts.map(({ real }) => real))];
  const entered = new Set(open);
  const parts: FilePart[] = [];
  const folders = new Set<string>();
  for (let start = open.pop(); start !== undefined; start = open.pop()) {
    // A read of the data itself is checked where it is named.
    if (isFile(start, world) || gitDataAround(start, world) !== undefined) continue;
    const found = dataBelow(start, read, world, (link) => {
      const place = commandPlace(link, world);
      if (!isKnownPlace(place) || entered.has(place.real)) return;
      entered.add(place.real);
      open.push(place.real);
      parts.push(...storedInData([{ path: place.real, real: place.real }], true, world));
    });
    for (const data of found) if (showsStored(start, data, read, world)) folders.add(data);
  }
  return [...parts, ...partsOfData([...folders], world)];
}

/**
 * Returns the folders of git's data below a folder. If it has too many entries, those of the usual repositories. A rule for any
 * depth asks in that case.
 */
function dataBelow(
  start: string,
  { hidden, follows, skipsGit }: DeepRead,
  world: PermissionWorld,
  onLink: (link: string) => void,
): readonly string[] {
  const found = new Set<string>();
  const isShown = (file: string): boolean => hidden || !isHiddenFromSearch(file, true, world);
  const isNamed = (file: string): boolean => path.posix.basename(file).toLowerCase() === '.git';
  const look = (file: string, { name, kind }: FolderEntry): undefined => {
    if (kind === 'link' && follows) onLink(file);
    const folder = path.posix.dirname(file);
    if (kind === 'folder' && isNamed(file)) {
      if (!skipsGit && isShown(file)) found.add(file);
    } else if (name.toLowerCase() === 'head' && isGitData(folder, world)) found.add(folder);
  };
  const enter = ({ name }: FolderEntry, file: string): boolean =>
    !isNamed(file) && isShown(file) && !(name === 'objects' && isGitData(path.posix.dirname(file), world));
  if (walk(start, world, look, enter) === undefined) return [...found];
  const roots = [world.root, ...world.directories].filter((root) => isAtOrBelow(root, start));
  const around = [start, ...roots, ...roots.flatMap((root) => world.nestedRepositories?.(root) ?? [])];
  for (const folder of new Set(around)) {
    const data = `${folder === '/' ? '' : folder}/.git`;
    if (!skipsGit && isShown(data) && (world.entries(data)?.length ?? 1) > 0) found.add(data);
    if (isShown(folder) && isGitData(folder, world)) found.add(folder);
  }
  return [...found];
}

/** Returns whether a selected file of git's data may show stored files. If there are too many files, one of them may. */
function showsStored(start: string, data: string, read: DeepRead, world: PermissionWorld): boolean {
  const { endings, selects, isText, follows } = read;
  const isSelected = (file: string): boolean => {
    if (endings && !endsWithOneOf(file, endings)) return false;
    if (selects === undefined) return true;
    const names = file.slice(start.length).split('/').slice(1);
    const whole = selects.withContents ? ['.', path.posix.basename(start), ...names] : names.slice(-1);
    return whole.some(selects.mayMatch);
  };
  const objectsShown = !isText && isSelectedObject(start, data, read);
  const inside = (file: string): string => file.slice(data.length + 1);
  // The data of other working trees and of submodules have the same names.
  const isInner = (file: string): boolean => INNER.test(inside(file)) && isGitData(file, world);
  const found = walk(
    data,
    world,
    (file, { name, kind }) => {
      if (kind === 'folder' && isInner(file)) return showsStored(start, file, read, world) || undefined;
      if (kind === 'folder') return (inside(file) === 'objects' && objectsShown) || undefined;
      if (name === '.' || (kind === 'link' && !follows)) return undefined;
      return (isSelected(file) && mayShowLines(inside(file), file, world)) || undefined;
    },
    (_, file) => inside(file) !== 'objects' && mayShowStored(inside(file)) && !isInner(file),
  );
  return found !== undefined;
}

const INNER = /^(worktrees|modules)\/./s;

function isSelectedObject(start: string, data: string, { endings, selects }: DeepRead): boolean {
  if (selects) {
    const above = data
      .slice(start.length)
      .split('/')
      .slice(1)
      .concat('objects', '.', path.posix.basename(start));
    if (selects.withContents && above.some(selects.mayMatch)) return true;
    return objectNames().some((name) => selects.mayMatchSome?.(name) !== false);
  }
  const ends = endings?.map((ending) => tokensOfName(`*${ending}`));
  const meets = (end: readonly Token[] | undefined, name: readonly Token[]): boolean =>
    end === undefined || namesMeet(end, name, true);
  return ends === undefined || objectNames().some((name) => ends.some((end) => meets(end, name)));
}

/** Names without lines of files, which only a search of everything comes upon. */
const ALSO_WITHOUT_CONTENTS =
  /^(AUTO_MERGE|BISECT_[A-Z_]+|sharedindex\.[0-9a-f]+|fsmonitor--daemon.*|\.DS_Store)$/s;

function mayShowLines(inside: string, file: string, world: PermissionWorld): boolean {
  if (!mayShowStored(inside) || ALSO_WITHOUT_CONTENTS.test(inside)) return false;
  // Every commit leaves its message there. With `git commit -v`, it contains the changes.
  return inside !== 'COMMIT_EDITMSG' || world.mayShowChanges?.(file) !== false;
}
