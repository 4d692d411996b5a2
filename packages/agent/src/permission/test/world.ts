/** A world out of a table, for tests: a project in /repo/project, a home in /people/user. */
import path from 'node:path';
import type { GitFacts } from '@heddle/tools/shell';
import { isOpenedInFolders } from '../paths/opened-names.ts';
import type { PermissionWorld } from '../world.ts';

export const ROOT = '/repo/project';
export const HOME = '/people/user';

export interface WorldTable {
  readonly cwd?: string;
  readonly directories?: readonly string[];
  /** Link → target. */
  readonly links?: Readonly<Record<string, string>>;
  readonly files?: readonly string[];
  /** Those of the files that can be run. */
  readonly programs?: readonly string[];
  /** Script → the words after `#!` in its first line. */
  readonly interpreters?: Readonly<Record<string, string>>;
  /** Those of the files that are named pipes. */
  readonly pipes?: readonly string[];
  /** Folder → the exceptions in its files of ignored names. */
  readonly exceptions?: Readonly<Record<string, readonly string[]>>;
  /** Setting of git → the file that it names. */
  readonly filesOfSettings?: Readonly<Record<string, string>>;
  /** For `cwd`; nothing is known about other folders. */
  readonly git?: GitFacts;
  /** Settings of git that are on. */
  readonly gitSettings?: readonly string[];
  /** Checkouts below the folder of the agent. */
  readonly checkouts?: readonly string[];
  /** Files in the index of the repository at the root. */
  readonly tracked?: readonly string[];
  readonly environment?: PermissionWorld['environment'];
  readonly foldsCase?: boolean;
  readonly isPrivileged?: boolean;
  /** Docker asks a service on another machine. */
  readonly hasRemoteDocker?: boolean;
}

export const CLEAN_GIT: GitFacts = { helpers: [], submodules: false };

export function worldOf(table: WorldTable = {}): PermissionWorld {
  const links = Object.entries(table.links ?? {});
  const realpath = (path: string): string => {
    for (const [link, target] of links) {
      if (path === link || path.startsWith(`${link}/`)) return realpath(target + path.slice(link.length));
    }
    return path;
  };
  return {
    root: ROOT,
    cwd: table.cwd ?? ROOT,
    directories: table.directories ?? [],
    home: HOME,
    configDirs: [`${HOME}/.claude`],
    foldsCase: table.foldsCase ?? false,
    isPrivileged: table.isPrivileged ?? false,
    isDockerLocal: () => table.hasRemoteDocker !== true,
    realpath,
    isProgram: (path) => (table.programs ?? []).includes(path),
    interpreterLine: (path) => table.interpreters?.[path],
    isPipe: (path) => (table.pipes ?? []).includes(path),
    exists: (path) => [table.files, table.checkouts].some((known) => known?.includes(path) === true),
    list: (folder) => namesIn(realpath(folder), [...(table.files ?? []), ...links.map(([link]) => link)]),
    entries: (folder) => {
      const at = realpath(folder);
      const isLink = new Set(links.map(([link]) => link));
      const files = new Set(table.files ?? []);
      return namesIn(at, [...files, ...isLink]).map((name) => {
        const place = `${at}/${name}`;
        if (isLink.has(place)) return { name, kind: 'link' };
        if ((table.pipes ?? []).includes(place)) return { name, kind: 'pipe' };
        return { name, kind: files.has(place) ? 'file' : 'folder' };
      });
    },
    openedIn: (folder) =>
      [...links.map(([link]) => link), ...(table.pipes ?? [])].filter(
        (file) => path.posix.dirname(file) === folder && isOpenedInFolders(path.posix.basename(file)),
      ),
    openedByGit: () =>
      Object.entries(table.filesOfSettings ?? {}).map(([setting, file]) => ({
        file,
        setting,
        isUnusual: links.some(([link]) => link === file) || (table.pipes ?? []).includes(file),
        isOfSearches: setting === 'core.excludesfile',
      })),
    exceptionsIn: (folder) => table.exceptions?.[folder] ?? [],
    repository: (folder) =>
      path.posix.join(folder, '/').startsWith(`${ROOT}/`)
        ? {
            top: ROOT,
            isBranch: (name) => ['main', 'feature', 'refs/heads/main'].includes(name),
            tracked: () => (table.tracked ?? []).map((file) => `${ROOT}/${file}`),
            // Git adds no file, except with force.
            isIgnored: () => true,
            mayHaveChanged: () => false,
          }
        : 'none',
    isLinkedTree: (folder) => (table.checkouts ?? []).includes(folder),
    gitIn: (folder) => (isFolder(folder, table.cwd ?? ROOT) ? table.git : undefined),
    gitSettings: () => new Set(table.gitSettings ?? []),
    environment: table.environment ?? {},
  };
}

function namesIn(folder: string, files: readonly string[]): string[] {
  const below = files.filter((file) => file.startsWith(`${folder}/`));
  return [...new Set(below.map((file) => file.slice(folder.length + 1).split('/', 1)[0] ?? ''))];
}

/** Behind a link `..` leads elsewhere. */
function isFolder(folder: string, cwd: string): boolean {
  return path.posix.join(folder, '/') === `${cwd}/` && !folder.includes('..');
}
