/** Parts of words on a real disk: patterns and names with quotes that a program gives to a shell. */
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { authorize } from './authorize.ts';
import { observeWorld } from './observe-world.ts';
import type { PermissionRule } from './rules/rule.ts';

const base = realpathSync(mkdtempSync(path.join(os.tmpdir(), 'heddle-parts-of-words-')));
const root = path.join(base, 'project');
afterAll(() => rmSync(base, { recursive: true, force: true }));

beforeAll(() => {
  for (const folder of ['docs', 'src']) mkdirSync(path.join(root, folder), { recursive: true });
  for (const file of ['.env', 'src/a.ts', 'Makefile']) writeFileSync(path.join(root, file), 'x');
  symlinkSync('../.env', path.join(root, 'docs/link'));
});

function decisionOn(command: string): string {
  const home = path.join(base, 'home');
  const environment = { HOME: home, GIT_CONFIG_NOSYSTEM: '1', PATH: '/usr/bin:/bin' };
  const world = observeWorld({ root, cwd: root, directories: [], home, configDirs: [], environment });
  const rule = (text: string): PermissionRule => ({ text, source: 'user', base: root });
  const rules = {
    deny: [rule('Read(./.env)')],
    ask: [],
    allow: [rule('Bash(make:*)'), rule('Bash(just:*)')],
  };
  const request = { tool: 'Bash', input: { command }, readOnly: false, hookDecision: undefined };
  return authorize(request, rules, 'default', world).decision;
}

it.each([
  ["make show FILE='docs/*'", 'ask'],
  ["make show FILE='docs/lin?'", 'ask'],
  ["make show FILE='*/*'", 'ask'],
  ["make show FILE='.en?'", 'ask'],
  [`just show '.en""v'`, 'ask'],
  [`just show '.npm""rc'`, 'ask'],
  [String.raw`make w FILE='.\./oux'`, 'ask'],
  ["make show FILE='src/*'", 'allow'],
  [`make show FILE='src/"a".ts'`, 'allow'],
])('decides about %s: %s', (command, decision) => {
  expect(decisionOn(command)).toBe(decision);
});
