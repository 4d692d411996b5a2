/**
 * Reads all settings that git may use in a folder, from its configuration files and without git. The
 * result contains more than git uses, because conditional includes always count. Each setting must be
 * harmless in itself, so precedence does not matter.
 */
import { accessSync, constants, realpathSync } from 'node:fs';
import path from 'node:path';
import { readBoundedFile, decodePlainText } from './bounded-file.ts';
import { type GitSetting, parseGitConfig } from './config-text.ts';
import { gitPath } from './git-path.ts';
import type { GitRepository } from './repository.ts';

export type GitEnvironment = Readonly<Record<string, string | undefined>>;

type SettingScope = 'system' | 'user' | 'repository';

export interface ScopedSetting extends GitSetting {
  readonly scope: SettingScope;
  /** The file that contains it. Undefined: a variable. */
  readonly file: string | undefined;
}

const MOST_BYTES = 1024 * 1024;
const MOST_FILES = 64;
/** Git's own limit. */
const MOST_NESTED = 10;

interface Pending {
  readonly file: string;
  readonly scope: SettingScope;
  readonly depth: number;
}

/** Returns undefined if a file cannot be read as git reads it, or an included file is not found. */
export function readGitSettings(
  repository: GitRepository | undefined,
  environment: GitEnvironment,
): readonly ScopedSetting[] | undefined {
  const { settings, isComplete } = readableGitSettings(repository, environment);
  return isComplete ? settings : undefined;
}

/** Returns the settings of the repository itself. Undefined if a file cannot be read as git reads it. */
export function readRepositorySettings(
  repository: GitRepository,
  environment: GitEnvironment,
): readonly ScopedSetting[] | undefined {
  const { settings, isComplete } = readableOwnSettings(repository, environment);
  return isComplete ? settings : undefined;
}

/** Returns the settings of all files that can be read. */
function readableGitSettings(
  repository: GitRepository | undefined,
  environment: GitEnvironment,
): FoundSettings {
  return settingsIn(configFiles(repository, environment), environment);
}

/** Returns the settings of the user and of the machine that can be read, after the `given` ones with the files that these include. */
export function readableUserSettings(
  environment: GitEnvironment,
  given: readonly ScopedSetting[],
): FoundSettings {
  return settingsIn(configFiles(undefined, environment), environment, given);
}

/** Returns the settings of the repository itself that can be read. */
export function readableOwnSettings(repository: GitRepository, environment: GitEnvironment): FoundSettings {
  const files = ownFiles(repository).map((file) => ({ file, scope: 'repository' as const }));
  return settingsIn(files, environment);
}

export interface FoundSettings {
  readonly settings: readonly ScopedSetting[];
  readonly isComplete: boolean;
}

function settingsIn(
  files: readonly Omit<Pending, 'depth'>[] | undefined,
  environment: GitEnvironment,
  given: readonly ScopedSetting[] = [],
): FoundSettings {
  const included = includedFiles(given, environment);
  let isComplete = files !== undefined && !included.includes(undefined);
  const pending: Pending[] = (files ?? []).map(({ file, scope }) => ({ file, scope, depth: 0 }));
  for (const file of included) if (file !== undefined) pending.push({ file, scope: 'user', depth: 1 });
  const settings: ScopedSetting[] = [...given];
  for (let count = 0; ; count++) {
    const next = pending.shift();
    if (next === undefined) return { settings, isComplete };
    const { file, scope, depth } = next;
    const parsed = readGitConfigFile(file);
    if (parsed === 'absent') continue;
    if (count > MOST_FILES) return { settings, isComplete: false };
    if (parsed === undefined || depth > MOST_NESTED) {
      isComplete = false;
      continue;
    }
    const scoped = parsed.map(({ key, value }): ScopedSetting => ({ key, value, scope, file }));
    settings.push(...scoped);
    for (const included of includedFiles(scoped, environment)) {
      if (included === undefined) isComplete = false;
      else pending.push({ file: included, scope, depth: depth + 1 });
    }
  }
}

/** Returns the files that settings include, also missing ones. */
export function includedFiles(
  settings: readonly ScopedSetting[],
  environment: GitEnvironment,
): readonly (string | undefined)[] {
  return settings
    .filter(({ key }) => isInclude(key))
    .map(({ value, file }) => {
      // Git rejects a relative name in a variable.
      if (file === undefined && !/^(~|\/)/.test(value ?? '')) return undefined;
      return resolveConfigPath(value, path.dirname(file ?? '/'), environment);
    });
}

/** Reads one file without its includes. Undefined if it cannot be read as git reads it. */
export function readGitConfigFile(file: string): readonly GitSetting[] | 'absent' | undefined {
  const read = readBoundedFile(file, MOST_BYTES);
  if (read.kind === 'absent') return 'absent';
  const text = read.kind === 'read' ? decodePlainText(read.bytes) : undefined;
  return text === undefined ? undefined : parseGitConfig(text);
}

function isInclude(key: string): boolean {
  return /^include(if\..*)?\.path$/s.test(key);
}

/** Returns the folders of hooks. Undefined: a folder that cannot be determined. */
export function hooksFolders(
  { commonDir, top }: GitRepository,
  settings: readonly ScopedSetting[],
  environment: GitEnvironment,
): readonly (string | undefined)[] {
  const named = settings.filter(({ key }) => key === 'core.hookspath');
  const folders = named.map(({ value }) => resolveConfigPath(value, top, environment));
  return [path.join(commonDir, 'hooks'), ...folders];
}

/** Returns undefined for another user's home, for a path relative to git's installation, and for `..` after a name. */
export function resolveConfigPath(
  value: string | undefined,
  folder: string,
  { HOME: home }: GitEnvironment,
): string | undefined {
  if (!value) return undefined;
  if (value.startsWith('~/')) return home ? gitPath(home, value.slice(2)) : undefined;
  return value.startsWith('~') || value.startsWith('%(') || value.startsWith(':(')
    ? undefined
    : gitPath(folder, value);
}

/** Returns the files from which git takes settings, also missing ones. Undefined if one cannot be determined. */
export function configFiles(
  repository: GitRepository | undefined,
  environment: GitEnvironment,
): { readonly file: string; readonly scope: SettingScope }[] | undefined {
  const { GIT_CONFIG_SYSTEM: system, GIT_CONFIG_GLOBAL: global, HOME: home } = environment;
  const named = [system, global].filter((file) => file !== undefined && file !== '');
  if (named.some((file) => file === undefined || !path.isAbsolute(file))) return undefined;
  const withoutSystem = /^(1|true|yes|on)$/i.test(environment['GIT_CONFIG_NOSYSTEM'] ?? '');
  // Git documents `/dev/null` for no settings. It is not a regular file, so reading it would fail.
  const filesOf = (file: string): readonly string[] => (file === '' || file === '/dev/null' ? [] : [file]);
  const systems = withoutSystem ? [] : system ? filesOf(system) : systemFiles(environment);
  const users = global === undefined ? userFiles(home, environment) : filesOf(global);
  const own = repository ? ownFiles(repository) : [];
  return [
    ...systems.map((file) => ({ file, scope: 'system' as const })),
    ...users.map((file) => ({ file, scope: 'user' as const })),
    ...own.map((file) => ({ file, scope: 'repository' as const })),
  ];
}

function ownFiles({ commonDir, gitDir }: GitRepository): readonly string[] {
  const files = [commonDir, gitDir].flatMap((folder) => [
    path.join(folder, 'config'),
    path.join(folder, 'config.worktree'),
  ]);
  return [...new Set(files)];
}

function userFiles(home: string | undefined, environment: GitEnvironment): string[] {
  const config = environment['XDG_CONFIG_HOME'] || (home ? path.join(home, '.config') : '');
  return [
    ...(config === '' ? [] : [path.join(config, 'git/config')]),
    ...(home ? [path.join(home, '.gitconfig')] : []),
  ];
}

/** The settings for all users: the usual locations, and those beside the installed program. */
function systemFiles({ PATH: places = '' }: GitEnvironment): string[] {
  const files = new Set(['/etc/gitconfig', '/usr/local/etc/gitconfig', '/opt/homebrew/etc/gitconfig']);
  for (const folder of places.split(path.delimiter).filter((place) => path.isAbsolute(place))) {
    const program = path.join(folder, 'git');
    try {
      accessSync(program, constants.X_OK);
      const prefix = path.dirname(path.dirname(realpathSync.native(program)));
      files.add(path.join(prefix, 'etc/gitconfig'));
      break;
    } catch {
      // The next folder may contain it.
    }
  }
  return [...files];
}
