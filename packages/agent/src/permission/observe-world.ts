/**
 * Reads the state of this machine. It is read again for each call, because files and links change while an agent works.
 */
import { existsSync, readdirSync, readlinkSync, statSync } from 'node:fs';
import path from 'node:path';
import { realTarget } from '@heddle/tools/files';
import { findRepository, trackedFiles } from '@heddle/tools/git';
import { gitFactsFrom } from '@heddle/tools/shell';
import type { FolderEntry, KnownRepository, PermissionWorld } from './world.ts';

export interface WorldOptions {
  readonly root: string;
  readonly cwd: string;
  readonly directories: readonly string[];
  readonly home: string;
  readonly configDirs: readonly string[];
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly readOnlyView?: boolean;
  readonly isTrusted?: (folder: string) => boolean;
}

/** Starts no process. */
export function observeWorld(surroundings: WorldOptions): PermissionWorld {
  return {
    ...surroundings,
    isPrivileged: process.getuid?.() === 0,
    foldsCase: process.platform === 'darwin' || process.platform === 'win32',
    realpath: remembered(realPath),
    passesProcess: remembered((file) => process.platform === 'linux' && passesProcess(file)),
    exists: existsSync,
    list: remembered(namesIn),
    entries: remembered(entriesIn),
    repository: remembered(repositoryAround),
    gitIn: remembered(gitFactsFrom(surroundings.cwd, surroundings.environment)),
  };
}

function repositoryAround(place: string): KnownRepository | 'none' | 'unknown' {
  const folder = nearestFolder(place);
  const found = folder === undefined ? undefined : findRepository(folder);
  if (found?.kind !== 'found') return found?.kind ?? 'unknown';
  const { repository } = found;
  return { top: repository.top, tracked: () => trackedFiles(repository) };
}

/** Returns the nearest existing folder of a path. The path can be a file, or exist only in the git history. */
function nearestFolder(file: string): string | undefined {
  try {
    if (statSync(file, { throwIfNoEntry: false })?.isDirectory() === true) return file;
  } catch (thrown) {
    // A segment of the path is a file. Other errors mean that the path cannot be read.
    if (!(thrown instanceof Error && 'code' in thrown && thrown.code === 'ENOTDIR')) return undefined;
  }
  return file === path.dirname(file) ? undefined : nearestFolder(path.dirname(file));
}

/** Caches results, because one decision asks for the same folders many times. */
function remembered<Answer>(ask: (path: string) => Answer): (path: string) => Answer {
  const answers = new Map<string, { readonly answer: Answer }>();
  return (file) => {
    const known = answers.get(file) ?? { answer: ask(file) };
    answers.set(file, known);
    return known.answer;
  };
}

function namesIn(folder: string): readonly string[] | undefined {
  return unlessMissing(() => readdirSync(folder));
}

function entriesIn(folder: string): readonly FolderEntry[] | undefined {
  return unlessMissing(() =>
    readdirSync(folder, { withFileTypes: true }).map((entry) => ({
      name: entry.name,
      kind: entry.isDirectory() ? 'folder' : entry.isSymbolicLink() ? 'link' : 'file',
    })),
  );
}

/** Returns an empty list for a missing folder, and undefined for an unreadable one. */
function unlessMissing<Entry>(read: () => readonly Entry[]): readonly Entry[] | undefined {
  try {
    return read();
  } catch (thrown) {
    const isMissing =
      thrown instanceof Error && 'code' in thrown && /^(ENOENT|ENOTDIR)$/.test(String(thrown.code));
    return isMissing ? [] : undefined;
  }
}

/** Resolves links like the file tools. Never throws: resolves as many segments as possible. */
function realPath(file: string): string {
  try {
    return realTarget(file);
  } catch {
    const folder = path.dirname(file);
    return folder === file ? file : path.join(realPath(folder), path.basename(file));
  }
}

const LINK_OF_PROCESS = /^\/proc\/\d+(?:\/task\/\d+)?\/(?:cwd|root|exe|fd|map_files)$/;
/** The limit of Linux. */
const MOST_LINKS = 40;

/** Returns whether following a path passes a link of a process, directly or through other links. */
function passesProcess(file: string, links = 0): boolean {
  const segments = file.split('/').filter((segment) => segment !== '');
  let at = '/';
  for (const [index, segment] of segments.entries()) {
    const rest = segments.slice(index + 1).join('/');
    const next = path.posix.join(at, segment);
    if (LINK_OF_PROCESS.test(next)) return true;
    const target = linkTarget(next);
    if (target === undefined) at = next;
    else if (links >= MOST_LINKS) return false;
    else return passesProcess(`${path.posix.isAbsolute(target) ? '' : at}/${target}/${rest}`, links + 1);
  }
  return false;
}

function linkTarget(file: string): string | undefined {
  try {
    return readlinkSync(file);
  } catch {
    // It is missing, or not a link.
    return undefined;
  }
}
