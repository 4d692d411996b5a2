/** Moves a file or a folder to where nothing looks for it. */
import { randomUUID } from 'node:crypto';
import { cp, lstat, mkdir, realpath, rename, rm } from 'node:fs/promises';
import path from 'node:path';

export async function quarantine(file: string, folder: string): Promise<'taken' | 'nothing' | 'left'> {
  const parent = path.dirname(file);
  try {
    await lstat(file);
    // Another command may have put a link there meanwhile: nothing of anybody else's is moved.
    if ((await realpath(parent)) !== parent) return 'left';
  } catch {
    return 'nothing';
  }
  const place = path.join(folder, randomUUID(), path.basename(file));
  try {
    await mkdir(path.dirname(place), { recursive: true, mode: 0o700 });
    await rename(file, place);
  } catch {
    // Another disk. What cannot be kept is removed all the same.
    await cp(file, place, { recursive: true, verbatimSymlinks: true }).catch(() => undefined);
    await rm(file, { recursive: true, force: true });
  }
  return 'taken';
}
