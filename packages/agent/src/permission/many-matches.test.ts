/** A glob with more matches than are checked one by one, in a real folder: named pipes and links to devices among the matches. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import type { PermissionMode } from '@heddle/core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { authorize } from './authorize.ts';
import { observeWorld } from './observe-world.ts';
import { NO_RULES } from './rules/rule.ts';

const FILES = 1_500;
const FEWER_FILES = 25;

let root = '';
beforeAll(() => {
  root = realpathSync(mkdtempSync(path.join(os.tmpdir(), 'heddle-many-')));
  const fill = (folder: string, files = FILES): void => {
    mkdirSync(path.join(root, folder), { recursive: true });
    for (let at = 0; at < files; at++) writeFileSync(path.join(root, folder, `x${at}`), '');
  };
  for (const folder of ['f', 'l', 'd', 'h', 'plain', 'few/a', 'deep/n/many', 'odd']) fill(folder);
  for (const folder of ['src', 'dst', 'tree/mise']) fill(folder, FEWER_FILES);
  writeFileSync(path.join(root, 'tree/mise/config.toml'), '');
  for (const folder of ['few/b', 'mise']) mkdirSync(path.join(root, folder));
  execFileSync(
    'mkfifo',
    ['f/y0', 'h/.y', 'few/b/q', 'deep/n/q'].map((name) => path.join(root, name)),
  );
  symlinkSync('../f/y0', path.join(root, 'l/y1'));
  symlinkSync('/dev/watchdog', path.join(root, 'd/y2'));
  symlinkSync('x1', path.join(root, 'plain/link'));
  execFileSync('bash', ['-c', "mkfifo odd/$'q\\xff'"], { cwd: root });
});
afterAll(() => rmSync(root, { recursive: true, force: true }));

function decide(command: string, readOnlyView: boolean, mode: PermissionMode = 'default'): string {
  const world = observeWorld({
    root,
    cwd: root,
    directories: [],
    home: '/people/user',
    configDirs: [],
    environment: {},
    readOnlyView,
  });
  const request = { tool: 'Bash', input: { command }, readOnly: false, hookDecision: undefined };
  return authorize(request, NO_RULES, mode, world).decision;
}

describe('a glob with very many matches', () => {
  it.each([
    'cat f/*',
    'head -c 10 f/*',
    'cat < f/y*',
    'wc -l f/[xy]*',
    'grep x f/*',
    'nm f/*',
    'for f in f/*; do cat "$f"; done',
    'for f in f/*; do head -1 $f; done',
    "x='f/*'; cat $x",
    'x=f/*; cat $x',
    'for d in f/* few/*; do cat $d/*; done',
    'for d in plain/* few/*; do cat $d/*; done',
    'echo f/* | xargs cat',
    'set -- f/*; cat "$@"',
    'cat l/*',
    'cat d/*',
    'cat few/*/*',
    'cat */y0',
    'cat odd/*',
    'for f in odd/*; do cat "$f"; done',
    'shopt -s dotglob; cat h/*',
    'shopt -s globstar; cat deep/**',
    'shopt -s globstar; cat deep/**/q',
  ])('asks if one may be a named pipe or a device: %s', (command) => {
    for (const view of [true, false]) expect(decide(command, view)).toBe('ask');
  });

  it.each([
    'cat plain/*',
    'head -n 1 plain/x*',
    'wc -l f/x*',
    'grep x l/x*',
    'cat few/a/*',
    'cat h/*',
    'ls f/*',
    'cat plain/**',
    'for f in plain/*; do cat "$f"; done',
  ])('is read if all matches are ordinary: %s', (command) => {
    expect(decide(command, true)).toBe('allow');
  });
});

describe('a copy or move of the matches of a glob in acceptEdits', () => {
  it.each(['mv src/* dst', 'mv src/x* dst/', 'cp src/* dst', 'cp -r src/* dst'])(
    'needs no question: %s',
    (command) => {
      expect(decide(command, true, 'acceptEdits')).toBe('allow');
    },
  );

  it.each(['mv tree/* dst', 'cp -r tree/* dst', 'cp tree/*/* mise', 'mv tree/mise/* mise'])(
    'asks if a match has a protected place: %s',
    (command) => {
      expect(decide(command, true, 'acceptEdits')).toBe('ask');
    },
  );
});

describe('a word whose value is not known', () => {
  it.each([
    'cat f/$x',
    'cat ~+/h/.y',
    'cat l/$x',
    'cd f && cat "$x"',
    'find few/b -exec cat {} +',
    'x=(deep/n/q); cat "${x[@]}"',
  ])('asks if a named pipe is in a folder that the script names: %s', (command) => {
    expect(decide(command, true)).toBe('ask');
  });
  it.each([
    'cat plain/$x',
    'cat "$x"',
    'cat ~+/few/a/x1',
    'find few -type f -exec cat {} +',
    'ls | xargs cat',
  ])('needs no question without one: %s', (command) => {
    expect(decide(command, true)).toBe('allow');
  });
});
