/** Searches that skip hidden files, on a real disk: exceptions from ignored names make them read a denied file. */
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import type { PermissionMode } from '@heddle/core';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { authorize } from './authorize.ts';
import { observeWorld } from './observe-world.ts';

let folder = '';
beforeEach(() => {
  folder = realpathSync(mkdtempSync(path.join(os.tmpdir(), 'heddle-exceptions-')));
  write('project/.env', 'KEY=1\n');
  write('home/.keep', '');
  repository('project/.git');
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function write(name: string, text: string): void {
  const file = path.join(folder, name);
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, text.replaceAll('FOLDER', folder));
}

function repository(name: string): void {
  for (const inner of ['objects', 'refs']) mkdirSync(path.join(folder, name, inner), { recursive: true });
  write(`${name}/HEAD`, 'ref: refs/heads/main\n');
}

function decisionOn(
  command: string,
  environment: Readonly<Record<string, string>> = {},
  mode: PermissionMode = 'default',
): string {
  const cwd = path.join(folder, 'project');
  const home = path.join(folder, 'home');
  const world = observeWorld({ root: cwd, cwd, directories: [], home, configDirs: [], environment });
  const request = { tool: 'Bash', input: { command }, readOnly: false, hookDecision: undefined };
  const rule = (text: string) => [{ text, source: 'user' as const }];
  const rules = { deny: rule('Read(.env)'), ask: [], allow: rule('Bash') };
  return authorize(request, rules, mode, world).decision;
}

describe('a search that skips hidden files', () => {
  it('needs no question if no file excepts the denied file', () => {
    write('home/.config/git/ignore', '*.log\n!.keep\n');
    write('home/.gitconfig', '[core]\n\texcludesFile = ~/.ignored\n');
    write('home/.ignored', '.env\n');
    write('project/.git/info/exclude', '# comment\n');
    expect(decisionOn('rg KEY')).toBe('allow');
  });

  it.each<[string, Record<string, string>]>([
    ['the default file of the user', { 'home/.config/git/ignore': '!.env\n' }],
    [
      'core.excludesFile of the user',
      { 'home/.gitconfig': '[core]\n\texcludesFile = ~/.ignored\n', 'home/.ignored': '!.env\n' },
    ],
    [
      'core.excludesFile in the other file of the user',
      { 'home/.config/git/config': '[core]\nexcludesfile = FOLDER/x\n', x: '!.en*\n' },
    ],
    ['core.excludesFile with a relative path', { 'home/.gitconfig': '[core]\nexcludesFile = x\n' }],
    [
      'core.excludesFile in an included file',
      {
        'home/.gitconfig': '[include]\npath = more\n',
        'home/more': '[core]\nexcludesFile = ~/x\n',
        'home/x': '!.env',
      },
    ],
    [
      'core.excludesFile of the repository',
      { 'project/.git/config': '[core]\n\texcludesFile = FOLDER/x\n', x: '!.env\n' },
    ],
    ['settings that cannot be read', { 'home/.gitconfig': '[core\n' }],
    ['info/exclude', { 'project/.git/info/exclude': '!.env\n' }],
  ])('asks if it may read the denied file because of %s', (_, files) => {
    for (const [name, text] of Object.entries(files)) write(name, text);
    expect(decisionOn('rg KEY')).toBe('ask');
  });

  it('asks because of info/exclude of the main repository in a linked worktree', () => {
    rmSync(path.join(folder, 'project/.git'), { recursive: true });
    repository('main/.git');
    write('main/.git/worktrees/project/HEAD', 'ref: refs/heads/other\n');
    write('main/.git/worktrees/project/commondir', '../..\n');
    write('project/.git', 'gitdir: FOLDER/main/.git/worktrees/project\n');
    expect(decisionOn('rg KEY')).toBe('allow');
    write('main/.git/info/exclude', '!.env\n');
    expect(decisionOn('rg KEY')).toBe('ask');
  });

  it('asks because of a folder of settings that a variable names', () => {
    write('settings/git/ignore', '!.env\n');
    expect(decisionOn('rg KEY', { XDG_CONFIG_HOME: path.join(folder, 'settings') })).toBe('ask');
  });

  it.each([
    'XDG_CONFIG_HOME=x rg KEY',
    'export "XDG_CONFIG"_HOME=$PWD/x; rg KEY',
    'HOME=$PWD/x rg KEY',
    'RIPGREP_CONFIG_PATH=x rg KEY',
    "echo '!.env' > ~/.config/git/ignore; rg KEY",
    'cp x .git/info/exclude; rg KEY',
    "export $'HO\\x4dE'=x; rg KEY",
    "export $'HOM\\105'=x; rg KEY",
    "declare -x $'\\x48OME'=x; rg KEY",
    "command export $'XDG_CONFIG_HOM\\u0045'=x; rg KEY",
    "export $'RIPGREP_CONFIG\\x5fPATH=x'; rg KEY",
    "env $'HO\\x4dE'=x rg KEY",
    "env -- $'XDG_CONFIG\\137HOME'=x rg KEY",
    "read -r $'HO\\x4dE' < y; rg KEY",
    'export {HO,NA}ME=x; rg KEY',
    'HO\\\nME=x rg KEY',
    'x=HO; export ${x}ME=y; rg KEY',
    'x=HOM; declare -x "$x"E=y; rg KEY',
  ])('asks if the script changes where the exceptions are: %s', (command) => {
    expect(decisionOn('echo "$HOME"; rg KEY')).toBe('allow');
    expect(decisionOn(command)).toBe('ask');
    expect(decisionOn('export OTHER=x; rg KEY', {}, 'bypassPermissions')).toBe('allow');
    expect(decisionOn(command, {}, 'bypassPermissions')).toBe('ask');
  });

  it('follows a link of the user', () => {
    write('dotfiles/ignore', '*.log\n');
    mkdirSync(path.join(folder, 'home/.config/git'), { recursive: true });
    symlinkSync(path.join(folder, 'dotfiles/ignore'), path.join(folder, 'home/.config/git/ignore'));
    expect(decisionOn('rg KEY')).toBe('allow');
    write('dotfiles/ignore', '!.env\n');
    expect(decisionOn('rg KEY')).toBe('ask');
  });
});

describe('fd with a command', () => {
  it.each([
    ['no file', {}, 'allow'],
    ['.fdignore of the project', { 'project/.fdignore': '!.env\n' }, 'ask'],
    ['.fdignore with other names', { 'project/.fdignore': '!.keep\n' }, 'allow'],
    ['.fdignore of a folder above', { '.fdignore': '!.e*\n' }, 'ask'],
    ['the file of the user', { 'home/.config/fd/ignore': '!.env\n' }, 'ask'],
    ['.ignore', { 'project/.ignore': '!.env\n' }, 'ask'],
  ])('counts hidden files that are excepted by %s', (_, files, expected) => {
    for (const [name, text] of Object.entries(files)) write(name, text);
    for (const command of ['fdfind -x cat', 'fd env -X cat', 'fd | xargs cat'])
      expect([command, decisionOn(command)]).toEqual([command, command.includes('|') ? 'ask' : expected]);
  });

  it.each([
    'fd --ignore-file=x -x cat',
    'fdfind --ignore-file x env -X cat',
    'HOME=$PWD/x fd -x cat',
    'XDG_CONFIG_HOME=x fd -x cat',
    "echo '!.env' > .fdignore; fd -x cat",
    "echo '!.env' > ~/.config/fd/ignore; fd -x cat",
  ])('asks if the exceptions are unknown: %s', (command) => {
    expect(decisionOn('fd -x cat')).toBe('allow');
    expect(decisionOn(command)).toBe('ask');
  });

  it('asks before it removes a protected file that is excepted', () => {
    write('project/.npmrc', '');
    expect(decisionOn('fd -X rm')).toBe('allow');
    write('project/.fdignore', '!.npmrc\n');
    expect(decisionOn('fd -X rm')).toBe('ask');
  });

  it.each([
    "echo '!.npmrc' > .fdignore; fd -X rm",
    'cp x .fdignore; fd -x chmod 600',
    'XDG_CONFIG_HOME=x fd -X rm',
    'fd --ignore-file=x -X rm',
  ])('asks before a change of hidden files that the script may except: %s', (command) => {
    write('project/.npmrc', '');
    expect(decisionOn('echo a > b; fd -X rm')).toBe('allow');
    expect(decisionOn('fd -x sed -i s/a/b/')).toBe('allow');
    expect(decisionOn(command)).toBe('ask');
  });
});
