/** Subagents in git worktrees: with a real repository, real files and the rules of the parent. */
import { execFileSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { call, say, type Script, scriptedModel } from '@heddle/testing';
import { createFileTools, createSearchTools } from '@heddle/tools';
import type { JsonObject, ModelRequest } from '@heddle/core';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { BUILT_IN_AGENTS } from '../agents/built-in.ts';
import { createAgent } from '../create-agent.ts';
import type { AgentHooks, AgentOptions } from '../engine/options.ts';
import { authorize } from '../permission/authorize.ts';
import { LivePermissions } from '../permission/live-permissions.ts';
import { NO_RULES } from '../permission/rules/rule.ts';
import { bareWorld } from '../permission/world.ts';
import { trustFolder } from '../settings/trust.ts';
import { childRecordFile } from '../session/files/paths.ts';
import { newSession, resumeSession } from '../session/open/open.ts';
import { createSessionHome, sessionOf } from '../session/test/session-home.ts';
import { ChildPermissions } from './child-permissions.ts';
import type { ChildRecord } from './record.ts';

let folder = '';
const git = (...args: string[]): string =>
  execFileSync('git', ['-c', 'user.name=t', '-c', 'user.email=t@t', ...args], {
    cwd: folder,
    encoding: 'utf8',
  });

beforeAll(() => {
  vi.stubEnv('HEDDLE_CONFIG_DIR', mkdtempSync(path.join(os.tmpdir(), 'heddle-config-')));
});
afterAll(() => vi.unstubAllEnvs());

beforeEach(() => {
  folder = realpathSync(mkdtempSync(path.join(os.tmpdir(), 'heddle-worktree-')));
  git('init', '-q', '-b', 'main');
  mkdirSync(path.join(folder, 'sub'));
  writeFileSync(path.join(folder, 'sub/a.txt'), 'old\n');
  writeFileSync(path.join(folder, 'secret.txt'), 'hidden\n');
  // Git hooks of a repository must not run.
  writeFileSync(path.join(folder, '.git/hooks/post-checkout'), '#!/bin/sh\ntouch hooked\n', { mode: 0o755 });
  git('add', '.');
  git('commit', '-qm', 'first');
  trust(true);
});

function trust(isTrusted: boolean): void {
  expect(trustFolder({ cwd: folder, home: os.homedir(), env: process.env }, isTrusted)).toMatchObject({
    ok: true,
  });
}

const isChild = (request: ModelRequest): boolean =>
  JSON.stringify(request.system).includes('subagent of Heddle');

const TASK = { description: 'a task', prompt: 'do it', isolation: 'worktree' };

async function run(
  steps: Script,
  more: Partial<AgentOptions> = {},
  prepare: (agent: ReturnType<typeof createAgent>) => void = () => undefined,
) {
  const model = scriptedModel(steps);
  const agent = createAgent({
    model,
    modelName: 'scripted',
    tools: createFileTools(),
    cwd: path.join(folder, 'sub'),
    permissionMode: 'acceptEdits',
    subagents: { definitions: () => BUILT_IN_AGENTS },
    ...more,
  });
  prepare(agent);
  const lines: string[] = [];
  for await (const line of agent.submit('go')) lines.push(JSON.stringify(line));
  model.assertNoViolations();
  const result = lines.findLast((line) => line.includes('"tool_use_id":"t1"')) ?? '';
  return { result, model, agent };
}

const trees = (): readonly string[] => globSync('.heddle/worktrees/a*', { cwd: folder });

/** The parent starts one subagent, which makes these calls one after the other. */
function oneChild(...calls: ReturnType<typeof call>[]): Script {
  let step = 0;
  return (request, count) => {
    if (isChild(request)) return calls[step++] ?? say('Reported.');
    return count === 1 ? call('Agent', TASK, 't1') : say('Done.');
  };
}

const PLACES = [
  'Read(secrets)',
  'Read(secrets/**)',
  'Read(./secrets/**)',
  'Read(/secrets/**)',
  'Read(//p/sub/secrets/*)',
];
const TREE = '/p/.heddle/worktrees/a$$1';

/** The decision about a call of a subagent that works in a worktree of `/p`, and of one that it starts. */
function decide(parent: LivePermissions, tool: string, input: JsonObject): string {
  const worktree = { top: '/p', path: TREE, branch: 'b', base: 'c' };
  const cwd = `${TREE}/sub`;
  const child = new ChildPermissions(parent, () => 'bypassPermissions', undefined, {
    cwd,
    parentCwd: '/p/sub',
    worktree,
  });
  const nested = new ChildPermissions(child, () => 'bypassPermissions', undefined, { cwd, parentCwd: cwd });
  const world = bareWorld(cwd, '/u');
  const request = { tool, input, readOnly: true, hookDecision: undefined };
  const decisions = [child, nested].map(
    ({ rules }) => authorize(request, rules, 'bypassPermissions', world).decision,
  );
  return [...new Set(decisions)].join(' ');
}

describe('a subagent in a worktree', () => {
  it('changes only its copy, which is kept with a branch and named in the report', async () => {
    const write = call('Write', { file_path: 'b.txt', content: 'new\n' }, 'w1');
    const { result, model } = await run(oneChild(write));
    const [tree = ''] = trees();
    expect(readFileSync(path.join(folder, tree, 'sub/b.txt'), 'utf8')).toBe('new\n');
    expect(existsSync(path.join(folder, 'sub/b.txt'))).toBe(false);
    expect(existsSync(path.join(folder, tree, 'hooked'))).toBe(false);
    expect(result).toContain(`Its changes are in the worktree ${path.join(folder, tree)}`);
    expect(git('branch', '--list', 'heddle/*')).toContain(path.basename(tree));
    expect(git('status', '--porcelain')).toBe('');
    const child = model.calls.find(({ request }) => isChild(request));
    expect(JSON.stringify(child?.request.system)).toContain(path.join(folder, tree, 'sub'));
  });

  it.each([
    ['the ignore file', '.heddle/worktrees/.gitignore', 'kept.txt'],
    ['the folder', '.heddle', 'elsewhere'],
  ])('writes nothing through a link of the project: %s', async (_, link, target) => {
    const outside = mkdtempSync(path.join(os.tmpdir(), 'heddle-outside-'));
    writeFileSync(path.join(outside, 'kept.txt'), 'kept');
    mkdirSync(path.join(outside, 'elsewhere'));
    mkdirSync(path.dirname(path.join(folder, link)), { recursive: true });
    symlinkSync(path.join(outside, target), path.join(folder, link));
    await run(oneChild());
    expect(readFileSync(path.join(outside, 'kept.txt'), 'utf8')).toBe('kept');
    expect(readdirSync(path.join(outside, 'elsewhere'))).toEqual([]);
  });

  it('is created with no program of the project', async () => {
    const bin = path.join(folder, 'bin');
    mkdirSync(bin);
    writeFileSync(path.join(bin, 'git'), `#!/bin/sh\n: > '${folder}/mark'\nexec /usr/bin/git "$@"\n`, {
      mode: 0o755,
    });
    vi.stubEnv('PATH', `${bin}:./bin:${process.env['PATH'] ?? ''}`);
    const { openWorktree } = await import('./worktree.ts');
    expect(await openWorktree(folder, 'a1', new AbortController().signal)).toMatchObject({ ok: true });
    vi.unstubAllEnvs();
    expect(existsSync(path.join(folder, 'mark'))).toBe(false);
  });

  it('is looked at with the settings of its repository, whatever its files name', async () => {
    const mark = path.join(folder, 'mark');
    const other = path.join(folder, 'other');
    execFileSync('git', ['clone', '-q', '--bare', folder, other]);
    execFileSync('git', ['--git-dir', other, 'config', 'filter.x.clean', `touch '${mark}'; cat`]);
    writeFileSync(path.join(other, 'info/attributes'), '* filter=x\n');
    await run((request, count) => {
      if (!isChild(request)) return count === 1 ? call('Agent', TASK, 't1') : say('Done.');
      for (const named of globSync('.git/worktrees/*/commondir', { cwd: folder }))
        writeFileSync(path.join(folder, named), other);
      cpSync(path.join(folder, '.git/refs'), path.join(other, 'refs'), { recursive: true });
      // The same size: git has to compare the contents, for which it runs filters.
      writeFileSync(path.join(folder, trees()[0] ?? '', 'sub/a.txt'), 'new\n');
      return say('Reported.');
    });
    expect(trees()).toHaveLength(1);
    expect(existsSync(mark)).toBe(false);
  });

  it('is looked at with no program of a nested repository', async () => {
    const mark = path.join(folder, 'mark');
    await run((request, count) => {
      if (!isChild(request)) return count === 1 ? call('Agent', TASK, 't1') : say('Done.');
      const nested = path.join(folder, trees()[0] ?? '', 'node_modules/nested');
      const inside = (...args: string[]): void => void execFileSync('git', ['-C', nested, ...args]);
      execFileSync('git', ['clone', '-q', folder, nested]);
      inside('config', 'filter.x.clean', `touch '${mark}'; cat`);
      writeFileSync(path.join(nested, '.git/info/attributes'), '* filter=x\n');
      writeFileSync(path.join(nested, 'sub/a.txt'), 'new\n');
      inside('-C', '../..', 'add', '-f', 'node_modules/nested');
      return say('Reported.');
    });
    expect(trees()).toHaveLength(1);
    expect(existsSync(mark)).toBe(false);
  });

  it('leaves nothing behind if it changed nothing, and hooks hear of both', async () => {
    const settings = statSync(path.join(folder, '.git/config'));
    const seen: string[] = [];
    const hooks: AgentHooks = {
      worktreeCreate: (name) => Promise.resolve(void seen.push(`create ${name}`)),
      worktreeRemove: (place) => void seen.push(`remove ${path.basename(place)}`),
    };
    const { result } = await run(oneChild(call('Read', { file_path: 'a.txt' }, 'r1')), { hooks });
    expect(result).toContain('Reported.');
    expect(result).not.toContain('worktree');
    expect(trees()).toEqual([]);
    expect(git('branch', '--list', 'heddle/*')).toBe('');
    expect(seen).toEqual([expect.stringMatching(/^create a/), expect.stringMatching(/^remove a/)]);
    // A new file in its place would end its protection in a sandbox that is running.
    expect(statSync(path.join(folder, '.git/config'))).toMatchObject({ ino: settings.ino });
  });

  it.each([
    ['relative to the project', { text: 'Read(/secret.txt)', source: 'project' as const }, true],
    ['with an absolute place', { text: 'Read(/FOLDER/secret.txt)', source: 'user' as const }, true],
    ['without a rule', { text: 'Read(/other.txt)', source: 'project' as const }, false],
  ])('obeys a deny rule %s for its copy of the file', async (_, rule, isDenied) => {
    const deny = [{ ...rule, text: rule.text.replace('/FOLDER', `/${folder}`), base: folder }];
    const { model } = await run(oneChild(call('Read', { file_path: '../secret.txt' }, 'r1')), {
      rules: { deny, ask: [], allow: [] },
    });
    const requests = model.calls.map(({ request }) => JSON.stringify([...request.messages])).join('\n');
    expect(requests.includes('hidden')).toBe(!isDenied);
  });

  it('finds denied files neither in its copy nor in the original, also with Grep', async () => {
    const original = path.join(folder, 'sub/.env');
    writeFileSync(original, 'hidden\n');
    const search = call('Grep', { pattern: 'hidden', path: folder, output_mode: 'content' }, 'g1');
    const { model } = await run(oneChild(call('Read', { file_path: original }, 'r1'), search), {
      tools: [...createFileTools(), ...createSearchTools()],
      permissionMode: 'bypassPermissions',
      rules: { deny: [{ text: 'Read(.env)', source: 'user' }], ask: [], allow: [] },
    });
    const results = model.calls.map(({ request }) => JSON.stringify([...request.messages])).join('\n');
    expect(results).toContain('secret.txt:1:hidden');
    expect(results).not.toContain('.env:1:hidden');
    expect(results).toContain('Permission denied.');
  });

  it.each(PLACES)('obeys %s for the original and for its copy', (text) => {
    const rule = { text, source: 'command line' as const, base: '/p/sub' };
    for (const list of ['deny', 'ask'] as const) {
      const parent = new LivePermissions({ ...NO_RULES, [list]: [rule] });
      const decisions = ['/p/sub', `${TREE}/sub`].flatMap((folder) => {
        const file = `${folder}/secrets/key`;
        return [
          decide(parent, 'Read', { file_path: file }),
          decide(parent, 'Bash', { command: `cat '${file}'` }),
        ];
      });
      expect(decisions).toEqual(Array(4).fill(list));
    }
    expect(decide(new LivePermissions(NO_RULES), 'Read', { file_path: '/p/sub/secrets/key' })).toBe('allow');
  });

  it('asks before it changes the original', async () => {
    const original = path.join(folder, 'sub/new.txt');
    const asked: unknown[] = [];
    await run(oneChild(call('Write', { file_path: original, content: 'x' }, 'w1')), {
      canUseTool: ({ input }) => {
        asked.push(input['file_path']);
        return Promise.resolve({ allow: false, message: 'No.' });
      },
    });
    expect(asked).toEqual([original]);
    expect(existsSync(original)).toBe(false);
  });
});

describe('no worktree is created', () => {
  it.each([
    ['if the folder is not trusted', () => trust(false), {}, 'is not trusted'],
    [
      'if a hook forbids it',
      () => undefined,
      { hooks: { worktreeCreate: () => Promise.resolve('Not on Mondays.') } },
      'Not on Mondays.',
    ],
    [
      'in plan mode, and the subagent runs without one',
      () => undefined,
      { permissionMode: 'plan' as const },
      'Reported.',
    ],
  ])('%s', async (_, prepare, more, expected) => {
    prepare();
    const { result } = await run(oneChild(), more);
    expect(result).toContain(expected);
    expect(trees()).toEqual([]);
  });
});

it('no worktree is created if plan mode begins while a hook decides about it', async () => {
  let plan = (): unknown => undefined;
  const worktreeCreate = async (): Promise<undefined> => void plan();
  const { result, model } = await run(
    oneChild(),
    { hooks: { worktreeCreate } },
    (agent) => (plan = () => agent.setPermissionMode('plan')),
  );
  expect(result).toContain('The subagent did not start. In plan mode no worktree is created');
  expect(model.calls.some(({ request }) => isChild(request))).toBe(false);
  expect([...trees(), git('branch', '--list', 'heddle/*')]).toEqual(['']);
});

/** Runs a subagent that changes its worktree, in a session that is then closed. */
async function finishedChild() {
  const { setup } = createSessionHome();
  const session = sessionOf(newSession(setup, 's1'));
  const { result } = await run(oneChild(call('Write', { file_path: 'b.txt', content: '1' }, 'w1')), {
    session,
  });
  session.journal.close();
  const [, agentId = ''] = /agentId: (\w+)/.exec(result) ?? [];
  return { agentId, setup, file: childRecordFile(session.journal.path ?? '', agentId) };
}

it('a finished subagent continues in its worktree, also in a later process', async () => {
  const { agentId, setup } = await finishedChild();
  const again = sessionOf(resumeSession(setup, 's1'));
  let step = 0;
  const { agent } = await run(
    (request) => {
      if (isChild(request))
        return step++ === 0 ? call('Write', { file_path: 'c.txt', content: '2' }, 'w2') : say('More.');
      return JSON.stringify([...request.messages]).includes('More.')
        ? say('Done.')
        : call('SendMessage', { to: agentId, message: 'Continue.' }, 'm1');
    },
    { session: again },
  );
  const [tree = ''] = trees();
  expect(['b.txt', 'c.txt'].map((name) => existsSync(path.join(folder, tree, 'sub', name)))).toEqual([
    true,
    true,
  ]);
  expect(trees()).toHaveLength(1);
  expect(agent.subagents?.list()).toEqual([]);
  again.journal.close();
});

it.each([
  ['another repository', ({ other }) => ({ worktree: { top: other } })],
  ['another folder', ({ other }) => ({ worktree: { path: `${other}/wt` } })],
  ['another branch', () => ({ worktree: { branch: 'main' } })],
  ['an option for a commit', () => ({ worktree: { base: '--detach' } })],
  ['another working directory', ({ other }) => ({ cwd: other })],
  ['no isolation', ({ other }) => ({ cwd: other, isolation: undefined })],
  ['another id', () => ({ agentId: 'a1' })],
  ['a folder that is not trusted any more', () => (trust(false), {})],
] satisfies [string, (place: { other: string }) => Partial<Record<keyof ChildRecord, unknown>>][])(
  'a record with %s does not continue, and git changes nothing',
  async (_, change) => {
    const other = realpathSync(mkdtempSync(path.join(os.tmpdir(), 'heddle-other-')));
    execFileSync('git', ['init', '-q', other]);
    const { agentId, setup, file } = await finishedChild();
    const record = JSON.parse(readFileSync(file, 'utf8')) as ChildRecord;
    const changed = change({ other }) as Partial<ChildRecord>;
    const worktree = { ...record.worktree, ...changed.worktree };
    writeFileSync(file, JSON.stringify({ ...record, ...changed, worktree }));
    rmSync(path.join(folder, trees()[0] ?? ''), { recursive: true });
    const again = sessionOf(resumeSession(setup, 's1'));
    const { model } = await run(
      (request, count) => {
        if (isChild(request)) return say('More.');
        return count === 1 ? call('SendMessage', { to: agentId, message: 'Continue.' }, 'm1') : say('Done.');
      },
      { session: again },
    );
    again.journal.close();
    expect(model.calls.some(({ request }) => isChild(request))).toBe(false);
    expect(trees()).toEqual([]);
    expect(readdirSync(other)).toEqual(['.git']);
  },
);

it.each([true, false])(
  'in plan mode no worktree is opened again or removed (folder gone: %s)',
  async (isGone) => {
    const { agentId, setup } = await finishedChild();
    const [tree = ''] = trees();
    rmSync(path.join(folder, tree, isGone ? '' : 'sub/b.txt'), { recursive: true });
    const again = sessionOf(resumeSession(setup, 's1'));
    const { model } = await run(
      (request, count) => {
        if (isChild(request)) return say('More.');
        return count === 1 ? call('SendMessage', { to: agentId, message: 'Continue.' }, 'm1') : say('Done.');
      },
      { session: again, permissionMode: 'plan' },
    );
    again.journal.close();
    expect(model.calls.some(({ request }) => isChild(request))).toBe(!isGone);
    expect(trees()).toEqual(isGone ? [] : [tree]);
    expect(git('branch', '--list', `heddle/${agentId}`)).toContain(agentId);
  },
);
