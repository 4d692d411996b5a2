/**
 * What permission must know of the world to decide. Given the same world, `authorize` always answers the same: its doors
 * are questions about files, answered without waiting, and a test answers them from a table.
 */
import type { GitFacts } from '@heddle/tools/shell';

export interface KnownRepository {
  readonly top: string;
  /** Full paths of the files in the index; undefined where it cannot be read. */
  tracked(): readonly string[] | undefined;
}

/** One entry of a folder, a link not followed. */
export interface FolderEntry {
  readonly name: string;
  readonly kind: 'folder' | 'link' | 'file';
}

export interface PermissionWorld {
  /** Where the session began: rules without an anchor start here. */
  readonly root: string;
  /** Where a shell command would run now. */
  readonly cwd: string;
  /** Working directories beside `root`. */
  readonly directories: readonly string[];
  readonly home: string;
  /** Where the agent keeps its own settings, state and sessions. */
  readonly configDirs: readonly string[];
  /** Names that differ only in case are one file. */
  readonly foldsCase: boolean;
  /** Total: symlinks are resolved as far as the path exists; what does not exist yet stays as it is written. */
  realpath(path: string): string;
  exists(path: string): boolean;
  /** The names in a folder, none where there is none; undefined where nobody can tell. */
  list(folder: string): readonly string[] | undefined;
  /** The contents of a folder. Empty if there is no such folder, undefined if it cannot be read. */
  entries(folder: string): readonly FolderEntry[] | undefined;
  /** The repository around a folder; `unknown` where git might find one that is not found here. */
  repository(folder: string): KnownRepository | 'none' | 'unknown';
  /** What the configuration of the repository around a folder would run; undefined where that is not known. */
  gitIn(folder: string): GitFacts | undefined;
  /** The environment a command would run with: variables can give options to programs. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Commands run as the system's administrator: they can change the folders of the system. */
  readonly isPrivileged?: boolean;
  /** Commands can run in a read-only view that lets no effect out. */
  readonly readOnlyView?: boolean;
}

/** Where nothing is known but the folder: to read a rule or a command by, when what lies on the disk does not matter. */
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
