/**
 * Reads the state of this machine. It is read again for each call, because files and links change while an agent works.
 */
import { lstatSync, readdirSync, type Stats, statSync } from 'node:fs';
import path from 'node:path';
import {
  findRepository,
  type GitRepository,
  gitSourceReader,
  type GitSourceReader,
  changedTest,
  type GitSources,
  ignoredTest,
  type IgnoredTest,
  isGitFolder,
  otherTrees,
  readBoundedFile,
  repositoriesAt,
  repositoryProgramsIn,
  isBranch,
  isLinkedTree,
  trackedFiles,
  workingTreesReader,
} from '@heddle/tools/git';
import { ignoresCase, type NameAccess, temporaryPlacesIn } from '@heddle/tools/files';
import {
  gitFactsFrom,
  hasProgramsOfSystem,
  isDockerLocal,
  isSystemFolder,
  startFilesOf,
  withHome,
  withoutShellOptions,
} from '@heddle/tools/shell';
import { enabledGitSettings } from './git-printing.ts';
import {
  filesOpenedByGit,
  firstLineOf,
  namedByCommonDir,
  namedByGitFile,
  openedFilesIn,
} from './opened-files.ts';
import { lookAtLinks } from './paths/home-links.ts';
import { type KnownMounts, knownMounts } from './paths/known-mounts.ts';
import { createLinkLookup, namedEntriesIn, readNames, remembered } from './paths/link-lookup.ts';
import { mentionedFiles } from './paths/mentioned-files.ts';
import { isOpenedInFolders } from './paths/opened-names.ts';
import { ownProgram } from './paths/own-program.ts';
import { isAtOrBelowSome, once } from './paths/places.ts';
import { settingsInHome } from './paths/settings-in-home.ts';
import { sourcedFiles } from './paths/sourced-files.ts';
import { exceptionReader } from './search-exceptions.ts';
import type { KnownRepository, PermissionWorld } from './world.ts';

export interface WorldOptions {
  readonly root: string;
  readonly cwd: string;
  readonly directories: readonly string[];
  readonly directoryNames?: readonly string[];
  readonly home: string;
  readonly configDirs: readonly string[];
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly readOnlyView?: boolean;
  readonly readsInBackground?: boolean;
  readonly isTrusted?: (folder: string) => boolean;
  /** The places of the running program. Absent: those of this process. */
  readonly ownProgram?: readonly string[];
  /** Absent: the names on this disk. */
  readonly names?: NameAccess;
  /** The text of `/proc/self/mountinfo`. Absent: that of this machine. */
  readonly mounts?: string;
}

/** Starts no process. */
export function observeWorld(surroundings: WorldOptions): PermissionWorld {
  const { names, mounts, ...options } = surroundings;
  const { root, cwd, directories, environment, home } = options;
  const known = knownMounts(mounts);
  const links = createLinkLookup([root, ...directories], names, known.processNames);
  const exists = remembered(hasEntry);
  const roots = [root, ...directories].flatMap((folder) => [folder, links.realpath(folder)]);
  const gitSources = gitSourcesReader(options, links.realpath, exists);
  const nested = remembered((folder: string) => nestedFolders(folder, links.entries));
  const programsIn = remembered(repositoryProgramsIn(environment));
  const enabledIn = remembered(enabledGitSettings(environment));
  return {
    ...options,
    ownProgram: options.ownProgram ?? [...ownProgram(), ...temporaryPlacesIn(roots)],
    environment: withoutShellOptions(environment),
    isPrivileged: process.getuid?.() === 0,
    isSystemFolder: remembered(isSystemFolder),
    hasProgramsOfSystem: once(() => hasProgramsOfSystem([root, cwd, ...directories], environment, { home })),
    isDockerLocal: once(() => isDockerLocal(environment, home)),
    foldsCase:
      process.platform === 'darwin' ||
      process.platform === 'win32' ||
      [root, ...directories].some((folder) => ignoresCase(folder, names)),
    realpath: links.realpath,
    passesProcess: links.passesProcess,
    isUnclear: links.isUnclear,
    leftByLinks: links.leftByLinks,
    linksInTexts: links.linksInTexts,
    otherNames: otherNamesOutside([root, ...directories].map(links.realpath), known),
    mountedBelow: known.mountedBelow,
    processMounts: known.processMounts,
    exists,
    isProgram: remembered(isExecutable),
    interpreterLine: remembered(interpreterLineOf),
    isPipe: remembered(isNamedPipe),
    isHardLinked: remembered(isHardLinked),
    isLarge: remembered(isLarge),
    list: remembered(namesIn),
    entries: links.entries,
    linkFolder: lookAtLinks,
    namedEntries: remembered(namedEntriesIn),
    exceptionsIn: remembered(exceptionReader(options)),
    openedIn: remembered(openedFilesIn),
    namedByGitFile: remembered(namedByGitFile),
    namedByCommonDir: remembered(namedByCommonDir),
    openedByGit: remembered(filesOpenedByGit({ ...environment, HOME: environment['HOME'] || home })),
    mayShowChanges: remembered(mayShowChanges),
    repository: repositoryReader({ ...environment, HOME: environment['HOME'] || home }),
    workingTrees: workingTreesReader(),
    isLinkedTree: remembered((folder) => isTreeOfProject(folder, links.realpath(folder))),
    gitIn: remembered(gitFactsFrom(cwd, environment)),
    gitSettings: (folder) => enabledIn(nearestFolder(folder) ?? folder),
    repositoryPrograms: (folder) => programsIn(nearestFolder(folder) ?? folder),
    repositoriesAt: remembered(repositoriesAt),
    gitSources,
    sourcedFiles: () => [
      ...sourcedFiles(home, environment),
      // Commands run without such a start-up file, and the shell of the user does not.
      ...startFilesOf(withHome(environment, home)),
      ...settingsInHome(home, environment, [root, cwd, ...directories]),
    ],
    mentionedFiles: remembered((top) =>
      mentionedFiles(top, isRepository(top, exists) ? gitSources(top).hooks : []),
    ),
    nestedRepositories: remembered((folder) =>
      nested(folder)
        .flat()
        .filter((inner) => isRepository(inner, exists)),
    ),
    nestedLinks: remembered((folder) => nestedLinksIn(nested(folder), links.entries)),
  };
}

/** A path inside is checked by its own name, but the files of processes count everywhere. */
function otherNamesOutside(
  roots: readonly string[],
  { otherNames, processNames }: KnownMounts,
): NonNullable<PermissionWorld['otherNames']> {
  return remembered((file) => (isAtOrBelowSome(file, roots) ? processNames : otherNames)(file));
}

/** The nearest repository decides for all folders below it. */
function gitSourcesReader(
  { root, cwd, directories, environment }: WorldOptions,
  realpath: PermissionWorld['realpath'],
  exists: PermissionWorld['exists'],
): (folder: string) => GitSources {
  let known: GitSourceReader | undefined;
  const reader = (): GitSourceReader => {
    const folders = [root, cwd, ...directories].flatMap((folder) => [folder, realpath(folder)]);
    return (known ??= gitSourceReader([...new Set(folders)], environment));
  };
  const sourcesIn = remembered((folder: string): GitSources => {
    if (isRepository(folder, exists)) return reader().around(folder);
    const above = path.dirname(folder);
    return above === folder ? reader().outside() : sourcesIn(above);
  });
  // Git looks for its repository above the folder itself, also if a link names it.
  return (folder) => sourcesIn(realpath(folder));
}

function isRepository(folder: string, exists: PermissionWorld['exists']): boolean {
  return exists(`${folder}/.git`) || isGitFolder((name) => exists(`${folder}/${name}`));
}

/** The number of folders on each level that are searched for repositories. More would take longer than a decision may. */
const MOST_FOLDERS = 3_000;

/** Packages are not repositories, and the folders of version control contain only their own. */
const WITHOUT_REPOSITORIES = /^(node_modules|\.git|\.hg|\.svn|\.jj|\.bzr|\.sl)$/i;

/** Returns the folders in a folder, and those in them. */
function nestedFolders(
  folder: string,
  entries: PermissionWorld['entries'],
): readonly [readonly string[], readonly string[]] {
  const foldersIn = (at: string): readonly string[] =>
    (entries(at) ?? namedEntriesIn(at))
      .filter(({ kind, name }) => kind === 'folder' && !WITHOUT_REPOSITORIES.test(name))
      .map(({ name }) => path.posix.join(at, name));
  const below = foldersIn(folder).slice(0, MOST_FOLDERS);
  return [below, below.flatMap(foldersIn).slice(0, MOST_FOLDERS)];
}

/** The number of folders on the second level that are listed only because of links. */
const MOST_LISTED = 300;

/** The folders on the first level are listed for nested repositories anyway. */
function nestedLinksIn(
  [below, deeper]: ReturnType<typeof nestedFolders>,
  entries: PermissionWorld['entries'],
): readonly string[] {
  return [...below, ...deeper.slice(0, MOST_LISTED)].flatMap((at) =>
    (entries(at) ?? namedEntriesIn(at))
      .filter(({ kind, name }) => kind === 'link' || (kind === 'pipe' && isOpenedInFolders(name)))
      .map(({ name }) => path.posix.join(at, name)),
  );
}

function hasEntry(file: string): boolean {
  try {
    return lstatSync(file, { throwIfNoEntry: false }) !== undefined;
  } catch {
    return false;
  }
}

function isExecutable(file: string): boolean {
  try {
    const about = statSync(file, { throwIfNoEntry: false });
    return about?.isFile() === true && (about.mode & 0o111) !== 0;
  } catch {
    return false;
  }
}

/** Systems read at most so many bytes of the line. */
const MOST_OF_LINE = 512;

function interpreterLineOf(file: string): string | undefined {
  return /^#!(.*)/.exec(firstLineOf(file, MOST_OF_LINE) ?? '')?.[1]?.trim();
}

function isHardLinked(file: string): boolean {
  const about = statsOf(file);
  return about?.isFile() === true && about.nlink > 1;
}

/** Bytes that programs read within a second. */
const MOST_READ_SOON = 67_108_864;

function isLarge(file: string): boolean {
  return (statsOf(file)?.size ?? 0) > MOST_READ_SOON;
}

function statsOf(file: string): Stats | undefined {
  try {
    return statSync(file, { throwIfNoEntry: false });
  } catch {
    return undefined;
  }
}

/** Devices in `/dev`, and links to them, are known by their names. `/dev/null` may be mounted on any file. */
function isNamedPipe(file: string): boolean {
  try {
    // The streams of this process are not those of a command.
    if (/^\/(?:dev\/(?:fd|std)|proc\/)/.test(file)) return false;
    const about = statSync(file, { throwIfNoEntry: false });
    if (about?.isFIFO() === true) return true;
    if (about?.isCharacterDevice() !== true && about?.isBlockDevice() !== true) return false;
    return !file.startsWith('/dev/') && !lstatSync(file).isSymbolicLink() && about.rdev !== deviceOfNull();
  } catch {
    return false;
  }
}

function deviceOfNull(): number | undefined {
  return statSync('/dev/null', { throwIfNoEntry: false })?.rdev;
}

/** Looks once per folder, because a command may name many files in one. */
function repositoryReader(environment: WorldOptions['environment']): PermissionWorld['repository'] {
  const known = new Map<string, readonly string[] | undefined>();
  const tracked = (repository: GitRepository): readonly string[] | undefined => {
    const key = `${repository.gitDir}\0${repository.top}`;
    if (!known.has(key)) known.set(key, trackedFiles(repository));
    return known.get(key);
  };
  const around = remembered((folder: string): KnownRepository | 'none' | 'unknown' => {
    const found = findRepository(folder);
    if (found.kind !== 'found') return found.kind;
    const { repository } = found;
    let others: readonly string[] | undefined;
    let isIgnored: IgnoredTest | undefined;
    let mayHaveChanged: ReturnType<typeof changedTest> | undefined;
    return {
      top: repository.top,
      isBorrowed: isBorrowed(repository),
      dataFolders: [...new Set([repository.gitDir, repository.commonDir])],
      otherTops: () => (others ??= otherTrees(repository)),
      isBranch: (name) => isBranch(repository, name),
      tracked: () => tracked(repository),
      mayHaveChanged: (file) => (mayHaveChanged ??= changedTest(repository))(file),
      isIgnored: (file, isFolder) => (isIgnored ??= ignoredTest(repository, environment))(file, isFolder),
    };
  });
  return remembered((place) => {
    const folder = nearestFolder(place);
    return folder === undefined ? 'unknown' : around(folder);
  });
}

/** Bytes of a message of a commit. A longer one is not read. */
const MOST_OF_MESSAGE = 65_536;

/** Every list of changes by git has such lines: `diff --git`, `diff --cc`, `@@ -1 +1 @@`. */
const CHANGES = /^\W{0,3}(diff --|@@)/m;

function mayShowChanges(file: string): boolean {
  const read = readBoundedFile(file, MOST_OF_MESSAGE);
  return read.kind === 'unreadable' || (read.kind === 'read' && CHANGES.test(read.bytes.toString('latin1')));
}

/** Returns whether the repository with the folder of the agent, in which a checkout is, lists the checkout. */
function isTreeOfProject(folder: string, real: string): boolean {
  const tree = findRepository(folder);
  const around = findRepository(path.resolve(folder, '../../..'));
  if (tree.kind !== 'found' || around.kind !== 'found') return false;
  const { top, gitDir, commonDir } = tree.repository;
  const isOther = top === real && gitDir !== commonDir && commonDir === around.repository.commonDir;
  return isOther && isLinkedTree(tree.repository);
}

/** Returns whether a `.git` file or link leads to the data of another working tree, and not to those of a linked one. */
function isBorrowed({ top, gitDir, commonDir }: GitRepository): boolean {
  return gitDir === commonDir && path.basename(gitDir) === '.git' && path.dirname(gitDir) !== top;
}

/** Returns the nearest existing folder of a path. The path can be a file, or exist only in the git history. */
function nearestFolder(file: string): string | undefined {
  try {
    if (statSync(file, { throwIfNoEntry: false })?.isDirectory() === true) return file;
  } catch (thrown) {
    // A segment of the path is a file. Other errors mean that the path cannot be read.
    if (!(thrown instanceof Error && 'code' in thrown && thrown.code === 'ENOTDIR')) return undefined;
  }
  return file === path.dirname(file) ? undefined : nearestFolder(path.dirname(file));
}

function namesIn(folder: string): readonly string[] | undefined {
  return readNames(
    () => readdirSync(folder),
    (name) => name,
  );
}
