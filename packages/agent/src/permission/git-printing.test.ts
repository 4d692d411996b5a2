/** Settings of git on this disk with which a commit shows lines of files. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { authorize } from './authorize.ts';
import { observeWorld } from './observe-world.ts';

const base = realpathSync(mkdtempSync(path.join(os.tmpdir(), 'heddle-git-printing-')));
const root = path.join(base, 'project');
mkdirSync(path.join(root, 'secrets'), { recursive: true });
writeFileSync(path.join(root, 'secrets/k'), 'SECRET');
// A file that is as new as the index may have changed since, and `git commit -a` would store it.
utimesSync(path.join(root, 'secrets/k'), 1_000_000_000, 1_000_000_000);
const user = path.join(base, '.gitconfig');
const own = path.join(root, '.git/config');
const plain = { HOME: base, GIT_CONFIG_NOSYSTEM: '1' };
const git = (...args: string[]): void => {
  const env = { ...plain, PATH: process.env['PATH'] };
  execFileSync('git', args, { cwd: root, env, stdio: 'pipe' });
};
git('init', '-q');
git('add', '.');

afterAll(() => rmSync(base, { recursive: true, force: true }));

function decisionOn(command: string, variables: Readonly<Record<string, string>> = {}): string {
  const environment = { ...plain, ...variables };
  const world = observeWorld({ root, cwd: root, directories: [], home: base, configDirs: [], environment });
  const request = { tool: 'Bash', input: { command }, readOnly: false, hookDecision: undefined };
  const rule = (text: string) => [{ text, source: 'user' as const }];
  const rules = { deny: rule('Read(./secrets/**)'), ask: [], allow: rule('Bash(git:*)') };
  return authorize(request, rules, 'default', world).decision;
}

const commit = 'git commit --dry-run -a';

it('allows a commit if no setting shows changes', () => {
  writeFileSync(user, '[commit]\n\tverbose = false\n');
  expect(decisionOn(commit)).toBe('allow');
});

it.each([
  ['of the user', user, '[commit]\n\tverbose = true\n'],
  ['of the user, as a number', user, '[commit]\n\tverbose = 2\n'],
  ['of the user, without a value', user, '[Commit]\n\tVerbose\n'],
  ['of an included file', user, '[include]\n\tpath = more\n'],
])('asks about a commit with the setting %s', (_, file, text) => {
  writeFileSync(path.join(base, 'more'), '[commit]\n\tverbose\n');
  writeFileSync(file, text);
  expect(decisionOn(commit)).toBe('ask');
  expect(decisionOn('git status')).toBe('allow');
});

it('asks about a commit with the setting of a variable or of the repository', () => {
  writeFileSync(user, '');
  const variables = {
    GIT_CONFIG_COUNT: '1',
    GIT_CONFIG_KEY_0: 'commit.verbose',
    GIT_CONFIG_VALUE_0: 'true',
  };
  expect(decisionOn(commit, variables)).toBe('ask');
  writeFileSync(own, '[core]\n\trepositoryformatversion = 0\n[commit]\n\tverbose = 1\n');
  expect(decisionOn(commit)).toBe('ask');
});
