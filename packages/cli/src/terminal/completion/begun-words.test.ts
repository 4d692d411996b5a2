/** A completed name in a `!` line: bash reads exactly this name, whatever it contains. */
import { createRandom } from '@heddle/testing';
import { spawnSync } from 'node:child_process';
import { expect, it } from 'vitest';
import { complete } from './complete.ts';

const CHARACTERS = Array.from('ab.-_ \'"`$\\!#&|;<>()*?[]{}~^=%+,:@é\u00A0\u2028日😀').concat(
  '$(touch x)',
  "';touch x;'",
);

/** Words that the user has begun, and how a name that they match starts. */
const BEGUN: readonly (readonly [typed: string, start: string])[] = [
  ['n', 'n'],
  ['"n', 'n'],
  ["'n", 'n'],
  ['"$(pwd)" "${HOME}" "n', 'n'],
  ["'\\' n", 'n'],
  ['"a\\" \\\\n', 'a" \\n'],
  ['"a\'n', "a'n"],
  ['\'a"n', 'a"n'],
  ['"a"\'b\'n', 'abn'],
  ["'a'\\''n", "a'n"],
  ['\\$\\ n', '$ n'],
  ['"a\\b', 'a\\b'],
  ["$'a\\'' n", 'n'],
];
const ROUNDS = 3_000;

it('is read back by bash as it is, in every kind of quotes', () => {
  const random = createRandom(15);
  const below = (end: number): number => Math.floor(random() * end);
  const commands = [`last() { printf '%s\\0' "\${!#}"; }`];
  const names = Array.from({ length: ROUNDS }, (_, round) => {
    const [typed = '', start = ''] = BEGUN[round % BEGUN.length] ?? [];
    const rest = Array.from({ length: 1 + below(8) }, () => CHARACTERS[below(CHARACTERS.length)]).join('');
    const name = start + rest;
    const text = `!last ${typed}`;
    const sources = { commands: [], list: () => [{ name, isFolder: false }] };
    const done = complete({ text, cursor: text.length }, sources);
    commands.push(done.kind === 'draft' ? done.draft.text.slice(1) : `last 'not completed: ${round}'`);
    return name;
  });
  const { stdout, stderr } = spawnSync('bash', ['-c', commands.join('\n')], { encoding: 'utf8' });
  expect(stderr).toBe('');
  expect(stdout.split('\0').slice(0, -1)).toEqual(names);
});
