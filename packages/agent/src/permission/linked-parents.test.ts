/** A session in a folder of a repository that is named by a link. The parents of its real place count. On a real disk. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { authorize } from './authorize.ts';
import { observeWorld } from './observe-world.ts';
import { programPlaces } from './paths/program-places.ts';

const base = realpathSync(mkdtempSync(path.join(os.tmpdir(), 'heddle-parents-')));
const repository = path.join(base, 'repository');
const tree = path.join(base, 'tree');
const sub = path.join(repository, 'sub');
const link = path.join(base, 'link');
afterAll(() => rmSync(base, { recursive: true, force: true }));

function git(...args: string[]): void {
  execFileSync('git', ['-c', 'user.name=t', '-c', 'user.email=t@t', ...args], { cwd: repository });
}

beforeAll(() => {
  for (const name of ['hooks/pre-commit', 'start.sh', 'secret', 'a']) {
    mkdirSync(path.dirname(path.join(sub, name)), { recursive: true });
    writeFileSync(path.join(sub, name), '');
  }
  symlinkSync('sub/start.sh', path.join(repository, '.envrc'));
  symlinkSync('repository/sub', link);
  git('init', '-q');
  git('add', '.');
  git('commit', '-qm', 'first');
  git('worktree', 'add', '-q', tree);
  git('config', 'core.hooksPath', 'sub/hooks');
});

function worldAt(root: string) {
  const surroundings = { root, cwd: root, directories: [], home: path.join(base, 'home'), configDirs: [] };
  return observeWorld({ ...surroundings, environment: { GIT_CONFIG_NOSYSTEM: '1' } });
}

function run(command: string, root: string, denied: readonly string[] = []) {
  const request = { tool: 'Bash', input: { command }, readOnly: false, hookDecision: undefined };
  const deny = denied.map((text) => ({ text, source: 'user' as const, base: root }));
  return authorize(request, { deny, ask: [], allow: [] }, 'acceptEdits', worldAt(root)).decision;
}

it.each([sub, link])('protects the target of a link in the repository around it: %s', (root) => {
  expect(run('echo x > start.sh', root)).toBe('ask');
  expect(run('echo x > a', root)).toBe('allow');
});

it.each([sub, link])('protects the hooks that the repository around it names: %s', (root) => {
  expect(programPlaces(worldAt(root))).toContain(path.join(sub, 'hooks'));
  expect(run('touch hooks/x', root)).toBe('ask');
});

it.each([sub, link])('applies rules to the other working trees of the repository around it: %s', (root) => {
  expect(run(`cat ${tree}/sub/secret`, root, ['Read(./secret)'])).toBe('deny');
  expect(run(`cat ${tree}/sub/a`, root, ['Read(./secret)'])).toBe('allow');
});
