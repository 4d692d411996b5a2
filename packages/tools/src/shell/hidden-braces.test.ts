/** Braces, compared with bash: a word that counts as literal is exactly one word for the shell. */
import { execFileSync } from 'node:child_process';
import { parse } from 'unbash';
import { expect, it } from 'vitest';
import { wordOf } from './shell-word.ts';

const PIECES = [
  '{',
  '}',
  ',',
  '..',
  'a',
  '1',
  '-o',
  '""',
  "''",
  '"b"',
  "$''",
  String.raw`\{`,
  String.raw`\,`,
  '{a,b}',
  '{1..3}',
  '@',
];
const WORDS = 3_000;

/** Numbers that are the same in each run. */
function* numbers(): Generator<number, never> {
  for (let state = 7; ; ) {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    yield Math.floor(state / 65_536);
  }
}

function randomWords(): string[] {
  const random = numbers();
  const below = (limit: number): number => random.next().value % limit;
  return Array.from({ length: WORDS }, () =>
    Array.from({ length: 2 + below(8) }, () => PIECES[below(PIECES.length)]).join(''),
  );
}

function literalValue(word: string): string | undefined {
  const [statement] = parse(`echo ${word}`).commands;
  const command = statement?.command;
  const [argument, ...more] = command?.type === 'Command' ? command.suffix : [];
  if (argument?.type !== 'Word' || more.length > 0) return undefined;
  const { kind, value } = wordOf(argument);
  return kind === 'literal' ? value : undefined;
}

it('reads a word as literal only if bash expands it to exactly that text', () => {
  const literal = randomWords().flatMap((word) => {
    const value = literalValue(word);
    return value === undefined || value === '' ? [] : [{ word, value }];
  });
  const script = literal.map(({ word }) => `printf '%s\\n' ${word}; echo =`).join('\n');
  const output = execFileSync('bash', ['--norc', '-c', script], { encoding: 'utf8' });
  const expanded = output.split('=\n').slice(0, -1);
  const wrong = literal.filter(({ value }, at) => expanded[at] !== `${value}\n`);
  expect(literal.length).toBeGreaterThan(300);
  expect(wrong).toEqual([]);
});
