/** Committed collapses, one JSON line each, beside the session's log: a resumed session sends the same view. */
import { readFileSync } from 'node:fs';
import { appendFile, mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { Collapse, CollapseStore } from '@heddle/context';
import { isRecord } from '@heddle/core';

export function collapseStore(folder: string): CollapseStore {
  const file = path.join(folder, 'collapses.jsonl');
  let committed: readonly Collapse[] = load(file);
  /** What the file holds is of no use any more. */
  let isStale = false;
  return {
    committed: () => committed,
    async commit(collapses) {
      committed = [...committed, ...collapses];
      try {
        await mkdir(folder, { recursive: true, mode: 0o700 });
        const lines = collapses.map((collapse) => `${JSON.stringify(collapse)}\n`).join('');
        // Never behind half a line: the two would be one that nobody can read.
        await (isStale ? writeFile : appendFile)(file, `\n${lines}`, { mode: 0o600 });
        isStale = false;
      } catch {
        // A full disk: the collapse holds for this process, and a resumed one sends the stretch in full.
      }
    },
    // The file stays until the next commit: if the compaction is never stored, the old history needs what it says, and
    // in the new one its stretches are not found.
    clear() {
      committed = [];
      isStale = true;
      return Promise.resolve();
    },
  };
}

/** A line that was torn by a crash was never used. */
function load(file: string): Collapse[] {
  try {
    return readFileSync(file, 'utf8').split('\n').flatMap(read);
  } catch {
    return [];
  }
}

function read(line: string): Collapse[] {
  try {
    const value: unknown = JSON.parse(line);
    return isCollapse(value) ? [value] : [];
  } catch {
    return [];
  }
}

const TEXTS = ['id', 'from', 'to', 'summary'];
const NUMBERS = ['tokensBefore', 'tokensAfter', 'at'];

function isCollapse(value: unknown): value is Collapse {
  return (
    isRecord(value) &&
    TEXTS.every((key) => typeof value[key] === 'string') &&
    NUMBERS.every((key) => typeof value[key] === 'number')
  );
}
