/** Repositories on this machine to which git connects, by its words and by settings, and those of submodules. On a real disk. */
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { authorize } from './authorize.ts';
import { observeWorld } from './observe-world.ts';

const base = realpathSync(mkdtempSync(path.join(os.tmpdir(), 'heddle-connected-')));
const home = path.join(base, 'home');
mkdirSync(home);
afterAll(() => rmSync(base, { recursive: true, force: true }));

function write(file: string, text = ''): void {
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, text);
}

function data(folder: string, config = ''): void {
  write(path.join(folder, 'HEAD'), 'ref: refs/heads/main\n');
  write(path.join(folder, 'objects/x'));
  write(path.join(folder, 'refs/x'));
  write(path.join(folder, 'config'), config);
}

let made = 0;

/** Makes a project with a bare repository among its files, `br`, and one with a working tree, `nested`. */
function project(config = ''): string {
  const folder = path.join(base, `p${made++}`);
  data(path.join(folder, '.git'), `[core]\n\tbare = false\n${config}`);
  data(path.join(folder, 'br'), '[core]\n\tbare = true\n');
  data(path.join(folder, 'nested/.git'), '[core]\n\tbare = false\n');
  write(path.join(folder, 'src/a'));
  return folder;
}

function decide(root: string, command: string, isTrusted: boolean): string {
  const environment = { HOME: home, GIT_CONFIG_NOSYSTEM: '1', PATH: '/usr/bin:/bin' };
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

const CONNECTING = ['git push', 'git fetch', 'git pull', 'git remote update', 'cd src && git push'];

describe('a remote that settings of a trusted repository name', () => {
  it.each([
    '[branch "main"]\n\tremote = br\n',
    '[branch "main"]\n\tremote = ./br\n',
    '[branch "main"]\n\tpushRemote = ./br\n',
    '[remote]\n\tpushDefault = br\n',
    '[remote "o"]\n\turl = ./br\n',
    '[remote "o"]\n\turl = br/\n',
    '[remote "o"]\n\tpushurl = src/../br\n',
    '[remote "o"]\n\turl = https://h/br\n[url "./"]\n\tinsteadOf = https://h/\n',
    '[branch "main"]\n\tremote = x:br\n[url "./"]\n\tpushInsteadOf = x:\n',
  ])('asks if it is a bare repository among the files of the project: %j', (config) => {
    const folder = project(config);
    for (const command of CONNECTING)
      expect([command, decide(folder, command, true)]).toEqual([command, 'ask']);
    for (const command of ['git add src', 'git commit -m x'])
      expect([command, decide(folder, command, true)]).toEqual([command, 'allow']);
  });

  it('asks about an address in a word that a setting replaces', () => {
    const folder = project('[url "./"]\n\tinsteadOf = https://h/\n');
    expect(decide(folder, 'git push https://h/br x', true)).toBe('ask');
    expect(decide(folder, 'git push https://other/br x', true)).toBe('allow');
  });

  it('asks if it is in an older file, which is not read', () => {
    const folder = project();
    write(path.join(folder, '.git/remotes/o'), 'URL: ./br\n');
    expect(decide(folder, 'git push', true)).toBe('ask');
    expect(decide(folder, 'git add src', true)).toBe('allow');
  });

  it.each([
    '[remote "br"]\n\turl = https://h/x\n[branch "main"]\n\tremote = br\n',
    '[remote "o"]\n\turl = /srv/x.git\n',
    '[remote "o"]\n\turl = ../other\n',
    '[remote "o"]\n\turl = ./nested\n',
    '[branch "main"]\n\tremote = .\n',
  ])('does not ask if it is another one: %j', (config) => {
    const folder = project(config);
    for (const command of CONNECTING)
      expect([command, decide(folder, command, true)]).toEqual([command, 'allow']);
  });
});

describe('a push to a nested repository', () => {
  const PUSHES = [
    'git push ./nested HEAD:x',
    'git push nested HEAD:x',
    'git push "file://$PWD/nested" HEAD:x',
    'git send-pack ./nested',
  ];

  it.each([
    'pre-receive',
    'update',
    'post-receive',
    'post-update',
    'push-to-checkout',
    'proc-receive',
    'reference-transaction',
    'post-checkout',
  ])('asks without trust if that has the hook %s', (hook) => {
    const folder = project();
    write(path.join(folder, 'nested/.git/hooks', hook));
    for (const command of PUSHES) {
      expect([command, decide(folder, command, false)]).toEqual([command, 'ask']);
      expect([command, decide(folder, command, true)]).toEqual([command, 'allow']);
    }
    expect(decide(folder, 'git push . HEAD:x', false)).toBe('allow');
  });

  it('does not ask without such a hook, or for a fetch', () => {
    const folder = project();
    write(path.join(folder, 'nested/.git/hooks/pre-receive.sample'));
    for (const command of PUSHES)
      expect([command, decide(folder, command, false)]).toEqual([command, 'allow']);
    write(path.join(folder, 'nested/.git/hooks/pre-receive'));
    expect(decide(folder, 'git fetch ./nested', false)).toBe('allow');
  });
});

describe('the data of a submodule that is not checked out', () => {
  const COMMANDS = ['git submodule update --init', 'git submodule status', 'git add src', 'git fetch'];
  const decisions = (name: string, config: string): readonly string[] => {
    const folder = project();
    data(path.join(folder, '.git/modules', name), `[core]\n\tbare = false\n${config}`);
    const decided = COMMANDS.map((command) => decide(folder, command, false));
    expect(COMMANDS.map((command) => decide(folder, command, true))).toEqual(COMMANDS.map(() => 'allow'));
    return decided;
  };

  it.each([
    ['sub', '\tfsmonitor = ./evil\n'],
    ['a/b', '\tfsmonitor = ./evil\n'],
    ['sub', '[filter "x"]\n\tsmudge = ./evil\n'],
    ['sub', '\tworktree = ../../hooks\n'],
    ['sub', '\tworktree = ../../..\n'],
    ['sub', '\tworktree = ../../../../other\n'],
    ['sub', '\tworktree = /other\n'],
    ['sub', '\tworktree = .\n'],
    ['sub/modules/c', '\tfsmonitor = ./evil\n'],
  ])('counts without trust: %s %j', (name, config) => {
    expect(decisions(name, config)).toEqual(COMMANDS.map(() => 'ask'));
  });

  it.each([
    ['sub', '\tworktree = ../../../sub\n[remote "origin"]\n\turl = https://h/x\n'],
    ['a/b', '\tworktree = ../../../../a/b\n'],
    ['sub', ''],
  ])('does not count with the settings of git itself: %s %j', (name, config) => {
    expect(decisions(name, config)).toEqual(COMMANDS.map(() => 'allow'));
  });
});
