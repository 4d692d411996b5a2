/**
 * Finds configuration around a folder that could make a reading `git` command run a program. Reads files
 * and starts no process.
 */
import { lstatSync, realpathSync } from 'node:fs';
import path from 'node:path';
import { attributesFiles, mayFilterFile, usesFilters } from './attributes.ts';
import { type GitEnvironment, hooksFolders, readGitSettings, type ScopedSetting } from './config-files.ts';
import { dependsOnProcess, gitPath, mayExist } from './git-path.ts';
import { isHarmlessSetting, isHarmlessVariable } from './harmless-settings.ts';
import { type GitIndex, indexOf, STAMP_NUMBERS } from './index-file.ts';
import { hasRefs } from './refs.ts';
import { findRepository, type FoundRepository, type GitRepository } from './repository.ts';
import { sourcesOf } from './sources.ts';

export interface GitFacts {
  /** Settings, variables and hooks that are not known to be harmless. */
  readonly helpers: readonly string[];
  /**
   * Present: the user has configured filters, although no tracked file uses one. Returns whether a filter may apply to a file that
   * a command names in this folder.
   */
  readonly mayFilter?: (written: string) => boolean;
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
  return gitFactsFrom(directory, environment)('.');
}

function factsOf(found: FoundRepository, environment: GitEnvironment): GitFacts | undefined {
  if (found.kind === 'unknown') return undefined;
  const variables = Object.keys(environment).filter(
    (name) => environment[name] !== undefined && !isHarmlessVariable(name),
  );
  const repository = found.kind === 'found' ? found.repository : undefined;
  const settings = readGitSettings(repository, environment);
  if (settings === undefined) return undefined;
  const named = settings.filter((setting) => !isHarmless(setting, repository));
  const filters = named.filter(isFilter);
  const sources = sourcesOf(repository, settings, environment).flatMap(({ place }) => place ?? []);
  if (repository === undefined)
    return { helpers: [...variables, ...named.map(({ key }) => key)], submodules: false, sources };
  const index = indexOf(repository);
  if (index === undefined) return undefined;
  const { top } = repository;
  // A repository has filters of its own in order to use them.
  const isFiltered =
    filters.some(({ scope }) => scope === 'repository') ||
    (filters.length > 0 && usesFilters(top, index.paths, attributesFiles(repository, settings, environment)));
  const helpers = named.filter((setting) => isFiltered || !isFilter(setting)).map(({ key }) => key);
  return {
    helpers: [...new Set([...variables, ...helpers, ...hooksIn(repository, settings, environment)])],
    ...(filters.length > 0 ? { mayFilter: (file: string) => mayFilterFile(file, top) } : {}),
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
    const place = path.isAbsolute(folder) ? folder : `${directory}/${folder}`;
    const found = findRepository(place);
    const { top = '', gitDir = '' } = found.kind === 'found' ? found.repository : {};
    const key = [found.kind, top, gitDir].join('\0');
    if (!known.has(key)) known.set(key, factsOf(found, environment));
    const facts = known.get(key);
    return facts?.mayFilter ? withFilters(facts, facts.mayFilter, realpathSync.native(place)) : facts;
  };
}

/** Git takes a written name as text: links in it do not count for its attributes. `:(top)x` is not such a name. */
function withFilters(facts: GitFacts, mayFilter: (file: string) => boolean, folder: string): GitFacts {
  return {
    ...facts,
    mayFilter: (written) => written.startsWith(':') || mayFilter(path.resolve(folder, written)),
  };
}

/** Returns full paths of all files in the index. Undefined if it cannot be read with certainty. */
export function trackedFiles(repository: GitRepository): readonly string[] | undefined {
  return indexOf(repository)?.paths.map((file) => path.join(repository.top, file));
}

/** Git looks at the content of a file whose last change is so near to that of the index. */
const RACY_NS = 50_000_000n;
const NS_PER_SECOND = 1_000_000_000n;

/** Returns a test whether a tracked file may differ from its version in the index, as it is now. Git compares times and size, too. */
export function changedTest(repository: GitRepository): (file: string) => boolean {
  const index = indexOf(repository);
  const written = changeTime(path.join(repository.gitDir, 'index'));
  if (index === undefined || written === undefined) return () => true;
  const places = new Map<string, number>();
  // In a conflict, a path has several entries.
  for (const [at, name] of index.paths.entries()) places.set(name, places.has(name) ? -1 : at);
  return (file) => {
    const at = places.get(path.relative(repository.top, file)) ?? -1;
    if (at < 0) return true;
    try {
      const { ctimeNs, mtimeNs, size } = lstatSync(file, { bigint: true });
      const now = [ctimeNs, mtimeNs].flatMap((time) => [time / NS_PER_SECOND, time % NS_PER_SECOND]);
      const stamp = index.stamps.subarray(at * STAMP_NUMBERS, (at + 1) * STAMP_NUMBERS);
      const isSame = [...now, size].every((number, place) => number === BigInt(stamp[place] ?? -1));
      return !isSame || mtimeNs + RACY_NS > written;
    } catch {
      return true;
    }
  };
}

function changeTime(file: string): bigint | undefined {
  try {
    return lstatSync(file, { bigint: true }).mtimeNs;
  } catch {
    return undefined;
  }
}

function isHarmless({ key, value, scope }: ScopedSetting, repository: GitRepository | undefined): boolean {
  if (key !== 'core.worktree') return isHarmlessSetting(key, value);
  // A submodule's settings name the found folder. Any other folder may be anywhere.
  const isOwn = scope === 'repository' && repository !== undefined && value !== undefined;
  return isOwn && gitPath(repository.gitDir, value) === repository.top;
}

function isFilter({ key }: ScopedSetting): boolean {
  return /^filter\..+\.(clean|smudge|process|required)$/s.test(key);
}

/** The only hook that a reading command may run: some refresh the index. */
const HOOK = 'post-index-change';

function hooksIn(
  repository: GitRepository,
  settings: readonly ScopedSetting[],
  environment: GitEnvironment,
): string[] {
  const folders = hooksFolders(repository, settings, environment);
  return folders.some((folder) => folder === undefined || mayExist(path.join(folder, HOOK)))
    ? [`hooks/${HOOK}`]
    : [];
}

/** A tracked repository that is not checked out has no configuration. */
function hasSubmodule({ top }: GitRepository, { gitlinks }: GitIndex): boolean {
  return gitlinks.some((folder) => {
    // A name that is not text cannot be looked up.
    if (folder.includes('\uFFFD')) return true;
    const dotGit = path.join(top, folder, '.git');
    try {
      return lstatSync(dotGit, { throwIfNoEntry: false }) !== undefined || dependsOnProcess(dotGit);
    } catch {
      return true;
    }
  });
}
