/** Files and folders that settings of git name, on a real disk: git runs their hooks and reads settings from them. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import type { JsonObject } from '@heddle/core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { authorize } from './authorize.ts';
import { observeWorld } from './observe-world.ts';

const base = realpathSync(mkdtempSync(path.join(os.tmpdir(), 'heddle-git-sources-')));
const project = path.join(base, 'project');
const other = path.join(base, 'other');
const environment = { HOME: base, GIT_CONFIG_NOSYSTEM: '1' };

function git(folder: string, ...args: string[]): void {
  const identity = ['-c', 'user.name=a', '-c', 'user.email=a@example.com'];
  const env = { ...environment, PATH: process.env['PATH'] };
  execFileSync('git', [...identity, ...args], { cwd: folder, env, stdio: 'pipe' });
}

function makeFile(name: string): void {
  mkdirSync(path.dirname(path.join(project, name)), { recursive: true });
  writeFileSync(path.join(project, name), '');
}

beforeAll(() => {
  mkdirSync(project);
  git(project, 'init', '-q');
  for (const name of ['a', 'tools/hooks/pre-commit', 'tools/b', 'payload/hooks/pre-commit', 'src/c'])
    makeFile(name);
  git(project, 'add', 'a');
  git(project, 'commit', '-qm', 'a');
  git(project, 'worktree', 'add', '-q', other);
  git(project, 'init', '-q', 'nested');
  git(path.join(project, 'nested'), 'config', 'core.hooksPath', 'own');
  symlinkSync('tools/hooks', path.join(project, 'link'));
  git(project, 'config', 'core.hooksPath', 'tools/hooks');
  git(project, 'config', 'include.path', '../build/settings');
  git(project, 'config', 'core.attributesFile', 'src/attributes');
});
afterAll(() => rmSync(base, { recursive: true, force: true }));

function decisionOn(tool: string, input: JsonObject, root = project): string {
  const surroundings = { root, cwd: root, directories: [], home: base, configDirs: [], environment };
  const rule = { text: 'Edit(./**)', source: 'user' as const };
  const request = { tool, input, readOnly: false, hookDecision: undefined };
  const rules = { deny: [], ask: [], allow: [rule] };
  return authorize(request, rules, 'acceptEdits', observeWorld(surroundings)).decision;
}

describe('a place that settings of git name', () => {
  it.each([
    'tools/hooks/pre-commit',
    'tools/hooks/lib/x.sh',
    'tools/../tools/hooks/x',
    'link/pre-push',
    'build/settings',
    'src/attributes',
    'nested/own/pre-commit',
  ])('is not edited without a question, also beside a rule: %s', (file) => {
    expect(decisionOn('Write', { file_path: path.join(project, file), content: '' })).toBe('ask');
    expect(decisionOn('Edit', { file_path: file, old_string: 'a', new_string: 'b' })).toBe('ask');
    expect(decisionOn('Bash', { command: `touch ${file}` })).toBe('ask');
    expect(decisionOn('Bash', { command: `echo x > ${file}` })).toBe('ask');
  });

  it.each([
    'cp a tools/hooks/',
    'cp -r payload/hooks tools',
    'cp -r payload/. tools',
    'mv payload/hooks/pre-commit tools/hooks',
    'rm -rf tools/hooks',
    'rm -rf tools && mv payload tools',
    'mv payload/h* tools',
    'mkdir -p tools/hooks',
    'sed -i s/a/b/ tools/hooks/*',
    'cd tools && touch hooks/x',
  ])('is not replaced by commands without a question: %s', (command) => {
    expect(decisionOn('Bash', { command })).toBe('ask');
  });

  it('is protected in another working tree of the repository', () => {
    const write = (file: string): string => decisionOn('Write', { file_path: file, content: '' }, other);
    expect(write(path.join(other, 'tools/hooks/pre-commit'))).toBe('ask');
    expect(write(path.join(other, 'tools/b'))).toBe('allow');
  });

  it.each(['tools/b', 'src/c', 'build/other', 'own/pre-commit', 'nested/tools/hooks/x', 'pre-commit'])(
    'leaves other files alone: %s',
    (file) => {
      expect(decisionOn('Write', { file_path: file, content: '' })).toBe('allow');
      expect(decisionOn('Bash', { command: `touch ${file}` })).toBe('allow');
    },
  );

  it('is a file with the name of a hook, if the working tree contains the hooks', () => {
    git(project, 'config', 'core.hooksPath', '.');
    expect(decisionOn('Write', { file_path: 'pre-commit', content: '' })).toBe('ask');
    expect(decisionOn('Write', { file_path: 'tools/b', content: '' })).toBe('allow');
  });
});
