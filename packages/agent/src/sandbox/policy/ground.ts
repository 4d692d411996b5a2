/** Collects the current folders and rules of a session, the input of a policy. */
import { realTarget } from '@heddle/tools/files';
import {
  findRepository,
  gitPath,
  gitSettingsOf,
  resolveConfigPath,
  type WorkingTrees,
  workingTreesReader,
} from '@heddle/tools/git';
import { existsSync, realpathSync, statSync } from 'node:fs';
import path from 'node:path';
import type { LivePermissions } from '../../permission/live-permissions.ts';
import { observeWorld } from '../../permission/observe-world.ts';
import { lockedProgram } from '../../permission/paths/own-program.ts';
import { isProgramFolder, programPlaces } from '../../permission/paths/program-places.ts';
import { isInGitData } from '../../permission/paths/protected.ts';
import type { Rules } from '../../permission/rules/rule.ts';
import { rulesAt, type WorktreePlace } from '../../permission/rules/rules-at.ts';
import type { PermissionWorld } from '../../permission/world.ts';
import { readRegularFile } from '../../settings/json-file.ts';
import type { SandboxSettings } from '../../settings/sandbox-settings.ts';
import { acceptedRepositoryTop } from '../../settings/scopes.ts';

/** The input of a policy. Its functions answer synchronously, and a test answers them from a table. */
export interface PolicyInput {
  /** The project folder. */
  readonly root: string;
  /** Additional working directories. */
  readonly directories: readonly string[];
  readonly home: string;
  /** Folders of the agent's own settings and sessions. */
  readonly configDirs: readonly string[];
  /** The temporary folder of the session. */
  readonly temp: string;
  readonly rules: Rules;
  readonly settings: SandboxSettings;
  /** The git folder of the project, if it is outside of the project. */
  readonly repository: Repository | undefined;
  /** Hook folders and settings files that git settings name. */
  readonly namedByGit: readonly string[];
  /** Existing places whose programs later commands run by name, or that a protected link leads to. */
  readonly programs: readonly string[];
  readonly foldsCase: boolean;
  /** The working trees of the repository around a folder. Absent: there is only one. */
  readonly workingTrees?: (folder: string) => WorkingTrees | undefined;
  readonly realpath: (path: string) => string;
  readonly kindOf: (path: string) => 'file' | 'folder' | 'absent';
}

export interface Repository {
  /** The `.git` folder of the whole repository. */
  readonly folder: string;
  /** The git folder of the worktree, if the project is one. */
  readonly worktree: string | undefined;
}

export interface PolicySources {
  readonly root: string;
  /** Additional to the directories of the live permissions. */
  readonly directories: readonly string[];
  readonly home: string;
  readonly configDirs: readonly string[];
  readonly temp: string;
  /** The environment of the command. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly live: LivePermissions;
  readonly settings: SandboxSettings;
}

/** `directory` is the working directory of the command. */
export function collectPolicyInput(grounds: PolicySources, directory: string): PolicyInput {
  const { home, configDirs, temp, environment, live, settings } = grounds;
  const { root, rules } = inWorktrees(directory, grounds.root, live.rules);
  const directories = [...new Set([...grounds.directories, ...live.directories])];
  const surroundings = { root, cwd: root, directories, home, configDirs, environment };
  const world = observeWorld(surroundings);
  return {
    root,
    directories,
    home,
    configDirs,
    temp,
    rules,
    settings,
    repository: repositoryAround(root),
    namedByGit: [root, ...directories].flatMap((folder) => namedByGit(folder, environment)),
    programs: guardedPrograms(world),
    foldsCase: world.foldsCase,
    workingTrees: workingTreesReader(),
    realpath: (file) => world.realpath(file),
    kindOf,
  };
}

/**
 * Package managers write the usual folders of programs, such as `node_modules/.bin`. Git writes its data, in which only some
 * files are guarded.
 */
function guardedPrograms(world: PermissionWorld): string[] {
  const programs = programPlaces(world).filter(
    (place) => !isProgramFolder(place) && world.exists(place) && !isInGitData(place, world),
  );
  return [...programs, ...lockedProgram(world)];
}

/**
 * Returns the worktree that the agent checked out for a subagent, and the rules of the session for it. The subagent works
 * only there. A subagent in a worktree may start another one, with a worktree inside.
 */
function inWorktrees(
  directory: string,
  project: string,
  given: Rules,
): { readonly root: string; readonly rules: Rules } {
  let [root, cwd, rules] = [project, realFolder(project), given];
  const place = realFolder(directory);
  // The project may be a folder inside the repository.
  let top = realFolder(acceptedRepositoryTop(cwd) ?? cwd);
  while (true) {
    const [agent = '', worktrees, name] = path.relative(top, place).split(path.sep);
    if (!/^\.(claude|heddle)$/.test(agent) || worktrees !== 'worktrees' || !name) return { root, rules };
    const worktree: WorktreePlace = { top, path: path.join(top, agent, worktrees, name) };
    const own = path.join(worktree.path, path.relative(top, cwd));
    rules = rulesAt(rules, { cwd: own, parentCwd: cwd, worktree });
    [root, cwd, top] = [worktree.path, own, worktree.path];
  }
}

function realFolder(folder: string): string {
  try {
    return realpathSync.native(folder);
  } catch {
    return folder;
  }
}

function kindOf(file: string): 'file' | 'folder' | 'absent' {
  try {
    return statSync(file).isDirectory() ? 'folder' : 'file';
  } catch {
    return 'absent';
  }
}

/** Finds the git folder of a project that is not in the project folder: in a parent folder, or for a worktree elsewhere. */
function repositoryAround(folder: string): Repository | undefined {
  const top = acceptedRepositoryTop(folder);
  if (top === undefined) return undefined;
  const git = path.join(top, '.git');
  try {
    if (!statSync(git).isDirectory()) return worktree(git);
    return top === folder ? undefined : { folder: git, worktree: undefined };
  } catch {
    return undefined;
  }
}

/**
 * Reads a `.git` file of a worktree. Any program could write such a file, so the folder it names must name the file in
 * return. The project cannot write to that folder.
 */
function worktree(file: string): Repository | undefined {
  const [, named = ''] = /^gitdir: (.+)$/m.exec(readRegularFile(file)) ?? [];
  const own = gitPath(path.dirname(file), named.trim());
  if (named === '' || own === undefined || namedIn(own, 'gitdir') !== realpathSync.native(file))
    return undefined;
  const folder = namedIn(own, 'commondir');
  if (folder === undefined) return undefined;
  return existsSync(path.join(folder, 'HEAD')) ? { folder, worktree: realpathSync.native(own) } : undefined;
}

function namedIn(folder: string, name: string): string | undefined {
  const named = gitPath(folder, readRegularFile(path.join(folder, name)).trim());
  return named === undefined ? undefined : realpathSync.native(named);
}

/**
 * Returns files that git settings name, also those of the user and in variables: hook folders and included files, even if they do not
 * exist, and existing lists of attributes and ignored files. A command could change them to run a program later. Files of settings that
 * variables name (`GIT_CONFIG_GLOBAL`) count as well.
 */
function namedByGit(folder: string, environment: PolicySources['environment']): string[] {
  const found = findRepository(folder);
  const repository = found.kind === 'found' ? found.repository : undefined;
  const top = repository?.top ?? folder;
  const named = gitSettingsOf(repository, environment).settings.flatMap(({ key, value, file }) => {
    const isInclude = /^include(if\..*)?\.path$/s.test(key);
    if (!isInclude && !/^core\.(hookspath|attributesfile|excludesfile)$/.test(key)) return [];
    const from = isInclude ? path.dirname(file ?? '/') : top;
    const place = resolveConfigPath(value, from, environment) ?? presentTarget(value, from);
    const isNeeded =
      isInclude || key === 'core.hookspath' || (place !== undefined && kindOf(place) !== 'absent');
    return place !== undefined && isNeeded && place !== top ? [place] : [];
  });
  return [...named, ...settingsFiles(environment)];
}

/** Returns the files of settings that git uses everywhere, existing or not. */
function settingsFiles(environment: PolicySources['environment']): readonly string[] {
  const { XDG_CONFIG_HOME: config } = environment;
  const ofUser = config && path.isAbsolute(config) ? ['config', 'attributes'] : [];
  const named = ['GIT_CONFIG_GLOBAL', 'GIT_CONFIG_SYSTEM'].map((name) => environment[name] ?? '');
  return [
    ...named.filter((file) => path.isAbsolute(file) && file !== '/dev/null'),
    ...ofUser.map((name) => path.join(config ?? '', 'git', name)),
  ];
}

/** Returns the place to which links lead at present, for a path with `..` after a name, or one that depends on the process. */
function presentTarget(written: string | undefined, from: string): string | undefined {
  if (!written || /^[~%:]/.test(written)) return undefined;
  try {
    return realTarget(path.isAbsolute(written) ? written : `${from}/${written}`);
  } catch {
    return undefined;
  }
}
