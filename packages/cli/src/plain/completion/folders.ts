/** What lies in a folder, for whoever completes a path. */
import { readdirSync, statSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { harmless } from '../../terminal/harmless.ts';
import type { FolderEntry } from './complete.ts';

/** `written`: as the user wrote it, from where the session stands. */
export function listFolder(written: string, cwd: string): FolderEntry[] {
  const folder = path.resolve(cwd, written.replace(/^~(?=\/)/, os.homedir()));
  try {
    return (
      readdirSync(folder, { withFileTypes: true })
        // A name that could drive the terminal cannot be typed either.
        .filter(({ name }) => harmless(name) === name)
        .map((entry) => ({
          name: entry.name,
          isFolder:
            entry.isDirectory() || (entry.isSymbolicLink() && isFolder(path.join(folder, entry.name))),
        }))
        .sort((left, right) => left.name.localeCompare(right.name))
    );
  } catch {
    return [];
  }
}

function isFolder(file: string): boolean {
  return statSync(file, { throwIfNoEntry: false })?.isDirectory() ?? false;
}
