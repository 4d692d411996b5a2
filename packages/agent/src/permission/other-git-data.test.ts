/** A file or link named `.git` that leads to the data of another repository, on a real disk. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { authorize } from './authorize.ts';
import { observeWorld } from './observe-world.ts';

const base = realpathSync(mkdtempSync(path.join(os.tmpdir(), 'heddle-git-data-')));
const home = path.join(base, 'home');
afterAll(() => rmSync(base, { recursive: true, force: true }));

const environment = { HOME: home, GIT_CONFIG_NOSYSTEM: '1', PATH: '/usr/bin:/bin' };
const place = (name: string): string => path.join(base, name);
const git = (folder: string, ...args: readonly string[]): void => {
  const person = ['-c', 'user.name=a', '-c', 'user.email=a@b', '-c', 'protocol.file.allow=always'];
  execFileSync('git', [...person, ...args], { cwd: place(folder), env: environment });
};
const folder = (name: string): void => void mkdirSync(place(name), { recursive: true });

folder('home');
folder('owner');
git('owner', 'init', '-q');
git('owner', 'commit', '-q', '--allow-empty', '-m', 'first');
git('owner', 'branch', 'topic');
git('owner', 'worktree', 'add', '-q', '../linked');
folder('outer');
git('outer', 'init', '-q');
git('outer', 'submodule', '--quiet', 'add', '../owner', 'sub');
folder('file');
writeFileSync(place('file/.git'), 'gitdir: ../owner/.git\n');
folder('link');
symlinkSync('../owner/.git', place('link/.git'));
folder('tree');
writeFileSync(place('tree/.git'), 'gitdir: ../owner/.git/worktrees/linked\n');
folder('module');
writeFileSync(place('module/.git'), 'gitdir: ../outer/.git/modules/sub\n');

function decide(name: string, command: string, isTrusted = false): string {
  const root = place(name);
  const surroundings = { root, cwd: root, directories: [], home, configDirs: [] };
  const world = observeWorld({
    ...surroundings,
    environment,
    readOnlyView: false,
    isTrusted: () => isTrusted,
  });
  const request = { tool: 'Bash', input: { command }, readOnly: false, hookDecision: undefined };
  const allow = ['Bash(git *)', 'Bash(cd *)'].map((text) => ({ text, source: 'user' as const }));
  return authorize(request, { deny: [], ask: [], allow }, 'default', world).decision;
}

const CHANGES = ['git add -A', 'git commit -qm x', 'git branch -D topic', 'git stash', 'git push'];

describe('a rule for git', () => {
  it.each(['file', 'link', 'tree', 'module'])(
    'does not cover changes in data that belong to another folder, by a %s',
    (name) => {
      for (const command of CHANGES) expect([command, decide(name, command)]).toEqual([command, 'ask']);
    },
  );

  it('covers them in a folder that is trusted', () => {
    expect(decide('file', 'git add -A', true)).toBe('allow');
  });

  it.each(['owner', 'linked', 'outer/sub'])('covers changes in the data of the folder itself: %s', (name) => {
    for (const command of ['git add -A', 'git commit -qm x', 'git branch -D topic'])
      expect([command, decide(name, command)]).toEqual([command, 'allow']);
  });
});
