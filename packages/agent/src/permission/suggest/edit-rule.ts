/** The rules that let a script write one file. */
import path from 'node:path';
import type { FilePart } from '../part.ts';
import type { PermissionWorld } from '../world.ts';

/** Its path; after a `cd`, which may have failed, every path it may have. Undefined where other files may be meant. */
export function editRules(
  { places = [], glob, deep }: FilePart,
  { root }: PermissionWorld,
): string[] | undefined {
  if (places.length === 0 || glob || deep !== 'no') return undefined;
  // It would be a pattern.
  if (places.some((place) => /[*?[\]\\!()\n]/.test(place.path))) return undefined;
  return places.map(({ path: file }) =>
    file.startsWith(`${root}/`) ? `./${path.posix.relative(root, file)}` : `/${file}`,
  );
}
