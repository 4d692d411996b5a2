/** Words that a proof takes as exact are those that bash makes of them, in number and text. */
import { execFileSync } from 'node:child_process';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { findBash } from '../programs.ts';
import { wordArguments } from './proof/read-only.ts';
import { readCommand } from './read-command.ts';

const PIECES = [
  '{,}',
  '{,a}',
  '{a,}',
  '{a,b}',
  '{,a,}',
  '{,,}',
  '{1..2}',
  '{',
  '}',
  ',',
  "''",
  '""',
  "$''",
  "'x y'",
  '"{,a}"',
  "'{a,b}'",
  String.raw`\{`,
  String.raw`\,`,
  String.raw`\ `,
  'a',
  '-n',
  'x=',
  '/',
] as const;

/** Returns the words of each script as bash makes them. */
function madeByBash(scripts: readonly string[]): readonly (readonly string[])[] {
  const lines = scripts.map((words) => `printf '%s\\0' ${words}; printf '\\1'`);
  const printed = execFileSync(findBash(process.env['PATH'], []), ['--norc'], {
    input: lines.join('\n'),
    encoding: 'utf8',
  });
  return printed
    .split('\u0001')
    .slice(0, -1)
    .map((text) => text.split('\0').slice(0, -1));
}

it('makes the same words as bash, or takes them as unknown', () => {
  const word = fc
    .array(fc.constantFrom(...PIECES), { minLength: 1, maxLength: 4 })
    .map((made) => made.join(''));
  const words = fc.array(word, { minLength: 1, maxLength: 3 }).map((made) => [...made, 'end'].join(' '));
  const scripts = fc.sample(words, { numRuns: 4_000, seed: 1 });
  const made = madeByBash(scripts);
  let exact = 0;
  const different = scripts.flatMap((script, at) => {
    const read = readCommand(`: ${script}`);
    const found = read.ok ? read.commands[0]?.args.flatMap(wordArguments) : undefined;
    if (found === undefined || found.some((argument) => !argument.exact)) return [];
    exact++;
    const values = found.map(({ value }) => value);
    return JSON.stringify(values) === JSON.stringify(made[at]) ? [] : [{ script, values, made: made[at] }];
  });
  expect(different).toEqual([]);
  expect(exact).toBeGreaterThan(1_000);
});
