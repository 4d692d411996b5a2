/** Compares the possible matches of a glob with bash itself, and with rules that could apply. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { authorize } from '../authorize.ts';
import { observeWorld } from '../observe-world.ts';
import { pathPattern } from '../rules/path-pattern.ts';
import { NO_RULES } from '../rules/rule.ts';
import { bareWorld } from '../world.ts';
import { globOf } from './glob.ts';
import { literalSegments, segmentsOf } from './segments.ts';

let folder = '';
beforeAll(() => {
  folder = realpathSync(mkdtempSync(path.join(os.tmpdir(), 'heddle-glob-')));
  for (const name of ['a', 'b', '.h', 'ab', 'a/a', 'a/.h', 'b/ab', 'b/a/b', '.h/a'])
    mkdirSync(path.join(folder, name), { recursive: true });
  for (const name of ['a.b', 'b/a.b', 'a/a/b', '-a']) writeFileSync(path.join(folder, name), '');
  mkdirSync(path.join(folder, 'secrets'));
  writeFileSync(path.join(folder, 'secrets/key'), '');
  mkdirSync(path.join(folder, 'docs'));
  symlinkSync(path.join(folder, 'secrets/key'), path.join(folder, 'docs/notes'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const surroundings = () => ({
  root: folder,
  cwd: folder,
  directories: [],
  home: '/people/user',
  configDirs: [],
  environment: {},
});

const name = fc.stringMatching(/^[ab.*?]{1,3}$/).filter((text) => !/^\.{1,2}$/.test(text));
const glob = fc
  .array(fc.oneof(name, fc.constantFrom('[ab]', '[!a]*', '**', 'a', 'b')), { minLength: 1, maxLength: 3 })
  .map((names) => names.join('/'))
  .filter((text) => /[*?[]/.test(text));

describe('a glob', () => {
  it('finds at least what bash finds', async () => {
    const globs = fc.sample(glob, { numRuns: 300, seed: 7 });
    const script = 'shopt -s nullglob; for g in "$@"; do printf "%s\\n" $g; echo "="; done';
    const output = execFileSync('bash', ['--norc', '-c', script, 'bash', ...globs], {
      cwd: folder,
      encoding: 'utf8',
      env: { PATH: process.env['PATH'], LC_ALL: 'C' },
    });
    const world = observeWorld(surroundings());
    output.split('=\n').forEach((lines, index) => {
      const pattern = globs[index];
      if (pattern === undefined) return;
      const { found, climbs } = globOf(pattern, [{ path: folder, real: folder }], world);
      const ours = new Set(found(false)?.map((place) => path.relative(folder, place.path)));
      for (const line of lines.split('\n').filter(Boolean)) {
        const isAbove = line.split('/').some((step) => step === '.' || step === '..');
        expect({ pattern, line, ours: isAbove ? climbs : ours.has(line) }).toEqual({
          pattern,
          line,
          ours: true,
        });
      }
    });
  });

  it('meets a rule if both can match the same path', () => {
    const anchors = { roots: ['/r'], others: [], homes: ['/h'], bases: ['/r'], foldsCase: false };
    const file = fc.array(fc.stringMatching(/^\.?[ab]{1,3}$/), { minLength: 1, maxLength: 4 });
    const choices = fc.array(fc.constantFrom('', '', '?', '*', '[ab]'), { minLength: 4, maxLength: 16 });
    // Letters become wildcards: what comes out still means the path it was made of.
    const blurred = (names: readonly string[], how: readonly string[]): string[] =>
      names.map((text, row) =>
        Array.from(text, (letter, at) =>
          letter === '.' ? letter : how[(row * 5 + at) % how.length] || letter,
        ).join(''),
      );
    fc.assert(
      fc.property(file, choices, choices, fc.nat(3), fc.boolean(), (names, one, two, from, anywhere) => {
        const left = [...literalSegments('/r'), ...segmentsOf(blurred(names, one).join('/'))];
        const inner = blurred(names, two).slice(anywhere ? from % names.length : 0);
        const specifier = anywhere ? `**/${inner.join('/')}` : `./${inner.slice(0, from + 1).join('/')}`;
        const pattern = pathPattern(specifier, 'deny', anchors);
        expect(pattern.matches(`/r/${names.join('/')}`)).toBe(true);
        expect({ names, specifier, meets: pattern.meets(left, false, 'any') }).toMatchObject({ meets: true });
      }),
      { numRuns: 1_000 },
    );
  });

  it.each([
    ['cat secre*/*', 'deny'],
    ['cat docs/*', 'deny'],
    ['cat d*/n*', 'deny'],
    ['cat a/*', 'allow'],
    ['wc -l b/*', 'allow'],
  ])('on the disk, with a link into what is denied: %s is %s', async (command, decision) => {
    const request = { tool: 'Bash', input: { command }, readOnly: false, hookDecision: undefined };
    const rules = { ...NO_RULES, deny: [{ text: 'Read(./secrets/**)', source: 'user' as const }] };
    const world = observeWorld(surroundings());
    expect(authorize(request, rules, 'default', world).decision).toBe(decision);
  });

  it('asks if its folder cannot be read and a rule may apply', () => {
    const rules = { ...NO_RULES, deny: [{ text: 'Read(**/*.pem)', source: 'user' as const }] };
    const ask = (command: string) =>
      authorize(
        { tool: 'Bash', input: { command }, readOnly: false, hookDecision: undefined },
        rules,
        'default',
        bareWorld('/r', '/h'),
      ).decision;
    expect([ask('cat src/*'), ask('cat src/*.ts'), ask('cat src/a')]).toEqual(['ask', 'allow', 'allow']);
  });
});
