/** Worktrees of subagents, in the real program with a real repository: to which session they belong, and when they are kept. */
import { type ChildProcess, execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, globSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { call, EVENT_DEADLINE_MS, say, type ScriptStep } from '@heddle/testing';
import { describe, expect, it, vi } from 'vitest';
import { setUpProjects } from '../test/project.ts';

const project = setUpProjects();

const FILES = { 'a.txt': 'old\n', '.gitignore': '*.local\nbuild/\nnode_modules\n.keep\n' };
const START = { description: 'a task', prompt: 'Work.', isolation: 'worktree' };

/** Each prompt starts one subagent. The ids of the calls repeat. The subagent makes `calls`, one after the other. */
async function repository(files: Readonly<Record<string, string>> = {}) {
  let calls: readonly ScriptStep[] = [];
  const made = await project({ ...FILES, ...files }, (body) => {
    const { system, messages } = JSON.parse(JSON.stringify(body)) as { system: unknown; messages: unknown[] };
    const isResult = JSON.stringify(messages.at(-1)).includes('"tool_result"');
    if (JSON.stringify(system).includes('You are a subagent')) {
      const done = JSON.stringify(messages).split('"type":"tool_result"').length - 1;
      return calls[done] ?? say('Reported.');
    }
    return isResult ? say('Done.') : call('Agent', START, 'toolu_1');
  });
  await made.trust();
  const git = (...args: readonly string[]): string =>
    execFileSync('git', ['-c', 'user.name=t', '-c', 'user.email=t@t', ...args], {
      cwd: made.folder,
      encoding: 'utf8',
    });
  git('init', '-q', '-b', 'main');
  git('add', '.');
  git('commit', '-qm', 'first');
  const trees = path.join(made.folder, '.heddle/worktrees');
  return {
    ...made,
    git,
    /** A file of a worktree. */
    at: (...names: readonly string[]): string => path.join(trees, ...names),
    trees: (): readonly string[] =>
      existsSync(trees) ? readdirSync(trees).filter((name) => name.startsWith('a')) : [],
    branches: (): readonly string[] =>
      git('for-each-ref', '--format=%(refname:lstrip=3)', 'refs/heads/heddle').split('\n').filter(Boolean),
    /** Runs one prompt. Returns the report of the subagent, as JSON. */
    prompt: async (argv: readonly string[], ...steps: readonly ScriptStep[]): Promise<string> => {
      calls = steps;
      const mode = ['--permission-mode', 'bypassPermissions'];
      expect(await made.run(['-p', 'go', ...mode, ...argv])).toMatchObject({ code: 0, stdout: 'Done.\n' });
      return made.sent().at(-1)?.split('"tool_result"').at(-1) ?? '';
    },
  };
}

const write = (name: string, id = 'w1'): ScriptStep =>
  call('Write', { file_path: name, content: `${name}\n` }, id);
const bash = (command: string, id = 'b1'): ScriptStep => call('Bash', { command }, id);
const COMMIT =
  'git add . && git -c user.name=t -c user.email=t@t commit -qm second && git rev-parse HEAD > ../commit';

describe('the kept worktree of a session', () => {
  it.each([
    ['a fork', ['--continue', '--fork-session']],
    ['a new session', []],
    ['a session that is not stored', ['--no-session-persistence']],
  ])('is left alone by %s whose call has the same id', async (_name, argv) => {
    const { prompt, trees, branches, at, git } = await repository();
    await prompt([], write('one.txt'));
    const [first = ''] = trees();
    const before = git('rev-parse', `heddle/${first}`);
    await prompt(argv, bash('echo two > two.txt'), bash(COMMIT, 'b2'));
    await prompt(argv);
    expect(readFileSync(at(first, 'one.txt'), 'utf8')).toBe('one.txt\n');
    expect(git('rev-parse', `heddle/${first}`)).toBe(before);
    expect(trees()).toHaveLength(2);
    const second = trees().find((name) => name !== first) ?? '';
    expect(readFileSync(at(second, 'two.txt'), 'utf8')).toBe('two\n');
    expect(git('rev-parse', `heddle/${second}`)).toBe(readFileSync(at('commit'), 'utf8'));
    expect(branches()).toEqual([first, second].toSorted());
  });

  it('keeps its commits if another session without a store has the same id', async () => {
    const same = ['--no-session-persistence', '--session-id', '11111111-1111-4111-8111-111111111111'];
    const { prompt, trees, at, git } = await repository();
    await prompt(same, bash('echo one > one.txt'), bash(COMMIT, 'b2'));
    const [first = ''] = trees();
    await prompt(same, write('two.txt'));
    expect(git('rev-parse', `heddle/${first}`)).toBe(readFileSync(at('commit'), 'utf8'));
    expect(existsSync(at(first, 'one.txt'))).toBe(true);
    expect(existsSync(at(`${first}-2`, 'two.txt'))).toBe(true);
    // The third one changes nothing, and removes only its own.
    await prompt(same);
    expect(trees()).toEqual([first, `${first}-2`]);
  });

  it.each([
    [
      'a branch',
      (git: (...args: string[]) => string, name: string) => git('branch', `heddle/${name}`, 'HEAD~1'),
    ],
    [
      'a branch below it',
      (git: (...args: string[]) => string, name: string) => git('branch', `heddle/${name}/x`),
    ],
  ])('has another name if the user has %s of that name', async (_name, make) => {
    const same = ['--no-session-persistence', '--session-id', '11111111-1111-4111-8111-111111111111'];
    const { prompt, trees, git, branches } = await repository();
    git('commit', '-qm', 'second', '--allow-empty');
    const report = await prompt(same);
    const [, name = ''] = /agentId: (\w+)/.exec(report) ?? [];
    make(git, name);
    const refs = git('for-each-ref');
    await prompt(same);
    expect(git('for-each-ref')).toBe(refs);
    await prompt(same, write('one.txt'));
    expect(trees()).toEqual([`${name}-2`]);
    expect(branches()).toHaveLength(2);
  });

  it('has another name if the folder has a file of the user, which stays', async () => {
    const same = ['--no-session-persistence', '--session-id', '11111111-1111-4111-8111-111111111111'];
    const { prompt, at } = await repository();
    const report = await prompt(same);
    const [, name = ''] = /agentId: (\w+)/.exec(report) ?? [];
    mkdirSync(at(name), { recursive: true });
    writeFileSync(at(name, 'mine.txt'), 'mine');
    await prompt(same, write('one.txt'));
    expect(readFileSync(at(name, 'mine.txt'), 'utf8')).toBe('mine');
    expect(existsSync(at(`${name}-2`, 'one.txt'))).toBe(true);
  });

  it('stays if the subagent changed nothing, and the user locked it', async () => {
    const { prompt, trees, branches, folder } = await repository();
    const report = await prompt([], bash(`git -C '${folder}' worktree lock "$PWD"`));
    expect(report).toContain('It changed nothing in the worktree');
    expect(trees()).toEqual(branches());
    expect(trees()).toHaveLength(1);
  });

  it('stays if a commit is on its branch, and another commit is checked out', async () => {
    const { prompt, trees, branches } = await repository();
    await prompt(
      [],
      bash('echo one > one.txt'),
      bash(COMMIT, 'b2'),
      bash('git checkout -q --detach HEAD~1', 'b3'),
    );
    expect(trees()).toEqual(branches());
    expect(trees()).toHaveLength(1);
  });
});

describe('a worktree with files that git ignores', () => {
  it.each([
    ['a file', write('env.local')],
    ['the output of a build', bash('mkdir -p build/deep && echo 1 > build/deep/out')],
    ['an empty file', bash(': > env.local')],
    ['a link', bash('ln -s /nowhere env.local')],
    ['a nested repository', bash('git init -q build/nested')],
  ])('is kept if the subagent created %s', async (_name, step) => {
    const { prompt, trees } = await repository();
    expect(await prompt([], step)).toContain('Its changes are in the worktree');
    expect(trees()).toHaveLength(1);
  });

  const hook = (command: string): Record<string, string> => ({
    '../config/settings.json': JSON.stringify({
      hooks: { SubagentStart: [{ hooks: [{ type: 'command', command }] }] },
    }),
  });
  const COPY = `for tree in .heddle/worktrees/a*; do
    mkdir -p "$tree/node_modules/p" "$tree/build"; echo 1 > "$tree/node_modules/p/index.js"; ln -s /nowhere "$tree/x.local"
    git init -q "$tree/build/nested"; done`;

  it('is removed if only a hook put them there', async () => {
    const { prompt, trees, branches } = await repository(hook(COPY));
    const report = await prompt([], bash('ls node_modules/p build/nested/.git/HEAD'));
    expect(report).not.toContain('worktree');
    expect([...trees(), ...branches()]).toEqual([]);
  });

  it.each([
    ['adds a file to', 'echo 1 > node_modules/p/new.js'],
    ['changes a file of', 'echo 22 > node_modules/p/index.js'],
    ['removes a file of', 'rm node_modules/p/index.js'],
    ['replaces a link of', 'ln -sfn /elsewhere x.local'],
    ['changes a nested repository of', 'echo 1 > build/nested/.git/new'],
  ])('is kept if the subagent %s what a hook put there', async (_name, command) => {
    const { prompt, trees } = await repository(hook(COPY));
    expect(await prompt([], bash(command))).toContain('Its changes are in the worktree');
    expect(trees()).toHaveLength(1);
  });
});

it('no worktree is created if a host begins plan mode while a WorktreeCreate hook waits', async () => {
  const command = 'touch ../waits; : < ../release';
  const settings = { hooks: { WorktreeCreate: [{ hooks: [{ type: 'command', command }] }] } };
  const { run, folder, trees, branches, sent } = await repository({
    '../config/settings.json': JSON.stringify(settings),
  });
  const [waits, release] = [path.join(folder, '../waits'), path.join(folder, '../release')];
  execFileSync('mkfifo', [release]);
  const host = ['--input-format', 'stream-json', '--output-format', 'stream-json', '--verbose'];
  const request = { subtype: 'set_permission_mode', mode: 'plan' };
  let stage: 'asks' | 'plans' | 'ends' = 'asks';
  const ended = await run(['-p', ...host, '--permission-mode', 'acceptEdits'], {
    input: null,
    onStart: async ({ stdin }) => {
      stdin?.write(`${JSON.stringify({ type: 'user', message: { role: 'user', content: 'go' } })}\n`);
      await vi.waitFor(() => expect(existsSync(waits)).toBe(true), { timeout: EVENT_DEADLINE_MS });
      stdin?.write(`${JSON.stringify({ type: 'control_request', request_id: 'm1', request })}\n`);
    },
    onOutput(stdout, { stdin }) {
      if (stage === 'asks' && stdout.includes('"request_id":"m1"')) {
        stage = 'plans';
        writeFileSync(release, '');
      }
      if (stage === 'plans' && stdout.includes('"type":"result"')) {
        stage = 'ends';
        stdin?.end();
      }
    },
  });
  expect(ended.code).toBe(0);
  expect(sent().at(-1)).toContain('The subagent did not start. In plan mode no worktree is created');
  expect([...trees(), ...branches()]).toEqual([]);
});

describe('the worktree of a session that was killed', () => {
  /** Kills the program when a file appears. */
  const killAt = (file: string) => (child: ChildProcess) =>
    vi
      .waitFor(() => expect(existsSync(file)).toBe(true), { timeout: EVENT_DEADLINE_MS })
      .then(() => child.kill('SIGKILL'));

  it.each([
    ['is used if git finished it', true],
    ['is left to git if it still works there', false],
  ])('%s', async (_name, isFinished) => {
    const { prompt, run, git, trees, branches, folder, at } = await repository();
    const [started, release] = ['started', 'release'].map((name) => path.join(folder, '..', name));
    git('config', 'filter.slow.smudge', `touch ${started}; : < ${release}; cat`);
    execFileSync('mkfifo', [release ?? '']);
    writeFileSync(path.join(folder, '.git/info/attributes'), 'a.txt filter=slow\n');
    const killed = await run(['-p', 'go'], { onStart: killAt(started ?? '') });
    expect(killed.signal).toBe('SIGKILL');
    const [first = ''] = trees();
    const isLocked = (): boolean => existsSync(path.join(folder, '.git/worktrees', first, 'locked'));
    expect(isLocked()).toBe(true);
    const finish = async (): Promise<void> => {
      writeFileSync(release ?? '', '');
      await vi.waitFor(() => expect(isLocked()).toBe(false), { timeout: EVENT_DEADLINE_MS });
    };
    if (isFinished) await finish();
    git('config', '--unset', 'filter.slow.smudge');
    const report = await prompt(['--continue'], write('one.txt'));
    const name = isFinished ? first : `${first}-2`;
    expect(report).toContain(`/${name},`);
    expect(existsSync(at(name, 'one.txt'))).toBe(true);
    if (!isFinished) await finish();
    expect(readFileSync(at(first, 'a.txt'), 'utf8')).toBe('old\n');
    expect(branches()).toEqual(isFinished ? [first] : [first, name]);
  });

  it('is continued if an earlier version recorded it under an id without the session', async () => {
    const { prompt, run, git, trees, at, folder } = await repository();
    const lines = ['--output-format', 'stream-json', '--verbose'];
    const killed = await run(['-p', 'go', '--permission-mode', 'bypassPermissions', ...lines], {
      onOutput(stdout, child) {
        if (stdout.includes('"task_started"')) child.kill('SIGKILL');
      },
    });
    expect(killed.signal).toBe('SIGKILL');
    const [current = ''] = trees();
    const earlier = `a${createHash('sha256').update('toolu_1').digest('hex').slice(0, 16)}`;
    git('worktree', 'move', at(current), at(earlier));
    git('branch', '-m', `heddle/${current}`, `heddle/${earlier}`);
    for (const file of globSync('config/projects/*/*/subagents/*', { cwd: path.dirname(folder) })) {
      const place = path.join(folder, '..', file);
      const text = readFileSync(place, 'utf8').replaceAll(current, earlier);
      rmSync(place);
      writeFileSync(place.replace(current, earlier), text.replace(/,\s*"state": "created"/, ''));
    }
    const report = await prompt(['--continue'], write('one.txt'));
    expect(report).toContain(`agentId: ${earlier} `);
    expect(existsSync(at(earlier, 'one.txt'))).toBe(true);
    expect(trees()).toEqual([earlier]);
  });
});
