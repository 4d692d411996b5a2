/** Files that commands in settings of git start by a short name, such as a module of Python, also before they exist. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { authorize } from './authorize.ts';
import { observeWorld } from './observe-world.ts';

const base = realpathSync(mkdtempSync(path.join(os.tmpdir(), 'heddle-git-short-names-')));
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

function decisionOn(command: string, root: string): string {
  const surroundings = { root, cwd: root, directories: [], home: base, configDirs: [] };
  const request = { tool: 'Bash', input: { command }, readOnly: false, hookDecision: undefined };
  const world = observeWorld({ ...surroundings, environment });
  return authorize(request, { deny: [], ask: [], allow: [] }, 'acceptEdits', world).decision;
}

describe('a file that a program of a setting of git loads by a short name, or that is missing', () => {
  const folder = path.join(base, 'short-names');
  const settings = [
    ['filter.nbstripout.clean', '"/usr/bin/python3" -m nbstripout'],
    ['filter.one.smudge', 'python3 -Im one'],
    ['filter.two.process', 'env A=b python3.12 -m"two"'],
    ['diff.three.textconv', 'uv run python -m three -t'],
    ['alias.four', '!python3 -m pkg.four'],
    ['alias.five', '!f() { cd sub && "${PYTHON:-python3}" -m five; }; f'],
    ['alias.six', '!sh -c "pypy3 -msix"'],
    ['filter.seven.clean', 'node scripts/seven'],
    ['core.editor', 'node ~/short-names/scripts/eight'],
    ['core.sshCommand', 'ssh -F ssh.conf'],
    ['sequence.editor', 'sh scripts/new.sh'],
    ['gpg.program', 'scripts/wrapper'],
    ['merge.nine.driver', 'bash scripts/nine %O %A'],
    ['diff.ten.command', './scripts/ten --fast'],
    ['alias.eleven', '!"$(git rev-parse --show-toplevel)"/scripts/eleven'],
    ['diff.twelve.textconv', 'node .tools/twelve/'],
    ['credential.helper', '!perl -w scripts/thirteen'],
    ['remote.other.url', 'ext::scripts/fourteen %S'],
    ['alias.lint', '!npm run lint'],
    ['alias.all', '!make check'],
    ['alias.save', '!git add . && git commit -m draft'],
    ['alias.recent', '!git log origin/main --since=yesterday -- docs'],
    ['alias.format', '!npx prettier --write src'],
  ] as const;
  const files = [
    'nbstripout.py',
    'nbstripout/__main__.py',
    'nbstripout/__init__.py',
    'one.py',
    'two.py',
    'three/__main__.py',
    'pkg/four.py',
    'pkg/__init__.py',
    'five.py',
    'six.py',
    'scripts/seven.js',
    'scripts/eight.js',
    'ssh.conf',
    'scripts/new.sh',
    'scripts/wrapper',
    'scripts/nine',
    'scripts/ten',
    'scripts/eleven',
    '.tools/twelve/index.js',
    'scripts/thirteen',
    'scripts/fourteen',
  ];

  beforeAll(() => {
    for (const file of ['scripts/seven.js', '.tools/twelve/x', 'src/a.js', 'package.json'])
      makeFile(folder, file);
    git(folder, 'init', '-q');
    for (const [key, value] of settings) git(folder, 'config', key, value);
  });

  it.each(files)('is protected: %s', (file) => {
    expect(decisionOn(`echo x > ${file}`, folder)).toBe('ask');
  });

  it.each([
    'package.json',
    'lint',
    'check',
    'Makefile',
    'origin/main',
    'docs/a.md',
    'src/a.js',
    'src/index.js',
    'scripts/other.sh',
    'pkg/other.py',
    'draft/a.md',
    'git.py',
    'readme.md',
  ])('does not protect its neighbors and files of builds: %s', (file) => {
    expect(decisionOn(`echo x > ${file}`, folder)).toBe('allow');
  });
});
