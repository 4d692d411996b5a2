import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { readGitFacts } from './git-facts.ts';

interface Repository {
  readonly folder: string;
  readonly environment: Record<string, string>;
  readonly git: (...args: string[]) => void;
}

function repository(): Repository {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'heddle-git-'));
  // Neither the settings of this machine nor those of its user.
  const environment = {
    PATH: process.env['PATH'] ?? '',
    HOME: folder,
    GIT_CONFIG_NOSYSTEM: '1',
    XDG_CONFIG_HOME: folder,
  };
  const git = (...args: string[]): void => void execFileSync('git', args, { cwd: folder, env: environment });
  git('init', '-q');
  return { folder, environment, git };
}

describe('what a repository configures', () => {
  it('is nothing in a new one, and nothing outside of any', async () => {
    const { folder, environment } = repository();
    expect(await readGitFacts(folder, environment)).toEqual({ helpers: [], submodules: false });
    const outside = mkdtempSync(path.join(os.tmpdir(), 'heddle-nogit-'));
    expect(await readGitFacts(outside, environment)).toEqual({ helpers: [], submodules: false });
  });

  it.each([
    ['diff.external', 'evil'],
    ['diff.x.textconv', 'evil'],
    ['diff.x.command', 'evil'],
    ['filter.x.clean', 'false'],
    ['core.fsmonitor', 'evil'],
    ['core.fsmonitor', 'true'],
    ['log.showSignature', 'true'],
    ['remote.origin.promisor', 'true'],
    ['pretty.mine', '%h %GK'],
  ])('includes %s = %s', async (key, value) => {
    const { folder, environment, git } = repository();
    git('config', key, value);
    expect((await readGitFacts(folder, environment))?.helpers).toEqual([key.toLowerCase()]);
  });

  it.each([
    ['core.fsmonitor', 'false'],
    ['user.name', 'a'],
    ['alias.log', '!evil'],
    ['core.pager', 'evil'],
    ['pretty.mine', '%h'],
  ])('does not mind %s = %s', async (key, value) => {
    const { folder, environment, git } = repository();
    git('config', key, value);
    expect((await readGitFacts(folder, environment))?.helpers).toEqual([]);
  });

  it('includes what an included file sets, a value over two lines, hooks and variables', async () => {
    const { folder, environment, git } = repository();
    writeFileSync(path.join(folder, 'more'), '[diff]\n\texternal = "a\\nb"\n');
    git('config', 'include.path', path.join(folder, 'more'));
    mkdirSync(path.join(folder, '.git/hooks'), { recursive: true });
    writeFileSync(path.join(folder, '.git/hooks/post-index-change'), '');
    const facts = await readGitFacts(folder, { ...environment, GIT_EXTERNAL_DIFF: 'evil' });
    expect(facts?.helpers).toEqual(['diff.external', 'hooks/post-index-change', 'GIT_EXTERNAL_DIFF']);
  });

  it('sees repositories inside the repository', async () => {
    const { folder, environment, git } = repository();
    git('update-index', '--add', '--cacheinfo', `160000,${'1'.repeat(40)},inner`);
    expect(await readGitFacts(folder, environment)).toEqual({ helpers: [], submodules: true });
  });

  it('is unknown where it cannot be found out', async () => {
    const { environment } = repository();
    expect(await readGitFacts('/no/such/folder', environment)).toBeUndefined();
    const { folder, environment: other } = repository();
    writeFileSync(path.join(folder, '.git/config'), '[core\n');
    expect(await readGitFacts(folder, other)).toBeUndefined();
  });
});
