/**
 * No command that an allow rule covers changes a file outside the project or a protected place, runs a program of a bare
 * repository, or shows a denied file, whatever the names of its files contain. Random commands run on a real disk.
 */
import { mkdtempSync, realpathSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { createReadOnlyView } from '../sandbox/view/view.ts';
import { placesIn } from './test/unusual-names/project.ts';
import { removeTree, searchNames } from './test/unusual-names/search.ts';

const proving = process.env['HEDDLE_PROVE'] === '1';
const DECIDED = proving ? 50_000 : 60;
const seed = Number(process.env['HEDDLE_SEED'] ?? 20_261_118);
/** Commands of an unknown program that run without a decision. */
const UNDECIDED = 15;

const hasContainers = process.platform === 'linux' && (await createReadOnlyView().readiness()).ready;
const places = placesIn(realpathSync(mkdtempSync(path.join(os.tmpdir(), 'heddle-unusual-'))));
afterAll(() => removeTree(places.base));

describe.runIf(hasContainers)('commands with unusual names that a rule covers', () => {
  it(`reach nothing forbidden, among ${DECIDED} random ones (seed ${seed})`, () => {
    const { executed, findings, counts } = searchNames(places, { seed, count: DECIDED });
    const lines = Array.from(counts, ([rule, [all, run]]) => `${rule}: ${all} decided, ${run} executed\n`);
    if (proving) process.stdout.write(lines.join(''));
    expect(findings).toEqual([]);
    expect(executed).toBeGreaterThan(DECIDED / 20);
  });

  it('are reported if they reach something forbidden', () => {
    const { findings } = searchNames(places, { seed, count: UNDECIDED, only: 'mytool', decide: () => true });
    expect(findings.length).toBeGreaterThan(UNDECIDED / 4);
  });
});
