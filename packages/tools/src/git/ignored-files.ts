/**
 * Decides whether git certainly ignores a file that it does not track. Starts no process. A line that is not plain ignores nothing,
 * and an exception counts for every file that it may match.
 */
import { lstatSync } from 'node:fs';
import path from 'node:path';
import { readBoundedFile } from './bounded-file.ts';
import { type GitEnvironment, resolveConfigPath } from './config-files.ts';
import type { GitRepository } from './repository.ts';
import { gitSettingsOf } from './sources.ts';

/** Takes a full path below the top of the working tree. */
export type IgnoredTest = (file: string, isFolder: boolean) => boolean;

interface IgnoringLine {
  readonly isException: boolean;
  readonly matches: (file: string, isFolder: boolean) => boolean;
}

const MOST_BYTES = 1_000_000;

export function ignoredTest(repository: GitRepository, environment: GitEnvironment): IgnoredTest {
  const { top, commonDir } = repository;
  const linesIn = new Map<string, readonly IgnoringLine[] | undefined>();
  const ownLines = (folder: string): readonly IgnoringLine[] | undefined => {
    if (!linesIn.has(folder)) linesIn.set(folder, linesOfFolder(path.join(folder, '.gitignore')));
    return linesIn.get(folder);
  };
  let outer: readonly (readonly IgnoringLine[] | undefined)[] | undefined;
  const folders = new Map<string, boolean>();
  const decide: IgnoredTest = (file, isFolder) => {
    const above: string[] = [];
    for (let at = path.dirname(file); at.length >= top.length; at = path.dirname(at)) {
      above.push(at);
      if (at === top) break;
    }
    for (const folder of above) {
      const lines = ownLines(folder);
      if (lines === undefined) return false;
      const last = lines.findLast(({ matches }) => matches(path.relative(folder, file), isFolder));
      if (last) return !last.isException;
    }
    outer ??= [linesOf(path.join(commonDir, 'info/exclude')), linesOfUser(repository, environment)];
    for (const lines of outer) {
      if (lines === undefined) return false;
      const last = lines.findLast(({ matches }) => matches(path.relative(top, file), isFolder));
      if (last) return !last.isException;
    }
    return false;
  };
  const isIgnoredFolder = (folder: string): boolean => {
    if (folder.length <= top.length) return false;
    const known = folders.get(folder) ?? (isIgnoredFolder(path.dirname(folder)) || decide(folder, true));
    folders.set(folder, known);
    return known;
  };
  return (file, isFolder) =>
    isFolder ? isIgnoredFolder(file) : isIgnoredFolder(path.dirname(file)) || decide(file, false);
}

/** New versions of git do not follow a link there, and old ones do. */
function linesOfFolder(file: string): readonly IgnoringLine[] | undefined {
  try {
    if (lstatSync(file, { throwIfNoEntry: false })?.isSymbolicLink() === true) return undefined;
  } catch {
    return undefined;
  }
  return linesOf(file);
}

/** Settings of several files may name different ones. The last one counts, and their order is not known. */
function linesOfUser(
  repository: GitRepository,
  environment: GitEnvironment,
): readonly IgnoringLine[] | undefined {
  const { settings, isComplete } = gitSettingsOf(repository, environment);
  const named = new Set(
    settings.filter(({ key }) => key === 'core.excludesfile').map(({ value }) => value ?? ''),
  );
  if (!isComplete || named.size > 1) return undefined;
  const [name] = named;
  if (name === '') return [];
  const { HOME = '', XDG_CONFIG_HOME } = environment;
  const file =
    name === undefined
      ? path.join(XDG_CONFIG_HOME || path.join(HOME, '.config'), 'git/ignore')
      : resolveConfigPath(name, repository.top, environment);
  return file === undefined ? undefined : linesOf(file);
}

/** Returns undefined if the file cannot be read. */
function linesOf(file: string): readonly IgnoringLine[] | undefined {
  const found = readBoundedFile(file, MOST_BYTES);
  if (found.kind !== 'read') return found.kind === 'absent' ? [] : undefined;
  return found.bytes
    .toString('utf8')
    .replace(/^\uFEFF/, '')
    .split('\n')
    .flatMap((line) => lineOf(line.replace(/\r$/, '')));
}

function lineOf(line: string): IgnoringLine[] {
  if (line.startsWith('#') || line === '') return [];
  if (line.startsWith('!')) return [{ isException: true, matches: exceptionOf(line.slice(1)) }];
  const matches = plainPattern(line.replace(/(?<! ) +$/, ''));
  return matches ? [{ isException: false, matches }] : [];
}

/** Only the last name is compared, without case. */
function exceptionOf(pattern: string): IgnoringLine['matches'] {
  const name = pattern
    .trim()
    .replace(/(?<!\/)\/+$/, '')
    .replace(/^.*\//s, '');
  const [first = '', ...others] = name.toLowerCase().split(/[^\w.@+~,=%-]+/);
  const last = others.at(-1);
  const isForFolders = /\/\s*$/.test(pattern);
  return (file, isFolder) => {
    if (isForFolders && !isFolder) return false;
    const own = path.basename(file).toLowerCase();
    return last === undefined ? own === first : own.startsWith(first) && own.endsWith(last);
  };
}

/** Letters without a special meaning, stars and slashes. */
const PLAIN = /^[\w.@+~,=% *-]+(?:\/[\w.@+~,=% *-]+)*$/;
const MOST_STARS = 3;

/** Returns undefined if it is not certain what the pattern matches. */
function plainPattern(line: string): IgnoringLine['matches'] | undefined {
  const isForFolders = line.endsWith('/');
  const written = line.replace(/\/$/, '');
  const isAtTop = written.startsWith('/');
  const inner = written.replace(/^\//, '').replace(/^\*\*\/(?=[^/]+$)/, '');
  const contents = inner.replace(/\/\*\*$/, '');
  const isAnyDepth = !isAtTop && !inner.includes('/');
  const names = contents.split('/');
  const isClear =
    PLAIN.test(contents) &&
    names.every((name) => name !== '.' && name !== '..' && (name === '*' || !name.includes('**')));
  if (!isClear || contents.split('*').length > MOST_STARS + 1) return undefined;
  const source = contents.replace(/[.+]/g, '\\$&').replaceAll('*', '[^/]*');
  const pattern = new RegExp(contents === inner ? `^${source}$` : `^${source}/.`, 's');
  return (file, isFolder) =>
    (isFolder || !isForFolders) && pattern.test(isAnyDepth ? path.basename(file) : file);
}
