/** Files of this program with logins: tools ask about them, and the views and the sandbox leave them out. */
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { authorize } from './authorize.ts';
import { observeWorld } from './observe-world.ts';
import { decided } from './test/ask.ts';
import { HOME } from './test/world.ts';

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
