import { describe, expect, it } from 'vitest';
import type { GitFacts } from '../../git/index.ts';
import { isReadOnlyCommand } from './read-only.ts';
import { PROVEN, PROVEN_WITH_A_CLEAN_REPOSITORY, PROVEN_WITH_A_DRIVER } from './test/proven.ts';
import { GIT_NEVER, NOT_PROVEN_WITH_A_DRIVER } from './test/unproven-git.ts';
import { NOT_PROVEN } from './test/unproven.ts';

const CLEAN: GitFacts = { helpers: [], submodules: false };

describe('the proof that a command changes nothing', () => {
  it.each(PROVEN)('holds for %j', (command) => {
    expect(isReadOnlyCommand(command)).toBe(true);
  });

  it.each(PROVEN_WITH_A_CLEAN_REPOSITORY)('holds for %j only if no helper is configured', (command) => {
    expect(isReadOnlyCommand(command, { git: CLEAN })).toBe(true);
    expect(isReadOnlyCommand(command)).toBe(false);
    expect(isReadOnlyCommand(command, { git: { ...CLEAN, helpers: ['core.fsmonitor'] } })).toBe(false);
  });

  it.each(PROVEN_WITH_A_DRIVER)('holds for %j if only a diff driver is configured', (command) => {
    const helpers = ['diff.external', 'diff.x.textconv', 'diff.x.command'];
    expect(isReadOnlyCommand(command, { git: { ...CLEAN, helpers } })).toBe(true);
  });

  it.each(NOT_PROVEN_WITH_A_DRIVER)('fails for %j if a diff driver is configured', (command) => {
    for (const helper of ['diff.external', 'diff.x.textconv', 'diff.x.y.command'])
      expect(isReadOnlyCommand(command, { git: { ...CLEAN, helpers: [helper] } })).toBe(false);
  });

  it.each([
    'docker ps -a',
    'docker images',
    'docker version',
    'docker container ls',
    '/usr/bin/docker ps',
    'docker --help',
    '/usr/bin/docker --help',
    'docker --help | head',
    'docker --help && ls',
    'ls; docker --help 2>&1 | grep compose',
  ])('holds for %j only if the service is on this machine', (command) => {
    expect(isReadOnlyCommand(command, { isDockerLocal: () => true })).toBe(true);
    expect(isReadOnlyCommand(command, { isDockerLocal: () => false })).toBe(false);
    expect(isReadOnlyCommand(command)).toBe(false);
  });

  it('depends on filters and submodules only for commands that compare the working tree', () => {
    for (const facts of [
      { ...CLEAN, submodules: true },
      { ...CLEAN, helpers: ['filter.x.clean'] },
    ]) {
      for (const command of [
        'git log -p',
        'git show HEAD',
        'git branch -a',
        'git grep x',
        'git cat-file -p HEAD',
      ])
        expect(isReadOnlyCommand(command, { git: facts })).toBe(true);
      for (const command of [
        'git status',
        'git diff',
        'git blame a',
        'git ls-files -m',
        'git diff-index HEAD',
      ])
        expect(isReadOnlyCommand(command, { git: facts })).toBe(false);
    }
  });

  it('fails for files outside of the index if a filter is configured', () => {
    const git = { ...CLEAN, mayFilter: (written: string) => written.startsWith('un/') };
    for (const command of ['git diff', 'git diff HEAD:a a', 'git blame a', 'git log un/a', 'git show un/a'])
      expect([command, isReadOnlyCommand(command, { git })]).toEqual([command, true]);
    for (const command of [
      'git diff --no-index a b',
      'git diff HEAD:a un/a',
      'git diff HEAD:a -- un/a',
      'git diff --stat HEAD:a u*/a',
      'git blame un/a',
      'git blame HEAD -- un/a',
    ])
      expect([command, isReadOnlyCommand(command, { git })]).toEqual([command, false]);
  });

  it('uses the facts of the folder that -C names', () => {
    const gitIn = (folder: string): GitFacts | undefined =>
      folder === 'sub' || folder === 'a/b' || folder === '/x' ? CLEAN : undefined;
    for (const command of [
      'git -C sub log',
      'git -C a -C b status',
      'git -C sub -C /x diff',
      'git --no-pager -C sub log',
    ])
      expect(isReadOnlyCommand(command, { gitIn })).toBe(true);
    for (const command of [
      'git -C other log',
      'git -C sub -C other log',
      'git log',
      'git -C "" log',
      'git -C sub',
      'git -Csub log',
    ])
      expect(isReadOnlyCommand(command, { gitIn })).toBe(false);
    expect(isReadOnlyCommand('cd other && git -C sub log', { gitIn })).toBe(false);
  });

  it.each(NOT_PROVEN)('fails for %j', (command) => {
    expect(isReadOnlyCommand(command, { git: CLEAN })).toBe(false);
  });

  it.each(GIT_NEVER)('always fails for %j', (command) => {
    expect(isReadOnlyCommand(command, { git: CLEAN })).toBe(false);
  });

  it('fails for an empty command', () => {
    for (const command of ['', ' ', '\n', '# rm']) expect(isReadOnlyCommand(command)).toBe(false);
  });

  it('checks configuration in environment variables', () => {
    const environment = { RIPGREP_CONFIG_PATH: '/evil' };
    expect(isReadOnlyCommand('rg a', { environment })).toBe(false);
    expect(isReadOnlyCommand('rg --no-config a', { environment })).toBe(true);
    expect(isReadOnlyCommand('rg a', { environment: {} })).toBe(true);
  });
});
