/** Sessions of other agents, imported by the real program and continued against a fake Messages API. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { type FakeApi, say, startFakeApi } from '@heddle/testing';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { homeFor } from '../test/home.ts';
import { install, type Installed } from '../test/program.ts';

let installed: Installed;
let api: FakeApi | undefined;
beforeAll(async () => {
  installed = await install();
});
afterAll(() => installed.remove());
afterEach(async () => {
  await api?.close();
  api = undefined;
});

const ID = '01a1e1a7-a226-7250-b864-974d0fce2bfb';
const MODEL = 'claude-sonnet-4-5';
const lines = (...values: readonly object[]): string =>
  values.map((value) => `${JSON.stringify(value)}\n`).join('');

/** The file of a session of each agent: its path below the home folder, and its content for a working folder. */
const SESSIONS = {
  codex: {
    file: `.codex/sessions/2026/11/16/rollout-2026-11-16T00-00-22-${ID}.jsonl`,
    content: (cwd: string) => {
      const at = '2026-11-16T00:00:22.270Z';
      const item = (payload: object) => ({ timestamp: at, type: 'response_item', payload });
      const message = (role: string, type: string, text: string) =>
        item({ type: 'message', role, content: [{ type, text }] });
      return lines(
        { timestamp: at, type: 'session_meta', payload: { id: ID, cwd, cli_version: '0.166.0' } },
        message('developer', 'input_text', 'Follow the rules.'),
        message('user', 'input_text', '<environment_context>\n<cwd>/x</cwd></environment_context>'),
        { timestamp: at, type: 'turn_context', payload: { model: 'gpt-5.2-codex', cwd } },
        message('user', 'input_text', 'Make a.txt'),
        item({ type: 'reasoning', summary: [], encrypted_content: 'xyz' }),
        item({
          type: 'function_call',
          name: 'exec_command',
          arguments: '{"cmd":"touch a.txt"}',
          call_id: 'call_1',
        }),
        item({ type: 'function_call_output', call_id: 'call_1', output: 'Process exited with code 0' }),
        item({ type: 'custom_tool_call', name: 'apply_patch', input: '*** Begin Patch', call_id: 'call 2' }),
        item({
          type: 'custom_tool_call_output',
          call_id: 'call 2',
          output: '{"output":"Done","metadata":{"exit_code":1}}',
        }),
        message('assistant', 'output_text', 'I made a.txt.'),
      );
    },
    omitted: ['1 × instructions of the other agent', '1 × context of the other agent', '1 × reasoning'],
    sent: ['Make a.txt', '"name":"Bash"', '"command":"touch a.txt"', 'apply_patch', 'I made a.txt.'],
  },
  pi: {
    file: `.pi/agent/sessions/--project--/2026-11-16T00-00-45-293Z_${ID}.jsonl`,
    content: (cwd: string) => {
      const entry = (id: string, parentId: string | null, more: object) => ({
        id,
        parentId,
        timestamp: '2026-11-16T00:00:45.293Z',
        ...more,
      });
      const message = (id: string, parentId: string | null, role: string, more: object) =>
        entry(id, parentId, { type: 'message', message: { role, ...more } });
      return lines(
        { type: 'session', version: 3, id: ID, timestamp: '2026-11-16T00:00:45.293Z', cwd },
        entry('m1', null, { type: 'model_change', provider: 'x', modelId: 'claude-sonnet-4-5' }),
        message('u1', 'm1', 'user', { content: [{ type: 'text', text: 'Make b.txt' }] }),
        message('old', 'u1', 'assistant', { content: [{ type: 'text', text: 'Abandoned.' }], model: 'x' }),
        message('a1', 'u1', 'assistant', {
          content: [
            { type: 'thinking', thinking: 'Hm.' },
            { type: 'toolCall', id: 'toolu_1', name: 'write', arguments: { path: 'b.txt', content: 'x' } },
          ],
          model: 'claude-sonnet-4-5',
        }),
        message('r1', 'a1', 'toolResult', {
          toolCallId: 'toolu_1',
          content: [{ type: 'text', text: 'ok' }],
          isError: false,
        }),
        message('b1', 'r1', 'bashExecution', { command: 'ls', output: 'b.txt' }),
        message('a2', 'b1', 'assistant', { content: [{ type: 'text', text: 'I made b.txt.' }], model: 'x' }),
      );
    },
    omitted: ['1 × entry of another branch', '1 × reasoning'],
    sent: ['Make b.txt', '"name":"Write"', '"file_path":"b.txt"', 'I ran this command: ls', 'I made b.txt.'],
  },
  opencode: {
    file: 'export.json',
    content: (cwd: string) =>
      JSON.stringify({
        info: { id: 'ses_4f1b2b560ffe', directory: cwd, title: 'The third file' },
        messages: [
          {
            info: { id: 'msg_1', role: 'user', time: { created: 1 } },
            parts: [{ type: 'text', text: 'Make c.txt' }],
          },
          {
            info: { id: 'msg_2', role: 'assistant', modelID: 'big-pickle', time: { created: 2 } },
            parts: [
              { type: 'step-start' },
              { type: 'reasoning', text: 'Hm.' },
              {
                type: 'tool',
                callID: 'c1',
                tool: 'edit',
                state: {
                  status: 'completed',
                  input: { filePath: 'c.txt', oldString: 'a', newString: 'b' },
                  output: 'ok',
                },
              },
              {
                type: 'tool',
                callID: 'c2',
                tool: 'bash',
                state: { status: 'running', input: { command: 'sleep 9' } },
              },
              { type: 'text', text: 'I made c.txt.' },
            ],
          },
        ],
      }),
    omitted: ['1 × reasoning', '1 × call without a result'],
    sent: ['Make c.txt', '"name":"Edit"', '"old_string":"a"', 'sleep 9', 'I made c.txt.'],
  },
} as const;

function place(agent: keyof typeof SESSIONS) {
  const home = homeFor(installed.program);
  const { file, content } = SESSIONS[agent];
  const target = path.join(home.folder, file);
  mkdirSync(path.dirname(target), { recursive: true });
  writeFileSync(target, content(home.folder));
  return { ...home, target, name: agent === 'opencode' ? target : ID, env: { HOME: home.folder } };
}

describe.each(Object.keys(SESSIONS) as (keyof typeof SESSIONS)[])('a session of %s', (agent) => {
  it('is imported, says what is lost, and continues with a valid request', async () => {
    api = await startFakeApi([say('Yes.')], { models: [MODEL] });
    const { run, name, env, target } = place(agent);
    const before = readFileSync(target, 'utf8');
    const { stdout, code } = await run(['import', name, '--json'], { env });
    expect(code).toBe(0);
    const imported = JSON.parse(stdout) as { id: string; omitted: string[] };
    expect(imported.omitted).toEqual(SESSIONS[agent].omitted);
    const keys = { ...env, ANTHROPIC_API_KEY: 'key', ANTHROPIC_BASE_URL: api.url };
    const flags = ['--resume', imported.id, '--model', `anthropic/${MODEL}`];
    expect((await run(['-p', 'Is it there?', ...flags], { env: keys })).stdout).toContain('Yes.');
    api.assertNoViolations();
    const sent = JSON.stringify(api.requests[0]?.body);
    for (const text of SESSIONS[agent].sent) expect(sent).toContain(text);
    expect(sent).not.toContain('Abandoned');
    expect(readFileSync(target, 'utf8')).toBe(before);
  });
});

const ESCAPE = '\u001b';

/** A session of codex with a hostile id, folder and tools, and one of opencode whose ids lead to another folder. */
function homeForHostile() {
  const home = homeFor(installed.program);
  const write = (file: string, text: string): void => {
    const target = path.join(home.folder, file);
    mkdirSync(path.dirname(target), { recursive: true });
    writeFileSync(target, text);
  };
  const cwd = path.join(home.folder, '$(touch MARK)');
  mkdirSync(cwd);
  const call = (name: string) => ({
    type: 'response_item',
    payload: { type: 'function_call', name, call_id: name, arguments: '{"__proto__":"x","constructor":1}' },
  });
  write(
    '.codex/sessions/rollout-evil.jsonl',
    lines(
      { type: 'session_meta', payload: { id: `${ESCAPE}]52;c;x\u0007evil`, cwd } },
      ...['constructor', '__proto__', 'toString', `a${ESCAPE}[2J`, '../x'].map((name) => call(name)),
      { type: 'response_item', payload: { type: `${ESCAPE}[31mitem` } },
    ),
  );
  write('private/one.json', '{"id":"x","role":"user"}');
  write('storage/part/x/one.json', '{"type":"text","text":"a private text"}');
  write('storage/session/p/evil.json', '{"id":"../../private"}');
  return { ...home, env: { HOME: home.folder } };
}

describe('heddle import', () => {
  it('lists the sessions of this folder, and says how to import one', async () => {
    const { run, env } = place('codex');
    const { stdout } = await run(['import'], { env });
    expect(stdout).toContain(`codex     ${ID}`);
    expect(stdout).toContain('Make a.txt');
    expect(stdout).toContain('heddle import ID');
  });

  it('keeps a hostile session in its own folder, and prints nothing of it as a command or a control', async () => {
    const { run, env, folder } = homeForHostile();
    const { stdout } = await run(['import', '--all'], { env });
    expect(stdout).toContain('codex');
    expect(stdout).not.toContain(ESCAPE);
    const rollout = path.join(folder, '.codex/sessions/rollout-evil.jsonl');
    const { stdout: imported, code } = await run(['import', rollout], { env });
    expect(code).toBe(0);
    expect(imported).toContain(`cd '${folder}/$(touch MARK)' && heddle`);
    expect(imported).not.toContain(ESCAPE);
    const stored = path.join(folder, 'storage/session/p/evil.json');
    expect((await run(['import', stored], { env })).stderr).toContain('has no messages');
  });

  it('names what is wrong', async () => {
    const { run, env, folder } = place('codex');
    writeFileSync(path.join(folder, 'other.json'), '{"a":1}');
    expect((await run(['import', 'ffff'], { env })).stderr).toContain('There is no session or file ffff');
    expect((await run(['import', 'other.json'], { env })).stderr).toContain('is not a session of codex');
    expect((await run(['import', '--wrong'], { env })).code).toBe(2);
    await run(['import', ID], { env });
    expect((await run(['import', ID], { env })).stderr).toContain('exists already');
  });
});
