/**
 * Temporary folders of the program. The folder for temporary files can be in a working directory, so permission and the sandbox keep
 * calls from changing what is in them.
 */
import { mkdirSync, mkdtempSync, readdirSync, realpathSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';

export type TemporaryKind = 'env' | 'images' | 'mcp' | 'prompt' | 'tasks' | 'view';

/** The folders of this process that exist. */
const made = new Set<string>();

/**
 * Creates a new folder that only the user may enter. `parent` is the folder for temporary files, if it is absent. Text that the program
 * runs or sends as the user's belongs in the configuration folder, where no call can change it. Throws if it cannot be created.
 */
export function makeTemporaryFolder(kind: TemporaryKind, parent = os.tmpdir()): string {
  if (parent !== os.tmpdir()) mkdirSync(parent, { recursive: true, mode: 0o700 });
  const folder = mkdtempSync(path.join(realpathSync.native(parent), `heddle-${kind}-`));
  made.add(folder);
  return folder;
}

/** Throws if something in it cannot be removed. */
export function removeTemporaryFolder(folder: string): void {
  made.delete(folder);
  rmSync(folder, { recursive: true, force: true });
}

/** The folders of other processes, those with large results of sessions in memory, and the sockets of the sandbox. */
const OF_ANY_PROCESS =
  /^(?:heddle-(?:(?:env|images|mcp|prompt|tasks|view)-\w{6}|[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12})|claude-(?:http|socks)-[\da-f]{16}\.sock)$/;

/** Returns the existing folders of this program that are in some folders. A folder that is itself in one of them is another place. */
export function temporaryPlacesIn(folders: readonly string[]): readonly string[] {
  const isInside = (file: string): boolean => folders.some((folder) => isWithin(file, folder));
  const shared = realFolder(os.tmpdir());
  const others = folders.some((folder) => isWithin(shared, folder))
    ? namesIn(shared)
        .filter((name) => OF_ANY_PROCESS.test(name))
        .map((name) => path.join(shared, name))
    : [];
  return [...new Set([...made, ...others])].filter(
    (place) => isInside(place) && !folders.some((folder) => isWithin(folder, place)),
  );
}

function isWithin(file: string, folder: string): boolean {
  return file === folder || file.startsWith(folder.endsWith('/') ? folder : `${folder}/`);
}

function realFolder(folder: string): string {
  try {
    return realpathSync.native(folder);
  } catch {
    return folder;
  }
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}
