/**
 * What sandboxed commands may touch, as plain data: made from settings, rules and folders, and the same for every sandbox.
 * What may not be written wins over what may.
 */
import path from 'node:path';
import type { Rules } from '../../permission/rules/rule.ts';
import type { SandboxSettings } from '../../settings/sandbox.ts';
import { guardedIn, guardedInGit, guardedInHome } from './guarded.ts';
import { domainsOf, pathsOf } from './from-rules.ts';

export interface SandboxPolicy {
  /** Files and folders, with everything in them. */
  readonly writable: readonly string[];
  readonly unwritable: readonly string[];
  /** Patterns: what they match when a command starts cannot be written. */
  readonly unwritableLike: readonly PathKind[];
  /** Files, folders and globs. */
  readonly unreadable: readonly string[];
  /** Exceptions from that. */
  readonly readable: readonly string[];
  readonly allowedDomains: readonly string[];
  readonly deniedDomains: readonly string[];
}

export interface PathKind {
  readonly glob: string;
  readonly matches: (path: string) => boolean;
}

/** What a policy is laid over. Its doors are answered without waiting; a test answers them from a table. */
export interface Ground {
  /** The project. */
  readonly root: string;
  /** Working directories beside it. */
  readonly directories: readonly string[];
  readonly home: string;
  /** Where the agent keeps its own settings and sessions. */
  readonly configDirs: readonly string[];
  /** A folder of the session's own, for what is temporary. */
  readonly temp: string;
  readonly rules: Rules;
  readonly settings: SandboxSettings;
  /** Where git keeps what belongs to the project, when that is outside of it. */
  readonly repository: Repository | undefined;
  /** Folders of hooks and files with settings that git's own settings name. */
  readonly namedByGit: readonly string[];
  readonly foldsCase: boolean;
  readonly realpath: (path: string) => string;
  readonly kindOf: (path: string) => 'file' | 'folder' | 'absent';
}

export interface Repository {
  /** What `.git` is for the whole repository. */
  readonly folder: string;
  /** What `.git` is for a worktree of it. */
  readonly worktree: string | undefined;
}

export function policyOf(ground: Ground): SandboxPolicy {
  const { settings, repository, temp, home } = ground;
  const named = pathsOf(ground);
  const given = outermost(
    [ground.root, ...ground.directories, ...settings.filesystem.allowWrite, ...named.writable],
    ground,
  );
  // Only what a link leads to can be opened. None of these lies in another, so no command could have put the link there.
  const roots = unique(given.map((folder) => ground.realpath(folder)));
  const writable = unique([...roots, ...(repository ? [repository.folder] : []), temp]);
  const guarded = [
    ...roots.flatMap((folder) => guardedIn(folder, ground)),
    ...(repository ? guardedInGit(repository) : []),
    ...ground.namedByGit,
    ...guardedInHome(home, ground),
    ...ground.configDirs,
    ...settings.filesystem.denyWrite,
    ...named.unwritable,
  ];
  const domains = domainsOf(ground.rules);
  return {
    writable,
    // What lies outside needs no guard: nothing there can be written.
    unwritable: unique(guarded.map((file) => throughLinks(file, given, ground))).filter((file) =>
      isWithin(file, writable, ground),
    ),
    unwritableLike: named.unwritableLike,
    unreadable: unique([...settings.filesystem.denyRead, ...named.unreadable]),
    readable: settings.filesystem.allowRead,
    allowedDomains: unique([...settings.network.allowedDomains, ...domains.allowed]),
    deniedDomains: unique([...settings.network.deniedDomains, ...domains.denied]),
  };
}

/** Without those that lie in others. */
function outermost(folders: readonly string[], ground: Ground): string[] {
  return unique(folders).filter(
    (folder, _, all) => !all.some((other) => other !== folder && isWithin(folder, [other], ground)),
  );
}

/** In the folder that is meant, where one of the folders is a link. */
function throughLinks(
  file: string,
  folders: readonly string[],
  { realpath }: Pick<Ground, 'realpath'>,
): string {
  const folder = folders.find((one) => file === one || file.startsWith(`${one}/`));
  return folder === undefined ? file : realpath(folder) + file.slice(folder.length);
}

/** By its name, by where that lies, or by what it points to. */
export function isWithin(
  file: string,
  folders: readonly string[],
  { realpath }: Pick<Ground, 'realpath'>,
): boolean {
  const reals = folders.map(realpath);
  const lies = path.join(realpath(path.dirname(file)), path.basename(file));
  return [file, lies, realpath(file)].some((place) =>
    [...folders, ...reals].some(
      (folder) => place === folder || place.startsWith(folder.endsWith('/') ? folder : `${folder}/`),
    ),
  );
}

function unique(texts: readonly string[]): string[] {
  return [...new Set(texts)];
}
