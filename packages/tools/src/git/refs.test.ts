/** Names of branches, compared with git: a branch is a commit, and everything else may be a tree of files. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { isBranch } from './refs.ts';
import { findRepository, type GitRepository } from './repository.ts';

const folder = mkdtempSync(path.join(os.tmpdir(), 'heddle-refs-'));
const git = (...args: readonly string[]): string =>
  execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@b', ...args], {
    cwd: folder,
    encoding: 'utf8',
    env: { PATH: process.env['PATH'], HOME: folder, GIT_CONFIG_NOSYSTEM: '1' },
  }).trim();

beforeAll(() => {
  git('init', '-q', '-b', 'main');
  writeFileSync(path.join(folder, 'a'), 'text');
  git('add', '.');
  git('commit', '-q', '-m', 'x');
  for (const name of ['feature/x', 'both', 'beef', 'v1-0-gabcdef']) git('branch', name);
  git('update-ref', 'refs/remotes/origin/main', 'HEAD');
  git('update-ref', 'refs/odd', 'HEAD^{tree}');
  for (const name of ['both', 'tree', 'refs/heads/gone']) git('tag', name, 'HEAD^{tree}');
  git('symbolic-ref', 'refs/heads/symbolic', 'refs/tags/tree');
  symlinkSync('../tags/tree', path.join(folder, '.git/refs/heads/linked'));
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

function repository(): GitRepository {
  const found = findRepository(folder);
  if (found.kind !== 'found') throw new Error('There is no repository.');
  return found.repository;
}

it.each(['loose', 'packed'])('knows %s branches, and takes nothing else for one', (kind) => {
  if (kind === 'packed') git('pack-refs', '--all');
  const names = [
    'main',
    'feature/x',
    'origin/main',
    'both',
    'tree',
    'odd',
    'beef',
    'v1-0-gabcdef',
    'none',
    'symbolic',
    'linked',
  ];
  const whole = ['refs/heads/main', 'refs/heads/gone', 'refs/heads/symbolic', 'refs/tags/both'];
  const numbers = [git('rev-parse', 'HEAD'), git('rev-parse', '--short', 'HEAD^{tree}')];
  const others = ['HEAD', 'main~', 'main^{tree}', '../main', 'main..both', '-x', ''];
  const branches = [...names, ...whole, ...numbers, ...others].filter((name) => isBranch(repository(), name));
  expect(branches).toEqual(['main', 'feature/x', 'origin/main', 'refs/heads/main']);
  expect(branches.map((name) => git('cat-file', '-t', name))).toEqual(branches.map(() => 'commit'));
  expect(git('cat-file', '-t', 'both')).toBe('tree');
});
