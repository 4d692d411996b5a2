/** Looks at the names in a repository: branches, tags and other refs. */
import { existsSync, lstatSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { readBoundedFile } from './bounded-file.ts';
import { dependsOnProcess, mayExist } from './git-path.ts';
import type { GitRepository } from './repository.ts';

const MOST_BYTES = 1024 * 1024;

/** Returns true also if the refs cannot be read. */
export function hasRefs({ commonDir }: GitRepository, folder: string): boolean {
  const place = path.join(commonDir, folder);
  if (dependsOnProcess(place)) return true;
  try {
    if (existsSync(place) && readdirSync(place).length > 0) return true;
  } catch {
    return true;
  }
  const packed = readBoundedFile(path.join(commonDir, 'packed-refs'), MOST_BYTES);
  if (packed.kind === 'absent') return mayExist(path.join(commonDir, 'reftable'));
  return packed.kind === 'unreadable' || packed.bytes.includes(`${folder}/`);
}

/** Git takes these for the number of any object: `1a2b`, `v1-0-g1a2b`. */
const NUMBER = /(?:^|-g)[\da-f]{4,}$/i;

/** The content of a ref with the number of an object. Others name another ref. */
const OBJECT = /^[\da-f]{40,64}\s*$/;

/**
 * Returns whether git takes the name for a branch, which is always a commit. A tag or a number can be any object. Returns false if the
 * refs cannot be read.
 */
export function isBranch({ gitDir, commonDir }: GitRepository, name: string): boolean {
  if (!/^\w[\w./-]*$/.test(name) || name.includes('..') || NUMBER.test(name)) return false;
  const packed = readBoundedFile(path.join(commonDir, 'packed-refs'), MOST_BYTES);
  if (packed.kind === 'unreadable' || mayExist(path.join(commonDir, 'reftable'))) return false;
  const names = packed.kind === 'absent' ? '' : packed.bytes.toString('latin1');
  const isPacked = (ref: string): boolean => names.includes(` ${ref}\n`);
  const exists = (ref: string): boolean =>
    [gitDir, commonDir].some((folder) => mayExist(path.join(folder, ref))) || isPacked(ref);
  const isPlain = (ref: string): boolean => {
    const file = path.join(commonDir, ref);
    // A link is a symbolic ref, too.
    if (lstatSync(file, { throwIfNoEntry: false })?.isSymbolicLink()) return false;
    const loose = readBoundedFile(file, MOST_BYTES);
    return loose.kind === 'absent'
      ? isPacked(ref)
      : loose.kind === 'read' && OBJECT.test(loose.bytes.toString());
  };
  const isOfBranch = /^refs\/(?:heads|remotes)\//.test(name);
  if (isOfBranch) return isPlain(name);
  // Git looks for a name in this order.
  if ([name, `refs/${name}`, `refs/tags/${name}`].some(exists)) return false;
  return exists(`refs/heads/${name}`) ? isPlain(`refs/heads/${name}`) : isPlain(`refs/remotes/${name}`);
}
