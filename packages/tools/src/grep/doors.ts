/** What the searching tools need from the house around them. */
import os from 'node:os';
import { findEngine } from './find-ripgrep.ts';
import type { SearchEngine } from './query.ts';

export interface SearchDoors {
  /** Ripgrep where there is one. */
  readonly engine: () => Promise<SearchEngine>;
  /** For short-lived files. */
  readonly folder: string;
  /** How long a search may take. */
  readonly timeoutMs: number;
}

export function searchDoors(given: Partial<SearchDoors> = {}): SearchDoors {
  return { engine: findEngine, folder: os.tmpdir(), timeoutMs: 60_000, ...given };
}
