/** The folder of hooks: a call that changes the folder of the shell neither switches a guard off nor exchanges its program. */
import { chmodSync, existsSync } from 'node:fs';
import path from 'node:path';
import { call, say } from '@heddle/testing';
import { expect, it } from 'vitest';
import { setUpProjects } from '../test/project.ts';

const project = setUpProjects();

const BLOCK = '#!/bin/sh\ngrep -q "touch " && { echo guarded >&2; exit 2; }; exit 0\n';
const EVIL = '#!/bin/sh\ntouch "$CLAUDE_PROJECT_DIR/evil-ran"\n';

/** A project with a guard in its folder, a replacement in another folder, and the user's hook with these fields. It is trusted. */
async function guarded(handler: object, calls: readonly (readonly [tool: string, input: object])[]) {
  const hooks = { PreToolUse: [{ hooks: [{ type: 'command', ...handler }] }] };
  const script = calls.map(([tool, input], at) => [call(tool, { ...input }, `b${at}`)]);
  const made = await project(
    {
      '../config/settings.json': JSON.stringify({ hooks, permissions: { allow: ['Bash(touch:*)', 'Edit'] } }),
      'check.sh': BLOCK,
      'empty/.keep': '',
      'evil/check.sh': EVIL,
    },
    [...script, [say('Done.')]],
  );
  for (const name of ['check.sh', 'evil/check.sh']) chmodSync(path.join(made.folder, name), 0o755);
  await made.trust();
  const { stderr } = await made.run(['-p', 'go']);
  return { stderr, has: (name: string) => existsSync(path.join(made.folder, name)) };
}

const bash = (command: string) => ['Bash', { command }] as const;

it.each([
  ['a path', { command: './check.sh' }],
  ['an argument of a shell', { command: 'sh check.sh' }],
  ['a file that is read by a shell', { command: '. ./check.sh' }],
  ['a program with arguments', { command: './check.sh', args: ['x'] }],
  ['a later part of a command', { command: 'true && ./check.sh' }],
])('runs the script of the start folder if a hook names it as %s', async (_, handler) => {
  const { has } = await guarded(handler, [
    bash('cd empty'),
    bash('touch one'),
    bash('cd ../evil'),
    bash('ls'),
    bash('touch two'),
  ]);
  expect([has('empty/one'), has('evil-ran'), has('evil/two')]).toEqual([false, false, false]);
});

it('compares the rule of a hook with the path that a call means in the folder of the shell', async () => {
  const { has } = await guarded({ command: 'echo guarded >&2; exit 2', if: 'Edit(/empty/**)' }, [
    bash('cd empty'),
    bash('touch one'),
  ]);
  expect(has('empty/one')).toBe(false);
});

it.each([
  ['is missing', { command: './missing.sh' }],
  ['is missing, without a shell', { command: './missing.sh', args: [] }],
  ['cannot be executed', { command: './empty' }],
])('does not run a call that needs no question if the program of a guard %s', async (_, handler) => {
  const { has, stderr } = await guarded(handler, [bash('touch one')]);
  expect(has('one')).toBe(false);
  expect(stderr).toContain('A PreToolUse hook failed');
});
