/** Where to search: a folder, or one file in one. */
import { stat } from 'node:fs/promises';
import path from 'node:path';
import { resolvePath } from '../files/path.ts';

export interface Target {
  readonly root: string;
  readonly file: string | undefined;
  /** What is put before the paths that are shown, so that they are good from the working directory. */
  readonly prefix: string;
}

export async function targetOf(given: string | undefined, workingDirectory: string): Promise<Target> {
  const place = resolvePath(given ?? '.', workingDirectory);
  const about = await stat(place).catch(() => undefined);
  if (!about) throw new Error(`${place} does not exist. The working directory is ${workingDirectory}.`);
  if (!about.isDirectory() && !about.isFile()) throw new Error(`${place} is neither a file nor a folder.`);
  const root = about.isDirectory() ? place : path.dirname(place);
  const inside = path.relative(workingDirectory, root);
  const isBelow = !inside.startsWith('..') && !path.isAbsolute(inside);
  return {
    root,
    file: about.isDirectory() ? undefined : path.basename(place),
    prefix: isBelow ? inside && `${inside}/` : `${root}/`,
  };
}
