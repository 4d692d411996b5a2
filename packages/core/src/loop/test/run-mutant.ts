/** Plays random runs against a loop with one defect, and prints the first finding. Usage: `node run-mutant.ts <number>`. */
import { registerHooks } from 'node:module';
import { MUTANTS } from './mutants.ts';

const RUNS = 4_000;
const mutant = MUTANTS[Number(process.argv[2])];
if (mutant === undefined) throw new Error('there is no such mutant');

let applied = false;
registerHooks({
  load(url, context, nextLoad) {
    const loaded = nextLoad(url, context);
    if (!url.endsWith(`/core/src/${mutant.file}`)) return loaded;
    const { source: given = '' } = loaded;
    const source = typeof given === 'string' ? given : new TextDecoder().decode(given);
    if (source.split(mutant.text).length !== 2) throw new Error(`${mutant.file} has changed: ${mutant.name}`);
    applied = true;
    return { ...loaded, source: source.replace(mutant.text, () => mutant.instead) };
  },
});

const { anyPlan, complaintsAbout, playRun } = await import('@heddle/testing/properties');
const { default: fc } = await import('fast-check');
let runs = 0;
const details = await fc.check(
  fc.asyncProperty(anyPlan, async (plan) => {
    runs++;
    const [first] = complaintsAbout(await playRun(plan));
    if (first !== undefined) throw new Error(first);
  }),
  { numRuns: RUNS, seed: 1, endOnFailure: true },
);
const noticed = details.errorInstance instanceof Error ? details.errorInstance.message : undefined;
console.log(JSON.stringify({ applied, runs, noticed }));
