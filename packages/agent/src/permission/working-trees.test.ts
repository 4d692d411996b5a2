/** Rules about files of a repository apply to the copies in its other working trees, in every conversation. */
import { execFileSync } from 'node:child_process';
import {
  mkdirSync,
  mkdtempSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import type { JsonObject, PermissionMode } from '@heddle/core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { authorize } from './authorize.ts';
import { observeWorld } from './observe-world.ts';
import { deniedFiles } from './rules/compile.ts';
import type { PermissionRule, Rules } from './rules/rule.ts';

const base = realpathSync(mkdtempSync(path.join(os.tmpdir(), 'heddle-trees-')));
const project = path.join(base, 'project');
const inner = '.heddle/worktrees/one';
const beside = path.join(base, 'beside');

function git(cwd: string, ...args: string[]): void {
  execFileSync('git', ['-c', 'user.name=t', '-c', 'user.email=t@t', ...args], { cwd });
}

beforeAll(() => {
  for (const name of ['secrets', 'pkg', 'src']) mkdirSync(path.join(project, name), { recursive: true });
  for (const name of ['.env', 'secrets/k', 'pkg/.env', 'src/a.ts', 'README'])
    writeFileSync(path.join(project, name), 'KEY\n');
  git(project, 'init', '-q');
  git(project, 'add', '.');
  git(project, 'commit', '-qm', 'first');
  git(project, 'worktree', 'add', '-q', inner);
  git(project, 'worktree', 'add', '-q', beside);
  for (const [from, to] of [
    [path.join(base, 'recorded'), path.join(base, 'moved')],
    [path.join(project, '.heddle/worktrees/before'), path.join(project, '.heddle/worktrees/two')],
  ] as const) {
    git(project, 'worktree', 'add', '-q', from);
    renameSync(from, to);
  }
  symlinkSync(path.join(base, 'moved'), path.join(base, 'to-moved'));
  mkdirSync(path.join(base, 'foreign/secrets'), { recursive: true });
  writeFileSync(path.join(base, 'foreign/secrets/k'), 'KEY');
  git(path.join(base, 'foreign'), 'init', '-q');
  symlinkSync(project, path.join(base, 'link'));
  mkdirSync(path.join(base, 'other'));
});
afterAll(() => rmSync(base, { recursive: true, force: true }));

interface Given {
  readonly rules: readonly string[];
  readonly list?: 'deny' | 'ask';
  readonly root?: string;
  readonly directories?: readonly string[];
  readonly mode?: PermissionMode;
}

function rulesOf({ rules, list = 'deny' }: Given): Rules {
  const given = rules.map((text): PermissionRule => ({ text, source: 'user', base: project }));
  return { deny: [], ask: [], allow: [], [list]: given };
}

function worldOf({ root = project, directories = [] }: Given) {
  const places = { root, cwd: root, directories, home: path.join(base, 'home'), configDirs: [] };
  return observeWorld({ ...places, environment: {} });
}

function decide(tool: string, input: JsonObject, given: Given): string {
  const request = { tool, input, readOnly: tool === 'Read', hookDecision: undefined };
  return authorize(request, rulesOf(given), given.mode ?? 'default', worldOf(given)).decision;
}

function shell(command: string, given: Given): string {
  return decide('Bash', { command }, given);
}

describe('a denied file', () => {
  const ABOUT_SECRETS = [
    'Read(./secrets/**)',
    'Read(/secrets/**)',
    `Read(/${project}/secrets/**)`,
    `Read(/${project}/secrets/k)`,
    `Read(/${base}/*/secrets/**)`,
    `Read(/${base}/**/secrets/k)`,
    'Read(../project/secrets/**)',
    'Read(secrets/k)',
  ];
  it.each(ABOUT_SECRETS)('%s is denied in a worktree', (rule) => {
    const given = { rules: [rule] };
    for (const mode of ['default', 'acceptEdits', 'bypassPermissions'] as const) {
      expect(shell(`cat ${inner}/secrets/k`, { ...given, mode })).toBe('deny');
      expect(shell(`cd ${inner} && cat secrets/k`, { ...given, mode })).toBe('deny');
      expect(shell(`cat ${beside}/secrets/k`, { ...given, mode })).toBe('deny');
      expect(decide('Read', { file_path: path.join(project, inner, 'secrets/k') }, { ...given, mode })).toBe(
        'deny',
      );
    }
  });

  it.each([
    `cat ${inner}/secrets/*`,
    `cat ${inner}/secr*/k`,
    `cat .heddle/worktrees/*/secrets/k`,
    `cat .heddle/*/*/*/k`,
    `rg --hidden KEY ${inner}`,
    `grep -r KEY ${inner}`,
    `grep -r KEY .heddle`,
    `tail -n1 ../beside/secrets/k`,
    `grep -r KEY ../beside`,
    `rg KEY ../beside`,
    `cat ../link/${inner}/secrets/k`,
  ])('is not shown by %s', (command) => {
    for (const mode of ['default', 'bypassPermissions'] as const)
      expect(shell(command, { rules: ['Read(./secrets/**)'], mode })).not.toBe('allow');
  });

  it.each([
    'cat ../moved/secrets/k',
    'cat ../mov*/secrets/k',
    'cat ../moved/secr*/k',
    'cd ../moved && cat secrets/k',
    'cat .heddle/worktrees/two/secrets/k',
    'grep -r KEY ../moved',
    'grep -r KEY ../moved/secrets',
    'cp -r ../moved/secrets x',
    'cp -r ../moved x',
    'git -C ../moved show HEAD:secrets/k',
    'cat ../to-moved/secrets/k',
  ])('is not shown in a working tree that was moved by hand: %s', (command) => {
    for (const mode of ['default', 'bypassPermissions'] as const) {
      expect(shell(command, { rules: ['Read(./secrets/**)'], mode })).not.toBe('allow');
      expect(shell(command, { rules: [`Read(/${project}/secrets/**)`], mode, list: 'ask' })).not.toBe(
        'allow',
      );
    }
  });

  it('is not found by searches in a working tree that was moved by hand', () => {
    const given = { rules: ['Read(./secrets/**)'] };
    const isDenied = deniedFiles(rulesOf(given), worldOf(given), ['deny']);
    const files = ['secrets/k', 'src/a.ts'].map((name) => path.join(base, 'moved', name));
    expect(files.map(isDenied)).toEqual([true, false]);
    expect(isDenied(path.join(project, '.heddle/worktrees/two/secrets/k'))).toBe(true);
    expect(isDenied(path.join(base, 'foreign/secrets/k'))).toBe(false);
  });

  it('is not meant by the same name in another repository', () => {
    expect(shell('cat ../foreign/secrets/k', { rules: ['Read(./secrets/**)'] })).toBe('allow');
    expect(shell('cat ../moved/README', { rules: ['Read(./secrets/**)'] })).toBe('allow');
  });

  it('is not shown in a folder of the repository, or through a link to it', () => {
    const root = path.join(project, 'pkg');
    expect(shell(`cat ../${inner}/pkg/.env`, { rules: ['Read(./.env)'], root })).toBe('deny');
    expect(shell(`cat ../${inner}/.env`, { rules: ['Read(../.env)'], root })).toBe('deny');
    const linked = path.join(base, 'link');
    expect(shell(`cat ${inner}/.env`, { rules: ['Read(./.env)'], root: linked })).toBe('deny');
    const named = { rules: [`Read(/${linked}/.env)`], root: path.join(base, 'other') };
    expect(shell(`cat ${beside}/.env`, named)).toBe('deny');
  });

  it('is not shown in working trees of one repository below a folder that is none', () => {
    const given = { rules: ['Read(./project/secrets/**)'], root: base };
    expect(shell('cat beside/secrets/k', given)).toBe('deny');
    expect(shell(`cat project/${inner}/secrets/k`, given)).toBe('deny');
    expect(shell('cat beside/README', given)).toBe('allow');
  });

  it('is not shown to a session in a linked worktree', () => {
    const given = { rules: ['Read(./.env)'], root: path.join(project, inner) };
    expect(shell('cat .env', given)).toBe('deny');
    expect(shell(`cat ${project}/.env`, given)).toBe('deny');
    expect(shell(`cat ${beside}/.env`, given)).toBe('deny');
    const named = { rules: [`Read(/${project}/.env)`], root: beside };
    expect(shell('cat .env', named)).toBe('deny');
  });

  it('is not changed', () => {
    const given = { rules: ['Edit(./src/**)'], mode: 'acceptEdits' as const };
    expect(shell(`echo x > ${inner}/src/a.ts`, given)).toBe('deny');
    expect(shell(`rm -r ${inner}/src`, given)).toBe('deny');
  });

  it('is left out of searches', () => {
    const given = { rules: ['Read(./.env)'] };
    const isDenied = deniedFiles(rulesOf(given), worldOf(given), ['deny']);
    expect(isDenied(path.join(project, inner, '.env'))).toBe(true);
    expect(isDenied(path.join(project, inner, 'README'))).toBe(false);
  });

  it('is found in a worktree that was added after the rules were read', () => {
    const rules = rulesOf({ rules: ['Read(./.env)'] });
    const input = { command: 'cat .heddle/worktrees/late/.env' };
    const request = { tool: 'Bash', input, readOnly: false, hookDecision: undefined };
    const decision = () => authorize(request, rules, 'default', worldOf({ rules: [] })).decision;
    expect(decision()).toBe('allow');
    git(project, 'worktree', 'add', '-q', '.heddle/worktrees/late');
    expect(decision()).toBe('deny');
  });
});

it('asks about a copy of a file that an ask rule names', () => {
  const given = { rules: ['Read(./.env)'], list: 'ask' as const };
  expect(shell(`cat ${inner}/.env`, given)).toBe('ask');
  expect(shell(`cat ${inner}/README`, given)).toBe('allow');
});

describe('a rule about a whole working tree, or about a linked one', () => {
  it.each([
    [`Read(/${project}/**)`, 'cat README', beside],
    [`Read(/${project})`, 'cat README', beside],
    [`Read(/${project}/*)`, 'cat README', beside],
    [`Read(/${beside}/secrets/**)`, 'cat secrets/k', project],
    ['Read(./.heddle/worktrees/*/README)', 'cat README', project],
    [`Read(/${base}/other/**)`, `cat ${inner}/README`, project],
  ])('%s does not forbid %s elsewhere', (rule, command, root) => {
    expect(shell(command, { rules: [rule], root })).toBe('allow');
  });
});
