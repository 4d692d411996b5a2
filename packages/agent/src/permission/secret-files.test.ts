/** Files of this program with logins: tools ask about them, and the views and the sandbox leave them out. */
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { authorize } from './authorize.ts';
import { observeWorld } from './observe-world.ts';
import { decided } from './test/ask.ts';
import { CLEAN_GIT, HOME, worldOf } from './test/world.ts';

const files = [`${HOME}/.claude/fleet/address`, `${HOME}/.claude/fleet`, `${HOME}/.claude/mcp-auth.json`];

it.each([
  ['Read', { file_path: '~/.claude/fleet/address' }],
  ['Read', { file_path: `${HOME}/.claude/mcp-auth.json` }],
  ['Grep', { pattern: 'x', path: '~/.claude/fleet' }],
  ['Grep', { pattern: 'x', path: '~/.claude/fleet/address' }],
])('the tool %s asks about %j', (tool, input) => {
  const setting = { world: { files }, readOnly: true, leavesOutDenied: tool === 'Grep' };
  expect(decided(tool, input, setting)).toMatchObject({
    decision: 'ask',
    reason: expect.stringContaining('a login of Heddle'),
  });
  expect(decided(tool, input, { ...setting, mode: 'plan' }).decision).toBe('ask');
});

it('a search above such files runs if it leaves them out', () => {
  const input = { pattern: 'x', path: '~/.claude' };
  const setting = { world: { files }, readOnly: true };
  expect(decided('Grep', input, { ...setting, leavesOutDenied: true }).decision).toBe('allow');
  expect(decided('Grep', input, setting).decision).toBe('ask');
  expect(decided('Glob', { pattern: '~/.claude/fleet/*' }, setting).decision).toBe('allow');
});

it('a file under its name before it is complete counts, and other names do not', () => {
  const draft = `${HOME}/.claude/mcp-auth.json.1b2c.tmp`;
  const read = (name: string) =>
    decided('Read', { file_path: `${HOME}/.claude/${name}` }, { world: { files: [draft] }, readOnly: true });
  expect(read('mcp-auth.json.1b2c.tmp').decision).toBe('ask');
  expect(read('mcp-auth.json.md').decision).toBe('allow');
});

describe('with the read-only view', () => {
  const decide = (command: string, allow: readonly string[] = []) => {
    const world = { ...worldOf({ files, git: CLEAN_GIT }), readOnlyView: true };
    const rules = { deny: [], ask: [], allow: allow.map((text) => ({ text, source: 'user' as const })) };
    const request = { tool: 'Bash', input: { command }, readOnly: false, hookDecision: undefined };
    return authorize(request, rules, 'default', world);
  };

  it.each([
    'cat "$HOME/.claude/mcp-auth.json"',
    'for f in ~/.claude/*/*; do cat "$f"; done',
    'find ~/.claude -type f | xargs cat',
    'while read -r f; do cat "$f"; done < list',
  ])('a computed name needs no question, because the view hides such files: %s', (command) => {
    expect(decide(command)).toMatchObject({ decision: 'allow', readOnlyRun: 'required' });
    expect(decide(command).fileLimits?.hidden).toContain(`${HOME}/.claude/mcp-auth.json`);
  });

  it.each([
    ['cat "$HOME/.claude/mcp-auth.json"; npm test a', 'Bash(npm test *)'],
    ['for f in ~/.claude/*/*; do cat "$f"; done; make a', 'Bash(make *)'],
    ['while read -r f; do cat "$f"; done < list; make a', 'Bash(make *)'],
  ])('a rule that lets the script leave the view does not settle it: %s', (command, rule) => {
    expect(decide(command, [rule])).toMatchObject({
      decision: 'ask',
      reason: expect.stringContaining('a login of Heddle'),
    });
  });

  it('a script that leaves the view reads other files', () => {
    for (const command of ['for f in src/*; do cat "$f"; done; make a', 'x=a; cat src/$x.ts; make a'])
      expect(decide(command, ['Bash(make *)'])).toMatchObject({ decision: 'allow' });
  });
});

let folder = '';
beforeEach(() => {
  folder = realpathSync(mkdtempSync(path.join(os.tmpdir(), 'heddle-logins-')));
  mkdirSync(path.join(folder, 'config/fleet'), { recursive: true });
  mkdirSync(path.join(folder, 'project'));
  writeFileSync(path.join(folder, 'config/fleet/address'), 'postgres://a:b@c/d');
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

it('the view hides such files from commands that name none', () => {
  const cwd = path.join(folder, 'project');
  const configDirs = [path.join(folder, 'config')];
  const place = { root: cwd, cwd, directories: [], home: folder, configDirs };
  const world = observeWorld({ ...place, environment: {}, readOnlyView: true });
  const limitsOf = (command: string) => {
    const request = { tool: 'Bash', input: { command }, readOnly: false, hookDecision: undefined };
    return authorize(request, { deny: [], ask: [], allow: [] }, 'default', world).fileLimits;
  };
  expect(limitsOf('xargs cat < list')).toEqual({
    writable: [],
    unwritable: [],
    hidden: [path.join(folder, 'config/fleet')],
  });
});
