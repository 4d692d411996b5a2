/** Edits of files that git's hooks run, if the hooks are not in the folder `.git` of the working directory. Real repositories. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { authorize } from './authorize.ts';
import { observeWorld } from './observe-world.ts';

const base = realpathSync(mkdtempSync(path.join(os.tmpdir(), 'heddle-hooks-elsewhere-')));
afterAll(() => rmSync(base, { recursive: true, force: true }));

const home = path.join(base, 'home');
const environment = { HOME: home, GIT_CONFIG_NOSYSTEM: '1', PATH: process.env['PATH'] ?? '/usr/bin:/bin' };

function git(folder: string, ...words: readonly string[]): void {
  const own = ['-c', 'user.name=a', '-c', 'user.email=a@b', '-c', 'protocol.file.allow=always'];
  execFileSync('git', ['-C', folder, ...own, ...words], { env: environment, stdio: 'ignore' });
}

function write(file: string, text = ''): void {
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, text);
}

let projects = 0;

function repository(): string {
  const top = path.join(base, `project${projects++}`);
  for (const name of ['src/index.ts', 'tools/lint.py', 'tools/lib.sh']) write(path.join(top, name));
  mkdirSync(home, { recursive: true });
  git(top, 'init', '-q');
  git(top, 'add', '.');
  git(top, 'commit', '-qm', 'a');
  return top;
}

function decisionOn(file: string, root: string): string {
  const world = observeWorld({ root, cwd: root, directories: [], home, configDirs: [], environment });
  const input = { file_path: path.join(root, file), content: 'x' };
  const request = { tool: 'Write', input, readOnly: false, hookDecision: undefined };
  return authorize(request, { deny: [], ask: [], allow: [] }, 'acceptEdits', world).decision;
}

const HOOK = '#!/bin/sh\npython3 tools/lint.py\n. tools/lib.sh\n';

function expectProtected(root: string, folder = ''): void {
  for (const file of ['tools/lint.py', 'tools/lib.sh'])
    expect(decisionOn(path.join(folder, file), root)).toBe('ask');
  for (const file of ['src/index.ts', 'tools/other.py'])
    expect(decisionOn(path.join(folder, file), root)).toBe('allow');
}

describe('a file that a hook of git runs', () => {
  it.each(['../wt', '.claude/worktrees/w1', '.heddle/worktrees/w1'])(
    'is protected in a linked working tree: %s',
    (place) => {
      const top = repository();
      const tree = path.resolve(top, place.replace('wt', `wt${projects}`));
      git(top, 'worktree', 'add', '-q', tree);
      write(path.join(top, '.git/hooks/pre-commit'), HOOK);
      expectProtected(tree);
    },
  );

  it('is protected in a submodule, and in the repository around it', () => {
    const top = repository();
    git(top, 'submodule', 'add', '-q', repository(), 'sub');
    write(path.join(top, '.git/modules/sub/hooks/pre-push'), HOOK);
    expectProtected(path.join(top, 'sub'));
    expectProtected(top, 'sub');
    expect(decisionOn('tools/lint.py', top)).toBe('allow');
  });

  it.each([
    ['config', 'core.hooksPath', 'tools/hooks', 'tools/hooks'],
    ['config', 'core.hooksPath', '~/hooks', '../home/hooks'],
    ['config', 'core.hooksPath', '../hooks', '../hooks'],
    ['config --global', 'core.hooksPath', '~/all', '../home/all'],
    ['config --global', 'core.hooksPath', 'tools/of-all', 'tools/of-all'],
    ['config', 'include.path', '../.gitsettings', 'own/hooks'],
  ])('is protected if a setting names the folder: %s %s %s', (command, key, value, folder) => {
    const top = repository();
    git(top, ...command.split(' '), key, value);
    write(path.join(top, '.gitsettings'), '[core]\n\thooksPath = own/hooks\n');
    write(path.join(top, folder, 'pre-commit'), HOOK);
    write(path.join(top, folder, 'README.md'), './src/index.ts\n');
    expectProtected(top);
    rmSync(path.join(home, '.gitconfig'), { force: true });
  });
});
