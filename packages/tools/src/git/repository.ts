/**
 * Finds the repository that git would use in a folder, without git. If git and this reader could disagree,
 * the result is `unknown`.
 */
import { accessSync, constants, lstatSync, readdirSync, realpathSync, statSync } from 'node:fs';
import path from 'node:path';
import { errorCode } from '@heddle/core';
import { readBoundedFile, decodePlainText } from './bounded-file.ts';
import { dependsOnProcess, gitPath } from './git-path.ts';

export interface GitRepository {
  /** The folder of the working tree. */
  readonly top: string;
  /** The data of this working tree: HEAD, the index. */
  readonly gitDir: string;
  /** The data of all working trees: objects, branches, settings, hooks. */
  readonly commonDir: string;
}

export type FoundRepository =
  | { readonly kind: 'none' }
  | { readonly kind: 'found'; readonly repository: GitRepository }
  | { readonly kind: 'unknown' };

const NONE: FoundRepository = { kind: 'none' };
const UNKNOWN: FoundRepository = { kind: 'unknown' };

const MOST_POINTER_BYTES = 8_192;

/** Environment variables that name another repository are the caller's responsibility. */
export function findRepository(directory: string): FoundRepository {
  let folder: string;
  try {
    if (dependsOnProcess(directory)) return UNKNOWN;
    folder = realpathSync.native(directory);
    if (!statSync(folder).isDirectory()) return UNKNOWN;
  } catch {
    return UNKNOWN;
  }
  // Git stops at the boundary of a file system. A repository above it only adds settings to the check.
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
  // Without HEAD git continues above. The sandbox creates such an empty folder to prevent a new repository.
  if (kind === 'folder' && mayHaveEntry(path.join(dotGit, 'HEAD'))) return repositoryIn(dotGit, folder);
  // A bare repository, or the inside of one. A project could contain one as ordinary files.
  return isGitFolder((name) => mayHaveEntry(path.join(folder, name))) ? UNKNOWN : NONE;
}

/** Returns the bare repository that git would use in a folder. Undefined if it uses another one, or none. */
export function findBareRepository(directory: string): string | undefined {
  if (dependsOnProcess(directory)) return undefined;
  try {
    for (let folder = realpathSync.native(directory); ; folder = path.dirname(folder)) {
      const dotGit = path.join(folder, '.git');
      if (repositoryAt(folder).kind !== 'none')
        return /^(absent|folder)$/.test(kindOf(dotGit)) && !mayHaveEntry(path.join(dotGit, 'HEAD'))
          ? folder
          : undefined;
      if (folder === path.dirname(folder)) return undefined;
    }
  } catch {
    return undefined;
  }
}

/** Returns the bare repository that git would use in a folder. Its data can be shared: `commondir` names the other folder. */
export function bareRepositoryAt(directory: string): GitRepository | undefined {
  const bare = findBareRepository(directory);
  if (bare === undefined) return undefined;
  const file = path.join(bare, 'commondir');
  if (!mayHaveEntry(file)) return { top: bare, gitDir: bare, commonDir: bare };
  const named = smallText(file)?.replace(/(?<![\r\n])[\r\n]+$/, '');
  const commonDir = named ? gitPath(bare, named) : undefined;
  return commonDir === undefined ? undefined : { top: bare, gitDir: bare, commonDir };
}

/** The names by which git recognizes the data of a repository. */
export const GIT_DATA_NAMES = ['HEAD', 'objects', 'refs', 'commondir'] as const;

/** Returns whether git takes a folder with these entries for the data of a repository. `commondir` names the other folders. */
export function isGitFolder(has: (name: (typeof GIT_DATA_NAMES)[number]) => boolean): boolean {
  return has('HEAD') && ((has('objects') && has('refs')) || has('commondir'));
}

function repositoryIn(named: string, top: string): FoundRepository {
  try {
    if (dependsOnProcess(named)) return UNKNOWN;
    const gitDir = realpathSync.native(named);
    const commonDir = commonDirOf(gitDir);
    if (commonDir === undefined || !isHead(path.join(gitDir, 'HEAD'))) return UNKNOWN;
    const isWhole = ['objects', 'refs'].every((name) => canEnter(path.join(commonDir, name)));
    return isWhole ? { kind: 'found', repository: { top, gitDir, commonDir } } : UNKNOWN;
  } catch {
    return UNKNOWN;
  }
}

/** Returns the folder that a file named `.git` points to. Undefined if it cannot be determined. */
export function readGitFile(file: string): string | undefined {
  const text = smallText(file);
  const [, named] = /^gitdir: ([^\r\n]+)[\r\n]*$/.exec(text ?? '') ?? [];
  return named === undefined ? undefined : gitPath(path.dirname(file), named);
}

/** Returns whether the data are those of a linked working tree, and name its folder. */
export function isLinkedTree({ top, gitDir }: GitRepository): boolean {
  const named = smallText(path.join(gitDir, 'gitdir'))?.trim();
  const file = named ? gitPath(gitDir, named) : undefined;
  if (file === undefined || path.basename(file) !== '.git') return false;
  try {
    return realpathSync.native(path.dirname(file)) === realpathSync.native(top);
  } catch {
    return false;
  }
}

/**
 * Git writes only a `commondir` that points to the repository containing this folder. The sandbox creates
 * one that names its own folder to prevent others.
 */
function commonDirOf(gitDir: string): string | undefined {
  const file = path.join(gitDir, 'commondir');
  if (!mayHaveEntry(file)) return gitDir;
  const named = smallText(file)?.replace(/(?<![\r\n])[\r\n]+$/, '');
  const folder = named ? gitPath(gitDir, named) : undefined;
  if (folder === undefined) return undefined;
  const common = realpathSync.native(folder);
  const isOwn = common === gitDir || path.dirname(gitDir) === path.join(common, 'worktrees');
  return isOwn ? common : undefined;
}

/** Git accepts fewer links, and more text. If it rejects the file, it uses a repository above. */
function isHead(file: string): boolean {
  const isFile = lstatSync(file).isFile();
  return isFile && /^(ref: refs\/\S+|[0-9a-f]{40}|[0-9a-f]{64})\n?$/.test(smallText(file) ?? '');
}

/** Git rejects a repository with a folder that it cannot enter. */
function canEnter(folder: string): boolean {
  if (dependsOnProcess(folder)) return false;
  accessSync(folder, constants.X_OK);
  return kindOf(folder) === 'folder';
}

function smallText(file: string): string | undefined {
  const read = readBoundedFile(file, MOST_POINTER_BYTES);
  return read.kind === 'read' ? decodePlainText(read.bytes) : undefined;
}

export function kindOf(file: string): 'file' | 'folder' | 'absent' | 'other' {
  if (dependsOnProcess(file)) return 'other';
  try {
    const about = statSync(file);
    return about.isFile() ? 'file' : about.isDirectory() ? 'folder' : 'other';
  } catch {
    // A dangling link, or a folder that cannot be read.
    return mayHaveEntry(file) ? 'other' : 'absent';
  }
}

/** Also returns true if it cannot be determined. */
export function mayHaveEntry(file: string): boolean {
  try {
    return lstatSync(file, { throwIfNoEntry: false }) !== undefined;
  } catch (thrown) {
    return errorCode(thrown) !== 'ENOTDIR';
  }
}

/** Version control has one of these in the top folder of a working tree. */
const REPOSITORIES: readonly string[] = ['.git', '.hg', '.jj', '.svn', '.sl'];

/**
 * Returns the folders above that are a working tree: their files belong to the project, although it was opened further down.
 * The home folder and those above it are the user's own.
 */
export function repositoriesAround(
  folder: string,
  containsHome: (folder: string) => boolean,
  hasEntry: (file: string) => boolean = mayHaveEntry,
): readonly string[] {
  const above = path.dirname(folder);
  if (above === folder || containsHome(above)) return [];
  const isTop = REPOSITORIES.some((name) => hasEntry(path.join(above, name)));
  return [...(isTop ? [above] : []), ...repositoriesAround(above, containsHome, hasEntry)];
}

/** The number of working trees that are looked at. */
const MOST_TREES = 200;

/** Returns the folders of the other working trees that share the data of this one. They may be missing by now. */
export function otherTrees({ top, commonDir }: GitRepository): readonly string[] {
  const main = path.basename(commonDir) === '.git' ? [path.dirname(commonDir)] : [];
  const linked = namesIn(path.join(commonDir, 'worktrees')).flatMap((name) => {
    const folder = path.join(commonDir, 'worktrees', name);
    const named = smallText(path.join(folder, 'gitdir'))?.trim();
    const file = named ? gitPath(folder, named) : undefined;
    return file === undefined ? [] : [path.dirname(file)];
  });
  return [...main, ...linked].filter((folder) => folder !== top);
}

export interface WorkingTrees {
  /** The top folder, without resolving links. */
  readonly top: string;
  /** The folders of the other working trees, and the top folder with links resolved if that differs. */
  readonly others: readonly string[];
  /** It is not the main working tree of the repository. */
  readonly isLinked: boolean;
}

/** Returns a function that finds the working trees of the repository around a path, which may be missing. */
export function workingTreesReader(): (place: string) => WorkingTrees | undefined {
  const known = new Map<string, WorkingTrees | undefined>();
  const around = (folder: string): WorkingTrees | undefined => {
    if (!known.has(folder)) known.set(folder, treesAt(folder) ?? aboveOf(folder));
    return known.get(folder);
  };
  const aboveOf = (folder: string): WorkingTrees | undefined => {
    const above = path.dirname(folder);
    return above === folder ? undefined : around(above);
  };
  return around;
}

function treesAt(top: string): WorkingTrees | undefined {
  const found = mayHaveEntry(path.join(top, '.git')) ? findRepository(top) : NONE;
  if (found.kind !== 'found') return undefined;
  const { repository } = found;
  const others = [repository.top, ...otherTrees(repository)].filter(
    (folder) => folder !== top && mayHaveEntry(folder),
  );
  return { top, others, isLinked: repository.gitDir !== repository.commonDir };
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder).slice(0, MOST_TREES);
  } catch {
    return [];
  }
}
