/**
 * Finds the files and folders from which git takes hooks, settings, attributes and programs. Reads files and starts no process.
 */
import { existsSync, realpathSync } from 'node:fs';
import path from 'node:path';
import { followPath } from '../files/follow-path.ts';
import { attributesFiles } from './attributes.ts';
import {
  configFiles,
  type FoundSettings,
  type GitEnvironment,
  hooksFolders,
  includedFiles,
  readableOwnSettings,
  readableUserSettings,
  type ScopedSetting,
} from './config-files.ts';
import { dependsOnProcess, gitPath } from './git-path.ts';
import { programFiles, templateFolders } from './repository-programs.ts';
import { bareRepositoryAt, findRepository, type GitRepository, readGitFile } from './repository.ts';
import { settingsOfVariables } from './variables.ts';

export interface GitSource {
  /** Undefined: it cannot be determined. */
  readonly place: string | undefined;
  /** `data`: a repository, or a template for one. Git takes programs only from some of its files. */
  readonly kind: 'data' | 'hooks' | 'other';
}

/** `configured` are the files of settings that git uses everywhere, also missing ones. */
export function sourcesOf(
  repository: GitRepository | undefined,
  settings: readonly ScopedSetting[],
  environment: GitEnvironment,
  configured: readonly string[] = [],
): readonly GitSource[] {
  const as = (kind: GitSource['kind'], places: readonly (string | undefined)[]): readonly GitSource[] =>
    Array.from(new Set(places), (place) => ({ place, kind }));
  const files = [
    ...configured,
    ...settings.flatMap(({ file }) => file ?? []),
    ...includedFiles(settings, environment),
  ];
  if (repository === undefined) return as('other', files);
  return [
    ...as('data', [
      repository.gitDir,
      repository.commonDir,
      ...templateFolders(repository, settings, environment),
    ]),
    ...as('hooks', hooksFolders(repository, settings, environment)),
    ...as('other', [
      ...attributesFiles(repository, settings, environment),
      ...files,
      ...programFiles(repository, settings, environment),
      ...presentPlaces(repository, settings),
    ]),
  ];
}

const NAMES_PLACE = /^(?:include(?:if\..*)?\.path|core\.(?:hookspath|attributesfile))$/s;

/** Returns named places that depend on the process, as they are written. Their present targets are protected, too. */
function presentPlaces({ top }: GitRepository, settings: readonly ScopedSetting[]): readonly string[] {
  return settings.flatMap(({ key, value, file }) => {
    if (!value || !NAMES_PLACE.test(key)) return [];
    const place = path.resolve(key.startsWith('include') ? path.dirname(file ?? '/') : top, value);
    return dependsOnProcess(place) ? [place] : [];
  });
}

export interface GitSources {
  readonly places: readonly string[];
  /** The folders with hooks, also outside working directories. */
  readonly hooks: readonly string[];
  /** False: some settings cannot be read and may name other places, or name places that cannot be determined. */
  readonly isComplete: boolean;
}

/** Returns the settings that git uses, from files and variables. */
export function gitSettingsOf(
  repository: GitRepository | undefined,
  environment: GitEnvironment,
): FoundSettings {
  const variables = settingsOfVariables(environment);
  const user = readableUserSettings(environment, variables.settings);
  const own = repository && readableOwnSettings(repository, environment);
  return {
    settings: [...user.settings, ...(own?.settings ?? [])],
    isComplete: variables.isComplete && user.isComplete && own?.isComplete !== false,
  };
}

export interface GitSourceReader {
  /**
   * Returns the files and folders from which git takes hooks, settings and attributes of the repository around a folder, which can be
   * a bare one. They include those that settings name: `core.hooksPath`, `include.path`, `core.attributesFile`, and programs. A file
   * `.git` may name a repository that does not exist yet.
   */
  readonly around: (directory: string) => GitSources;
  /**
   * Returns the places that settings of the user and of the machine name, for the start folders if they are not in a repository. The
   * user's repositories elsewhere use them. Relative names count in each folder, because a repository can be created there.
   */
  readonly outside: () => GitSources;
}

/**
 * Returns a reader for the folders in which commands start, from which relative names in variables count. It reads the settings of the
 * user once.
 */
export function gitSourceReader(starts: readonly string[], environment: GitEnvironment): GitSourceReader {
  const user = gitSettingsOf(undefined, environment);
  const files = (configFiles(undefined, environment) ?? []).map(({ file }) => file);
  const settingsOf = (repository: GitRepository): FoundSettings => {
    const { settings, isComplete } = readableOwnSettings(repository, environment);
    return { settings: [...user.settings, ...settings], isComplete: user.isComplete && isComplete };
  };
  const sourcesIn = (repository: GitRepository, settings: readonly ScopedSetting[]): readonly GitSource[] =>
    sourcesOf(repository, settings, environment, files);
  const everywhere = sourcesOfVariables(starts, environment, settingsOf, sourcesIn);
  const resultOf = (
    sources: readonly GitSource[],
    tops: readonly string[],
    isComplete: boolean,
  ): GitSources => {
    const all = [...sources, ...everywhere];
    return {
      places: placesOfSources(all, tops, starts),
      hooks: all.flatMap(({ place, kind }) => (kind === 'hooks' && place !== undefined ? [place] : [])),
      isComplete: isComplete && all.every(({ place }) => place !== undefined),
    };
  };
  const outsideOf = (folders: readonly string[]): GitSources => {
    const sources = folders.flatMap((top) => {
      const data = path.join(top, '.git');
      // Files of git itself are protected by their name.
      return sourcesIn({ top, gitDir: data, commonDir: data }, user.settings).filter(
        ({ place }) => place === undefined || !place.startsWith(`${data}/`),
      );
    });
    return resultOf(sources, folders, user.isComplete);
  };
  const around = (directory: string): GitSources => {
    const found = findRepository(directory);
    const bare = found.kind === 'unknown' ? bareRepositoryAt(directory) : undefined;
    const repository = found.kind === 'found' ? found.repository : bare;
    if (repository === undefined) {
      const named = readGitFile(path.join(directory, '.git'));
      const isMissing = named !== undefined && !existsSync(named);
      const { places, hooks, isComplete } = outsideOf([directory]);
      return {
        hooks,
        places: [...(named === undefined ? [] : [named]), ...places],
        isComplete: isComplete && (found.kind === 'none' || isMissing),
      };
    }
    const { settings, isComplete } = settingsOf(repository);
    const tops = new Set([
      repository.top,
      ...namedTrees(repository, settings),
      ...placesOfVariable(environment['GIT_WORK_TREE'], starts),
    ]);
    const sources = [...tops].flatMap((top) =>
      top === undefined ? [UNKNOWN] : sourcesIn({ ...repository, top }, settings),
    );
    return resultOf(sources, bare === undefined ? [repository.top] : [], isComplete);
  };
  return { around, outside: () => outsideOf(starts) };
}

/** Returns the places of the repository and the programs that variables name for all folders: `GIT_DIR`, `GIT_EXEC_PATH`. */
function sourcesOfVariables(
  starts: readonly string[],
  environment: GitEnvironment,
  settingsOf: (repository: GitRepository) => FoundSettings,
  sourcesIn: (repository: GitRepository, settings: readonly ScopedSetting[]) => readonly GitSource[],
): readonly GitSource[] {
  const { GIT_DIR, GIT_COMMON_DIR, GIT_WORK_TREE, GIT_EXEC_PATH } = environment;
  const programs = placesOfVariable(GIT_EXEC_PATH, starts).map((place): GitSource => {
    // Its programs can have many names, so a folder around the files of the project is not a single place.
    const isAround = place !== undefined && starts.some((start) => isAbove(place, start));
    return { place: isAround ? undefined : place, kind: 'other' };
  });
  const trees = GIT_WORK_TREE ? placesOfVariable(GIT_WORK_TREE, starts) : starts;
  const data = placesOfVariable(GIT_DIR || GIT_COMMON_DIR, starts).flatMap((place) =>
    place === undefined ? [undefined] : [place, readGitFile(place) ?? place],
  );
  const sources = [...new Set(data)].flatMap((gitDir) => {
    const commons = GIT_COMMON_DIR ? placesOfVariable(GIT_COMMON_DIR, starts) : [gitDir];
    return commons.flatMap((commonDir) => {
      if (gitDir === undefined || commonDir === undefined) return [UNKNOWN];
      const { settings, isComplete } = settingsOf({ top: gitDir, gitDir, commonDir });
      const found = trees.flatMap((top) =>
        top === undefined ? [UNKNOWN] : sourcesIn({ top, gitDir, commonDir }, settings),
      );
      return isComplete ? found : found.concat(UNKNOWN);
    });
  });
  return [...programs, ...sources];
}

const UNKNOWN: GitSource = { place: undefined, kind: 'other' };

/** Returns the paths that a variable may mean. Undefined: a path that cannot be determined. */
function placesOfVariable(
  written: string | undefined,
  starts: readonly string[],
): readonly (string | undefined)[] {
  if (!written) return [];
  return [...new Set(starts.map((start) => gitPath(start, written)))];
}

/** Returns the folders that settings name as the working tree. Undefined: a folder that cannot be determined. */
function namedTrees(
  { gitDir }: GitRepository,
  settings: readonly ScopedSetting[],
): readonly (string | undefined)[] {
  return settings
    .filter(({ key, file }) => key === 'core.worktree' && file !== undefined)
    .map(({ value }) => (value ? gitPath(gitDir, value) : undefined));
}

/**
 * Returns the places to protect. A working tree itself cannot count as a folder of hooks, because it contains every file. `tops` are
 * working trees, and `starts` the folders in which commands start.
 */
function placesOfSources(
  sources: readonly GitSource[],
  tops: readonly string[],
  starts: readonly string[],
): readonly string[] {
  const isAround = (folder: string, inner: readonly string[]): boolean =>
    inner.some((each) => isAbove(folder, each));
  const placesIn = ({ place, kind }: GitSource): readonly string[] => {
    if (place === undefined) return [];
    const names = (list: readonly string[]): readonly string[] => list.map((name) => path.join(place, name));
    if (kind !== 'data') return isAround(place, tops) ? names(HOOKS) : [place];
    if (!isAround(place, [...tops, ...starts])) return [place];
    return [...placesIn({ place: path.join(place, 'hooks'), kind: 'hooks' }), ...names(DATA)];
  };
  const data = [...new Set(sources.filter(({ kind }) => kind === 'data').flatMap(placesIn))];
  const isInData = (place: string): boolean => data.some((folder) => place.startsWith(`${folder}/`));
  // A file in git's data is protected with them, unless it is a link. There are several such files in each repository.
  const others = sources
    .filter(({ place, kind }) => kind !== 'data' && place !== undefined)
    .filter(({ place = '', kind }) => kind === 'hooks' || !isInData(place) || realPlace(place) !== place);
  return [...new Set([...data, ...others.flatMap(placesIn)])];
}

/** Resolves links, also of a missing file and those without a target. */
function realPlace(file: string): string {
  try {
    return realpathSync.native(file);
  } catch {
    return followPath(file).target;
  }
}

/** Returns whether a folder is another one, or contains it. */
function isAbove(folder: string, inner: string): boolean {
  return `${inner}/`.startsWith(path.join(folder, '/'));
}

const HOOKS = (
  'applypatch-msg pre-applypatch post-applypatch pre-commit pre-merge-commit prepare-commit-msg commit-msg post-commit ' +
  'pre-rebase post-checkout post-merge pre-push reference-transaction push-to-checkout pre-auto-gc post-rewrite ' +
  'sendemail-validate fsmonitor-watchman post-index-change pre-receive update proc-receive post-receive post-update ' +
  'p4-changelist p4-prepare-changelist p4-post-changelist p4-pre-submit'
).split(' ');

/** The entries of a repository, beside hooks, that can make git run a program or use other settings. */
const DATA =
  'config config.worktree commondir info objects modules worktrees branches remotes rebase-merge rebase-apply sequencer'.split(
    ' ',
  );
