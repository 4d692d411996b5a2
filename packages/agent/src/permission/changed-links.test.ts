/** Links whose texts lead through a name that is not a folder, or that a script replaces, on a real disk. */
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { authorize } from './authorize.ts';
import { observeWorld } from './observe-world.ts';
import type { PermissionRule } from './rules/rule.ts';

let folder = '';
beforeAll(() => {
  folder = realpathSync(mkdtempSync(path.join(os.tmpdir(), 'heddle-changed-links-')));
  for (const name of ['secrets', 'd', 'up/deep', 'docs/v2', 'many'])
    mkdirSync(path.join(folder, name), { recursive: true });
  for (const name of ['f', 'a', '.env', 'secrets/k.pem', 'd/x', 'up/g', 'docs/v2/x'])
    writeFileSync(path.join(folder, name), '');
  for (const [name, target] of [
    ['through', 'f/../secrets/k.pem'],
    ['top', 'f/..'],
    ['docs2', 'f/../secrets'],
    ['twice', 'through'],
    ['absolute', `${folder}/f/g/../../.env`],
    // These lead elsewhere after the name in their text was replaced.
    ['deep', 'up/deep'],
    ['file', 'up/g'],
    ['loop', 'loop'],
    ['overDeep', 'deep/../secrets/k.pem'],
    ['overFile', 'file/../.env'],
    ['overLoop', 'loop/../.env'],
    ['many/over', '../deep/../.env'],
    ['current', 'docs/v2'],
    ['docs/v2/up', '../../a'],
  ] as const)
    symlinkSync(target, path.join(folder, name));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** The mode itself asks about the removal of a link, if another command follows. */
const EDITS = ['Edit(**)', 'Bash(rm *)', 'Bash(cp *)', 'Bash(mkdir *)'];

type List = 'ask' | 'deny' | 'none';

function decisionOn(command: string, list: List = 'ask', allow: readonly string[] = []): string {
  const surroundings = { root: folder, cwd: folder, directories: [], home: '/people/user', configDirs: [] };
  const world = observeWorld({ ...surroundings, environment: {}, readOnlyView: true });
  const request = { tool: 'Bash', input: { command }, readOnly: false, hookDecision: undefined };
  const rule = (text: string): PermissionRule => ({ text, source: 'user' });
  const rules = ['Read(./.env)', 'Read(./secrets/**)'].map(rule);
  const lists = { deny: list === 'deny' ? rules : [], ask: list === 'ask' ? rules : [] };
  return authorize(request, { ...lists, allow: allow.map(rule) }, 'acceptEdits', world).decision;
}

describe('a link through a file that is not a folder', () => {
  it.each([
    'cat through',
    'rm f; mkdir f; cat through',
    'rm f; mkdir f; cat twice',
    'rm f; mkdir f; cat top/.env',
    'rm f; mkdir f; cat docs2/k.pem',
    'rm f; mkdir f; grep -r S docs2/',
    'rm f; mkdir f; cat < through',
    'rm f; mkdir f; cat through > o',
    'rm f; mkdir f; cat thr*',
    'rm f; mkdir -p f/g; cat absolute',
    'rm f; cp -r d f; cat through',
    'rm f; mv d f; cat through',
  ])('leads where its text says: %s', (command) => {
    expect(decisionOn(command)).toBe('ask');
    expect(decisionOn(command, 'deny')).not.toBe('allow');
  });

  it.each(['rm f; mkdir f; cat a', 'rm f; cat a docs/v2/x', 'echo x > f; cat a'])('%s', (command) => {
    expect(decisionOn(command)).toBe('allow');
  });
});

describe('a link over another link that a command may replace', () => {
  it.each([
    'rm deep; mkdir deep; cat overDeep',
    'rm file; mkdir file; cat overFile',
    'rm loop; mkdir loop; cat overLoop',
    'rm deep; cp -r d deep; head overDeep',
    'rm dee*; mkdir deep; cat overDeep',
    'rm deep; mkdir deep; cat over*',
    'rm deep; mkdir deep; cat < overDeep',
    'rm deep; mkdir deep; grep -R S many',
    'rm deep; mkdir deep; cat many/over',
    // Another call may replace it before or while this one runs.
    'cat overDeep',
    'rm a; cat overDeep',
    'sleep 6; cat overDeep',
    'head -1 many/over',
    'cat ov*eep',
    'grep x < overDeep',
  ])('is unknown: %s', (command) => {
    expect(decisionOn(command)).toBe('ask');
    expect(decisionOn(command, 'ask', EDITS)).toBe('ask');
    expect(decisionOn(command, 'deny', EDITS)).toBe('ask');
  });

  it.each([
    'rm deep; mkdir deep; cat d/x deep/x',
    'mkdir -p docs/v2; cat current/x current/up',
    'echo x > current/y; cat current/y',
  ])('is known otherwise: %s', (command) => {
    expect(decisionOn(command, 'ask', EDITS)).toBe('allow');
  });

  it('is not written', () => {
    expect(decisionOn('rm deep; mkdir deep; echo x > overDeep', 'none', EDITS)).toBe('ask');
    expect(decisionOn('rm a; echo x > overDeep', 'none', EDITS)).toBe('ask');
    expect(decisionOn('echo x > overDeep', 'none', EDITS)).toBe('ask');
  });

  it('is not read without a question, because it may lead to a named pipe later', () => {
    expect(decisionOn('cat overDeep', 'none')).toBe('ask');
    expect(decisionOn('rm deep; mkdir deep; cat overDeep', 'none', EDITS)).toBe('ask');
  });
});
