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
import { runUnprivileged, NOBODY } from '../files/test/scratch.ts';
import { cleanFileHistory, historyLimits } from './clean-up.ts';

const DAY = 86_400_000;
const NOW = Date.now();

/** Sessions by name, with their age in days and their size. */
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

describe('the file history', () => {
  it('of old sessions is removed, except that of the running session', async () => {
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

  it('is cleaned once a day', async () => {
    const root = historyOf({ old: [31, 10] });
    expect(await clean(root)).toEqual(['old']);
    mkdirSync(path.join(root, 'older'));
    utimesSync(path.join(root, 'older'), 0, 0);
    expect(await clean(root)).toEqual([]);
    expect(await clean(root, historyLimits({}), 'running', () => NOW + 2 * DAY)).toEqual(['older']);
  });

  it('that was left half removed is removed, and a missing one is ignored', async () => {
    const root = historyOf({ 'x.gone': [0, 10] });
    await clean(root);
    expect(existsSync(path.join(root, 'x.gone'))).toBe(false);
    expect(await clean(path.join(root, 'none'))).toEqual([]);
  });

  it('of another user does not prevent the removal of the rest', async () => {
    const root = historyOf({ foreign: [90, 10] });
    chmodSync(path.join(root, 'foreign'), 0o000);
    if (process.geteuid?.() === 0) chownSync(root, NOBODY, NOBODY);
    await runUnprivileged({ folder: root }, async () => {
      mkdirSync(path.join(root, 'old'));
      utimesSync(path.join(root, 'old'), 0, 0);
      expect(await clean(root)).toEqual(['old']);
    });
    chmodSync(path.join(root, 'foreign'), 0o700);
  });

  it('has the limits of the environment', () => {
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
