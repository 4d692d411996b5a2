/** Checkouts below the folder of the agent, on a real disk. Only those that the repository lists are ordinary files. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import type { JsonObject } from '@heddle/core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { authorize } from './authorize.ts';
import { observeWorld } from './observe-world.ts';

const base = realpathSync(mkdtempSync(path.join(os.tmpdir(), 'heddle-checkouts-')));
const project = path.join(base, 'project');
const foreign = path.join(base, 'foreign');
const plain = path.join(base, 'plain');
afterAll(() => rmSync(base, { recursive: true, force: true }));

function git(cwd: string, ...args: string[]): void {
  execFileSync('git', ['-c', 'user.name=t', '-c', 'user.email=t@t', ...args], { cwd });
}

function write(file: string, text = ''): void {
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, text);
}

beforeAll(() => {
  for (const folder of [project, foreign]) {
    for (const name of ['src/a.ts', 'tmpl/a']) write(path.join(folder, name));
    git(folder, 'init', '-q');
    git(folder, 'add', '.');
    git(folder, 'commit', '-qm', 'first');
  }
  git(project, 'worktree', 'add', '-q', '.heddle/worktrees/one');
  git(path.join(project, '.heddle/worktrees/one'), 'worktree', 'add', '-q', '.heddle/worktrees/inner');
  git(project, 'worktree', 'add', '-q', '-b', 'two', 'sub/.claude/worktrees/two');
  git(foreign, 'worktree', 'add', '-q', '-b', 'f', path.join(project, '.heddle/worktrees/foreign'));
  write(path.join(project, '.heddle/worktrees/plain/a'));
  write(path.join(project, '.heddle/worktrees/invented/.git'), 'gitdir: ../../../.git/worktrees/one\n');
  write(path.join(project, '.heddle/worktrees/main/.git'), 'gitdir: ../../../.git\n');
  mkdirSync(path.join(project, '.heddle/worktrees/nested'));
  git(path.join(project, '.heddle/worktrees/nested'), 'init', '-q');
  git(project, 'worktree', 'add', '-q', '-b', 'gone', '.heddle/worktrees/gone');
  rmSync(path.join(project, '.git/worktrees/gone'), { recursive: true });
  symlinkSync('../../src', path.join(project, '.heddle/worktrees/linked'));
  write(path.join(plain, '.claude/worktrees/x/src/a.ts'));
});

function decide(tool: string, input: JsonObject, root = project) {
  const surroundings = { root, cwd: root, directories: [], home: path.join(base, 'home'), configDirs: [] };
  const world = observeWorld({ ...surroundings, environment: { GIT_CONFIG_NOSYSTEM: '1' } });
  const request = { tool, input, readOnly: false, hookDecision: undefined };
  const allow = [{ text: 'Edit', source: 'user' as const }];
  return authorize(request, { deny: [], ask: [], allow }, 'acceptEdits', world).decision;
}

function run(command: string, root?: string) {
  return decide('Bash', { command }, root);
}

describe('a file in a folder for checkouts', () => {
  it.each([
    'mkdir -p .claude/worktrees/x',
    'mkdir -p .claude/worktrees/x/src',
    'mkdir -p src/.claude/worktrees/x',
    'mkdir .heddle/worktrees/new',
    'touch .claude/worktrees/x/a',
    'touch .heddle/worktrees/plain/a',
    'touch .heddle/worktrees/invented/a',
    'touch .heddle/worktrees/main/a',
    'touch .heddle/worktrees/nested/a',
    'touch .heddle/worktrees/gone/a',
    'touch .heddle/worktrees/foreign/a',
    'touch .heddle/worktrees/linked/a',
    'touch .HEDDLE/worktrees/new/a',
    'touch sub/.claude/worktrees/one/a',
    'touch .heddle/worktrees/one/../../settings.json',
    'touch .heddle/worktrees/one/.heddle/worktrees/new/a',
    'touch .heddle/worktrees/one/.envrc',
    'cp -r tmpl .claude/worktrees/x',
    'mv tmpl .heddle/worktrees/new',
    'rm -rf .heddle/worktrees/plain',
    'echo x > .heddle/worktrees/plain/a',
    'sed -i s/a/b/ .heddle/worktrees/plain/a',
    'cd .heddle/worktrees/plain && touch b',
  ])('asks: %s', (command) => {
    expect(run(command)).toBe('ask');
  });

  it('asks outside of a repository', () => {
    expect(run('touch .claude/worktrees/x/src/a.ts', plain)).toBe('ask');
  });

  it('asks for the file tools', () => {
    const input = { file_path: path.join(project, '.claude/worktrees/x/a'), content: 'x' };
    expect(decide('Write', input)).toBe('ask');
  });
});

describe('a file in a checkout of the repository', () => {
  it.each([
    'touch .heddle/worktrees/one/a',
    'mkdir -p .heddle/worktrees/one/new/folder',
    'sed -i s/a/b/ .heddle/worktrees/one/src/a.ts',
    'touch .heddle/worktrees/one/.heddle/worktrees/inner/a',
    'touch sub/.claude/worktrees/two/src/a.ts',
  ])('is ordinary: %s', (command) => {
    expect(run(command)).toBe('allow');
  });

  it('is ordinary in a session that was started there, also without a repository', () => {
    expect(run('touch a', path.join(project, '.heddle/worktrees/one'))).toBe('allow');
    expect(run('touch a', path.join(plain, '.claude/worktrees/x/src'))).toBe('allow');
    expect(run('touch .envrc', path.join(plain, '.claude/worktrees/x/src'))).toBe('ask');
  });
});
