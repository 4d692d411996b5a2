/** Heddle touches nothing in a repository but the worktree and the branch that it created for this subagent. With real git. */
import { execFileSync } from 'node:child_process';
import {
  existsSync,
  mkdtempSync,
  readdirSync,
  realpathSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { trustFolder } from '../settings/trust.ts';
import type { ChildRecord, Worktree } from './record.ts';
import { RunningChild } from './running-child.ts';
import { enterWorktree, leaveWorktree, openWorktree } from './worktree.ts';

let folder = '';
const git = (...args: string[]): string =>
  execFileSync('git', ['-c', 'user.name=t', '-c', 'user.email=t@t', ...args], {
    cwd: folder,
    encoding: 'utf8',
  }).trim();
const at = (...names: string[]): string => path.join(folder, '.heddle/worktrees', ...names);
const trees = (): string[] =>
  existsSync(at()) ? readdirSync(at()).filter((name) => name.startsWith('a')) : [];
const { signal } = new AbortController();

beforeAll(() => {
  vi.stubEnv('HEDDLE_CONFIG_DIR', mkdtempSync(path.join(os.tmpdir(), 'heddle-config-')));
});
afterAll(() => vi.unstubAllEnvs());

beforeEach(() => {
  folder = realpathSync(mkdtempSync(path.join(os.tmpdir(), 'heddle-worktree-')));
  git('init', '-q', '-b', 'main');
  writeFileSync(path.join(folder, 'a.txt'), 'old\n');
  writeFileSync(path.join(folder, '.gitignore'), '*.local\n');
  git('add', '.');
  git('commit', '-qm', 'first');
  const trusted = { cwd: folder, home: os.homedir(), env: process.env };
  expect(trustFolder(trusted, true)).toMatchObject({ ok: true });
});

const RESULT = {
  status: 'completed',
  text: 'Reported.',
  usage: { total_tokens: 0, tool_uses: 0, duration_ms: 0 },
} as const;
const NOT_PLANNING = { hooks: undefined, isPlanning: () => false };

/** A subagent `a1` with this worktree in its record. */
function childWith(worktree?: Worktree): RunningChild {
  const record: ChildRecord = {
    agentId: 'a1',
    agentType: 'general-purpose',
    description: 'a task',
    prompt: 'Work.',
    toolUseId: 't1',
    model: 'scripted',
    cwd: worktree && worktree.state !== 'creating' ? worktree.path : folder,
    isBackground: false,
    isolation: 'worktree',
    worktree,
  };
  const listeners = { call: () => undefined, background: () => undefined, store: () => undefined };
  return new RunningChild(record, signal, { ...listeners, now: () => 0, uuid: () => 'u', sessionId: 's1' });
}

const worktreeOf = (state?: Worktree['state']): Worktree => ({
  top: folder,
  path: at('a1'),
  branch: 'heddle/a1',
  base: git('rev-parse', 'HEAD'),
  state,
});

const add = (): string => git('worktree', 'add', '-q', '-b', 'heddle/a1', at('a1'));

describe('after an interrupted creation', () => {
  it.each([
    ['nothing exists', () => undefined],
    ['only the branch exists', () => git('branch', 'heddle/a1')],
    ['everything exists', add],
  ])('the subagent gets the same worktree if %s', async (_name, prepare) => {
    const known = worktreeOf('creating');
    prepare();
    const child = childWith(known);
    expect(await enterWorktree(child, NOT_PLANNING)).toBeUndefined();
    expect(child.record).toMatchObject({ cwd: at('a1'), worktree: { ...known, state: 'created' } });
    expect(existsSync(at('a1/a.txt'))).toBe(true);
    expect(await leaveWorktree(child, RESULT, NOT_PLANNING)).toEqual(RESULT);
    expect([...trees(), git('branch', '--list', 'heddle/*')]).toEqual(['']);
  });

  it.each([
    ['git still works in it', () => (add(), git('worktree', 'lock', at('a1')))],
    ['a file is missing', () => (add(), rmSync(at('a1/a.txt')))],
    ['a file has another content', () => (add(), writeFileSync(at('a1/a.txt'), 'mine'))],
    ['it has a new file', () => (add(), writeFileSync(at('a1/mine.txt'), 'mine'))],
    ['it has a new file that git ignores', () => (add(), writeFileSync(at('a1/mine.local'), 'mine'))],
    ['it has a commit', () => (add(), git('-C', at('a1'), 'commit', '-qm', 'mine', '--allow-empty'))],
    ['another branch is checked out', () => (add(), git('-C', at('a1'), 'switch', '-qc', 'mine'))],
    ['its files are gone, and git knows them', () => (add(), rmSync(at('a1'), { recursive: true }))],
    ['its files have moved', () => (add(), renameSync(at('a1'), path.join(folder, 'moved')))],
    [
      'the branch has another commit',
      () => (git('commit', '-qm', 'mine', '--allow-empty'), git('branch', 'heddle/a1')),
    ],
    ['the folder is not one of git', () => (add(), rmSync(at('a1/.git')), git('worktree', 'prune'))],
  ])('everything stays, and the subagent gets another worktree if %s', async (_name, prepare) => {
    const known = worktreeOf('creating');
    prepare();
    const before = [git('for-each-ref'), git('worktree', 'list', '--porcelain')];
    const files = existsSync(at('a1')) ? readdirSync(at('a1')) : undefined;
    const child = childWith(known);
    expect(await enterWorktree(child, NOT_PLANNING)).toBeUndefined();
    expect(child.record).toMatchObject({
      cwd: at('a1-2'),
      worktree: { path: at('a1-2'), branch: 'heddle/a1-2' },
    });
    expect(await leaveWorktree(child, RESULT, NOT_PLANNING)).toEqual(RESULT);
    expect([git('for-each-ref'), git('worktree', 'list', '--porcelain')]).toEqual(before);
    expect(existsSync(at('a1')) ? readdirSync(at('a1')) : undefined).toEqual(files);
  });
});

describe('the folder of a worktree that is gone', () => {
  it('is created again, and the entries of other worktrees stay', async () => {
    add();
    git('-C', at('a1'), 'commit', '-qm', 'second', '--allow-empty');
    const other = path.join(folder, '../other');
    git('worktree', 'add', '-q', '--detach', other);
    for (const gone of [at('a1'), other]) rmSync(gone, { recursive: true });
    const base = git('rev-parse', 'HEAD');
    const child = childWith({ ...worktreeOf('created'), base });
    expect(await enterWorktree(child, NOT_PLANNING)).toBeUndefined();
    expect(git('-C', at('a1'), 'log', '--format=%s', '-1')).toBe('second');
    expect(git('worktree', 'list')).toContain('prunable');
  });

  it.each([
    ['locked it', () => git('worktree', 'lock', at('a1'))],
    ['checked out its branch elsewhere', () => (git('worktree', 'prune'), git('switch', '-q', 'heddle/a1'))],
    ['has another branch there', () => git('-C', at('a1'), 'switch', '-qc', 'mine')],
  ])('is not created again if the user %s', async (_name, prepare) => {
    add();
    if (_name.includes('elsewhere')) rmSync(at('a1'), { recursive: true });
    prepare();
    rmSync(at('a1'), { recursive: true, force: true });
    const before = [git('for-each-ref'), git('worktree', 'list', '--porcelain')];
    expect(await enterWorktree(childWith(worktreeOf('created')), NOT_PLANNING)).toContain(
      'Git cannot create',
    );
    expect([git('for-each-ref'), git('worktree', 'list', '--porcelain')]).toEqual(before);
  });
});

it('a worktree of an earlier version is continued, and kept, because two sessions could have it', async () => {
  add();
  const child = childWith(worktreeOf());
  expect(await enterWorktree(child, NOT_PLANNING)).toBeUndefined();
  expect(child.record.cwd).toBe(at('a1'));
  const { text } = await leaveWorktree(child, RESULT, NOT_PLANNING);
  expect(text).toContain(`It changed nothing in the worktree ${at('a1')}`);
  expect(trees()).toEqual(['a1']);
});

it.each([
  ['moved it', () => renameSync(at('a1'), path.join(folder, 'moved'))],
  ['moved it with git', () => git('worktree', 'move', at('a1'), path.join(folder, 'moved'))],
  ['has another branch there', () => git('-C', at('a1'), 'switch', '-qc', 'mine')],
  ['replaced it by a repository', () => (rmSync(at('a1'), { recursive: true }), git('init', '-q', at('a1')))],
])('a worktree without changes stays as it is if the user %s', async (_name, change) => {
  add();
  change();
  const before = [git('for-each-ref'), git('worktree', 'list', '--porcelain')];
  const { text } = await leaveWorktree(childWith(worktreeOf('created')), RESULT, NOT_PLANNING);
  expect(text).toContain(`the branch heddle/a1`);
  expect([git('for-each-ref'), git('worktree', 'list', '--porcelain')]).toEqual(before);
});

it('two programs at once get worktrees of their own for one name', async () => {
  const opened = await Promise.all([1, 2, 3].map(() => openWorktree(folder, 'a1', signal)));
  expect(opened.map(({ ok }) => ok)).toEqual([true, true, true]);
  expect(trees().toSorted()).toEqual(['a1', 'a1-2', 'a1-3']);
});

it('a checkout that fails leaves no branch behind', async () => {
  git('config', 'filter.x.smudge', 'false');
  git('config', 'filter.x.required', 'true');
  writeFileSync(path.join(folder, '.git/info/attributes'), '*.txt filter=x\n');
  const child = childWith();
  expect(await enterWorktree(child, NOT_PLANNING)).toContain('Git cannot create a worktree');
  expect(child.record.worktree).toBeUndefined();
  expect([...trees(), git('branch', '--list', 'heddle/*')]).toEqual(['']);
});

describe('plan mode that begins during a wait', () => {
  it.each([1, 2, 3])('prevents the worktree, at the question with the number %i', async (nth) => {
    let asked = 0;
    const child = childWith();
    const isPlanning = (): boolean => ++asked >= nth;
    expect(await enterWorktree(child, { hooks: undefined, isPlanning })).toContain('In plan mode');
    expect(asked).toBe(nth);
    expect([existsSync(at()), git('branch', '--list', 'heddle/*')]).toEqual([false, '']);
    expect(child.record).toMatchObject({ cwd: folder, worktree: undefined });
  });

  it('keeps a worktree that would be removed', async () => {
    add();
    let asked = 0;
    const isPlanning = (): boolean => ++asked >= 2;
    const rules = { hooks: undefined, isPlanning };
    expect(await leaveWorktree(childWith(worktreeOf('created')), RESULT, rules)).toEqual(RESULT);
    expect([trees(), asked]).toEqual([['a1'], 2]);
  });
});

describe('a filter of the repository', () => {
  it.each(['clean', 'process'])('does not run with files of the worktree: %s', async (kind) => {
    const ran = path.join(folder, 'ran');
    writeFileSync(path.join(folder, '.gitattributes'), '*.txt filter=a.b=c\n');
    git('add', '.gitattributes');
    git('commit', '-qm', 'attributes');
    add();
    git('config', `filter.a.b=c.${kind}`, 'sh ./filter.sh');
    git('config', 'filter.a.b=c.required', 'true');
    writeFileSync(at('a1/filter.sh'), `touch '${ran}'\ncat\n`);
    writeFileSync(at('a1/a.txt'), 'new\n');
    const child = childWith(worktreeOf('created'));
    expect((await leaveWorktree(child, RESULT, NOT_PLANNING)).text).toContain('Its changes are in');
    expect(existsSync(ran)).toBe(false);
  });
});
