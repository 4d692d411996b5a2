/** One prompt through everything: a worked trace, seen in the log, by a client and by the API. */
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { type Clock, DEFAULT_LIMITS, type Entry } from '@heddle/core';
import {
  breakOff,
  call,
  createClock,
  createTestGate,
  createIds,
  cut,
  fakeTool,
  say,
  scriptedModel,
  unfinished,
} from '@heddle/testing';
import { bashTool, readTool } from '@heddle/tools';
import { expect, it } from 'vitest';
import { createAgent, decodeEntry, newSession, type SdkMessage } from './index.ts';

/** The response streams until the read, which started early, has ended. */
const readIsOver = createTestGate();

const script = [
  [say('Let me look'), breakOff()],
  [
    say('I read the test first'),
    call('Read', { file_path: 'test.js' }, 'r1'),
    readIsOver,
    call('Bash', { command: 'echo "// touched" >> test.js; echo "1 failure"; exit 1' }, 'b1'),
  ],
  [unfinished(say('A long text that is cut off')), cut()],
  [call('Edit', { file_path: 'sum.js' }, 'e1')],
  [say('Fixed.')],
];

/** The automatic clock does not see that attachments are read from disk, so it must not reach the limit for them. */
function withoutLimits(clock: Clock): Clock {
  const ended = (signal: AbortSignal): Promise<void> =>
    new Promise((resolve) => {
      signal.addEventListener('abort', () => resolve(), { once: true });
    });
  return {
    now: clock.now,
    sleep: (ms, signal) => (ms === DEFAULT_LIMITS.turnEndStepMs ? ended(signal) : clock.sleep(ms, signal)),
  };
}

const hashes = { before: 'hash-before', after: 'hash-after' };

it('stores, shows and sends the worked trace, in its order', async () => {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'heddle-trace-'));
  writeFileSync(path.join(folder, 'test.js'), 'test\n');
  const clock = createClock({ auto: true });
  const { uuid } = createIds();
  const model = scriptedModel(script, { clock });
  const opened = newSession(
    { place: { configDir: folder, cwd: folder }, version: 'test', durability: 'process', now: clock.now },
    'trace',
  );
  if (!opened.ok) throw new Error(opened.message);
  const { session } = opened;
  const file = session.journal.path ?? '';
  const agent = createAgent({
    model,
    modelName: 'scripted',
    tools: [bashTool, watched(readTool), fakeTool({ name: 'Edit', readOnly: false, intent: hashes })],
    cwd: folder,
    session,
    rules: { allow: [{ text: 'Edit', source: 'session' }], ask: [], deny: [] },
    canUseTool: () => Promise.resolve({ allow: true }),
    hooks: { stop: () => Promise.resolve({}) },
    summarizeTools: ([first]) =>
      Promise.resolve(first?.call.id === 'r1' ? 'read the test, ran it: 1 failure' : undefined),
    config: { gates: { emitToolUseSummaries: true } },
    clock: withoutLimits(clock),
    uuid,
    random: () => 0.8,
  });

  const lines: SdkMessage[] = [];
  for await (const line of agent.submit('the test fails, fix it')) {
    lines.push(line);
    // Every line that a client sees has been stored: each assistant and user line is already in the file.
    if (line.type === 'assistant' || line.type === 'user')
      expect(readFileSync(file, 'utf8')).toContain(line.uuid);
  }

  expect(stored(file).map(wordOfEntry)).toEqual([
    'session',
    'user',
    'request',
    'assistant text',
    'spent',
    'retry network 2 in 600 ms',
    'tombstone 1',
    'request',
    'assistant text',
    'assistant r1',
    'intent r1 read_only',
    'outcome r1',
    'user',
    'assistant b1',
    'answer tool_use',
    'ask b1',
    'ask_answer b1 allow',
    'intent b1 writing',
    'outcome b1 error',
    'user',
    'attachment changed_file',
    'transition next_turn',
    'summary',
    'request',
    'spent',
    'transition max_output_tokens_escalate',
    'request',
    'assistant e1',
    'answer tool_use',
    'intent e1 writing {"before":"hash-before","after":"hash-after"}',
    'outcome e1',
    'user',
    'transition next_turn',
    'request',
    'assistant text',
    'answer end_turn',
    'end completed',
  ]);

  expect(lines.filter((line) => line.type !== 'tool_progress').map(wordOfLine)).toEqual([
    'system/init',
    'assistant text',
    'system/api_retry',
    'assistant text supersedes 1',
    'assistant r1',
    'user r1',
    'assistant b1',
    'user b1 error',
    'tool_use_summary',
    'assistant e1',
    'user e1',
    'assistant text',
    'result success',
  ]);
  expect(lines.some((line) => line.type === 'tool_progress')).toBe(true);

  expect(model.shapes()).toEqual([
    'system[m] | user:text[m]',
    'system[m] | user:text[m]',
    'system[m] | user:text[m] | assistant:text tool_use(r1) tool_use(b1) | user:tool_result(r1) tool_result(b1)! reminder[m]',
    'system[m] | user:text[m] | assistant:text tool_use(r1) tool_use(b1) | user:tool_result(r1) tool_result(b1)! reminder[m]',
    expect.stringContaining('reminder[m] | assistant:tool_use(e1) | user:tool_result(e1)[m]'),
  ]);
  expect(model.calls.map(({ request }) => request.max_tokens)).toEqual([8_192, 8_192, 8_192, 64_000, 8_192]);
  model.assertNoViolations();
});

/** Opens the gate when a call of this tool has ended. */
function watched(tool: typeof readTool): typeof readTool {
  return {
    ...tool,
    async call(input, context, onProgress) {
      const output = await tool.call(input, context, onProgress);
      readIsOver.open();
      return output;
    },
  };
}

function stored(file: string): Entry[] {
  const lines = readFileSync(file, 'utf8').trimEnd().split('\n');
  return lines.map((line) => {
    const decoded = decodeEntry(line);
    if (decoded.kind !== 'entry') throw new Error(`A line of the log cannot be read: ${line}`);
    return decoded.entry;
  });
}

function wordOfEntry(entry: Entry): string {
  switch (entry.type) {
    case 'assistant': {
      const [block] = entry.message.content;
      return `assistant ${block?.type === 'tool_use' ? block.id : 'text'}`;
    }
    case 'retry':
      return `retry ${entry.error.class} ${entry.attempt} in ${entry.delayMs} ms`;
    case 'tombstone':
      return `tombstone ${entry.uuids.length}`;
    case 'intent':
      return `intent ${entry.toolUseId} ${entry.effect}${entry.details ? ` ${JSON.stringify(entry.details)}` : ''}`;
    case 'outcome':
      return `outcome ${entry.toolUseId}${entry.isError ? ' error' : ''}`;
    case 'answer':
      return `answer ${entry.stopReason}`;
    case 'ask':
      return `ask ${entry.toolUseId}`;
    case 'ask_answer':
      return `ask_answer ${entry.toolUseId} ${entry.behavior}`;
    case 'attachment':
      return `attachment ${entry.message.attachment.kind}`;
    case 'transition':
      return `transition ${entry.transition.reason}`;
    case 'end':
      return `end ${entry.terminal.reason}`;
    default:
      return entry.type;
  }
}

function wordOfLine(line: SdkMessage): string {
  switch (line.type) {
    case 'system':
      return `system/${line.subtype}`;
    case 'assistant': {
      const [block] = line.message.content;
      const what = block?.type === 'tool_use' ? block.id : 'text';
      return `assistant ${what}${line.supersedes ? ` supersedes ${line.supersedes.length}` : ''}`;
    }
    case 'user': {
      const [block] = typeof line.message.content === 'string' ? [] : line.message.content;
      return block?.type === 'tool_result'
        ? `user ${block.tool_use_id}${block.is_error ? ' error' : ''}`
        : 'user';
    }
    case 'result':
      return `result ${line.subtype}`;
    default:
      return line.type;
  }
}
