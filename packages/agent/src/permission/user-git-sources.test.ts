/** Places that git's settings name if the folder is not in a repository, or if its working tree is another folder. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import type { JsonObject } from '@heddle/core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { authorize } from './authorize.ts';
import { observeWorld } from './observe-world.ts';

const base = realpathSync(mkdtempSync(path.join(os.tmpdir(), 'heddle-user-git-sources-')));
const environment = { HOME: base, GIT_CONFIG_NOSYSTEM: '1' };

function git(folder: string, ...args: string[]): void {
  const env = { ...environment, PATH: process.env['PATH'] };
  execFileSync('git', args, { cwd: folder, env, stdio: 'pipe' });
}

function makeFile(folder: string, name: string): void {
  mkdirSync(path.dirname(path.join(folder, name)), { recursive: true });
  writeFileSync(path.join(folder, name), '');
}

afterAll(() => rmSync(base, { recursive: true, force: true }));

interface Setting {
  readonly root: string;
  readonly directories?: readonly string[];
  readonly variables?: Readonly<Record<string, string>>;
  /** No rule allows edits. Only the mode does. */
  readonly byMode?: boolean;
}

function decisionOn(
  tool: string,
  input: JsonObject,
  { root, directories = [], variables = {}, byMode = false }: Setting,
): string {
  const surroundings = { root, cwd: root, directories, home: base, configDirs: [] };
  const rule = { text: 'Edit(./**)', source: 'user' as const };
  const request = { tool, input, readOnly: false, hookDecision: undefined };
  const rules = { deny: [], ask: [], allow: byMode ? [] : [rule] };
  const world = observeWorld({ ...surroundings, environment: { ...environment, ...variables } });
  return authorize(request, rules, 'acceptEdits', world).decision;
}

describe("a place that the user's own settings of git name", () => {
  const home = path.join(base, 'user');
  const folder = path.join(home, 'dot');
  const variables = { HOME: home };
  const inFolder = (command: string, setting: Partial<Setting> = {}): string =>
    decisionOn('Bash', { command }, { root: folder, variables, byMode: true, ...setting });
  const edits = [
    'echo x >> hooks/pre-commit',
    'echo x > git.inc',
    'echo x > al.sh',
    'cp plain tmpl/hooks/post-checkout',
    'echo x > attributes',
    'rm -rf hooks',
    'mv tmpl tmpl2',
    'echo x > rel/pre-push',
    'echo x > tools/r.sh',
  ];

  beforeAll(() => {
    for (const name of ['hooks/pre-commit', 'git.inc', 'al.sh', 'tmpl/description', 'plain', 'tools/r.sh'])
      makeFile(folder, name);
    for (const [key, value] of [
      ['core.hooksPath', '~/dot/hooks'],
      ['core.hooksPath', 'rel'],
      ['core.attributesFile', '~/dot/attributes'],
      ['include.path', '~/dot/git.inc'],
      ['alias.x', '!~/dot/al.sh'],
      ['alias.y', '!tools/r.sh'],
      ['init.templateDir', '~/dot/tmpl'],
    ] as const)
      git(folder, 'config', '--file', path.join(home, '.gitconfig'), '--add', key, value);
  });

  it.each(edits)('is protected outside a repository: %s', (command) => {
    expect(inFolder(command)).toBe('ask');
  });

  it('is protected from the tools for edits, also beside a rule', () => {
    const write = (file: string): string =>
      decisionOn('Write', { file_path: path.join(folder, file), content: '' }, { root: folder, variables });
    expect(['hooks/pre-commit', 'git.inc', 'al.sh', 'plain'].map(write)).toEqual([
      'ask',
      'ask',
      'ask',
      'allow',
    ]);
  });

  it('does not protect other files outside a repository', () => {
    for (const command of ['echo x > plain', 'touch new', 'mkdir -p a/b', 'echo x > tools/other.sh'])
      expect([command, inFolder(command)]).toEqual([command, 'allow']);
  });

  it('is a file with the name of a hook, if a working directory contains the hooks', () => {
    const hooks = path.join(folder, 'hooks');
    expect(inFolder('echo x > pre-commit', { root: hooks })).toBe('ask');
    expect(inFolder('echo x > post-update', { root: hooks })).toBe('ask');
    expect(inFolder('echo x > other', { root: hooks })).toBe('allow');
  });

  it('is protected in an added directory', () => {
    const root = path.join(base, 'plain-root');
    makeFile(root, 'a');
    const added = (file: string): string =>
      inFolder(`echo x > ${path.join(folder, file)}`, { root, directories: [folder] });
    expect(['hooks/x', 'rel/x', 'tools/r.sh', 'plain'].map(added)).toEqual(['ask', 'ask', 'ask', 'allow']);
  });

  it('may be any file outside a repository if some settings cannot be read', () => {
    expect(inFolder('touch new', { variables: { ...variables, GIT_CONFIG_GLOBAL: 'relative' } })).toBe('ask');
    expect(inFolder('touch new', { variables: { ...variables, GIT_CONFIG_GLOBAL: '/dev/null' } })).toBe(
      'allow',
    );
    expect(inFolder('touch new', { variables: { GIT_CONFIG_GLOBAL: '' } })).toBe('allow');
  });

  it.each([
    ['an empty folder', (dotGit: string) => mkdirSync(dotGit)],
    ['a file that names a missing repository', (dotGit: string) => writeFileSync(dotGit, 'gitdir: none\n')],
    ['a file that git rejects', (dotGit: string) => writeFileSync(dotGit, 'x')],
  ])('is protected if .git is %s', (_, make) => {
    const dotGit = path.join(folder, '.git');
    make(dotGit);
    for (const command of edits)
      expect([command, inFolder(command, { byMode: false })]).toEqual([command, 'ask']);
    rmSync(dotGit, { recursive: true });
  });
});

describe('settings of a repository whose working tree is another folder', () => {
  const folder = path.join(base, 'elsewhere');
  const decide = (command: string): string => decisionOn('Bash', { command }, { root: folder, byMode: true });

  beforeAll(() => {
    for (const name of ['src/hk/pre-commit', 'src/tools/x.sh', 'src/plain', 'tools/x.sh', 'plain'])
      makeFile(folder, name);
    git(folder, 'init', '-q');
    git(folder, 'config', 'core.hooksPath', 'hk');
    git(folder, 'config', 'core.attributesFile', 'attrs');
    git(folder, 'config', 'alias.x', '!tools/x.sh');
    git(folder, 'config', 'core.worktree', '../src');
  });

  it.each(['hk/pre-commit', 'tools/x.sh', 'attrs'])('name places in both folders: %s', (file) => {
    expect(decide(`echo x >> src/${file}`)).toBe('ask');
    expect(decide(`echo x >> ${file}`)).toBe('ask');
  });

  it('leave other files alone', () => {
    expect(decide('echo x > src/plain')).toBe('allow');
    expect(decide('echo x > plain')).toBe('allow');
  });

  it('may name any place if a variable names the folder', () => {
    const variables = {
      GIT_CONFIG_COUNT: '1',
      GIT_CONFIG_KEY_0: 'core.worktree',
      GIT_CONFIG_VALUE_0: 'src',
    };
    const input = { command: 'echo x > plain' };
    expect(decisionOn('Bash', input, { root: folder, byMode: true, variables })).toBe('ask');
  });

  it('may name any place if that folder cannot be determined', () => {
    const config = path.join(folder, '.git/config');
    git(base, 'config', '--file', config, 'core.worktree', 'lnk/../../src');
    expect(decide('echo x > plain')).toBe('ask');
    git(base, 'config', '--file', config, 'core.worktree', '..');
    expect(decide('echo x > plain')).toBe('allow');
  });
});
