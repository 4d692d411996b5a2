/**
 * Finds configuration around a folder that could make a reading `git` command run a program. Reads files
 * and starts no process.
 */
import { existsSync, lstatSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { readBoundedFile } from './bounded-file.ts';
import {
  type GitEnvironment,
  hasSettingsInEnvironment,
  hooksFolders,
  includedFiles,
  readableGitSettings,
  readGitConfigFile,
  readGitSettings,
  resolveConfigPath,
  type ScopedSetting,
} from './config-files.ts';
import type { GitSetting } from './config-text.ts';
import { gitPath } from './git-path.ts';
import { isHarmlessSetting, isHarmlessVariable } from './harmless-settings.ts';
import { type GitIndex, type HashLength, readGitIndex } from './index-file.ts';
import { findRepository, type FoundRepository, type GitRepository, readGitFile } from './repository.ts';

export interface GitFacts {
  /** Settings, variables and hooks that are not known to be harmless. */
  readonly helpers: readonly string[];
  /** Filters are configured, although no tracked file may use one. */
  readonly hasFilters?: boolean;
  /** A nested repository has its own configuration, which was not read. */
  readonly submodules: boolean;
  /** Notes may be printed with commits, or replacements instead of objects. They may contain any file. */
  readonly hasNotes?: boolean;
  readonly hasReplacements?: boolean;
  /** The files and folders outside the working tree's own files that decided these facts, also missing ones. */
  readonly sources?: readonly string[];
}

/**
 * Returns undefined if the facts cannot be determined. Outside a repository only variables and user
 * settings count.
 */
export function readGitFacts(directory: string, environment: GitEnvironment): GitFacts | undefined {
  return factsOf(findRepository(directory), environment);
}

function factsOf(found: FoundRepository, environment: GitEnvironment): GitFacts | undefined {
  if (found.kind === 'unknown') return undefined;
  const variables = Object.keys(environment).filter(
    (name) => environment[name] !== undefined && !isHarmlessVariable(name),
  );
  const repository = found.kind === 'found' ? found.repository : undefined;
  const settings = readGitSettings(repository, environment);
  if (settings === undefined) return undefined;
  const named = settings.filter((setting) => !isHarmless(setting, repository)).map(({ key }) => key);
  const filters = named.some(isFilter) ? { hasFilters: true } : {};
  const sources = sourcesOf(repository, settings, environment).filter((source) => source !== undefined);
  if (repository === undefined)
    return { helpers: [...variables, ...named], ...filters, submodules: false, sources };
  const index = readGitIndex(path.join(repository.gitDir, 'index'), hashLength(settings));
  if (index === undefined) return undefined;
  const isFiltered =
    named.some(isFilter) &&
    usesFilters(repository.top, index.paths, attributesFiles(repository, settings, environment));
  const helpers = isFiltered ? named : named.filter((key) => !isFilter(key));
  return {
    helpers: [...new Set([...variables, ...helpers, ...hooksIn(repository, settings, environment)])],
    ...filters,
    submodules: hasSubmodule(repository, index),
    ...(setsNotes(settings) || hasRefs(repository, 'refs/notes') ? { hasNotes: true } : {}),
    ...(hasRefs(repository, 'refs/replace') ? { hasReplacements: true } : {}),
    sources,
  };
}

/** Settings can name any branch as notes. */
function setsNotes(settings: readonly ScopedSetting[]): boolean {
  return settings.some(({ key }) => key.startsWith('notes.') || key === 'core.notesref');
}

/** Returns true also if the refs cannot be read. */
function hasRefs({ commonDir }: GitRepository, folder: string): boolean {
  const place = path.join(commonDir, folder);
  try {
    if (existsSync(place) && readdirSync(place).length > 0) return true;
  } catch {
    return true;
  }
  const packed = readBoundedFile(path.join(commonDir, 'packed-refs'), MOST_BYTES);
  if (packed.kind === 'absent') return existsSync(path.join(commonDir, 'reftable'));
  return packed.kind === 'unreadable' || packed.bytes.includes(`${folder}/`);
}

/** Undefined: a place that cannot be determined. */
function sourcesOf(
  repository: GitRepository | undefined,
  settings: readonly ScopedSetting[],
  environment: GitEnvironment,
): readonly (string | undefined)[] {
  const own = repository ? [repository.gitDir, repository.commonDir] : [];
  const hooks = repository ? hooksFolders(repository, settings, environment) : [];
  const attributes = repository ? attributesFiles(repository, settings, environment) : [];
  const files = [...settings.map(({ file }) => file), ...includedFiles(settings, environment)];
  return [...new Set([...own, ...hooks, ...attributes, ...files])];
}

export interface GitSources {
  readonly places: readonly string[];
  /** False: some settings cannot be read and may name other places, or name places that cannot be determined. */
  readonly isComplete: boolean;
}

/**
 * Returns the files and folders from which git takes hooks, settings and attributes of the repository around a folder.
 * They include those that settings name: `core.hooksPath`, `include.path`, `core.attributesFile`. A file `.git` may name a
 * repository that does not exist yet.
 */
export function gitSourcesAround(directory: string, environment: GitEnvironment): GitSources {
  const found = findRepository(directory);
  if (found.kind !== 'found') {
    const named = readGitFile(path.join(directory, '.git'));
    const isMissing = named !== undefined && !existsSync(named);
    return { places: named === undefined ? [] : [named], isComplete: found.kind === 'none' || isMissing };
  }
  const { repository } = found;
  const { settings, isComplete } = readableGitSettings(repository, environment);
  const sources = sourcesOf(repository, settings, environment);
  const known = sources.filter((source) => source !== undefined);
  const isAbove = (folder: string): boolean => `${repository.top}/`.startsWith(path.join(folder, '/'));
  // The working tree itself cannot count as a folder of hooks, because it contains every file.
  const places = known.flatMap((source) =>
    isAbove(source) ? HOOKS.map((name) => path.join(source, name)) : [source],
  );
  const isWhole = isComplete && known.length === sources.length;
  return { places, isComplete: isWhole && !hasSettingsInEnvironment(environment) };
}

const HOOKS = (
  'applypatch-msg pre-applypatch post-applypatch pre-commit pre-merge-commit prepare-commit-msg commit-msg post-commit ' +
  'pre-rebase post-checkout post-merge pre-push reference-transaction push-to-checkout pre-auto-gc post-rewrite ' +
  'sendemail-validate fsmonitor-watchman post-index-change'
).split(' ');

/**
 * Returns facts for folders that a command names, each as written. After a link `..` has another target
 * than its text suggests.
 */
export function gitFactsFrom(
  directory: string,
  environment: GitEnvironment,
): (folder: string) => GitFacts | undefined {
  // Folders of one repository have the same facts.
  const known = new Map<string, GitFacts | undefined>();
  return (folder) => {
    const found = findRepository(path.isAbsolute(folder) ? folder : `${directory}/${folder}`);
    const { top = '', gitDir = '' } = found.kind === 'found' ? found.repository : {};
    const key = [found.kind, top, gitDir].join('\0');
    if (!known.has(key)) known.set(key, factsOf(found, environment));
    return known.get(key);
  };
}

/** Returns full paths of all files in the index. Undefined if it cannot be read with certainty. */
export function trackedFiles(repository: GitRepository): readonly string[] | undefined {
  const settings = readGitConfigFile(path.join(repository.commonDir, 'config'));
  if (settings === undefined || settings === 'absent') return undefined;
  const index = readGitIndex(path.join(repository.gitDir, 'index'), hashLength(settings));
  return index?.paths.map((file) => path.join(repository.top, file));
}

function isHarmless({ key, value, scope }: ScopedSetting, repository: GitRepository | undefined): boolean {
  if (key !== 'core.worktree') return isHarmlessSetting(key, value);
  // A submodule's settings name the found folder. Any other folder may be anywhere.
  const isOwn = scope === 'repository' && repository !== undefined && value !== undefined;
  return isOwn && gitPath(repository.gitDir, value) === repository.top;
}

function isFilter(key: string): boolean {
  return /^filter\..+\.(clean|smudge|process|required)$/s.test(key);
}

function hashLength(settings: readonly GitSetting[]): HashLength {
  const isLong = settings.some(({ key, value }) => key === 'extensions.objectformat' && value === 'sha256');
  return isLong ? 32 : 20;
}

/** The only hook that a reading command may run: some refresh the index. */
const HOOK = 'post-index-change';

function hooksIn(
  repository: GitRepository,
  settings: readonly ScopedSetting[],
  environment: GitEnvironment,
): string[] {
  const folders = hooksFolders(repository, settings, environment);
  return folders.some((folder) => folder === undefined || existsSync(path.join(folder, HOOK)))
    ? [`hooks/${HOOK}`]
    : [];
}

function attributesFiles(
  { commonDir, top }: GitRepository,
  settings: readonly ScopedSetting[],
  environment: GitEnvironment,
): readonly (string | undefined)[] {
  const { HOME: home, XDG_CONFIG_HOME: config = home && path.join(home, '.config') } = environment;
  const named = settings.filter(({ key }) => key === 'core.attributesfile');
  return [
    path.join(commonDir, 'info/attributes'),
    '/etc/gitattributes',
    ...(config ? [path.join(config, 'git/attributes')] : []),
    ...named.map(({ value }) => resolveConfigPath(value, top, environment)),
  ];
}

/** A tracked repository that is not checked out has no configuration. */
function hasSubmodule({ top }: GitRepository, { gitlinks }: GitIndex): boolean {
  return gitlinks.some((folder) => {
    // A name that is not text cannot be looked up.
    if (folder.includes('\uFFFD')) return true;
    try {
      return lstatSync(path.join(top, folder, '.git'), { throwIfNoEntry: false }) !== undefined;
    } catch {
      return true;
    }
  });
}

// Detects whether an attributes file applies a filter to a tracked file. Filters are often configured and
// rarely used.

const MOST_BYTES = 1024 * 1024;
/** More folders take too long to check. */
const MOST_FOLDERS = 5_000;

/**
 * `others`: attributes files outside the working tree. Returns true if the answer cannot be determined.
 */
function usesFilters(
  top: string,
  paths: readonly string[],
  others: readonly (string | undefined)[],
): boolean {
  const folders = new Set(['']);
  // If the file is missing, git reads it from the index.
  const isMissing = (file: string): boolean =>
    file.toLowerCase().endsWith('.gitattributes') &&
    readBoundedFile(path.join(top, file), MOST_BYTES).kind === 'absent';
  if (paths.some(isMissing)) return true;
  for (const file of paths) {
    // The parents of a known folder are known, too.
    for (let folder = parentOf(file); !folders.has(folder); folder = parentOf(folder)) folders.add(folder);
    // A name that is not text cannot be looked up.
    if (folders.size > MOST_FOLDERS || file.includes('\uFFFD')) return true;
  }
  const inTree = Array.from(folders, (folder) => path.join(top, folder, '.gitattributes'));
  return [...inTree, ...others].some(mentionsFilter);
}

function parentOf(file: string): string {
  return file.slice(0, Math.max(file.lastIndexOf('/'), 0));
}

function mentionsFilter(file: string | undefined): boolean {
  if (file === undefined) return true;
  const read = readBoundedFile(file, MOST_BYTES);
  return read.kind === 'read' ? read.bytes.includes('filter') : read.kind === 'unreadable';
}
