import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { cpuMsOf } from '@heddle/testing';
import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { IgnoreRules } from './ignore-rules.ts';
import { treeOf } from './test/tree.ts';

const PIECES = [
  'a',
  'b',
  '*',
  '**',
  '?',
  '[ab]',
  '[!a]',
  '[a-c]',
  '.',
  '.a',
  '*.ts',
  'x',
  '-',
  '_',
  ' ',
  '#',
  '!',
  '\t',
  '[^b]',
  '[a-]',
  '[]a]',
  '[!]a]',
  '[[:alpha:]]',
  '[[:x:]]',
  '[z-a]',
  '[',
  '[a',
  '{a,b}',
  '[[:digit:]a]',
  '[a/b]',
  '***',
  '[--a]',
  '[[:',
  '(',
  ')',
  '+',
  '[*]',
  'a*b*',
  '\\',
  '\\ ',
  '\\#',
  '\\!',
  '\\*',
  '\\a',
  '[\\]a]',
];
const NAMES = [
  'a',
  'b',
  'c',
  'x',
  '.a',
  'a.ts',
  'ab',
  'aa',
  'aab',
  'a b',
  '1',
  'a-',
  '(',
  '!',
  '#',
  '*',
  ']',
  '[',
  '-',
  'axbx',
  '{a,b}',
  'a ',
  ' ',
  '\\',
  'z',
  'a\t',
];

const segment = fc
  .array(fc.constantFrom(...PIECES), { minLength: 1, maxLength: 3 })
  .map((all) => all.join(''));
const line = fc
  .tuple(
    fc.constantFrom('', '', '', '/', '!'),
    fc.array(segment, { minLength: 1, maxLength: 3 }),
    fc.constantFrom('', '', '/', ' '),
  )
  .map(([start, segments, end]) => start + segments.join('/') + end);
const files = fc.uniqueArray(
  fc.array(fc.constantFrom(...NAMES), { minLength: 1, maxLength: 3 }).map((names) => names.join('/')),
  { minLength: 60, maxLength: 60 },
);

it('ignores what git ignores', async () => {
  const root = treeOf({});
  execFileSync('git', ['init', '-q', root]);
  const cases = fc
    .sample(fc.tuple(fc.array(line, { minLength: 1, maxLength: 2 }), files), { seed: 5, numRuns: 300 })
    .map(([lines, paths], index) => ({ lines, folder: path.join(root, `f${index}`), paths }));
  for (const { lines, folder } of cases) {
    mkdirSync(folder);
    writeFileSync(path.join(folder, '.gitignore'), `${lines.join('\n')}\n`);
  }
  const asked = cases.flatMap(({ folder, paths }) => paths.map((file) => path.join(folder, file)));
  const { stdout } = spawnSync(
    'git',
    ['-C', root, '-c', 'core.excludesFile=', 'check-ignore', '--no-index', '-z', '--stdin'],
    {
      input: asked.join('\0'),
      encoding: 'utf8',
      maxBuffer: 100_000_000,
    },
  );
  const expected = new Set(stdout.split('\0').slice(0, -1));
  expect(expected.size).toBeGreaterThan(400);
  const wrong: string[] = [];
  for (const { lines, folder, paths } of cases) {
    const rules = await (await IgnoreRules.above(folder)).entering(folder);
    for (const file of paths) {
      const names = file.split('/');
      const isIgnored = names.some((_, index) =>
        rules.ignores(path.join(folder, ...names.slice(0, index + 1)), index < names.length - 1),
      );
      if (isIgnored !== expected.has(path.join(folder, file))) wrong.push(`${JSON.stringify(lines)} ${file}`);
    }
  }
  expect(wrong).toEqual([]);
});

it.each([
  ['stars', `${'*a'.repeat(2_000)}b`],
  ['folders', `${'**/a/'.repeat(800)}b`],
  ['sets', `${'*[a-z]'.repeat(660)}!`],
  ['open sets', '[a'.repeat(2_000)],
  ['backslashes', '\\'.repeat(4_000)],
  ['spaces', `${' '.repeat(4_000)}a`],
])('takes time proportional to line and path: %s', async (_, text) => {
  const root = treeOf({ '.gitignore': text });
  const rules = await (await IgnoreRules.above(root)).entering(root);
  const used = await cpuMsOf(() => {
    for (const name of ['a'.repeat(2_000), 'a/'.repeat(1_000)]) rules.ignores(path.join(root, name), false);
  });
  expect(used).toBeLessThan(2_000);
});
