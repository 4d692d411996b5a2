/**
 * Reads the exceptions from ignored names: `.env` for `!.env`. A search that skips hidden files reads those that match.
 * They are in files of the folders, of the repositories and of the user.
 */
import { lstatSync } from 'node:fs';
import path from 'node:path';
import {
  findRepository,
  readBoundedFile,
  readGitSettings,
  resolveConfigPath,
  type ScopedSetting,
} from '@heddle/tools/git';

export interface ExceptionOptions {
  readonly home: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
}

type ReadExceptions = (folder: string) => readonly string[];

const IGNORING = ['.gitignore', '.ignore', '.rgignore', '.fdignore', '.git/info/exclude'];
const MOST_BYTES = 1_000_000;
/** The file may contain any exception. */
const ANYTHING = ['**'];

/** The exceptions of the user count for the root folder. */
export function exceptionReader(options: ExceptionOptions): ReadExceptions {
  return (folder) => [
    ...IGNORING.flatMap((name) => ownExceptions(path.join(folder, name))),
    ...exceptionsOfRepository(folder, options),
    ...(folder === path.parse(folder).root ? exceptionsOfUser(options) : []),
  ];
}

/** An unreadable file may contain any exception. So may a link: a command can change its target under another name. */
function ownExceptions(file: string): readonly string[] {
  const state = linkState(file);
  return state === 'link' ? ANYTHING : state === 'missing' ? [] : exceptionsInFile(file);
}

function exceptionsInFile(file: string): readonly string[] {
  const found = readBoundedFile(file, MOST_BYTES);
  if (found.kind !== 'read') return found.kind === 'absent' ? [] : ANYTHING;
  const lines = found.bytes
    .toString('utf8')
    .replace(/^\uFEFF/, '')
    .split(/\r?\n/);
  return lines.flatMap((line) => (line.startsWith('!') ? [line.slice(1)] : []));
}

/** The file of a linked worktree is in the main repository. */
function exceptionsOfRepository(folder: string, options: ExceptionOptions): readonly string[] {
  if (/^(missing|unreadable)$/.test(linkState(path.join(folder, '.git')))) return [];
  const found = findRepository(folder);
  if (found.kind !== 'found') return found.kind === 'none' ? [] : ANYTHING;
  const { repository } = found;
  const settings = readGitSettings(repository, environmentOf(options));
  const own = settings?.filter(({ scope }) => scope === 'repository');
  return [
    ...ownExceptions(path.join(repository.commonDir, 'info/exclude')),
    ...ownExceptions(path.join(repository.gitDir, 'info/exclude')),
    ...namedExceptions(own, options),
  ];
}

/** Searches read the usual files, also if `GIT_CONFIG_GLOBAL` names another one for git. */
function exceptionsOfUser(options: ExceptionOptions): readonly string[] {
  const environment = environmentOf(options);
  const folders = [environment['XDG_CONFIG_HOME'], path.join(environment.HOME, '.config')];
  const defaults = folders.flatMap((folder) =>
    folder ? [path.join(folder, 'git/ignore'), path.join(folder, 'fd/ignore')] : [],
  );
  return [
    ...defaults.flatMap(exceptionsInFile),
    ...namedExceptions(readGitSettings(undefined, environment), options),
    ...namedExceptions(readGitSettings(undefined, { ...environment, GIT_CONFIG_GLOBAL: undefined }), options),
  ];
}

/** Reads the files that `core.excludesFile` names. Searches accept that key in any section. */
function namedExceptions(
  settings: readonly ScopedSetting[] | undefined,
  options: ExceptionOptions,
): readonly string[] {
  if (settings === undefined) return ANYTHING;
  return settings.flatMap(({ key, value }) => {
    if (!key.endsWith('.excludesfile') || !value) return [];
    // A relative path depends on the folder of the search.
    const isKnown = path.isAbsolute(value) || value.startsWith('~/');
    const file = isKnown ? resolveConfigPath(value, '/', environmentOf(options)) : undefined;
    return file === undefined ? ANYTHING : exceptionsInFile(file);
  });
}

function environmentOf({ home, environment }: ExceptionOptions): ExceptionOptions['environment'] & {
  readonly HOME: string;
} {
  return { ...environment, HOME: environment['HOME'] || home };
}

function linkState(file: string): 'link' | 'other' | 'missing' | 'unreadable' {
  try {
    const found = lstatSync(file, { throwIfNoEntry: false });
    return found === undefined ? 'missing' : found.isSymbolicLink() ? 'link' : 'other';
  } catch {
    // A segment of the path is a file, or the folder cannot be read.
    return 'unreadable';
  }
}
