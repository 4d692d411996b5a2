import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { asNobody, NOBODY } from '../files/test/scratch.ts';
import { cleanFileHistory, historyLimits } from './clean-up.ts';

const DAY = 86_400_000;
const NOW = Date.now();

/** Sessions by name: how many days ago they were touched, and how large they are. */
function historyOf(sessions: Readonly<Record<string, readonly [days: number, bytes: number]>>): string {
  const root = mkdtempSync(path.join(os.tmpdir(), 'heddle-history-'));
  for (const [name, [days, bytes]] of Object.entries(sessions)) {
    const blobs = path.join(root, name, 'blobs');
    mkdirSync(blobs, { recursive: true });
    writeFileSync(path.join(blobs, 'a'), 'x'.repeat(bytes));
    writeFileSync(path.join(root, name, 'index.jsonl'), '');
    const at = (NOW - days * DAY) / 1_000;
    for (const place of ['blobs/a', 'blobs', 'index.jsonl', '.'])
      utimesSync(path.join(root, name, place), at, at);
  }
  return root;
}

const clean = (root: string, limits = historyLimits({}), keep = 'running', now = () => NOW) =>
  cleanFileHistory({ root, keep, limits, now });

describe('the history of files', () => {
  it('of sessions that nobody touched for long goes, the running one stays however old it is', async () => {
    const root = historyOf({ old: [31, 10], newer: [29, 10], running: [400, 10] });
    expect(await clean(root)).toEqual(['old']);
    expect(readdirSync(root).sort()).toEqual(['.cleaned', 'newer', 'running']);
  });

  it('that is too large loses its oldest parts, but none of the last day', async () => {
    const root = historyOf({ a: [9, 400], b: [5, 400], c: [2, 400], today: [0.5, 5_000] });
    expect(await clean(root, { maxAgeMs: 30 * DAY, maxBytes: 5_500 })).toEqual(['a', 'b']);
    const other = historyOf({ today: [0.5, 5_000] });
    expect(await clean(other, { maxAgeMs: 0, maxBytes: 0 })).toEqual([]);
  });

  it('is looked through once a day', async () => {
    const root = historyOf({ old: [31, 10] });
    expect(await clean(root)).toEqual(['old']);
    mkdirSync(path.join(root, 'older'));
    utimesSync(path.join(root, 'older'), 0, 0);
    expect(await clean(root)).toEqual([]);
    expect(await clean(root, historyLimits({}), 'running', () => NOW + 2 * DAY)).toEqual(['older']);
  });

  it('that was left half removed is removed, and where there is none nothing happens', async () => {
    const root = historyOf({ 'x.gone': [0, 10] });
    await clean(root);
    expect(existsSync(path.join(root, 'x.gone'))).toBe(false);
    expect(await clean(path.join(root, 'none'))).toEqual([]);
  });

  it('that is another user’s does not keep the rest from going', async () => {
    const root = historyOf({ foreign: [90, 10] });
    chmodSync(path.join(root, 'foreign'), 0o000);
    if (process.geteuid?.() === 0) chownSync(root, NOBODY, NOBODY);
    await asNobody({ folder: root }, async () => {
      mkdirSync(path.join(root, 'old'));
      utimesSync(path.join(root, 'old'), 0, 0);
      expect(await clean(root)).toEqual(['old']);
    });
    chmodSync(path.join(root, 'foreign'), 0o700);
  });

  it('is bounded as the environment says', () => {
    expect(historyLimits({})).toEqual({ maxAgeMs: 30 * DAY, maxBytes: 2_000_000_000 });
    expect(historyLimits({ HEDDLE_FILE_HISTORY_DAYS: '7', HEDDLE_FILE_HISTORY_MB: '1' })).toEqual({
      maxAgeMs: 7 * DAY,
      maxBytes: 1_000_000,
    });
    expect(historyLimits({ HEDDLE_FILE_HISTORY_DAYS: 'x', HEDDLE_FILE_HISTORY_MB: '-1' })).toEqual(
      historyLimits({}),
    );
  });
});
