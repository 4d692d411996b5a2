/** Finds edits that write into a file with another name on the disk, which may be outside of the project: a hard link. */
import path from 'node:path';
import type { ShellWord } from '@heddle/tools/shell';
import { type FilePlace, isAtOrBelow, placesOf } from '../paths/places.ts';
import { walk } from '../paths/walk-tree.ts';
import type { PermissionWorld } from '../world.ts';
import { namesFoundBy, possibleValues } from './possible-values.ts';
import { NO_VARIABLES } from './shell-state.ts';

/** One edit of a script. */
export interface FileEdit {
  readonly changed: readonly ShellWord[];
  /** The files and folders that it copies or moves. */
  readonly sources: readonly ShellWord[];
  /** The last operand of a copy or move. */
  readonly target?: ShellWord | undefined;
  /** It writes into existing files. Otherwise it replaces or removes them by name. */
  readonly writesInto: boolean;
  /** The files and folders to which it gives other names. */
  readonly renamed: readonly { readonly from: ShellWord; readonly to: ShellWord }[];
}

/** Returns whether an edit may write into a file that has another name. An earlier edit may have moved the file there. */
export function mayWriteElsewhere(
  edits: readonly FileEdit[],
  folders: readonly string[],
  world: PermissionWorld,
): boolean {
  const writing = edits.filter(({ writesInto }) => writesInto);
  if (writing.length === 0) return false;
  const moved = linkedAfterMoves(edits, folders, world);
  const isLinked = (file: string): boolean =>
    world.isHardLinked?.(file) === true || moved.has(folded(file, world));
  return writing.some(({ changed, sources, target }) => {
    const written = namesOfAll(target === undefined ? changed : [target], folders, world);
    const copied = namesOfAll(sources, folders, world);
    if (written === undefined || copied === undefined) return true;
    world.spend?.(written.length + copied.length);
    const isWritten = (name: string, base?: string): boolean =>
      placesOf(name, folders, world).some(({ real }) => isLinked(base ? path.posix.join(real, base) : real));
    if (written.some((name) => isWritten(name))) return true;
    return copied.some((source) =>
      placesOf(source, folders, world).some(
        (place) =>
          written.some((name) => isWritten(name, path.posix.basename(source))) ||
          someMerged(place, placesOfAll(written, folders, world), world, isLinked),
      ),
    );
  });
}

/**
 * Returns the paths at which files with other names are after the moves. The moves are followed in their order, so the source of one
 * can be the target of an earlier one: `sed -i.bak s/a/b/ f; mv f.bak g`.
 */
function linkedAfterMoves(
  edits: readonly FileEdit[],
  folders: readonly string[],
  world: PermissionWorld,
): ReadonlySet<string> {
  const found = new Set<string>();
  for (const { from, to } of edits.flatMap(({ renamed }) => renamed)) {
    const targets = placesIn([to], folders, world);
    for (const source of placesIn([from], folders, world)) {
      const linked = [...found].filter((file) => isAtOrBelow(file, folded(source.real, world)));
      const add = (file: string): void => {
        if (world.isHardLinked?.(file) === true) linked.push(folded(file, world));
      };
      add(source.real);
      walk(source.real, world, add);
      world.spend?.(found.size);
      const start = { path: folded(source.path, world), real: folded(source.real, world) };
      for (const file of linked)
        for (const moved of pathsInTargets(start, file, targets)) found.add(folded(moved, world));
    }
  }
  return found;
}

/** Returns whether a file in a folder with which a copied one merges passes the test. */
export function someMerged(
  source: FilePlace,
  targets: readonly FilePlace[],
  world: PermissionWorld,
  test: (file: string) => boolean,
): boolean {
  const look = (file: string): true | undefined =>
    pathsInTargets(source, file, targets).some(test) ? true : undefined;
  return walk(source.real, world, look) === true;
}

/** A target is the new name of the source, or the folder in which it gets its own name. */
function pathsInTargets(source: FilePlace, file: string, targets: readonly FilePlace[]): readonly string[] {
  const base = path.posix.basename(source.path);
  const below = path.posix.relative(source.real, file);
  return targets.flatMap(({ real }) => [path.posix.join(real, below), path.posix.join(real, base, below)]);
}

/** Returns the current names that a word means. Undefined if they are unknown. */
export function namesOf(
  word: ShellWord,
  folders: readonly string[],
  world: PermissionWorld,
): readonly string[] | undefined {
  if (word.kind === 'literal') return [word.value];
  const scope = { variables: NO_VARIABLES, folders, world };
  const found = possibleValues(word, scope)?.map(({ text }) => namesFoundBy(text, scope));
  return found?.every((names) => names !== undefined) ? found.flat() : undefined;
}

function namesOfAll(
  words: readonly ShellWord[],
  folders: readonly string[],
  world: PermissionWorld,
): readonly string[] | undefined {
  const names = words.map((word) => namesOf(word, folders, world));
  return names.every((known) => known !== undefined) ? names.flat() : undefined;
}

export function placesIn(
  words: readonly ShellWord[],
  folders: readonly string[],
  world: PermissionWorld,
): readonly FilePlace[] {
  return placesOfAll(
    words.map(({ value }) => value),
    folders,
    world,
  );
}

function placesOfAll(
  names: readonly string[],
  folders: readonly string[],
  world: PermissionWorld,
): readonly FilePlace[] {
  return names.flatMap((name) => placesOf(name, folders, world));
}

export function folded(file: string, { foldsCase }: PermissionWorld): string {
  return foldsCase ? file.normalize('NFC').toLowerCase() : file;
}
