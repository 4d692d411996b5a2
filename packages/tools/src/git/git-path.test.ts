/** Files of git behind paths such as `/proc/self/cwd`, on a real disk: git would read other files than this process. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { gitFactsFrom, readGitFacts } from './facts.ts';
import { gitPath } from './git-path.ts';

const CLEAN = { helpers: [], submodules: false, sources: expect.any(Array) };

function repository(): {
  readonly folder: string;
  readonly environment: Record<string, string>;
  readonly git: (...args: string[]) => void;
} {
  const home = mkdtempSync(path.join(os.tmpdir(), 'heddle-git-path-'));
  const folder = path.join(home, 'project');
  mkdirSync(folder);
  // Uses neither the settings of this machine nor those of its user.
  const environment = { PATH: process.env['PATH'] ?? '', HOME: home, GIT_CONFIG_NOSYSTEM: '1' };
  const git = (...args: string[]): void =>
    void execFileSync('git', args, { cwd: folder, env: environment, stdio: 'pipe' });
  git('init', '-q');
  return { folder, environment, git };
}

describe.runIf(process.platform === 'linux')('a path that depends on the process', () => {
  const links: readonly (readonly [file: string, target: string])[] = [
    ['.git/config', '/proc/self/cwd/none'],
    ['.git/config.worktree', '/proc/self/cwd/none'],
    ['.git/config.worktree', '/proc/thread-self/cwd/none'],
    ['.git/config.worktree', '/proc/self/fd/0'],
    ['.git/config.worktree', '/proc/self/root/none'],
    ['.git/config.worktree', '/dev/stdin'],
    ['.git/config.worktree', '/dev/fd/3'],
    ['.git/index', '/proc/self/cwd/none'],
    ['.git/commondir', '/proc/self/cwd/none'],
    ['.git/objects', '/proc/self/cwd'],
    ['.git/refs', '/proc/self/cwd'],
    ['.git', '/proc/self/cwd/none'],
  ];

  it.each(links)('makes the facts unknown: %s -> %s', (file, target) => {
    const { folder, environment } = repository();
    expect(readGitFacts(folder, environment)).toEqual(CLEAN);
    rmSync(path.join(folder, file), { recursive: true, force: true });
    symlinkSync(target, path.join(folder, file));
    expect(readGitFacts(folder, environment)).toBeUndefined();
  });

  it('may be found through several links', () => {
    const { folder, environment } = repository();
    symlinkSync('/proc/self', path.join(folder, 'one'));
    symlinkSync('one/cwd', path.join(folder, 'two'));
    symlinkSync('../two/none', path.join(folder, '.git/config.worktree'));
    expect(readGitFacts(folder, environment)).toBeUndefined();
    rmSync(path.join(folder, '.git/config.worktree'));
    expect(readGitFacts(folder, environment)).toEqual(CLEAN);
    for (const name of ['one/cwd', 'two', '/proc/self/cwd', '/dev/fd/0', '/proc'])
      expect([name, gitFactsFrom(folder, environment)(name)]).toEqual([name, undefined]);
  });

  it.each(['XDG_CONFIG_HOME', 'GIT_CONFIG_GLOBAL', 'HOME'])('may be in %s', (name) => {
    const { folder, environment } = repository();
    expect(readGitFacts(folder, { ...environment, [name]: '/proc/self/cwd/none' })).toBeUndefined();
  });

  it('may name a filter, a hook, notes or replacements', () => {
    const { folder, environment, git } = repository();
    git('config', '--global', 'filter.x.clean', 'cat');
    expect(readGitFacts(folder, environment)).toMatchObject({ helpers: [] });
    mkdirSync(path.join(folder, '.git/info'), { recursive: true });
    for (const [file, facts] of [
      ['info/attributes', { helpers: ['filter.x.clean'] }],
      ['hooks/post-index-change', { helpers: ['hooks/post-index-change'] }],
      ['refs/notes', { hasNotes: true }],
      ['refs/replace', { hasReplacements: true }],
      ['packed-refs', { hasNotes: true, hasReplacements: true }],
    ] as const) {
      const link = path.join(folder, '.git', file);
      symlinkSync('/proc/self/cwd/none', link);
      expect([file, readGitFacts(folder, environment)]).toEqual([file, expect.objectContaining(facts)]);
      rmSync(link);
    }
  });

  it('does not include places that are the same for all processes', () => {
    const { folder, environment, git } = repository();
    git('config', 'core.hooksPath', '/dev/null');
    expect(readGitFacts(folder, environment)).toEqual(CLEAN);
    expect(gitPath('/dev/shm/project', 'a')).toBe('/dev/shm/project/a');
    expect(gitPath('/a', '/dev/null')).toBe('/dev/null');
    for (const written of ['/proc/self/cwd', '/dev/fd/3', '/dev/stdin', '/proc/1/root/a', '//proc/self/cwd'])
      expect([written, gitPath('/a', written)]).toEqual([written, undefined]);
  });
});
