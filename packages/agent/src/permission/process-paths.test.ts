/**
 * Paths such as `/proc/self/cwd`, on a real disk: they mean another file for a command than for the process that decides. Each
 * trap below is run once to see that git really runs its program.
 */
import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import type { JsonObject, PermissionMode } from '@heddle/core';
import { realTarget } from '@heddle/tools/files';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { authorize } from './authorize.ts';
import { observeWorld } from './observe-world.ts';

const base = realpathSync(mkdtempSync(path.join(os.tmpdir(), 'heddle-process-paths-')));
const project = path.join(base, 'project');
const marker = path.join(base, 'ran');
const environment = { HOME: base, GIT_CONFIG_NOSYSTEM: '1', PATH: process.env['PATH'] ?? '' };
const before = process.cwd();

const PROGRAM = `[core]\n fsmonitor = "touch ${marker}; false"\n`;
const HOOK = `#!/bin/sh\ntouch ${marker}\n`;

function git(folder: string, ...args: string[]): void {
  const identity = ['-c', 'user.name=a', '-c', 'user.email=a@example.com'];
  execFileSync('git', [...identity, ...args], { cwd: folder, env: environment, stdio: 'pipe' });
}

function write(name: string, text: string): string {
  const file = path.join(project, name);
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, text);
  return file;
}

function link(name: string, target: string): void {
  rmSync(path.join(project, name), { recursive: true, force: true });
  mkdirSync(path.dirname(path.join(project, name)), { recursive: true });
  symlinkSync(target, path.join(project, name));
}

function makeRepository(name: string): void {
  const file = write(`${name}/a`, 'a');
  git(path.dirname(file), 'init', '-q');
  git(path.dirname(file), 'add', 'a');
  git(path.dirname(file), 'commit', '-qm', 'a');
}

function makeHook(name: string): void {
  chmodSync(write(name, HOOK), 0o755);
}

/** Each makes git run a program in a folder of that name. The process that decides sees the harmless file of the project. */
const TRAPS: Readonly<Record<string, (name: string) => void>> = {
  include: (name) => {
    write(`${name}/inc`, PROGRAM);
    git(path.join(project, name), 'config', 'include.path', '/proc/self/cwd/inc');
  },
  'include-of-thread': (name) => {
    write(`${name}/inc`, PROGRAM);
    git(path.join(project, name), 'config', 'include.path', '/proc/thread-self/cwd/inc');
  },
  'include-by-link': (name) => {
    write(`${name}/inc`, PROGRAM);
    link(`${name}/own`, '/proc/self');
    git(path.join(project, name), 'config', 'include.path', '../own/cwd/inc');
  },
  'linked-config': (name) => {
    write(`${name}/inc`, PROGRAM);
    git(path.join(project, name), 'config', 'extensions.worktreeConfig', 'true');
    link(`${name}/.git/config.worktree`, '/proc/self/cwd/inc');
  },
  'dangling-config': (name) => {
    write(`${name}/only-here`, PROGRAM);
    git(path.join(project, name), 'config', 'extensions.worktreeConfig', 'true');
    link(`${name}/.git/config.worktree`, '/proc/self/cwd/only-here');
  },
  'linked-data': (name) => {
    makeRepository(`${name}/data`);
    write(`${name}/data/.git/config.worktree`, PROGRAM);
    git(path.join(project, name, 'data'), 'config', 'extensions.worktreeConfig', 'true');
    link(`${name}/.git`, '/proc/self/cwd/data/.git');
  },
  'file-of-data': (name) => {
    makeRepository(`${name}/data`);
    write(`${name}/data/.git/config.worktree`, PROGRAM);
    git(path.join(project, name, 'data'), 'config', 'extensions.worktreeConfig', 'true');
    rmSync(path.join(project, name, '.git'), { recursive: true });
    write(`${name}/.git`, 'gitdir: /proc/self/cwd/data/.git\n');
  },
  'common-folder': (name) => {
    makeRepository(`${name}/data`);
    git(path.join(project, name, 'data'), 'config', 'core.fsmonitor', `touch ${marker}; false`);
    rmSync(path.join(project, name, '.git'), { recursive: true });
    write(`${name}/.git`, 'gitdir: ../data/.git/worktrees/tree\n');
    write('data/.git/worktrees/tree/commondir', '/proc/self/cwd/data/.git\n');
  },
  'hooks-folder': (name) => {
    makeHook(`${name}/hk/post-index-change`);
    git(path.join(project, name), 'config', 'core.hooksPath', '/proc/self/cwd/hk');
  },
  'linked-hooks': (name) => {
    makeHook(`${name}/hk/post-index-change`);
    link(`${name}/.git/hooks`, '/proc/self/cwd/hk');
  },
  'linked-hook': (name) => {
    makeHook(`${name}/only-here`);
    link(`${name}/.git/hooks/post-index-change`, '/proc/self/cwd/only-here');
  },
};

beforeAll(() => {
  makeRepository('.');
  for (const name of ['inc', 'sub/x']) write(name, '');
  makeRepository('data');
  git(path.join(project, 'data'), 'worktree', 'add', '-q', path.join(project, 'tree'));
  // Every file and every folder that a trap names exists here, too, and is harmless.
  mkdirSync(path.join(project, 'hk'));
  makeRepository('own-program');
  git(path.join(project, 'own-program'), 'config', 'core.fsmonitor', `touch ${marker}; false`);
  link('here', '/proc/self/cwd');
  link('self', '/proc/self');
  link('chain', 'self/cwd');
  link('streams', '/dev/fd');
  for (const [name, make] of Object.entries(TRAPS)) {
    makeRepository(name);
    make(name);
  }
  process.chdir(project);
});
afterAll(() => {
  process.chdir(before);
  rmSync(base, { recursive: true, force: true });
});

interface Setting {
  readonly cwd?: string;
  readonly view?: boolean;
  readonly mode?: PermissionMode;
  readonly allow?: readonly string[];
  readonly deny?: readonly string[];
  readonly isTrusted?: (folder: string) => boolean;
}

function decided(
  tool: string,
  input: JsonObject,
  {
    cwd = project,
    view = false,
    mode = 'default',
    allow = [],
    deny = [],
    isTrusted = () => false,
  }: Setting = {},
): string {
  const world = observeWorld({
    root: project,
    cwd,
    directories: [],
    home: base,
    configDirs: [],
    environment,
    readOnlyView: view,
    isTrusted,
  });
  const rule = (text: string) => ({ text, source: 'user' as const });
  const rules = { deny: deny.map(rule), ask: [], allow: allow.map(rule) };
  const request = { tool, input, readOnly: false, hookDecision: undefined };
  return authorize(request, rules, mode, world).decision;
}

const GIT_RULES = [
  'Bash(git add *)',
  'Bash(git status *)',
  'Bash(git log *)',
  'Bash(git -C *)',
  'Bash(cd *)',
];
const SETTINGS: readonly Setting[] = [
  {},
  { view: true },
  { mode: 'acceptEdits' },
  { allow: GIT_RULES },
  { allow: GIT_RULES, view: true },
];

function decisionsOn(command: string): readonly string[] {
  return SETTINGS.map((setting) => decided('Bash', { command }, setting));
}

/** Returns whether a command runs the program of a trap. */
function runsProgram(command: string): boolean {
  rmSync(marker, { force: true });
  try {
    execFileSync('bash', ['-c', command], { cwd: project, env: environment, stdio: 'pipe' });
  } catch {
    // Git may reject the repository after it has run the program.
  }
  return existsSync(marker);
}

const ASKED = SETTINGS.map(() => 'ask');

describe.runIf(process.platform === 'linux')('a path of git that depends on the process', () => {
  it.each(Object.keys(TRAPS))('is unknown, because git runs another program: %s', (name) => {
    const read = `cd ${name} && git status`;
    expect(decisionsOn(read)).toEqual(ASKED);
    expect(decisionsOn(`git -C ${name} status`)).toEqual(ASKED);
    const change = `cd ${name} && git add a`;
    expect(decisionsOn(change)).toEqual(ASKED);
    write(`${name}/a`, 'other');
    expect([runsProgram(read), runsProgram(change)]).toContain(true);
  });

  it.each([
    'cd own-program && git -C /proc/self/cwd status',
    'cd own-program && git -C /proc/thread-self/cwd status',
    'cd own-program && git -C /proc/self/../self/cwd status',
    'cd own-program && git -C ../here status',
    'cd own-program && git -C ../self/cwd status',
    'cd own-program && git -C ../chain status',
    'cd own-program && cd ../here && git status',
    'git -C own-program -C /proc/self/cwd status',
    'git -C own-program -C ../here status',
    'cd own-program && git -C /proc/self/cwd add a',
    'cd own-program && git --git-dir=/proc/self/cwd/.git status',
    'cd own-program && GIT_DIR=/proc/self/cwd/.git git status',
    'cd own-program && git --git-dir=.git --work-tree=/proc/self/cwd status',
    'git -C /proc/self/fd/3 status 3< own-program',
    'git -C /dev/fd/3 status 3< own-program',
    'git -C streams/3 status 3< own-program',
    'git -C /dev/stdin status < own-program',
  ])('is asked about in a command: %s', (command) => {
    expect(decisionsOn(command)).toEqual(ASKED);
    expect(runsProgram(command)).toBe(true);
  });

  it('has no trust of the folder that it means here', () => {
    const isTrusted = (folder: string): boolean => realTarget(folder) === project;
    for (const command of ['git -C /proc/self/cwd add a', 'cd own-program && git -C ../here add a'])
      for (const view of [true, false])
        expect(decided('Bash', { command }, { allow: GIT_RULES, view, isTrusted })).toBe('ask');
    expect(decided('Bash', { command: 'cd here && make' }, { view: true, isTrusted })).toBe('ask');
  });

  it('is not the working tree of the repository, although it is the same folder here', () => {
    const allow = ['Bash(git add *)', 'Bash(git checkout *)'];
    const add = (): string => decided('Bash', { command: 'cd sub && git add x' }, { allow });
    expect(add()).toBe('allow');
    git(project, 'config', 'core.worktree', '/proc/self/cwd');
    expect(add()).toBe('ask');
    git(project, 'config', 'core.worktree', project);
    expect(add()).toBe('allow');
    git(project, 'config', '--unset', 'core.worktree');
  });

  it('does not include other paths', () => {
    git(path.join(project, 'data'), 'config', 'core.hooksPath', '/dev/null');
    for (const command of ['git status', 'git -C data status', 'cd sub && git status'])
      expect([command, decided('Bash', { command })]).toEqual([command, 'allow']);
  });
});

/** The folder of commands is not the one of the process that decides. */
const READS = [
  'cat /proc/self/cwd/key',
  'cat ../here/key',
  'cat ../self/cwd/key',
  'cat < ../here/key',
  'cat ../h*/key',
  'cat ../links/*',
  'cat ../links/ke?',
  'grep K ../links/*',
  'grep -R K ../links',
  'head -n 1 ../links/key',
  'cd ../here && cat key',
  'cd /proc/self/cwd && cat key',
  'cd /proc/self && cat cwd/key',
  'for f in ../links/*; do cat "$f"; done',
  'x=../here; cat $x/key',
  'diff ../links/key a',
  'find -L ../links -exec cat {} +',
  'git diff --no-index ../links/key a',
];
const WRITES = [
  'touch ../here/config',
  'touch ../links/config',
  'touch ../links/c*',
  'touch ../h*/config',
  'echo x > ../links/config',
  'echo x > /proc/self/cwd/config',
  'echo x >> ../self/cwd/config',
  'cp ../a ../links/config',
  'cp ../new/config ../links',
  'cp ../new/* ../links',
  'cp -r ../new/. ../links',
  'cp -rT ../new ../links',
  'mv ../new/config ../here/config',
  'mv ../new/* ../here',
  'mkdir ../here/config',
  'ln -s ../a ../here/config',
  'ln -s /proc/self/cwd/config ../made',
  'sed -i s/a/b/ ../links/*',
  'tee ../links/config < a',
  'tar xf ../new.tar -C ../links',
  'gunzip -f ../links/config.gz',
  'cd ../here && touch config',
];

describe.runIf(process.platform === 'linux')('a file that depends on the process', () => {
  beforeAll(() => {
    for (const name of ['deep/key', 'key', 'deep/a', 'new/config', 'new.tar', 'links/config.gz'])
      write(name, '');
    link('links/key', '/proc/self/cwd/key');
    link('links/config', '/proc/self/cwd/config');
  });
  const cwd = path.join(project, 'deep');

  it.each(READS)('is not read beside a rule for it: %s', (command) => {
    const deny = ['Read(./deep/key)'];
    for (const mode of ['default', 'bypassPermissions'] as const)
      for (const allow of [[], ['Bash']])
        expect(decided('Bash', { command }, { cwd, mode, deny, allow })).toBe('ask');
  });

  it.each(WRITES)('is not changed without a question: %s', (command) => {
    const allow = ['Edit(./**)'];
    for (const view of [true, false]) {
      expect(decided('Bash', { command }, { cwd, view, mode: 'acceptEdits' })).toBe('ask');
      expect(decided('Bash', { command }, { cwd, view, mode: 'acceptEdits', allow })).toBe('ask');
    }
  });

  it('is the one of the file tools, because they run in the process that decides', () => {
    const deny = ['Read(./key)', 'Edit(./key)'];
    const setting = { cwd, mode: 'acceptEdits', deny } as const;
    for (const file of ['../here/key', '../links/key', '/proc/self/cwd/key', '../self/cwd/key']) {
      expect([file, decided('Read', { file_path: file }, setting)]).toEqual([file, 'deny']);
      expect([file, decided('Write', { file_path: file, content: '' }, setting)]).toEqual([file, 'deny']);
    }
    expect(decided('Edit', { file_path: '../here/.git/config' }, setting)).toBe('ask');
    expect(decided('Read', { file_path: '../here/deep/key' }, setting)).toBe('allow');
    expect(decided('Grep', { pattern: 'x', path: '/proc/self/cwd' }, setting)).toBe('ask');
    expect(decided('Glob', { pattern: '/proc/self/cwd/*' }, setting)).toBe('ask');
  });

  it('does not include other files of such folders', () => {
    for (const command of ['cat ../new/*', 'cat ../a', 'cat < /dev/null', 'echo a > /dev/stderr'])
      expect([command, decided('Bash', { command }, { cwd })]).toEqual([command, 'allow']);
    for (const command of ['cp ../new/* .', 'touch ../new/x', 'rm ../links/config.gz'])
      expect([command, decided('Bash', { command }, { cwd, mode: 'acceptEdits' })]).toEqual([
        command,
        'allow',
      ]);
  });
});
