/** Makes a folder and those above it, for its owner alone. */
import { existsSync, mkdirSync } from 'node:fs';
import path from 'node:path';

/**
 * Step by step, for Node's own recursive way calls a read-only disk a missing folder, and never ends where the system
 * takes no folder at all, as below `/proc`.
 */
export function makeFolder(folder: string): void {
  if (existsSync(folder)) return;
  makeFolder(path.dirname(folder));
  try {
    mkdirSync(folder, { mode: 0o700 });
  } catch (thrown) {
    // Another process was faster.
    if (!existsSync(folder)) throw thrown;
  }
}
