/** The generated reference: it is current, and complete. */
import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { KNOWN_SETTINGS } from '../settings/known-settings.ts';
import { ENVIRONMENT, SET_FOR_PROGRAMS } from './environment.ts';
import { referenceFiles } from './render-reference.ts';

const root = path.resolve(import.meta.dirname, '../../../..');

it.each(Object.entries(referenceFiles()))('docs/%s is current (else: npm run generate)', (name, text) => {
  expect(readFileSync(path.join(root, 'docs', name), 'utf8')).toBe(text);
});

/** Read by tests and by the development scripts. */
const DEVELOPMENT = new Set([
  'HEDDLE_PROVE',
  'HEDDLE_SEED',
  'HEDDLE_TEST_FOLDER',
  'HEDDLE_CRASH_AT',
  'HEDDLE_CRASH_EFFECT',
  // A name in the code.
  'CLAUDE_MODEL',
]);

it('lists every variable with the prefix of Heddle that the sources mention', () => {
  const listed = new Set([
    ...Object.keys(ENVIRONMENT),
    ...Object.values(ENVIRONMENT).flatMap(({ also = [] }) => also),
    ...Object.keys(SET_FOR_PROGRAMS),
    ...Object.values(KNOWN_SETTINGS).flatMap(({ variable }) => variable ?? []),
    ...DEVELOPMENT,
  ]);
  const sources = globSync('packages/*/src/**/*.ts', { cwd: root }).filter(
    (file) => !file.includes('.test.') && !file.includes('/test/') && !file.includes('/testing/'),
  );
  const mentioned = sources.flatMap((file) =>
    [...readFileSync(path.join(root, file), 'utf8').matchAll(/\b(?:HEDDLE|CLAUDE)_[A-Z][A-Z_]*[A-Z]\b/g)].map(
      ([name]) => ({ name, file }),
    ),
  );
  expect(mentioned.length).toBeGreaterThan(20);
  expect(mentioned.filter(({ name }) => !listed.has(name))).toEqual([]);
});
