/** Permitted edits that move, remove or replace folders and links, beside commands that were proven to read. */
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { authorize } from './authorize.ts';
import { observeWorld } from './observe-world.ts';

const PROJECT = realpathSync(mkdtempSync(path.join(tmpdir(), 'heddle-moved-paths-')));
afterAll(() => rmSync(PROJECT, { recursive: true }));
for (const folder of ['a/n', 'empty', 'other']) mkdirSync(path.join(PROJECT, folder), { recursive: true });
for (const file of ['a.txt', 'b.txt', 'a/n/c.txt']) writeFileSync(path.join(PROJECT, file), 'x\n');
symlinkSync('a', path.join(PROJECT, 'link'));
symlinkSync('a.txt', path.join(PROJECT, 'file-link'));

interface Setting {
  readonly reads?: boolean;
  readonly view?: boolean;
  readonly allow?: readonly string[];
}

function judge(command: string, { reads = false, view = true, allow = [] }: Setting = {}) {
  const world = observeWorld({
    root: PROJECT,
    cwd: PROJECT,
    home: path.dirname(PROJECT),
    directories: [],
    configDirs: [],
    environment: {},
    readOnlyView: view,
    readsInBackground: reads,
  });
  const request = { tool: 'Bash', input: { command }, readOnly: false, hookDecision: undefined };
  const rules = { deny: [], ask: [], allow: allow.map((text) => ({ text, source: 'user' as const })) };
  return authorize(request, rules, 'acceptEdits', world);
}

const MOVES = [
  'mv a/n n',
  'mv a other/',
  'mv a other',
  'rm -r a',
  'rm -rf a/n',
  'rm -r a/*',
  'rmdir empty',
  'rmdir -p empty',
  'rm link',
  'rm file-link',
  'mv b.txt file-link',
  'rm b.txt file-link',
  'rm -r empty && touch d.txt',
  'cd a && mv n m',
];

const OTHERS = [
  'rm b.txt',
  'mv b.txt c.txt',
  'mv b.txt a/',
  'mkdir -p x/y',
  'touch d.txt',
  'echo x > b.txt',
  'cp b.txt e.txt',
  'cp -r other copy',
  'sed -i s/a/b/ b.txt',
  'rm a/n/c.txt',
  'rm *.md',
];

describe('permitted moves beside a command that was proven to read', () => {
  it.each(MOVES)('ask while it runs in the background, and take turns otherwise: %s', (command) => {
    for (const view of [true, false]) {
      expect(judge(command, { view }).readOnlyRun).toBe('moves');
      expect(judge(command, { view, reads: true }).decision).toBe('ask');
    }
  });

  it.each(OTHERS)('do not include edits after which all names lead to the same places: %s', (command) => {
    expect(judge(command).readOnlyRun).toBe('edits');
    expect(judge(command, { reads: true }).decision).toBe('allow');
  });

  it('say why they ask', () => {
    expect(judge('mv a/n n', { reads: true }).reason).toBe(
      'A command that was proven to read still runs in the background. If a folder or a link is moved, removed or replaced, it may read other files.',
    );
  });

  it('run with a rule that covers them', () => {
    expect(judge('mv a/n n', { reads: true, allow: ['Bash(mv *)'] }).decision).toBe('allow');
    expect(judge('rm -r a', { reads: true, allow: ['Bash(rm -r *)'] }).decision).toBe('allow');
  });
});
