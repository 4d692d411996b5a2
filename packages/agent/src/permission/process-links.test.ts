/** A link in the project leads to the files of a process. Commands that follow it are confined or asked about. */
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import type { PermissionMode } from '@heddle/core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { authorize } from './authorize.ts';
import { observeWorld } from './observe-world.ts';
import type { AuthorizeRequest } from './request.ts';

interface Setting {
  readonly view?: boolean;
  readonly mode?: PermissionMode;
  readonly allow?: readonly string[];
  readonly request?: Partial<AuthorizeRequest>;
}

const FOLLOWING = [
  "find -L . -name 'env*' -exec cat {} +",
  "find -L . -exec cat {} ';'",
  'find -L sub -exec grep -a KEY {} +',
  "find -L . -name 'env*' | xargs cat",
  "find . -follow -name 'env*' | xargs -n1 head",
  'for p in p?/en*; do cat "$p"; done',
  'for p in */en*; do head -c 99 "$p"; done',
  'for d in *; do cat $d/env*; done',
  'for d in *; do cat "$d"/env*; done',
  'for d in */; do cat "$d"env*; done',
  'for d in *; do for f in "$d"/*; do cat "$f"; done; done',
  'grep -R . .',
  'grep -R KEY sub',
  'grep -s . -R',
  'grep -r . --dereference-recursive',
  'rg -L KEY',
  'rg -aL KEY sub',
  'rg --follow KEY',
  "cat $(find -L . -name 'env*')",
  'fd -L env | xargs cat',
  'rg --files -L | xargs cat',
  'ls | xargs -I% cat %/env',
  'ls | while read d; do cat $d/env*; done',
  'cd */ && cat env*',
  'du -aL . | cut -f2 | xargs cat',
  'x=p1/env*; cat $x',
];
const NAMING = ['ls -L p1', 'ls -LR .', 'du -L .', 'tree -l', 'find -L . -name x', 'grep -r x sub', 'cat a'];
const RULES = [
  'Bash',
  ...'find cat grep rg tar xargs fd head cp zip'.split(' ').map((name) => `Bash(${name} *)`),
];

describe.runIf(process.platform === 'linux')('a link to the files of a process', () => {
  let folder = '';
  beforeAll(() => {
    folder = realpathSync(mkdtempSync(path.join(os.tmpdir(), 'heddle-process-links-')));
    for (const name of ['with/sub', 'without/sub', 'many/d'])
      mkdirSync(path.join(folder, name), { recursive: true });
    for (const name of ['with', 'without']) {
      writeFileSync(path.join(folder, name, 'a'), '');
      writeFileSync(path.join(folder, name, 'sub/a'), '');
      symlinkSync('../a', path.join(folder, name, 'sub/inner'));
    }
    symlinkSync('/proc/1', path.join(folder, 'with/p1'));
    symlinkSync('/proc', path.join(folder, 'with/sub/q'));
    for (let at = 0; at < 3_100; at++) writeFileSync(path.join(folder, `many/d/${at}`), '');
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  const decided = (
    command: string,
    project: 'with' | 'without' | 'many',
    { view = false, mode = 'default', allow = [], request = {} }: Setting = {},
  ): string => {
    const root = path.join(folder, project);
    const world = observeWorld({
      root,
      cwd: root,
      directories: [],
      home: '/people/user',
      configDirs: [],
      environment: {},
      readOnlyView: view,
    });
    const rules = { deny: [], ask: [], allow: allow.map((text) => ({ text, source: 'user' as const })) };
    const asked = { tool: 'Bash', input: { command }, readOnly: false, hookDecision: undefined, ...request };
    const { decision, readOnlyRun } = authorize(asked, rules, mode, world);
    return readOnlyRun === undefined ? decision : `${decision} ${readOnlyRun}`;
  };

  it.each(FOLLOWING)('is asked about without the view, also beside a rule: %s', (command) => {
    expect(decided(command, 'with')).toBe('ask');
    expect(decided(command, 'with', { mode: 'plan' })).toBe('ask');
    for (const rule of RULES) expect(decided(command, 'with', { allow: [rule] })).toBe('ask');
    expect(decided(command, 'with', { allow: RULES, view: true })).toBe('ask');
    expect(decided(command, 'with', { request: { hookDecision: 'allow' } })).toBe('ask');
  });

  it.each(FOLLOWING)('leads to no other process in the view: %s', (command) => {
    expect(decided(command, 'with', { view: true })).toBe('allow required');
    expect(decided(command, 'without', { view: true })).toBe('allow required');
    expect(decided(`ps aux; ${command}`, 'with', { view: true })).toBe('ask');
    expect(decided(`timeout 9 ps aux; ${command}`, 'with', { view: true })).toBe('ask');
  });

  it.each(FOLLOWING)('needs no question in a folder without one: %s', (command) => {
    expect(decided(command, 'without')).toBe('allow preferred');
    expect(decided(`ps aux; ${command}`, 'without', { view: true })).toBe('allow preferred');
  });

  it.each([
    'tar -chf - .',
    'tar chf - sub',
    'cp -rL . /tmp/x',
    'zip -r - sub',
    'fd -L env -x cat',
    'diff -r sub a',
  ])('is asked about although a rule covers the command: %s', (command) => {
    expect(decided(command, 'with', { allow: [...RULES, 'Edit(//tmp/**)'] })).toBe('ask');
  });

  it('is asked about if a folder is compared', () => {
    for (const view of [true, false]) expect(decided('diff p1 sub', 'with', { view })).toBe('ask');
  });

  it.each(NAMING)('is not followed by a command that prints names, or does not follow: %s', (command) => {
    for (const view of [true, false]) expect(decided(command, 'with', { view })).toBe('allow preferred');
  });

  it('may be among more files than can be looked at', () => {
    expect(decided('grep -R x .', 'many')).toBe('ask');
    expect(decided('grep -R x .', 'many', { view: true })).toBe('allow required');
    expect(decided('grep -R x .', 'many', { allow: ['Bash(grep *)'] })).toBe('allow');
    expect(decided('make; grep -R x .', 'many', { allow: ['Bash(make *)'] })).toBe('ask');
    expect(decided('grep -r x .', 'many')).toBe('allow preferred');
  });

  it('is followed if everything is allowed, and in the sandbox', () => {
    expect(decided('grep -R x .', 'with', { mode: 'bypassPermissions' })).toBe('allow');
    expect(decided('grep -R x .', 'with', { request: { sandboxed: true } })).toBe('allow preferred');
  });
});
