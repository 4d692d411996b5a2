/** Puts each deliberate defect into a copy of the loop. The random runs must detect every one. */
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { MUTANTS } from './test/mutants.ts';

const PROVING = process.env['HEDDLE_PROVE'] === '1';
const TIMEOUT = PROVING ? 10 * 60_000 : 120_000;
const program = path.join(import.meta.dirname, 'test', 'run-mutant.ts');
const numbered = MUTANTS.map((mutant, number) => ({ ...mutant, number }));
/** All of them take several minutes, so `npm test` runs every seventh. */
const chosen = PROVING ? numbered : numbered.filter(({ number }) => number % 7 === 0);

it.each(MUTANTS)('can be put in: $name', ({ file, text }) => {
  const source = readFileSync(path.join(import.meta.dirname, '..', file), 'utf8');
  expect(source.split(text)).toHaveLength(2);
});

it.concurrent.each(chosen)(
  'is noticed: $name',
  async ({ number }) => {
    const { stdout } = await promisify(execFile)(process.execPath, [program, String(number)]);
    const { applied, noticed, runs }: Verdict = JSON.parse(stdout);
    console.log(`${MUTANTS[number]?.name}: run ${runs}, ${noticed?.split('\n')[0] ?? 'nothing'}`);
    expect({ applied, noticed }).toEqual({ applied: true, noticed: expect.any(String) });
  },
  TIMEOUT,
);

interface Verdict {
  readonly applied: boolean;
  readonly runs: number;
  readonly noticed?: string;
}
