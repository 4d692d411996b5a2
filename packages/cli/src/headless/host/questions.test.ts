/** Questions to a host and streams of answers, frame by frame. The real program against a fake Messages API. */
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { call, refuse, say, think } from '@heddle/testing';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import type { OutputLine } from '../../test/program.ts';
import { lineIn, parseHostLine } from './json.ts';
import { control, isResult, prompt, resultsOf } from './test/conversation.ts';
import { answerWith } from './test/hooked.ts';
import { MODEL, stage } from './test/stage.ts';

const perform = stage();
const ASKS = ['--permission-prompt-tool', 'stdio'];

/** Answers every question, and keeps it. */
function answering(answer: (request: Readonly<Record<string, unknown>>) => object) {
  const asked: Readonly<Record<string, unknown>>[] = [];
  const reply = (line: OutputLine): object | 'close' | undefined => {
    if (line['type'] === 'result') return 'close';
    const request = lineIn(line['request']);
    if (request?.['subtype'] !== 'can_use_tool') return undefined;
    asked.push(request);
    return answerWith(line, answer(request));
  };
  return { asked, reply };
}

describe('a host that answers questions', () => {
  it('approves a plan, and chooses the mode after it', async () => {
    const setMode = { type: 'setMode', mode: 'acceptEdits', destination: 'session' };
    const { asked, reply } = answering(({ input }) => ({
      behavior: 'allow',
      updatedInput: input,
      updatedPermissions: [setMode],
    }));
    const script = [
      call('ExitPlanMode', { plan: 'Write a file.' }, 'p1'),
      call('Write', { file_path: 'made.txt', content: 'x' }, 'w1'),
      say('Done.'),
    ];
    const held = await perform(script, {
      flags: [...ASKS, '--permission-mode', 'plan'],
      first: [prompt('go')],
      reply,
    });
    expect(asked.map((request) => request['tool_name'])).toEqual(['ExitPlanMode']);
    expect(existsSync(path.join(held.folder, 'made.txt'))).toBe(true);
  });

  it('answers a question of the model with its input', async () => {
    const options = ['Red', 'Blue'].map((label) => ({ label, description: label }));
    const questions = [{ question: 'Which color?', header: 'Color', options, multiSelect: false }];
    const { asked, reply } = answering(({ input }) => ({
      behavior: 'allow',
      updatedInput: { ...lineIn(input), answers: { 'Which color?': 'A dark green' } },
    }));
    const held = await perform([call('AskUserQuestion', { questions }, 'q1'), say('Green.')], {
      flags: ASKS,
      first: [prompt('go')],
      reply,
    });
    expect(asked).toMatchObject([{ tool_name: 'AskUserQuestion', input: { questions } }]);
    expect(JSON.stringify(held.api.requests[1]?.body)).toContain('A dark green');
  });

  it('is told the file that a call may not use', async () => {
    const outside = '/tmp/heddle-outside/made.txt';
    const { asked, reply } = answering(() => ({ behavior: 'deny', message: 'Not there.' }));
    const held = await perform([call('Write', { file_path: outside, content: 'x' }, 'w1'), say('Ok.')], {
      flags: [...ASKS, '--permission-mode', 'acceptEdits'],
      first: [prompt('go')],
      reply,
    });
    expect(asked).toMatchObject([{ tool_use_id: 'w1', blocked_path: outside }]);
    expect(resultsOf(held)).toMatchObject([{ permission_denials: [{ tool_use_id: 'w1' }] }]);
  });
});

it('a host that reads partial messages hears how much the model has thought', async () => {
  const held = await perform([[think('a'.repeat(40), 'b'.repeat(20)), say('Done.')]], {
    flags: ['--include-partial-messages', '--max-thinking-tokens', '2048'],
    first: [prompt('go')],
    closes: true,
  });
  const amounts = held.lines
    .filter(({ subtype }) => subtype === 'thinking_tokens')
    .map(({ estimated_tokens, estimated_tokens_delta }) => [estimated_tokens, estimated_tokens_delta]);
  expect(amounts.at(-1)?.[0]).toBe(15);
  expect(amounts.reduce((sum, [, delta]) => sum + Number(delta), 0)).toBe(15);
});

describe('a tool of an MCP server that answers questions', () => {
  /** A server in the process of the host. `answer` is the text of its only tool. */
  const serving = (answer: string) => {
    const calls: unknown[] = [];
    const reply = (line: OutputLine): object | 'close' | undefined => {
      if (line['type'] === 'result') return 'close';
      const request = lineIn(line['request']);
      if (request?.['subtype'] !== 'mcp_message') return undefined;
      const message = lineIn(request['message']) ?? {};
      if (message['method'] === 'tools/call') calls.push(lineIn(message['params'])?.['arguments']);
      const results: Readonly<Record<string, object>> = {
        initialize: {
          protocolVersion: '2025-06-18',
          capabilities: { tools: {} },
          serverInfo: { name: 'gate', version: '1' },
        },
        'tools/list': { tools: [{ name: 'approve', inputSchema: { type: 'object' } }] },
        'tools/call': { content: [{ type: 'text', text: answer }] },
      };
      const result = results[String(message['method'])] ?? {};
      return answerWith(line, { mcp_response: { jsonrpc: '2.0', id: message['id'] ?? 0, result } });
    };
    return { calls, reply };
  };
  const play = (reply: (line: OutputLine) => object | 'close' | undefined) =>
    perform([call('Bash', { command: 'touch made' }, 't1'), say('Done.')], {
      flags: ['--permission-prompt-tool', 'mcp__gate__approve'],
      first: [control('i1', { subtype: 'initialize', sdkMcpServers: ['gate'] }), prompt('go')],
      reply,
    });

  it('allows a call, with another input', async () => {
    const { calls, reply } = serving('{"behavior":"allow","updatedInput":{"command":"touch other"}}');
    const held = await play(reply);
    expect(calls).toEqual([{ tool_name: 'Bash', input: { command: 'touch made' }, tool_use_id: 't1' }]);
    expect(existsSync(path.join(held.folder, 'other'))).toBe(true);
  });

  it.each([
    ['denies it', '{"behavior":"deny","message":"Never here."}', /Never here/],
    ['gives no decision', 'yes, please', /gave no decision/],
  ])('does not run a call if the tool %s', async (_, answer, message) => {
    const held = await play(serving(answer).reply);
    expect(existsSync(path.join(held.folder, 'made'))).toBe(false);
    expect(JSON.stringify(held.api.requests[1]?.body)).toMatch(message);
  });
});

describe('a host that keeps a copy of the session', () => {
  it('receives every stored line, those of the turn before its result, also of subagents', async () => {
    const task = { description: 'look', prompt: 'Look.', subagent_type: 'general-purpose' };
    const script = [call('Agent', task, 'a1'), say('Seen by the subagent.'), say('Done.')];
    const held = await perform(script, {
      flags: ['--session-mirror'],
      first: [prompt('go', { uuid: 'p1' })],
      closes: true,
    });
    const copies = new Map<string, unknown[]>();
    for (const { type, filePath, entries } of held.lines) {
      if (type !== 'transcript_mirror') continue;
      const copy = [...(copies.get(String(filePath)) ?? []), ...z.array(z.json()).parse(entries)];
      copies.set(String(filePath), copy);
    }
    for (const [file, copy] of copies)
      expect(copy).toEqual(readFileSync(file, 'utf8').trimEnd().split('\n').map(parseHostLine));
    const [main = '', child = ''] = [...copies.values()].map((copy) => JSON.stringify(copy));
    expect(main).toContain('Done.');
    expect(child).toContain('Seen by the subagent.');
    const beforeResult = held.lines.slice(0, held.lines.findIndex(isResult));
    const last = beforeResult.findLast(({ type }) => type === 'transcript_mirror');
    expect(JSON.stringify(last)).toContain('"type":"end"');
  });
});

it('a refusal of the model is reported as such, and the result is an error', async () => {
  const held = await perform([[say('No.'), refuse()]], { first: [prompt('go')], closes: true });
  const refused = held.lines.find(({ subtype }) => subtype === 'model_refusal_no_fallback');
  expect(refused).toMatchObject({ original_model: MODEL, content: expect.stringContaining('declined') });
  expect(resultsOf(held)).toMatchObject([{ is_error: true, stop_reason: 'refusal' }]);
});
