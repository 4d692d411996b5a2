/** Paths in git's own files: settings, `.git` files, `commondir`. Git hands them to the system as they are written. */
import { realpathSync } from 'node:fs';
import path from 'node:path';

/**
 * Returns the full path of a written one that starts in an existing folder. Undefined for `..` after a name: if the name is
 * a link, `..` is the parent of its target, and the link may change.
 */
export function gitPath(folder: string, written: string): string | undefined {
  const names = written.split(/[\\/]/).filter((name) => name !== '' && name !== '.');
  const climbs = names.findIndex((name) => name !== '..');
  if (climbs >= 0 && names.includes('..', climbs)) return undefined;
  if (names[0] !== '..') return path.resolve(folder, written);
  try {
    return path.resolve(realpathSync.native(folder), written);
  } catch {
    return undefined;
  }
}
