/**
 * The files that an answer of git came from, and those that would change it if they came to be: while all of them are as they
 * were, so is the answer, whoever writes in the meantime. Where that cannot be told, nothing is remembered.
 */
import { existsSync, realpathSync, statSync } from 'node:fs';
import path from 'node:path';
import type { Setting } from './git-facts.ts';

export interface Asked {
  readonly directory: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly settings: readonly Setting[];
  /** As `rev-parse` prints them: files of the repository, then the way up to its top. Empty outside of a repository. */
  readonly paths: readonly string[];
}

export interface Dependencies {
  /** Undefined: not all of them can be named. */
  readonly files: ReadonlySet<string> | undefined;
  readonly hasHook: boolean;
  readonly real: string;
}

interface Stamps {
  readonly real: string;
  readonly files: ReadonlyMap<string, string>;
  readonly at: number;
}

export interface Remembered<Facts> extends Stamps {
  readonly facts: Facts;
}

/** Where a distribution may have put settings for everybody, while there are none. */
const SYSTEM = ['/etc/gitconfig', '/usr/local/etc/gitconfig', '/opt/homebrew/etc/gitconfig'];

/** For what no stamp can show: a configuration in a place that nobody here knows. */
const LONGEST_MS = 2_000;

/** Time stamps are coarse: a file that was written just now may be written again without its stamp showing it. */
const JUST_NOW_MS = 50;

export function dependenciesOf({ directory, environment, settings, paths }: Asked): Dependencies {
  const real = realpathSync(directory);
  const at = (file: string): string => path.resolve(real, file);
  const [hook] = paths;
  const hasHook = hook !== undefined && existsSync(at(hook));
  const way = paths.at(-1);
  const isRepository = paths.length === REPOSITORY_PATHS;
  if (paths.length > 0 && !isRepository) return { files: undefined, hasHook, real };
  const top = isRepository ? at(way === '' || way === undefined ? '.' : way) : path.parse(real).root;
  const files = new Set<string>(SYSTEM);
  for (const file of isRepository ? paths.slice(0, -1) : []) files.add(at(file));
  for (let folder = real; ; folder = path.dirname(folder)) {
    // Either would make this folder a repository of its own.
    files.add(path.join(folder, '.git')).add(path.join(folder, 'HEAD'));
    if (folder === top || folder === path.dirname(folder)) break;
  }
  const home = environment['HOME'] ?? '';
  const config = environment['XDG_CONFIG_HOME'] || path.join(home, '.config');
  files.add(path.join(home, '.gitconfig')).add(path.join(config, 'git/config'));
  for (const name of ['GIT_CONFIG_SYSTEM', 'GIT_CONFIG_GLOBAL', 'GIT_CONFIG']) {
    const given = environment[name];
    if (given) files.add(at(given));
  }
  for (const { origin, key, value } of settings) {
    const from = origin === '' ? undefined : path.resolve(top, origin);
    if (from !== undefined) files.add(from);
    if (!/^include(if\..*)?\.path$/s.test(key)) continue;
    const included = includedFile(value, from, home);
    if (included === undefined) return { files: undefined, hasHook, real };
    files.add(included);
  }
  return { files, hasHook, real };
}

/** The six files that are asked for, and the way up. */
const REPOSITORY_PATHS = 7;

function includedFile(value: string, from: string | undefined, home: string): string | undefined {
  if (path.isAbsolute(value)) return value;
  if (value.startsWith('~/')) return path.join(home, value.slice(2));
  // Another user's home, or a place relative to where git was installed.
  if (value.startsWith('~') || value.startsWith('%') || from === undefined) return undefined;
  return path.resolve(path.dirname(from), value);
}

/** Undefined where a file is too young to be trusted, or cannot be looked at. `began`: when git was asked. */
export function stampsOf({ files, real }: Dependencies, began: number): Stamps | undefined {
  if (!files) return undefined;
  const stamps = new Map<string, string>();
  for (const file of files) {
    const { stamp, changedAt } = stampOf(file);
    if (changedAt > began - JUST_NOW_MS) return undefined;
    stamps.set(file, stamp);
  }
  return { real, files: stamps, at: began };
}

export function isStillSame({ real, files, at }: Stamps, directory: string): boolean {
  const age = Date.now() - at;
  if (age < 0 || age > LONGEST_MS) return false;
  try {
    if (realpathSync(directory) !== real) return false;
  } catch {
    return false;
  }
  for (const [file, stamp] of files) if (stampOf(file).stamp !== stamp) return false;
  return true;
}

function stampOf(file: string): { readonly stamp: string; readonly changedAt: number } {
  try {
    const about = statSync(file, { bigint: true, throwIfNoEntry: false });
    if (!about) return { stamp: 'none', changedAt: 0 };
    const { dev, ino, size, mtimeNs, ctimeNs, ctimeMs } = about;
    return { stamp: [dev, ino, size, mtimeNs, ctimeNs].join(' '), changedAt: Number(ctimeMs) };
  } catch (thrown) {
    const code = thrown instanceof Error && 'code' in thrown ? String(thrown.code) : 'unknown';
    // A part of the path is a file: nothing can be there until that changes.
    return { stamp: code, changedAt: code === 'ENOTDIR' ? 0 : Number.POSITIVE_INFINITY };
  }
}
