/** Files that a hook asked to watch. They are looked at between two calls, so no watcher has to run. */
import { type Stats, statSync } from 'node:fs';
import path from 'node:path';

export interface WatchedChange {
  readonly file: string;
  readonly event: 'add' | 'change' | 'unlink';
}

const MISSING = 'missing';
/** More files than this would delay each call. */
const MAX_WATCHED = 1_000;

export class WatchedFiles {
  /** The state of each file when it was last looked at. */
  readonly #seen = new Map<string, string>();

  /** Relative paths start at `cwd`. A file that is absent is watched, too. */
  add(files: readonly string[], cwd: string): void {
    for (const file of files.map((one) => path.resolve(cwd, one)))
      if (!this.#seen.has(file) && this.#seen.size < MAX_WATCHED) this.#seen.set(file, stateOf(file));
  }

  /** The changes since the last call. */
  takeChanges(): readonly WatchedChange[] {
    return [...this.#seen].flatMap(([file, before]): WatchedChange[] => {
      const now = stateOf(file);
      if (now === before) return [];
      this.#seen.set(file, now);
      return [{ file, event: before === MISSING ? 'add' : now === MISSING ? 'unlink' : 'change' }];
    });
  }
}

/** Differs after every change of a file. */
export function stateOf(file: string): string {
  try {
    // Most files are missing, and an exception for each of them would delay every call.
    return stateIn(statSync(file, { throwIfNoEntry: false }));
  } catch {
    return MISSING;
  }
}

/** The state of a file that `stats` describes. */
export function stateIn(stats: Stats | undefined): string {
  return stats ? `${stats.mtimeMs}/${stats.size}/${stats.ino}` : MISSING;
}
