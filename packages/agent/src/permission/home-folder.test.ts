/** A session in the home folder, or above it, on a real disk. Programs load hidden files there by names that no list knows. */
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import type { JsonObject } from '@heddle/core';
import { afterAll, describe, expect, it } from 'vitest';
import { authorize } from './authorize.ts';
import { observeWorld } from './observe-world.ts';

const base = realpathSync(mkdtempSync(path.join(os.tmpdir(), 'heddle-home-')));
const home = path.join(base, 'people/user');
const above = path.join(base, 'people');
afterAll(() => rmSync(base, { recursive: true, force: true }));

for (const file of [
  'a',
  'work/a',
  'tmpl/.unknownrc',
  'tmpl/bin/tool',
  'plain/x',
  '.dotfiles/a',
  '.unknown/a',
]) {
  const place = path.join(home, file);
  mkdirSync(path.dirname(place), { recursive: true });
  writeFileSync(place, '');
}
symlinkSync('user', path.join(above, 'link'));

interface Place {
  readonly root?: string;
  readonly directories?: readonly string[];
  readonly mode?: 'acceptEdits' | 'default';
  readonly rules?: readonly string[];
}

function decide(tool: string, input: JsonObject, place: Place) {
  const { root = home, directories = [], mode = 'acceptEdits', rules = ['Edit'] } = place;
  const world = observeWorld({
    root,
    cwd: root,
    directories,
    home,
    configDirs: [path.join(home, '.heddle')],
    environment: { HOME: home, GIT_CONFIG_NOSYSTEM: '1', PATH: '/usr/bin:/bin' },
  });
  const allow = rules.map((text) => ({ text, source: 'user' as const }));
  const request = { tool, input, readOnly: false, hookDecision: undefined };
  return authorize(request, { deny: [], ask: [], allow }, mode, world).decision;
}

function run(command: string, place: Place = {}) {
  return decide('Bash', { command }, place);
}

describe('a session in the home folder', () => {
  it.each([
    'touch .unknownrc',
    'echo x > .dircolors',
    'echo x > ~/.unknownrc',
    'mkdir -p .config/unknown',
    'touch .cache/x',
    'touch .unknown/b',
    'cp a .new',
    'cp -r tmpl/. .',
    'cp -rT tmpl .',
    'mv tmpl/.unknownrc .',
    'mv .unknown u',
    'rm -rf .unknown',
    'sed -i s/a/b/ .un*/a',
    'cd work && touch ../.unknownrc',
    'mkdir -p bin',
    'cp a bin/tool',
    'mkdir -p go/bin && touch go/bin/tool',
    'mkdir -p miniconda3/bin',
    'cp -r tmpl/bin .',
    "mkdir -p 'Library/Application Support/Code/User'",
    'mkdir -p Library/Python/3.12/bin',
  ])('asks: %s', (command) => {
    expect(run(command)).toBe('ask');
  });

  it.each([
    'touch b',
    'mkdir -p new/folder',
    'touch work/.editorconfig',
    'mkdir -p work/bin',
    'mkdir -p work/Library',
    'touch work/go/bin',
    'cp -r plain copy',
    'mv plain work/plain',
    'sed -i s/a/b/ work/a',
  ])('does not ask: %s', (command) => {
    expect(run(command)).toBe('allow');
  });

  it('asks for the file tools', () => {
    expect(decide('Write', { file_path: path.join(home, '.unknownrc'), content: 'x' }, {})).toBe('ask');
    expect(decide('Write', { file_path: path.join(home, 'b.txt'), content: 'x' }, {})).toBe('allow');
  });

  it('asks about commands that rules cover', () => {
    const place: Place = {
      mode: 'default',
      rules: ['Bash(mytool *)', 'Bash(cp *)', 'Bash(mkdir *)', 'Bash(find *)', 'Edit'],
    };
    for (const command of [
      'mytool -o .unknownrc',
      'mytool --out=bin/x',
      'cp a .*',
      'mkdir t && cp -r t/. ~',
      'find . -name .unknownrc -exec mytool {} +',
    ])
      expect([command, run(command, place)]).toEqual([command, 'ask']);
    expect(run('mytool work/a', place)).toBe('allow');
  });
});

describe('a session above the home folder', () => {
  it.each([
    'touch user/.unknownrc',
    'cp user/a user/bin/tool',
    'touch link/.unknownrc',
    'touch ~/.unknownrc',
  ])('asks: %s', (command) => {
    expect(run(command, { root: above })).toBe('ask');
  });

  it('does not ask about ordinary hidden files elsewhere', () => {
    expect(run('touch .env user/b', { root: above })).toBe('allow');
  });
});

describe('a session in a folder of the home folder', () => {
  it('works there as in any project', () => {
    const root = path.join(home, 'work');
    expect(run('touch .env && mkdir -p bin', { root })).toBe('allow');
    expect(run('touch a .env', { root: path.join(home, '.dotfiles') })).toBe('allow');
  });

  it('is ordinary as an additional directory', () => {
    const directories = [path.join(home, '.dotfiles')];
    expect(run('touch .dotfiles/b', { directories })).toBe('allow');
    expect(run('touch .unknown/b', { directories })).toBe('ask');
  });
});
