/** Kills and resumes a session at any point. Nothing that was accepted or shown is lost, and no effect happens twice. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { install, type Installed } from '../program.ts';
import { measureStory, tryPlan, type TrialResult } from './trial.ts';
import { type StoryMeasure, planOf } from './trigger.ts';

const CASES = process.env['HEDDLE_PROVE'] === '1' ? 500 : 8;
const FIRST_SEED = Number(process.env['HEDDLE_SEED'] ?? 1);
/** The number of trials that run at the same time. */
const LANES = 3;

let installed: Installed;
let measure: StoryMeasure;

beforeAll(async () => {
  installed = await install();
  measure = await measureStory(installed.program);
});
afterAll(() => installed.remove());

describe('a session that is killed', () => {
  it(`keeps every promise in ${CASES} seeded trials`, async () => {
    const verdicts: TrialResult[] = [];
    const seeds = Array.from({ length: CASES }, (_, index) => FIRST_SEED + index).values();
    const lane = async (): Promise<void> => {
      for (const seed of seeds) verdicts.push(await tryPlan(installed.program, planOf(seed, measure)));
    };
    await Promise.all(Array.from({ length: LANES }, lane));
    console.log(summary(verdicts));
    expect(verdicts.filter(({ broken }) => broken.length > 0)).toEqual([]);
    expect(verdicts).toHaveLength(CASES);
  });
});

function summary(verdicts: readonly TrialResult[]): string {
  const kinds = new Map<string, number>();
  for (const { plan } of verdicts)
    for (const { kind } of plan.kills) kinds.set(kind, (kinds.get(kind) ?? 0) + 1);
  const kills = verdicts.reduce((sum, verdict) => sum + verdict.kills, 0);
  const cuts = verdicts.filter(({ plan }) => plan.cut !== undefined).length;
  const early = verdicts.filter(({ accepted }) => !accepted).length;
  const broken = verdicts.filter((verdict) => verdict.broken.length > 0).length;
  const count = (has: (verdict: TrialResult) => boolean): number => verdicts.filter(has).length;
  const thinking = count(({ plan }) => plan.models.thinks);
  const fellBack = count(({ plan }) => plan.models.goneAfter !== undefined);
  const changed = count(({ plan }) => plan.models.changes);
  const triggers = [...kinds].map(([kind, count]) => `${kind} ${count}`).join(', ');
  return (
    `Crash: ${verdicts.length} trials, ${kills} kills (${triggers}), ${cuts} cut inside the last record, ` +
    `${thinking} with thinking, ${fellBack} with a fallback, ${changed} resumed with another model, ` +
    `${early} killed before the prompt was accepted; broken promises: ${broken}.`
  );
}
