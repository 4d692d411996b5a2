/** The facts of a log, as the server sends them. */
import { mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import type { FactPage, LogFact } from '../model/facts.ts';
import { parseOwn } from '../model/parse-own.ts';
import { SessionIndex } from '../read/session-index.ts';
import { type SampleLog, writeLog } from './sample-session.ts';

export function readPage(index: SessionIndex, from = 0, limit = 10_000): FactPage {
  return parseOwn<FactPage>(index.page(from, limit));
}

export function factsOf(log: SampleLog): readonly LogFact[] {
  const home = mkdtempSync(path.join(os.tmpdir(), 'heddle-facts-'));
  try {
    const file = writeLog(log, { configDir: home, cwd: home }, 'sample');
    return readPage(new SessionIndex(file)).facts;
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
}
