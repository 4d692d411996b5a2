/** What was read, and its hash. Bounded: the least recently used goes first. */
import type { FileState, FileStateCache } from '@heddle/core';

const MAX_FILES = 1_000;

export function createFileState(): FileStateCache {
  const files = new Map<string, FileState>();
  return {
    get(path) {
      const state = files.get(path);
      if (state) {
        files.delete(path);
        files.set(path, state);
      }
      return state;
    },
    set(path, state) {
      files.delete(path);
      files.set(path, state);
      const [oldest] = files.keys();
      if (files.size > MAX_FILES && oldest !== undefined) files.delete(oldest);
    },
    paths: () => [...files.keys()],
  };
}
