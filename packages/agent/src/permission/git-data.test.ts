/** Reading git's own data shows stored files: in a folder above it, and in a folder with any name. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import type { JsonObject } from '@heddle/core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { authorize } from './authorize.ts';
import { observeWorld } from './observe-world.ts';

const base = realpathSync(mkdtempSync(path.join(os.tmpdir(), 'heddle-git-data-')));
const at = (...names: string[]): string => path.join(base, ...names);

function git(cwd: string, ...args: string[]): void {
  execFileSync('git', ['-c', 'user.name=t', '-c', 'user.email=t@t', ...args], { cwd, stdio: 'ignore' });
}

function write(file: string, text = 'KEY\n'): void {
  mkdirSync(path.dirname(at(file)), { recursive: true });
  writeFileSync(at(file), text);
}

/** Makes a repository whose denied file is only in its history. */
function repository(name: string, ...options: string[]): void {
  mkdirSync(at(name), { recursive: true });
  git(at(name), 'init', '-q', '-b', 'main', ...options);
  write(`${name}/.env`);
  write(`${name}/src/a.ts`);
  git(at(name), 'add', '.');
  git(at(name), 'commit', '-qm', 'first');
  git(at(name), 'rm', '-q', '.env');
  git(at(name), 'commit', '-qm', 'second');
}

const PATCH = 'diff --git a/.env b/.env\n+KEY\n';

beforeAll(() => {
  repository('plain');
  git(at('plain'), 'worktree', 'add', '-q', at('beside'), '-b', 'other');
  mkdirSync(at('plain/.git/rr-cache'));
  git(at('plain'), 'tag', 'v1');
  git(at('plain'), 'fetch', '-q', '.');
  repository('patched');
  write('patched/.git/ADD_EDIT.patch', PATCH);
  repository('resolved');
  write('resolved/.git/rr-cache/1a2b/preimage');
  repository('verbose');
  write('verbose/.git/COMMIT_EDITMSG', `x\n# --- >8 ---\n${PATCH}`);
  repository('worked');
  git(at('worked'), 'worktree', 'add', '-q', at('worked-beside'), '-b', 'other');
  write('worked/.git/worktrees/worked-beside/rebase-merge/patch', PATCH);
  repository('nested');
  repository('nested/pkg/inner');
  write('nested/pkg/inner/.git/ADD_EDIT.patch', PATCH);
  repository('separate', '--separate-git-dir', 'data');
  write('separate/data/COMMIT_EDITMSG', PATCH);
  repository('sibling', '--separate-git-dir', at('sibling-data'));
  write('sibling-data/ADD_EDIT.patch', PATCH);
  write('linked/src/a.ts');
  symlinkSync(at('patched/.git'), at('linked/g'));
  for (let count = 0; count < 3_100; count++) write(`large/many/${count}`, '');
  repository('large');
  write('large/.git/ADD_EDIT.patch', PATCH);
  mkdirSync(at('bare'));
  git(at('plain'), 'clone', '-q', '--bare', '.', at('bare/.bare'));
  write('bare/.git', 'gitdir: ./.bare\n');
  git(at('bare'), 'worktree', 'add', '-q', 'main');
  write('bare/.bare/worktrees/main/COMMIT_EDITMSG', PATCH);
  git(at('plain'), 'clone', '-q', '--bare', '.', at('around.git'));
  git(at('around.git'), 'worktree', 'add', '-q', 'main');
  write('around.git/worktrees/main/COMMIT_EDITMSG', PATCH);
});
afterAll(() => rmSync(base, { recursive: true, force: true }));

function decide(
  project: string,
  tool: string,
  input: JsonObject,
  { rule = 'Read(./.env)', mode = 'bypassPermissions' as const } = {},
): string {
  const root = at(project);
  const places = { root, cwd: root, directories: [], home: at('home'), configDirs: [] };
  const world = observeWorld({ ...places, environment: {} });
  const request = { tool, input, readOnly: tool !== 'Bash', leavesOutDenied: true, hookDecision: undefined };
  const rules = { deny: [{ text: rule, source: 'user' as const, base: root }], ask: [], allow: [] };
  return authorize(request, rules, mode, world).decision;
}

const run = (project: string, command: string, rule?: string): string =>
  decide(project, 'Bash', { command }, rule === undefined ? {} : { rule });

const SEARCHES = [
  'grep -r KEY .',
  'grep -rn KEY',
  'grep -R KEY .',
  'grep -rh KEY .. ',
  'rgrep KEY .',
  'rg -uu KEY',
  'rg -uuu KEY',
  "grep -rniE 'KEY|x' .",
  'grep -rlZ -m1 -A3 KEY .',
  'rg -uu -U -A2 KEY',
  'rg --hidden KEY',
  'rg --hidden --no-ignore KEY .',
  'diff -r . src',
  'find . -type f -exec grep -h KEY {} +',
  'unknown-program .',
];

/** They show only numbers and names. */
const MEASURES = ['find . -type f -exec wc -l {} +', 'find . -size +1M -exec ls -lh {} \\;'];

const COPIES = [
  'cp -r . ../q',
  'cp -a ./. /tmp/q',
  'mv ../plain ../q',
  'tar cf - .',
  'tar czf ../q.tgz .',
  'tar czf ../q.tgz . --exclude=.git',
  'tar -c --anchored --exclude=.git .',
  "tar -c --exclude='.gi' .",
  'zip -r ../q.zip .',
  'rsync -a ./ ../q',
  'find . -type f -exec cat {} +',
  "find . -name '*.pack' -o -name '[0-9a-f]*' -exec cat {} +",
  'find . -name .git -exec cp -r {} q \\;',
  "grep -ra '' .",
  "grep -r --binary-files=text '' .",
  "rg -uu -a '' .",
  "grep -rz '' .",
  "rg -uu -E utf-16 ''",
  "rg -uu --pre cat ''",
];

describe('a deep read of a folder above the data of git', () => {
  it('asks if it may show a plain copy of a stored file', () => {
    for (const project of ['patched', 'resolved', 'verbose', 'worked'])
      expect(SEARCHES.filter((command) => run(project, command) === 'allow')).toEqual([]);
  });

  it('asks about a copy with the objects', () => {
    expect(COPIES.filter((command) => run('plain', command) === 'allow')).toEqual([]);
  });

  it('asks if the names that are selected are those of a copy', () => {
    const asked = [
      "grep -rh KEY --include='*.patch' .",
      "rg -uu -g '*.patch' KEY",
      "rg --hidden -g '*.patch' KEY",
      "find . -name '*.patch' -exec cat {} +",
      "find . -name 'ADD*' -exec grep KEY {} \\;",
      "find . -path '*/ADD*' -exec head {} \\;",
      'fd -H -e patch -x cat',
    ];
    expect(asked.filter((command) => run('patched', command) === 'allow')).toEqual([]);
  });

  it('asks about copies in nested repositories, behind links, and in a folder with very many entries', () => {
    expect(run('nested', 'grep -r KEY .', 'Read(**/.env)')).toBe('ask');
    expect(run('nested', 'grep -r KEY pkg', 'Read(**/.env)')).toBe('ask');
    expect(run('nested', 'cp -r pkg ../q', 'Read(./pkg/inner/.env)')).toBe('ask');
    expect(run('linked', 'grep -R KEY .', `Read(/${at('patched/.env')})`)).toBe('ask');
    expect(run('large', 'grep -r KEY .')).toBe('ask');
    expect(run('large', 'grep -r KEY many')).toBe('allow');
  });

  it('does not ask about a search of an ordinary repository', () => {
    for (const rule of ['Read(./.env)', 'Read(**/*.pem)', 'Read(./secrets/**)'])
      expect(
        [...SEARCHES, ...MEASURES].filter(
          (command) => !/\.\. |-R/.test(command) && run('plain', command, rule) !== 'allow',
        ),
      ).toEqual([]);
  });

  it('does not ask if the data is left out, or the names of the copies are', () => {
    const allowed = [
      'rg KEY',
      "rg -g '*.ts' KEY",
      'rg -t ts KEY',
      'grep -r KEY src',
      "grep -r --include='*.ts' KEY .",
      'grep -r --exclude-dir=.git KEY .',
      'grep -rn --exclude-dir=node_modules --exclude-dir=.git KEY .',
      "rg --hidden -g '!.git' KEY",
      "rg --hidden --glob '!**/.git/**' KEY",
      "find . -name '*.ts' -exec cat {} +",
      "find . -name '*.ts' -exec grep -l KEY {} +",
      'cp -r src ../q',
      'tar cf - src',
      'tar --exclude=.git -cf - .',
      'tar -cf - --exclude=.git .',
      'ls -la . .git',
      'find . -type f',
      'git grep --untracked KEY',
    ];
    for (const project of ['patched', 'resolved', 'verbose'])
      expect(allowed.filter((command) => run(project, command) !== 'allow')).toEqual([]);
    expect(decide('patched', 'Grep', { pattern: 'KEY', path: at('patched') })).toBe('allow');
    expect(run('patched', 'grep -r KEY .', 'Read(//other/**)')).toBe('allow');
  });

  it('does not count an exclusion that a later glob ends', () => {
    expect(run('patched', "rg --hidden -g '!.git' -g '.git' KEY")).toBe('ask');
    expect(run('patched', "rg --hidden -g '!.git' -g '*' KEY")).toBe('ask');
    expect(run('plain', "rg --hidden -g '!.git/**' KEY ../patched", `Read(/${at('patched/.env')})`)).toBe(
      'ask',
    );
  });
});

describe('data of git in a folder with another name', () => {
  it('counts for a file that is named, and for a search', () => {
    const asked = [
      'cat data/COMMIT_EDITMSG',
      'head -n 3 data/COMMIT*',
      'cp -r data q',
      'cp data/objects/12/34 q',
      'grep KEY data/COMMIT_EDITMSG',
      'grep -r KEY data',
      'grep -r KEY .',
      'rg KEY',
      'grep -r --exclude-dir=.git KEY .',
      'tar cf - .',
    ];
    expect(asked.filter((command) => run('separate', command) === 'allow')).toEqual([]);
    expect(decide('separate', 'Read', { file_path: at('separate/data/COMMIT_EDITMSG') })).toBe('ask');
    expect(decide('separate', 'Grep', { pattern: 'KEY', path: at('separate/data') })).toBe('ask');
    expect(decide('separate', 'Grep', { pattern: 'KEY' })).toBe('ask');
    expect(run('sibling', 'cat ../sibling-data/ADD_EDIT.patch')).toBe('ask');
    expect(run('bare', 'cat .bare/worktrees/main/COMMIT_EDITMSG')).toBe('ask');
    expect(run('bare/main', 'cat ../.bare/worktrees/main/COMMIT_EDITMSG')).toBe('ask');
    expect(run('bare/main', 'cp -r ../.bare q')).toBe('ask');
  });

  it('does not count for files without lines, and beside rules about other places', () => {
    const allowed = ['cat data/HEAD data/config data/refs/heads/main', 'cat src/a.ts', 'ls -R data'];
    expect(allowed.filter((command) => run('separate', command) !== 'allow')).toEqual([]);
    expect(run('separate', 'cat data/COMMIT_EDITMSG', 'Read(//other/**)')).toBe('allow');
    expect(run('bare/main', 'cat ../.bare/worktrees/main/COMMIT_EDITMSG', 'Read(//other/**)')).toBe('allow');
  });

  it('does not contain the working trees in a bare repository', () => {
    const main = 'around.git/main';
    expect(run(main, 'cat src/a.ts')).toBe('allow');
    expect(run(main, 'grep -r KEY .')).toBe('allow');
    expect(decide(main, 'Read', { file_path: at(main, 'src/a.ts') })).toBe('allow');
    expect(decide(main, 'Grep', { pattern: 'KEY' })).toBe('allow');
    expect(run(main, 'cat ../worktrees/main/COMMIT_EDITMSG')).toBe('ask');
    expect(run(main, 'cp -r .. ../../q')).toBe('ask');
    expect(run(main, 'grep -r KEY ..')).toBe('ask');
  });
});
