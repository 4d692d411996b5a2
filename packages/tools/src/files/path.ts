/** Paths as the model gives them, and the file they end at. */
import { lstat, readlink, realpath } from 'node:fs/promises';
import path from 'node:path';
import { codeOf, fileError } from './errors.ts';

/** As many as Linux follows. */
const MAX_LINKS = 40;

export function resolvePath(given: string, workingDirectory: string): string {
  return path.resolve(workingDirectory, given);
}

/**
 * Where a path ends when every symbolic link is followed; what does not exist yet is kept as it is. A write goes there, so a
 * link stays a link, and two names of one file are one file.
 */
export async function realTarget(file: string): Promise<string> {
  try {
    return await follow(file, 0);
  } catch (thrown) {
    throw fileError('cannot be reached', file, thrown);
  }
}

async function follow(file: string, links: number): Promise<string> {
  try {
    return await realpath(file);
  } catch (thrown) {
    if (codeOf(thrown) !== 'ENOENT' || links >= MAX_LINKS) throw thrown;
  }
  const parent = path.dirname(file);
  if (parent === file) return file;
  const link = await linkOf(file);
  if (link !== undefined) return follow(path.resolve(await follow(parent, links + 1), link), links + 1);
  return path.join(await follow(parent, links), path.basename(file));
}

async function linkOf(file: string): Promise<string | undefined> {
  try {
    return (await lstat(file)).isSymbolicLink() ? await readlink(file) : undefined;
  } catch (thrown) {
    if (codeOf(thrown) === 'ENOENT') return undefined;
    throw thrown;
  }
}
