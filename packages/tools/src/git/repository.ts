/**
 * Finds the repository that git would use in a folder, without git. Where git and this reader could disagree, the answer is
 * `unknown`.
 */
import { lstatSync, realpathSync, statSync } from 'node:fs';
import path from 'node:path';
import { errorCode } from '@heddle/core';
import { readBoundedFile, textOf } from './bounded-file.ts';

export interface GitRepository {
  /** The folder of the working tree. */
  readonly top: string;
  /** What belongs to this working tree: HEAD, the index. */
  readonly gitDir: string;
  /** What all working trees share: objects, branches, settings, hooks. */
  readonly commonDir: string;
}

export type FoundRepository =
  | { readonly kind: 'none' }
  | { readonly kind: 'found'; readonly repository: GitRepository }
  | { readonly kind: 'unknown' };

const NONE: FoundRepository = { kind: 'none' };
const UNKNOWN: FoundRepository = { kind: 'unknown' };

const MOST_POINTER_BYTES = 8_192;

/** Environment variables that name another repository are the caller's business. */
export function findRepository(directory: string): FoundRepository {
  let folder: string;
  try {
    folder = realpathSync.native(directory);
    if (!statSync(folder).isDirectory()) return UNKNOWN;
  } catch {
    return UNKNOWN;
  }
  // Git stops at the border of a file system. A repository above it then only adds settings to what is checked.
  for (; ; folder = path.dirname(folder)) {
    const found = repositoryAt(folder);
    if (found.kind !== 'none' || folder === path.dirname(folder)) return found;
  }
}

function repositoryAt(folder: string): FoundRepository {
  const dotGit = path.join(folder, '.git');
  const kind = kindOf(dotGit);
  if (kind === 'other') return UNKNOWN;
  if (kind === 'file') {
    const named = readGitFile(dotGit);
    return named === undefined ? UNKNOWN : repositoryIn(named, folder);
  }
  // Without HEAD git goes on above. The sandbox puts such an empty folder where a repository must not be made.
  if (kind === 'folder' && exists(path.join(dotGit, 'HEAD'))) return repositoryIn(dotGit, folder);
  // A repository without a working tree, or the inside of one. It could come with a project as ordinary files.
  const isBare =
    exists(path.join(folder, 'HEAD')) &&
    (exists(path.join(folder, 'objects')) || exists(path.join(folder, 'commondir')));
  return isBare ? UNKNOWN : NONE;
}

function repositoryIn(named: string, top: string): FoundRepository {
  try {
    const gitDir = realpathSync.native(named);
    const commonDir = commonDirOf(gitDir);
    if (commonDir === undefined || !isHead(path.join(gitDir, 'HEAD'))) return UNKNOWN;
    const isWhole = ['objects', 'refs'].every((name) => kindOf(path.join(commonDir, name)) === 'folder');
    return isWhole ? { kind: 'found', repository: { top, gitDir, commonDir } } : UNKNOWN;
  } catch {
    return UNKNOWN;
  }
}

/** The folder that a file named `.git` points to. */
function readGitFile(file: string): string | undefined {
  const text = smallText(file);
  const [, named] = /^gitdir: ([^\r\n]+)[\r\n]*$/.exec(text ?? '') ?? [];
  return named === undefined ? undefined : path.resolve(path.dirname(file), named);
}

/**
 * A `commondir` that leads anywhere but to the repository that holds this folder is not one that git wrote. The sandbox puts one
 * that names its own folder where none may be made.
 */
function commonDirOf(gitDir: string): string | undefined {
  const file = path.join(gitDir, 'commondir');
  if (!exists(file)) return gitDir;
  const named = smallText(file)?.replace(/[\r\n]+$/, '');
  if (!named) return undefined;
  const common = realpathSync.native(path.resolve(gitDir, named));
  const isOwn = common === gitDir || path.dirname(gitDir) === path.join(common, 'worktrees');
  return isOwn ? common : undefined;
}

function isHead(file: string): boolean {
  return /^(ref:\s*refs\/\S+|[0-9a-f]{40}|[0-9a-f]{64})\s*$/.test(smallText(file) ?? '');
}

function smallText(file: string): string | undefined {
  const read = readBoundedFile(file, MOST_POINTER_BYTES);
  return read.kind === 'read' ? textOf(read.bytes) : undefined;
}

function kindOf(file: string): 'file' | 'folder' | 'absent' | 'other' {
  try {
    const about = statSync(file);
    return about.isFile() ? 'file' : about.isDirectory() ? 'folder' : 'other';
  } catch {
    // A link to nothing, or a folder that cannot be looked into.
    return exists(file) ? 'other' : 'absent';
  }
}

/** Also true where it cannot be found out. */
function exists(file: string): boolean {
  try {
    return lstatSync(file, { throwIfNoEntry: false }) !== undefined;
  } catch (thrown) {
    return errorCode(thrown) !== 'ENOTDIR';
  }
}
