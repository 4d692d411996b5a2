/** Finds edits after which the words of other commands may lead elsewhere. */
import path from 'node:path';
import type { FilePart, Part } from './part.ts';
import type { FolderEntry, PermissionWorld } from './world.ts';

/** Returns whether the edits of a call move or remove a folder, or move, remove or replace a link. A file that is not known counts. */
export function movesPaths(parts: readonly Part[], world: PermissionWorld): boolean {
  const kindOf = kindsIn(world);
  return parts.some((part) => {
    if (part.kind !== 'remove' && (part.kind !== 'write' || part.by !== 'command')) return false;
    return (
      changed(part)?.some((file) => {
        const kind = kindOf(file);
        return kind === 'link' || kind === 'unknown' || (part.kind === 'remove' && kind === 'folder');
      }) ?? true
    );
  });
}

function changed({ places, glob }: FilePart): readonly string[] | undefined {
  const found = glob ? glob.found(glob.optioned) : places;
  return found?.map((place) => place.path);
}

type Kinds = ReadonlyMap<string, FolderEntry['kind']> | undefined;

/** Each folder is looked at once, because a command can name hundreds of its files. */
function kindsIn({ entries, foldsCase }: PermissionWorld) {
  const fold = (name: string): string => (foldsCase ? name.toLowerCase() : name);
  const known = new Map<string, Kinds>();
  return (file: string): FolderEntry['kind'] | 'missing' | 'unknown' => {
    const folder = path.posix.dirname(file);
    if (!known.has(folder)) {
      const listed = entries(folder)?.map(({ name, kind }) => [fold(name), kind] as const);
      known.set(folder, listed && new Map(listed));
    }
    const kinds = known.get(folder);
    return kinds === undefined ? 'unknown' : (kinds.get(fold(path.posix.basename(file))) ?? 'missing');
  };
}
