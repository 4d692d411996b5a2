/** Finds edits after which the words of other commands may lead elsewhere. */
import type { FilePart, Part } from './part.ts';
import { isLink } from './paths/walk-tree.ts';
import type { PermissionWorld } from './world.ts';

/** Returns whether the edits of a call move or remove a folder, or move, remove or replace a link. A file that is not known counts. */
export function movesPaths(parts: readonly Part[], world: PermissionWorld): boolean {
  const isFolder = (file: string): boolean => world.exists(`${file}/.`);
  return parts.some((part) => {
    if (part.kind !== 'remove' && (part.kind !== 'write' || part.by !== 'command')) return false;
    return (
      changed(part)?.some((file) => isLink(file, world) || (part.kind === 'remove' && isFolder(file))) ?? true
    );
  });
}

function changed({ places, glob }: FilePart): readonly string[] | undefined {
  const found = glob ? glob.found(glob.optioned) : places;
  return found?.map(({ path }) => path);
}
