/** Hooks with real scripts: event × exit code × output → effect. */
import { createServer } from 'node:http';
import { mkdtempSync, existsSync, readFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { spawnSync } from 'node:child_process';
import { Secrets } from '@heddle/models/secrets';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { HookResponse } from './combine.ts';
import { createHookMatcher, readHooks } from './definition.ts';
import { HOOK_EVENT_NAMES, type HookEventName, traitsOf } from './events.ts';
import { describeFailures, HookRunner, type HookRunnerDeps } from './hook-runner.ts';

const folder = mkdtempSync(path.join(os.tmpdir(), 'heddle-hooks-'));

function runnerFor(hooks: unknown, deps: Partial<HookRunnerDeps> = {}): HookRunner {
  const read = readHooks(hooks, { source: 'test settings' });
  expect(read.problems).toEqual([]);
  return new HookRunner(read.hooks, {
    commonInput: () => ({ session_id: 's-1', cwd: folder }),
    cwd: () => folder,
    projectDir: folder,
    variableFolder: path.join(folder, 'own'),
    environment: () => ({ PATH: process.env['PATH'] }),
    matchesRule: (rule, input) => rule === `${String(input['tool_name'])}(*)`,
    handlers: {},
    fetch,
    secrets: new Secrets(),
    ...deps,
  });
}

const command = (text: string, more: object = {}) => ({ type: 'command', command: text, ...more });
const on = (event: string, ...handlers: object[]) => ({ [event]: [{ hooks: handlers }] });

function answer(event: HookEventName, script: string, input: object = {}): Promise<HookResponse> {
  return runnerFor(on(event, command(script))).run({ event, input: { ...input } });
}

function withoutFailures({ failures, ...response }: HookResponse): object {
  const present = Object.entries(response).filter(
    ([, value]) => value !== undefined && !(Array.isArray(value) && value.length === 0),
  );
  return {
    ...Object.fromEntries(present),
    ...(failures.length > 0 ? { failed: failures.map(({ failure }) => failure.message) } : {}),
  };
}

/** The field that contains the reason of a block, by its effect. */
const BLOCKED: Record<ReturnType<typeof traitsOf>['onBlock'], (reason: string) => object> = {
  deny_call: (reason) => ({ decision: 'deny', reason }),
  end_run: (reason) => ({ stop: reason }),
  tell_user: (reason) => ({ messages: [reason] }),
  tell_model: (reason) => ({ block: reason, blockedBy: expect.any(String) }),
  drop_prompt: (reason) => ({ block: reason, blockedBy: expect.any(String) }),
  continue_turn: (reason) => ({ block: reason, blockedBy: expect.any(String) }),
  prevent_action: (reason) => ({ block: reason, blockedBy: expect.any(String) }),
};

const printed = (value: unknown): string => `printf '%s' '${JSON.stringify(value)}'`;

describe.each(HOOK_EVENT_NAMES)('a %s hook', (event) => {
  const { onBlock, textIsContext } = traitsOf(event);

  it.concurrent('that exits 0 without output has no effect', async () => {
    expect(withoutFailures(await answer(event, 'cat >/dev/null'))).toEqual({});
  });

  it.concurrent('that prints plain text adds context only where the event takes it', async () => {
    expect(withoutFailures(await answer(event, 'echo hello'))).toEqual(
      textIsContext ? { context: 'hello' } : {},
    );
  });

  it.concurrent('that exits 2 blocks with its standard error as the reason', async () => {
    expect(withoutFailures(await answer(event, 'echo no >&2; exit 2'))).toEqual(BLOCKED[onBlock]('no'));
  });

  it.concurrent('that exits 2 with a JSON reason prefers that reason', async () => {
    const script = `${printed({ reason: 'by JSON' })}; echo ignored >&2; exit 2`;
    expect(withoutFailures(await answer(event, script))).toMatchObject(BLOCKED[onBlock]('by JSON'));
  });

  it.concurrent('that exits 1 is reported and changes nothing', async () => {
    expect(withoutFailures(await answer(event, 'echo broken >&2; exit 1'))).toEqual({
      failed: ['exit code 1: broken'],
    });
  });

  it.concurrent('that exits 1 with valid JSON still counts', async () => {
    const script = `${printed({ systemMessage: 'told' })}; exit 1`;
    expect(withoutFailures(await answer(event, script))).toEqual({
      messages: ['told'],
      failed: ['exit code 1'],
    });
  });

  it.concurrent('that prints continue: false ends the run', async () => {
    const script = printed({ continue: false, stopReason: 'enough' });
    expect(withoutFailures(await answer(event, script))).toEqual({ stop: 'enough' });
  });

  it.concurrent('that prints decision: block blocks', async () => {
    const script = printed({ decision: 'block', reason: 'not now' });
    expect(withoutFailures(await answer(event, script))).toMatchObject(BLOCKED[onBlock]('not now'));
  });

  it.concurrent('that prints broken JSON is reported, unless the event takes plain text', async () => {
    const script = `printf '{"decision": "block"'`;
    expect(withoutFailures(await answer(event, script))).toMatchObject(
      textIsContext ? { context: '{"decision": "block"' } : { failed: [expect.stringContaining('JSON')] },
    );
  });

  it.concurrent('that adds context gives it to the model', async () => {
    const script = printed({ hookSpecificOutput: { hookEventName: event, additionalContext: 'note' } });
    expect(withoutFailures(await answer(event, script))).toEqual({ context: 'note' });
  });

  it.concurrent('that crashes is reported', async () => {
    expect(withoutFailures(await answer(event, 'kill -9 $$'))).toEqual({
      failed: ['It was ended by SIGKILL.'],
    });
  });
});

describe('PreToolUse decisions', () => {
  const decide = (output: object) => answer('PreToolUse', printed({ hookSpecificOutput: output }));
  it.each([
    ['allow', 'allow'],
    ['deny', 'deny'],
    ['ask', 'ask'],
    ['defer', 'ask'],
    ['nonsense', 'ask'],
  ])('reads permissionDecision %s as %s', async (permissionDecision, decision) => {
    expect((await decide({ permissionDecision })).decision).toBe(decision);
  });

  it('names a permissionDecision that is not understood in the question to the user', async () => {
    const { decision, reason } = await decide({ permissionDecision: [1] });
    expect({ decision, reason }).toEqual({
      decision: 'ask',
      reason: 'A hook gave an unknown decision: [1].',
    });
    expect((await decide({ permissionDecision: 'defer' })).reason).toBeUndefined();
  });

  it.each([
    ['approve', 'allow'],
    ['block', 'deny'],
  ])('reads the older decision %s as %s', async (older, decision) => {
    expect((await answer('PreToolUse', printed({ decision: older, reason: 'r' }))).decision).toBe(decision);
  });

  it('takes the strictest decision of hooks that ran in parallel', async () => {
    const each = ['allow', 'deny', 'ask'].map((permissionDecision) =>
      command(
        printed({ hookSpecificOutput: { permissionDecision, permissionDecisionReason: permissionDecision } }),
      ),
    );
    const response = await runnerFor(on('PreToolUse', ...each)).run({ event: 'PreToolUse', input: {} });
    expect(withoutFailures(response)).toEqual({ decision: 'deny', reason: 'deny' });
  });

  it.each([
    ['an allow beside the change of another hook', ['allow', 'change'], undefined],
    ['an allow with a change, and a later change', ['allow and change', 'change'], undefined],
    ['an allow with a change after another change', ['change', 'allow and change'], 'allow'],
    ['an allow with a change beside a question', ['allow and change', 'ask'], 'ask'],
    ['a denial beside a change', ['deny', 'change', 'allow'], 'deny'],
  ] as const)('counts an allow only for the input of its hook: %s', async (_, answers, decision) => {
    const each = answers.map((given, at) => {
      const permissionDecision = given === 'change' ? {} : { permissionDecision: given.split(' ')[0] };
      const updatedInput = given.endsWith('change') ? { updatedInput: { command: `ls ${at}` } } : {};
      return command(printed({ hookSpecificOutput: { ...permissionDecision, ...updatedInput } }));
    });
    const response = await runnerFor(on('PreToolUse', ...each)).run({ event: 'PreToolUse', input: {} });
    expect(response.decision).toBe(decision);
  });

  it('returns a changed input', async () => {
    const response = await decide({ permissionDecision: 'allow', updatedInput: { command: 'ls' } });
    expect(response.updatedInput).toEqual({ command: 'ls' });
  });

  it('ignores output that names another event', async () => {
    expect(
      (await decide({ hookEventName: 'PostToolUse', permissionDecision: 'deny' })).decision,
    ).toBeUndefined();
  });
});

describe('a PermissionRequest hook', () => {
  const decide = (decision: object) =>
    answer(
      'PermissionRequest',
      printed({ hookSpecificOutput: { hookEventName: 'PermissionRequest', decision } }),
    );
  it('may allow with a changed input', async () => {
    const { permission } = await decide({ behavior: 'allow', updatedInput: { a: 1 } });
    expect(permission).toEqual({ behavior: 'allow', updatedInput: { a: 1 } });
  });
  it('may deny and interrupt', async () => {
    const { permission } = await decide({ behavior: 'deny', message: 'no', interrupt: true });
    expect(permission).toEqual({ behavior: 'deny', message: 'no', interrupt: true });
  });
});

describe('the script of a command hook', () => {
  it.each(['sh', 'bash', 'node', 'python3'])('may be written for %s', async (language) => {
    if (spawnSync(language, ['--version']).error) return;
    const scripts: Record<string, string> = {
      sh: `sh -c 'read line; case "$line" in *Bash*) echo seen >&2; exit 2;; esac'`,
      bash: `bash -c 'read -r line; [[ $line == *Bash* ]] && { echo seen >&2; exit 2; }'`,
      node: `node -e 'let t="";process.stdin.on("data",c=>t+=c).on("end",()=>{if(JSON.parse(t).tool_name==="Bash"){console.error("seen");process.exitCode=2}})'`,
      python3: `python3 -c 'import json,sys; d=json.load(sys.stdin); d["tool_name"]=="Bash" and (sys.stderr.write("seen"), sys.exit(2))'`,
    };
    const response = await answer('PreToolUse', scripts[language] ?? '', { tool_name: 'Bash' });
    expect(withoutFailures(response)).toEqual({ decision: 'deny', reason: 'seen' });
  });

  it('gets the event on standard input and the project folder in its environment', async () => {
    const script = 'cat > got.json; printf "%s %s" "$CLAUDE_PROJECT_DIR" "$HEDDLE_PROJECT_DIR" > env.txt';
    await answer('Notification', script, { message: 'hi' });
    expect(JSON.parse(readFileSync(path.join(folder, 'got.json'), 'utf8'))).toEqual({
      session_id: 's-1',
      cwd: folder,
      hook_event_name: 'Notification',
      message: 'hi',
    });
    expect(readFileSync(path.join(folder, 'env.txt'), 'utf8')).toBe(`${folder} ${folder}`);
  });

  it('runs without a shell when it has arguments', async () => {
    const hooks = on('SessionStart', command('printf', { args: ['%s', '$HOME;ls'] }));
    expect((await runnerFor(hooks).run({ event: 'SessionStart', input: {} })).context).toBe('$HOME;ls');
  });

  it('is ended with everything it started when its time is over', async () => {
    const marker = path.join(folder, 'survivor');
    const hooks = on('PreToolUse', command(`(sleep 30; touch ${marker}) & sleep 30`, { timeout: 0.2 }));
    const response = await runnerFor(hooks).run({ event: 'PreToolUse', input: {} });
    expect(describeFailures(response)).toEqual([expect.stringContaining('gave no answer within 0.2 s')]);
    expect(response.decision).toBeUndefined();
    expect(existsSync(marker)).toBe(false);
  });

  it('is ended when its event is withdrawn', async () => {
    const withdrawn = new AbortController();
    const running = runnerFor(on('PreToolUse', command('sleep 30')), {
      observe: ({ type }) => type === 'hook_started' && setImmediate(() => withdrawn.abort()),
    }).run({ event: 'PreToolUse', input: {}, signal: withdrawn.signal });
    const response = await running;
    expect(response.failures.map(({ failure }) => failure.kind)).toEqual(['aborted']);
    expect(describeFailures(response)).toEqual([]);
  });

  it('may flood its output without filling the memory', async () => {
    const response = await answer('SessionStart', 'head -c 20000000 /dev/zero | tr "\\0" x');
    expect(response.context?.length).toBeLessThan(11_000);
    expect(response.context).toContain('more characters were omitted');
  });

  it('may leave its input unread, however long', async () => {
    const response = await answer('PostToolUse', 'exit 0', { tool_response: 'x'.repeat(2_000_000) });
    expect(withoutFailures(response)).toEqual({});
  });

  it('that does not exist is reported, and the call is asked about', async () => {
    const hooks = on('PreToolUse', command('/no/such/program', { args: [] }));
    const response = await runnerFor(hooks).run({ event: 'PreToolUse', input: {} });
    expect(response.decision).toBe('ask');
    expect(describeFailures(response)).toEqual([expect.stringContaining('ENOENT')]);
  });

  it('blocks its event when it is declared to fail closed and gives no answer', async () => {
    const hooks = on('PreToolUse', command('exit 1', { onFailure: 'block' }));
    const response = await runnerFor(hooks).run({ event: 'PreToolUse', input: {} });
    expect(response.decision).toBe('deny');
    expect(response.reason).toContain('A required hook gave no answer: exit code 1');
  });
});

describe('a hook in the background', () => {
  it('does not delay its event and delivers its answer later', async () => {
    const { promise, resolve } = Promise.withResolvers<unknown>();
    const go = path.join(folder, 'go-1');
    const script = `while [ ! -e ${go} ]; do sleep 0.02; done; echo late >&2; exit 2`;
    const runner = runnerFor(on('PostToolUse', command(script, { asyncRewake: true })), {
      onBackground: (_, outcome) => resolve(outcome),
    });
    expect(withoutFailures(await runner.run({ event: 'PostToolUse', input: {} }))).toEqual({});
    spawnSync('touch', [go]);
    expect(await promise).toMatchObject({ block: 'late' });
  });

  it('may ask to continue there with its first line', async () => {
    const { promise, resolve } = Promise.withResolvers<unknown>();
    const go = path.join(folder, 'go-2');
    const output = printed({ hookSpecificOutput: { additionalContext: 'later' } });
    const script = `echo '{"async":true}'; while [ ! -e ${go} ]; do sleep 0.02; done; ${output}`;
    const runner = runnerFor(on('PostToolUse', command(script)), {
      onBackground: (_, outcome) => resolve(outcome),
    });
    expect(withoutFailures(await runner.run({ event: 'PostToolUse', input: {} }))).toEqual({});
    spawnSync('touch', [go]);
    expect(await promise).toMatchObject({ context: 'later' });
  });

  it('is ended when the session closes', async () => {
    const runner = runnerFor(on('PostToolUse', command('sleep 60', { async: true })));
    await runner.run({ event: 'PostToolUse', input: {} });
    await runner.close(10);
  });
});

describe('hooks on one event', () => {
  it('run in parallel', async () => {
    const a = path.join(folder, 'a');
    const b = path.join(folder, 'b');
    const waitFor = (mine: string, other: string) =>
      command(`touch ${mine}; while [ ! -e ${other} ]; do sleep 0.02; done; echo done`);
    const hooks = on('SessionStart', waitFor(a, b), waitFor(b, a));
    expect((await runnerFor(hooks).run({ event: 'SessionStart', input: {} })).context).toBe('done\n\ndone');
  });

  it('run once if two files declare the same handler', async () => {
    const hooks = on('SessionStart', command('echo once'), command('echo once'));
    expect((await runnerFor(hooks).run({ event: 'SessionStart', input: {} })).context).toBe('once');
  });

  it('run only if their rule matches the call', async () => {
    const hooks = on('PreToolUse', command('exit 2', { if: 'Bash(*)' }));
    const runner = runnerFor(hooks);
    expect(
      (await runner.run({ event: 'PreToolUse', input: { tool_name: 'Read' } })).decision,
    ).toBeUndefined();
    expect((await runner.run({ event: 'PreToolUse', input: { tool_name: 'Bash' } })).decision).toBe('deny');
  });
});

describe('a matcher', () => {
  it('for Bash also selects calls of Monitor, which runs commands, too', async () => {
    const hooks = ['Bash', '^Bash$', 'Monitor', 'Read'].map((matcher) => ({
      matcher,
      hooks: [command(`echo ${matcher}`)],
    }));
    const runner = runnerFor({ PreToolUse: hooks, SubagentStart: hooks });
    const selected = async (event: HookEventName, input: object): Promise<readonly string[]> =>
      (await runner.select({ event, input: { ...input } })).map(({ matcher }) => matcher);
    expect(await selected('PreToolUse', { tool_name: 'Monitor' })).toEqual(['Bash', '^Bash$', 'Monitor']);
    expect(await selected('PreToolUse', { tool_name: 'Bash' })).toEqual(['Bash', '^Bash$']);
    expect(await selected('SubagentStart', { agent_type: 'Monitor' })).toEqual(['Monitor']);
  });

  it.each([
    ['', 'Bash', true],
    ['*', 'Bash', true],
    ['Bash', 'Bash', true],
    ['Bash', 'BashOutput', false],
    ['Edit|Write', 'Write', true],
    ['Edit, Write', 'Write', true],
    ['bash', 'Bash', false],
    ['Task', 'Agent', true],
    ['mcp__.*', 'mcp__memory__read', true],
    ['^Notebook', 'NotebookEdit', true],
    ['Note.*', 'MyNotebook', true],
    ['mcp__memory', 'mcp__memory__read', false],
  ])('%j compared with %s gives %s', (matcher, subject, matches) => {
    expect(createHookMatcher(matcher).matches(subject)).toBe(matches);
  });

  it('that is not a valid expression matches everything and is reported', () => {
    const { hooks, problems } = readHooks(
      { PreToolUse: [{ matcher: '(', hooks: [command('true')] }] },
      { source: 'a.json' },
    );
    expect(hooks[0]?.matches('Read')).toBe(true);
    expect(problems).toEqual([
      expect.stringMatching(/^a\.json: hooks\.PreToolUse\[0\]: matcher is not a valid/),
    ]);
  });
});

describe('reading hooks', () => {
  it.each([
    [[], 'hooks is not an object'],
    [{ Nonsense: [] }, 'hooks.Nonsense: unknown event'],
    [{ Stop: {} }, 'hooks.Stop: not a list'],
    [{ Stop: [1] }, 'hooks.Stop[0]: not an object'],
    [{ Stop: [{ matcher: 1, hooks: [] }] }, 'hooks.Stop[0]: matcher is not a string'],
    [{ Stop: [{}] }, 'hooks.Stop[0]: has no list "hooks"'],
    [on('Stop', { type: 'command' }), 'hooks.Stop[0].hooks[0]: has no command'],
    [on('Stop', { type: 'ftp' }), 'hooks.Stop[0].hooks[0]: unknown type "ftp"'],
    [on('Stop', { type: 'http', url: 'x' }), 'hooks.Stop[0].hooks[0]: has no valid url'],
    [on('Stop', command('x', { timeout: 'soon' })), 'timeout is not a positive number'],
  ])('%j is reported as: %s', (value, message) => {
    const { problems } = readHooks(value, { source: 'a.json' });
    expect(problems).toEqual([expect.stringContaining(message)]);
  });

  it('keeps the valid handlers beside a bad one', () => {
    const { hooks } = readHooks(on('Stop', { type: 'ftp' }, command('true')), { source: 'a.json' });
    expect(hooks.map(({ handler }) => handler)).toEqual([
      { type: 'command', command: 'true', async: false, asyncRewake: false },
    ]);
  });
});

describe('an http hook', () => {
  const received: { headers: Record<string, unknown>; body: string }[] = [];
  const server = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk: Buffer) => (body += chunk.toString()));
    request.on('end', () => {
      received.push({ headers: request.headers, body });
      if (request.url === '/hang') return;
      response.statusCode = request.url === '/broken' ? 500 : request.url === '/away' ? 302 : 200;
      const reason = request.url === '/long' ? 'x'.repeat(1_000_001) : 'by server';
      response.end(
        ['/deny', '/long'].includes(request.url ?? '') ? JSON.stringify({ decision: 'block', reason }) : '',
      );
    });
  });
  let base = '';
  beforeAll(async () => {
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a TCP server has a port
    base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  afterAll(() => {
    server.closeAllConnections();
    server.close();
  });
  const run = (url: string, more: object = {}) =>
    runnerFor(on('PreToolUse', { type: 'http', url: `${base}${url}`, ...more }), {
      environment: () => ({ TOKEN: 't0', OTHER: 'o0' }),
    }).run({ event: 'PreToolUse', input: { tool_name: 'Bash' } });

  it('sends the event and reads the decision', async () => {
    expect(withoutFailures(await run('/deny'))).toMatchObject({ decision: 'deny', reason: 'by server' });
    expect(JSON.parse(received.at(-1)?.body ?? '')).toMatchObject({
      tool_name: 'Bash',
      hook_event_name: 'PreToolUse',
    });
  });
  it('that gives an answer that is too long asks about the call', async () => {
    expect(withoutFailures(await run('/long'))).toMatchObject({
      decision: 'ask',
      failed: [expect.any(String)],
    });
  });
  it('expands only the variables that it may use', async () => {
    await run('/', { headers: { 'x-a': 'Bearer $TOKEN', 'x-b': '${OTHER}!' }, allowedEnvVars: ['TOKEN'] });
    expect(received.at(-1)?.headers).toMatchObject({ 'x-a': 'Bearer t0', 'x-b': '!' });
  });
  it.each([
    ['/broken', 'HTTP status 500', 60],
    ['/hang', 'gave no answer within 0.2 s', 0.2],
    ['/away', '', 60],
  ])('that answers as %s is reported', async (url, message, timeout) => {
    const response = await run(url, { timeout });
    expect(response.decision).toBeUndefined();
    expect(describeFailures(response)).toEqual([expect.stringContaining(message)]);
  });
});

describe('a callback of a host', () => {
  const hook = {
    event: 'PreToolUse',
    matcher: '',
    matches: () => true,
    handler: { type: 'callback', callbackId: 'c1' },
    timeoutMs: 20,
    failsClosed: false,
    source: 'the host',
  } as const;
  const runWith = (callback: HookRunnerDeps['handlers']['callback']) => {
    const runner = runnerFor({}, { handlers: callback === undefined ? {} : { callback } });
    runner.replaceHooks([hook]);
    return runner.run({ event: 'PreToolUse', input: {} });
  };
  it('decides with the object that it returns', async () => {
    const output = { hookSpecificOutput: { permissionDecision: 'ask' } };
    const response = await runWith(() => Promise.resolve({ kind: 'returned', output }));
    expect(response.decision).toBe('ask');
  });
  it('blocks the call when it gives no answer in time', async () => {
    expect((await runWith(() => Promise.withResolvers<never>().promise)).decision).toBe('deny');
  });
  it('that throws is reported and decides nothing', async () => {
    const response = await runWith(() => Promise.reject(new Error('broken')));
    expect(response.decision).toBeUndefined();
    expect(describeFailures(response)).toEqual([expect.stringContaining('broken')]);
  });
});
