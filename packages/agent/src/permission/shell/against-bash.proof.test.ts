/** Every command, redirection and input of a script that is understood is one that was read. Bash itself is the judge. */
import { expect, it } from 'vitest';
import { compareWithBash } from '../test/bash-traces/compare-with-bash.ts';

const proving = process.env['HEDDLE_PROVE'] === '1';
const SCRIPTS = proving ? 100_000 : 800;
const seed = Number(process.env['HEDDLE_SEED'] ?? 20_261_118);

it(`reads ${SCRIPTS} random scripts as bash does (seed ${seed})`, () => {
  const { understood, commands, differences } = compareWithBash(SCRIPTS, seed);
  console.log(`${understood} of ${SCRIPTS} scripts are understood; bash ran ${commands} commands`);
  expect(differences).toEqual([]);
  expect(understood).toBeGreaterThan(SCRIPTS / 4);
});
