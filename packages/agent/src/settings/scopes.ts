/** The locations of settings, from the highest to the lowest scope. */
import { existsSync, lstatSync, readdirSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import type { RuleSource } from '../permission/rules/rule.ts';
import type { JsonObject } from '@heddle/core';
import { isGitData } from './git-data.ts';

/** The scopes of the user's own settings files. */
export type Scope = Extract<RuleSource, 'user' | 'project' | 'local'>;

export const SCOPES: readonly Scope[] = ['user', 'project', 'local'];

export interface SettingsPlaces {
  readonly cwd: string;
  readonly home: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The folder of the administrator's settings, which cannot be overridden. */
  readonly managedDir?: string;
  /** The folder with the settings of the project, in place of the project around `cwd`. */
  readonly projectRoot?: string | undefined;
}

export interface SettingsFile {
  readonly source: RuleSource;
  readonly file: string;
  /** The folder that a leading `/` in its path rules refers to. */
  readonly base: string;
  /** The project with the file, if it is not `base`. */
  readonly project?: string;
  /** The file is above the project, in the same repository. It can only forbid. */
  readonly isAbove?: true;
}

/** The folders of a project with settings, skills, commands and agents. The first takes precedence. */
export const PROJECT_FOLDERS = ['.heddle', '.claude'] as const;

/** The settings files, from the highest scope to the lowest. They may be missing. */
export function settingsFiles(places: SettingsPlaces): SettingsFile[] {
  const managed = places.managedDir ?? managedDir();
  const around = projectRoot(places.cwd);
  const { projectRoot: project = around } = places;
  // The rules of another checkout are about the files of this one.
  const inProject = filesIn({ base: around, project });
  const above = foldersAbove(project).map((folder) =>
    filesIn({ base: counterpart(folder, project, around), project: folder, isAbove: true }),
  );
  const ofScope = (source: Scope): SettingsFile[] => [inProject, ...above].flatMap((files) => files(source));
  return [
    ...managedFiles(managed).map((file): SettingsFile => ({ source: 'managed', file, base: managed })),
    ...ofScope('local'),
    ...ofScope('project'),
    ...configDirs(places).map(
      (folder): SettingsFile => ({ source: 'user', file: path.join(folder, 'settings.json'), base: folder }),
    ),
  ];
}

const PROJECT_FILES: Readonly<Partial<Record<Scope, string>>> = {
  local: 'settings.local.json',
  project: 'settings.json',
};

function filesIn(
  place: Pick<SettingsFile, 'base' | 'isAbove'> & { readonly project: string },
): (source: Scope) => SettingsFile[] {
  return (source) =>
    PROJECT_FOLDERS.map((folder) => ({
      ...place,
      source,
      file: path.join(place.project, folder, PROJECT_FILES[source] ?? ''),
    }));
}

/** Returns the folders above a project, up to the top of what may be its repository. Their settings only forbid. */
function foldersAbove(project: string): readonly string[] {
  const top = possibleRepositoryTop(project);
  return top === undefined ? [] : foldersBetween(project, top);
}

/** Returns the folders above a folder, up to the given one. */
function foldersBetween(folder: string, top: string): readonly string[] {
  if (folder === top) return [];
  const above = path.dirname(folder);
  return [above, ...foldersBetween(above, top)];
}

/** Returns the folder of this checkout that is a folder of another one. A folder outside of this repository is not. */
function counterpart(folder: string, project: string, around: string): string {
  const own = path.resolve(around, path.relative(project, folder));
  return foldersAbove(around).includes(own) ? own : around;
}

/**
 * Returns the file that changes of a scope are written to. In a project, that is the strongest file that exists.
 * If none exists, it is the one that other tools read, too.
 */
export function settingsFileOf(scope: Scope, places: SettingsPlaces): SettingsFile {
  const files = settingsFiles(places).filter(({ source, isAbove }) => source === scope && !isAbove);
  const found = scope === 'user' ? files[0] : (files.find(({ file }) => existsSync(file)) ?? files.at(-1));
  if (!found) throw new Error(`There is no settings file of scope ${scope}.`);
  return found;
}

/**
 * Returns the user's settings folders: Heddle's own if set, else the one of another tool if set, else both defaults.
 * Heddle's own comes first. It is written to, and takes precedence.
 */
export function configDirs({ env, home }: Pick<SettingsPlaces, 'env' | 'home'>): string[] {
  const named = env['HEDDLE_CONFIG_DIR'] || env['CLAUDE_CONFIG_DIR'];
  return named ? [path.resolve(named)] : [path.join(home, '.heddle'), path.join(home, '.claude')];
}

/**
 * Returns the nearest folder with settings, up to the top of the repository. Otherwise that top, or the folder itself.
 */
export function projectRoot(cwd: string): string {
  const top = acceptedRepositoryTop(cwd);
  for (let folder = cwd; ; folder = path.dirname(folder)) {
    if (hasSettings(folder)) return folder;
    if (top === undefined || folder === top) return top ?? cwd;
  }
}

function hasSettings(folder: string): boolean {
  return PROJECT_FOLDERS.some((place) =>
    ['settings.json', 'settings.local.json'].some((name) => existsSync(path.join(folder, place, name))),
  );
}

/**
 * Returns the top folder of the repository that git would use, for all that is trusted or applied. Undefined if there is none, also
 * below a file `.git` that git rejects: git looks no further then.
 */
export function acceptedRepositoryTop(cwd: string): string | undefined {
  for (let folder = cwd; ; folder = path.dirname(folder)) {
    const kind = kindOfGit(path.join(folder, '.git'));
    if (kind === 'accepted') return folder;
    if (kind === 'rejected file' || folder === path.dirname(folder)) return undefined;
  }
}

/**
 * Returns the top folder of what may be a repository, for all that only forbids. Without one that git would use, each entry `.git`
 * counts: the data of a working tree or submodule are missing if only its folder was mounted. The outermost one is returned.
 */
export function possibleRepositoryTop(cwd: string): string | undefined {
  let outermost: string | undefined;
  for (let folder = cwd; ; folder = path.dirname(folder)) {
    const kind = kindOfGit(path.join(folder, '.git'));
    if (kind === 'accepted') return folder;
    if (kind !== 'absent') outermost = folder;
    if (folder === path.dirname(folder)) return outermost;
  }
}

/** Git looks above a rejected folder. A sandbox creates an empty one to prevent a repository. */
function kindOfGit(git: string): 'accepted' | 'rejected file' | 'rejected folder' | 'absent' {
  if (!hasEntry(git)) return 'absent';
  try {
    const about = statSync(git, { throwIfNoEntry: false });
    if (about?.isFile() !== true) return isGitData(git) ? 'accepted' : 'rejected folder';
    if (about.size > MOST_POINTER_BYTES) return 'rejected file';
    // A working tree and a submodule have a file that names the data. Any other text may be in an archive.
    const [, named] = /^gitdir: ([^\r\n]+)[\r\n]*$/.exec(readFileSync(git, 'utf8')) ?? [];
    const isAccepted = named !== undefined && isGitData(path.resolve(path.dirname(git), named));
    return isAccepted ? 'accepted' : 'rejected file';
  } catch {
    // It cannot be read.
    return 'rejected file';
  }
}

/** Also true for a link that leads nowhere. */
function hasEntry(file: string): boolean {
  try {
    return lstatSync(file, { throwIfNoEntry: false }) !== undefined;
  } catch {
    return false;
  }
}

/** A file `.git` has one path. */
const MOST_POINTER_BYTES = 8_192;

/** The drop-in files of a folder follow the main one, in the order of their names. */
function managedFiles(folder: string): string[] {
  const dropIns = path.join(folder, 'managed-settings.d');
  return [
    path.join(folder, 'managed-settings.json'),
    ...names(dropIns).map((name) => path.join(dropIns, name)),
  ];
}

function names(folder: string): string[] {
  // Errors are slow to create, and this folder is absent on most computers.
  if (!existsSync(folder)) return [];
  try {
    return readdirSync(folder)
      .filter((name) => name.endsWith('.json'))
      .sort();
  } catch {
    return [];
  }
}

/** The folder of the administrator's settings on this system. */
export function managedDir(): string {
  switch (process.platform) {
    case 'darwin':
      return '/Library/Application Support/ClaudeCode';
    case 'win32':
      return 'C:\\Program Files\\ClaudeCode';
    default:
      return '/etc/claude-code';
  }
}

export interface LoadedFile {
  readonly source: RuleSource;
  /** Undefined for settings from the command line. */
  readonly file: string | undefined;
  readonly base: string;
  /** The valid content of the file. */
  readonly settings: JsonObject;
  /** The entries that count. */
  readonly counting: JsonObject;
  /** The entries of local settings that Heddle itself wrote. */
  readonly written?: JsonObject;
  /** The text of the file, to find the lines of its values. */
  readonly text?: string;
  /** The real path of the file, if it is outside of its project. Then the file does not count. */
  readonly target?: string;
}
