/**
 * The state of the machine that a decision needs. For the same state, `authorize` always returns the same result. Its
 * functions answer synchronously, and a test answers them from a table.
 */
import type { GitSources, RepositoryPrograms, WorkingTrees } from '@heddle/tools/git';
import type { GitFacts } from '@heddle/tools/shell';

/** A folder, as a walk over links sees it. */
export interface LinkFolder {
  /** Two paths to one folder have the same. */
  readonly id: string;
  readonly links: readonly string[];
  /** Folders, and links that may lead to folders. */
  readonly inner: readonly string[];
}

export interface KnownRepository {
  readonly top: string;
  /** The folders of the other working trees that share the history. Absent: there are none. */
  otherTops?(): readonly string[];
  /** The working tree uses the data of another one, which does not know about it. */
  readonly isBorrowed?: boolean;
  /** The folders of git's data of this working tree and of the whole repository. Absent: `.git` in the top folder. */
  readonly dataFolders?: readonly string[];
  /** Returns whether git takes a name for a branch, and not for a tag or an object. Absent: this is not known. */
  isBranch?(name: string): boolean;
  /** Full paths of the files in the index. Undefined if it cannot be read. */
  tracked(): readonly string[] | undefined;
  /** Returns whether git certainly ignores a file or folder that it does not track. Absent: it ignores none. */
  isIgnored?(file: string, isFolder: boolean): boolean;
  /** Returns whether a tracked file may differ from its version in the index. Absent: each of them may. */
  mayHaveChanged?(file: string): boolean;
}

/** One entry of a folder. Links are not followed. */
export interface FolderEntry {
  readonly name: string;
  /** `pipe`: a named pipe or a device. */
  readonly kind: 'folder' | 'link' | 'pipe' | 'file';
}

/** A file that git opens without a word that names it. */
export interface OpenedByGit {
  /** Undefined: it cannot be determined. */
  readonly file: string | undefined;
  /** The setting that names it. Undefined: git looks for it in a fixed place. */
  readonly setting: string | undefined;
  /** It is a link, or not a regular file. */
  readonly isUnusual: boolean;
  /** Programs such as `rg` open it as well. */
  readonly isOfSearches: boolean;
  /** Every command of git opens it. */
  readonly isOfAll?: boolean;
  /** It leads to a folder, and git may open each file below. */
  readonly isFolder?: boolean;
}

/** Another name of a folder, or of one below it. */
export interface MountedFolder {
  readonly folder: string;
  readonly name: string;
}

/** A place where the files of processes are mounted a second time. */
export interface ProcessMount {
  readonly point: string;
  /** The name below `/proc` of the mounted folder or file. */
  readonly name: string;
}

/** Returns the other names of a place without links, and of the folders below it that are mounted elsewhere. */
export type MountedBelow = (place: string) => readonly MountedFolder[];

export interface PermissionWorld {
  /** The start folder of the session. Rules without an anchor start here. */
  readonly root: string;
  /** The current working directory of shell commands. */
  readonly cwd: string;
  /** Additional working directories, without links when they were added. */
  readonly directories: readonly string[];
  /** Names with links that they were added with. A name that now leads elsewhere adds no place. */
  readonly directoryNames?: readonly string[];
  readonly home: string;
  /** Folders of the agent's own settings, state and sessions. */
  readonly configDirs: readonly string[];
  /** The places of the running program itself, also missing ones. Absent: they are in no working directory. */
  readonly ownProgram?: readonly string[];
  /** The file system ignores case. */
  readonly foldsCase: boolean;
  /** Resolves links. Never throws: segments that do not exist stay as written. */
  readonly realpath: (path: string) => string;
  /**
   * Following the path passes a link such as `/proc/self/cwd`, which leads elsewhere in the process of a command. Absent:
   * no path does.
   */
  readonly passesProcess?: (path: string) => boolean;
  /**
   * The path cannot be followed to its end with certainty: a link leads to itself, through a file, or has a text that is not
   * UTF-8. Absent: every path can.
   */
  readonly isUnclear?: (path: string) => boolean;
  /**
   * Returns the places that texts of links on the way enter and leave again with `..`: `a` for a link to `a/../b`. Absent: there
   * are none.
   */
  readonly leftByLinks?: (path: string) => readonly string[];
  /** Returns the links on the way that the text of another link names: `a` for a link to `a/b`, if `a` is one. Absent: there are none. */
  readonly linksInTexts?: (path: string) => readonly string[];
  /**
   * The other names of a path without links outside of the working directories, on a disk that is mounted more than once. Absent:
   * there are none.
   */
  readonly otherNames?: (path: string) => readonly string[];
  /**
   * The other names of a place without links on a disk that is mounted more than once, and those of folders below it. Absent: there
   * are none.
   */
  readonly mountedBelow?: MountedBelow;
  /** The places beside `/proc` that show the files of processes: `/run/host/proc`. Absent: there are none. */
  readonly processMounts?: () => readonly ProcessMount[];
  /** A link exists even if its target is missing. */
  readonly exists: (path: string) => boolean;
  /** The file can be run as a program. Absent: none can. */
  readonly isProgram?: (path: string) => boolean;
  /** The words after `#!` in the first line of a script: `/usr/bin/env node`. Undefined: it is not a script. Absent: none is. */
  readonly interpreterLine?: (path: string) => string | undefined;
  /** The path leads to a named pipe, which even the read-only view can write to, or is a device. Absent: none does. */
  readonly isPipe?: (path: string) => boolean;
  /** Another name on the disk means the same file, perhaps elsewhere: a hard link. Absent: no file has one. */
  readonly isHardLinked?: (path: string) => boolean;
  /** Reading the file takes long. Absent: no file is so large. */
  readonly isLarge?: (path: string) => boolean;
  /** The names in a folder. Empty if there is no such folder, undefined if it cannot be read. */
  readonly list: (folder: string) => readonly string[] | undefined;
  /** The contents of a folder. Empty if there is no such folder, undefined if it cannot be read. */
  readonly entries: (folder: string) => readonly FolderEntry[] | undefined;
  /** The same for a caller that counts the steps itself. Absent: `entries` answers. */
  readonly entriesUncounted?: (folder: string) => readonly FolderEntry[] | undefined;
  /** The contents of a folder that `entries` cannot read as a whole, without names that are not UTF-8. Absent: nothing. */
  readonly namedEntries?: (folder: string) => readonly FolderEntry[];
  /**
   * The exceptions in the folder's files of ignored names, without the sign: `.env` for `!.env`. A search that skips hidden
   * files reads those that match. Absent: there are none.
   */
  readonly exceptionsIn?: (folder: string) => readonly string[];
  /** The files in a folder that searches and git open by themselves, if they are links or not regular files. Absent: none. */
  readonly openedIn?: (folder: string) => readonly string[];
  /** The folder that a file `.git` in the folder names, as it is written. Absent: there is no such file. */
  readonly namedByGitFile?: (folder: string) => string | undefined;
  /** The folder that a file `commondir` in the folder names, as it is written. Absent: there is no such file. */
  readonly namedByCommonDir?: (folder: string) => string | undefined;
  /** The other files that git opens by itself in a folder, also missing ones. Absent: none. */
  readonly openedByGit?: (folder: string) => readonly OpenedByGit[];
  /** The file may contain lines of changes, as a message of `git commit -v` does. Absent: every file may. */
  readonly mayShowChanges?: (file: string) => boolean;
  /** The repository around a folder. `unknown` if git might find one that is not found here. */
  readonly repository: (folder: string) => KnownRepository | 'none' | 'unknown';
  /** The working trees of the repository around a folder. Absent: there is only one. */
  readonly workingTrees?: (folder: string) => WorkingTrees | undefined;
  /** The folder is a checkout that the repository around `../../..` lists as one of its working trees. Absent: none is. */
  readonly isLinkedTree?: (folder: string) => boolean;
  /** An earlier command of the script may have made or removed folders since they were looked at. */
  readonly foldersMayChange?: boolean;
  /** A command of the script may take long. Meanwhile, other calls may move the folders of the project. */
  readonly takesLong?: boolean;
  /** Such a command is proven to only read, so that the script may wait without another effect. */
  readonly idles?: boolean;
  /** A command of the script may create files that the globs of later ones find. */
  readonly createsFiles?: boolean;
  /** The script may set HOME. */
  readonly changesHome?: boolean;
  /** The script may set shell options with which globs match hidden files and whole trees. */
  readonly hasGlobOptions?: boolean;
  /** Paths that other commands of the script write. The contents of a folder are unknown if it is related to one of them. */
  readonly changedPaths?: readonly string[];
  /** The programs that the git configuration around a folder would run. Undefined if unknown. */
  readonly gitIn: (folder: string) => GitFacts | undefined;
  /** The settings of git that are on in a folder. Undefined if some of them cannot be read. Absent: none is on. */
  readonly gitSettings?: (folder: string) => ReadonlySet<string> | undefined;
  /** The programs that the repository around a folder itself makes git run. Absent: it runs none. */
  readonly repositoryPrograms?: (folder: string) => RepositoryPrograms;
  /**
   * The folders with the data of repositories that git may use for a full path in an address. Undefined: one that cannot be determined.
   * Absent: there are none.
   */
  readonly repositoriesAt?: (path: string) => readonly (string | undefined)[];
  /**
   * The files and folders from which git takes hooks, settings and attributes in a folder. Absent: only those with the usual
   * names.
   */
  readonly gitSources?: (folder: string) => GitSources;
  /** The files and folders that start-up files of the user load: `source ~/x.sh` in `~/.bashrc`. Absent: there are none. */
  readonly sourcedFiles?: () => readonly string[];
  /** The files that start-up files of a project load or start: `./check.sh` in `.git/hooks/pre-commit`. Absent: there are none. */
  readonly mentionedFiles?: (top: string) => readonly string[];
  /** The repositories up to two folders below a folder. Absent: there are none. */
  readonly nestedRepositories?: (folder: string) => readonly string[];
  /** The links in folders up to two folders below a folder, and the named pipes there that searches open. Absent: there are none. */
  readonly nestedLinks?: (folder: string) => readonly string[];
  /** Looks for links in a folder. Undefined if it cannot be read. It may remember unchanged folders. Absent: `entries` answers. */
  readonly linkFolder?: (folder: string) => LinkFolder | undefined;
  /** The environment of commands. Variables can contain options for programs. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Commands run as the system administrator, who can change system folders. */
  readonly isPrivileged?: boolean;
  /** A folder contains programs of the system that only the administrator can change. Absent: none does. */
  readonly isSystemFolder?: (folder: string) => boolean;
  /** Proven commands find the usual programs outside of the project. Absent: they do. */
  readonly hasProgramsOfSystem?: () => boolean;
  /** The client of docker asks the service on this machine. Absent: it may ask another one. */
  readonly isDockerLocal?: () => boolean;
  /** The user trusts a folder, so programs of the project may run in the read-only view. Absent: trusts none. */
  readonly isTrusted?: (folder: string) => boolean;
  /** Commands can run in a read-only view that lets no effect out. */
  readonly readOnlyView?: boolean;
  /** A command that was proven to read runs in the background. Absent: none does. */
  readonly readsInBackground?: boolean;
  /** Counts the steps of a decision. It throws if the decision takes too many. Absent: they are not limited. */
  readonly spend?: (steps: number) => void;
}

/** Returns whether `~` means another folder for commands than `home`. A hook can set HOME. */
export function hasOtherHome({
  environment: { HOME },
  home,
  changesHome,
}: Pick<PermissionWorld, 'environment' | 'home' | 'changesHome'>): boolean {
  return changesHome === true || (HOME !== undefined && HOME !== home);
}

/** Returns a world without information about the disk, for uses that only parse rules or commands. */
export function bareWorld(root: string, home: string): PermissionWorld {
  return {
    root,
    cwd: root,
    directories: [],
    home,
    configDirs: [],
    foldsCase: false,
    realpath: (path) => path,
    exists: () => false,
    list: () => undefined,
    entries: () => undefined,
    repository: () => 'unknown',
    gitIn: () => undefined,
    environment: {},
  };
}
