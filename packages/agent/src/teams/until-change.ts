/** Waits for a change in folders of a team. */
import { type FSWatcher, watch } from 'node:fs';

/** A watch can miss a change, and a killed member changes no file. */
const LOOK_AGAIN_MS = 500;

/** Resolves after a change, soon after it, or when the signal aborts. A folder that does not exist is not watched. */
export async function untilChange(folders: readonly string[], signal: AbortSignal): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const wake = (): void => resolve();
  const timer = setTimeout(wake, LOOK_AGAIN_MS);
  signal.addEventListener('abort', wake, { once: true });
  const watchers = folders.flatMap((folder) => watched(folder, wake) ?? []);
  try {
    if (!signal.aborted) await promise;
  } finally {
    for (const watcher of watchers) watcher.close();
    clearTimeout(timer);
    signal.removeEventListener('abort', wake);
  }
}

function watched(folder: string, wake: () => void): FSWatcher | undefined {
  try {
    return watch(folder, wake).on('error', wake);
  } catch {
    return undefined;
  }
}
