/** A full disk at any point of a session: no effect without a record, a reported reason and an intact session. */
import { readFileSync, statSync } from 'node:fs';
import { decodeEntry } from '@heddle/agent';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { install, type Installed, linesOf } from '../program.ts';
import { brokenPromises } from './promises.ts';
import { openCrashSetup } from './scene.ts';
import { lastMessages, measureStory, NOTHING } from './trial.ts';

/** The distance between two trials, in KiB of the journal. */
const STEP_KIB = process.env['HEDDLE_PROVE'] === '1' ? 1 : 8;

let installed: Installed;
let journalKib: number;

beforeAll(async () => {
  installed = await install();
  journalKib = Math.floor((await measureStory(installed.program)).journal / 1_024);
});
afterAll(() => installed.remove());

describe('a disk that is full', () => {
  it('causes no effect without a record, and the session continues when the disk has space', async () => {
    const found: string[] = [];
    for (let kib = 1; kib <= journalKib; kib += STEP_KIB) {
      const broken = await fillAt(kib);
      found.push(...broken.map((promise) => `full at ${kib} KiB: ${promise}`));
    }
    console.log(`Full disk: the journal of ${journalKib} KiB stopped at every ${STEP_KIB} KiB.`);
    expect(found).toEqual([]);
  });
});

async function fillAt(kib: number): Promise<string[]> {
  const scene = await openCrashSetup(installed.program);
  try {
    const ended = await scene.liveOnFullDisk(kib);
    const result = linesOf(ended.stdout).at(-1);
    // A complete and stored answer counts, even if the record of its end does not fit on the disk.
    const isEndOnly = result?.['subtype'] === 'success';
    expect(ended).toMatchObject({ code: isEndOnly ? 0 : 1, signal: null });
    if (!isEndOnly) expect(result).toMatchObject({ subtype: 'error_during_execution', is_error: true });
    expect(JSON.stringify(result?.['errors'])).toMatch(
      /The session could not be stored: .*(EFBIG|too large)/,
    );
    const journal = scene.journal();
    if (journal === undefined || statSync(journal).size === 0) {
      expect(result).toMatchObject({ terminal_reason: 'turn_setup_failed' });
      return [];
    }
    const begun = intentsIn(readFileSync(journal, 'utf8'));
    const unrecorded = scene.effects().filter((id) => !begun.has(id));
    if (unrecorded.length > 0) return [`effects without a record: ${unrecorded.join(', ')}`];

    const resumed = await scene.live('resumed');
    const [lives, effects] = [[ended, resumed], scene.effects()];
    const broken = isAccepted(ended.stdout)
      ? brokenPromises({ lives, journal, effects, lastRequest: lastMessages(scene), excused: NOTHING })
      : [];
    return [...broken, ...scene.api.problems.map(({ message }) => message)];
  } finally {
    await scene.close();
  }
}

function isAccepted(stdout: string): boolean {
  return linesOf(stdout).some((line) => line['subtype'] === 'init');
}

function intentsIn(journal: string): Set<string> {
  const lines = journal.split('\n');
  // The partial last line was removed.
  expect(lines.pop()).toBe('');
  return new Set(
    lines.map((line) => {
      const decoded = decodeEntry(line);
      expect(decoded.kind).toBe('entry');
      return decoded.kind === 'entry' && decoded.entry.type === 'intent' ? decoded.entry.toolUseId : '';
    }),
  );
}
