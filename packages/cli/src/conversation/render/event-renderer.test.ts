import type { ApiEvent, JsonObject, LoopEvent, Message } from '@heddle/core';
import { describe, expect, it } from 'vitest';
import { styleFor } from '../../terminal/style.ts';
import type { OutputPart } from '../../terminal/screen.ts';
import { EventRenderer } from './event-renderer.ts';

const style = styleFor({ plain: true, env: {} });
const stamp = { uuid: 'u', at: 0 };

/** Returns the screen after a run of events. */
function rendered(...events: readonly LoopEvent[]): string {
  const renderer = new EventRenderer({ style, cwd: '/project', current: () => 'one\ntwo\nthree\n' });
  renderer.wasShown('seen');
  renderer.takeUp([{ id: 'old', name: 'Bash', input: { command: 'make' } }]);
  return shown([...events.flatMap((event) => renderer.render(event)), ...renderer.end()]);
}

/** Shows the parts like a screen that cannot erase anything. */
function shown(pieces: readonly OutputPart[]): string {
  let text = '';
  const newRow = (): string => (text === '' || text.endsWith('\n') ? '' : '\n');
  for (const piece of pieces) {
    if (piece.kind === 'line') text += `${newRow()}${piece.text}\n`;
    else if (piece.kind === 'stream') text += piece.text;
    else if (piece.kind === 'retract') text += `${newRow()}${piece.left}\n`;
    else text += newRow();
  }
  return text.trimEnd();
}

const raw = (event: ApiEvent): LoopEvent => ({ type: 'stream_event', event });
const message = (message: Extract<LoopEvent, { type: 'message' }>['message']): LoopEvent => ({
  type: 'message',
  message,
});
const block = (type: 'text' | 'thinking'): LoopEvent =>
  raw({
    type: 'content_block_start',
    index: 0,
    content_block: type === 'text' ? { type, text: '' } : { type, thinking: '', signature: '' },
  });
const delta = (text: string): LoopEvent =>
  raw({ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text } });
const thought = (thinking: string): LoopEvent =>
  raw({ type: 'content_block_delta', index: 0, delta: { type: 'thinking_delta', thinking } });
const stop = raw({ type: 'content_block_stop', index: 0 });
const answered = (text: string): LoopEvent =>
  message({ type: 'assistant', ...stamp, responseId: 'r', model: 'm', content: [{ type: 'text', text }] });
const calls = (id: string, name: string, input: JsonObject): LoopEvent =>
  message({
    type: 'assistant',
    ...stamp,
    responseId: 'r',
    model: 'm',
    content: [{ type: 'tool_use', id, name, input }],
  });
const intent = (toolUseId: string, tool: string, input: JsonObject): LoopEvent => ({
  type: 'tool_intent',
  toolUseId,
  tool,
  input,
  effect: 'writing',
});
const result = (id: string, content: string, is_error = false): LoopEvent =>
  message({ type: 'user', ...stamp, content: [{ type: 'tool_result', tool_use_id: id, content, is_error }] });
const attached = (attachment: Extract<Message, { type: 'attachment' }>['attachment']): LoopEvent =>
  message({ type: 'attachment', ...stamp, attachment });
const retry: LoopEvent = {
  type: 'retry',
  attempt: 2,
  maxAttempts: 10,
  delayMs: 4_000,
  error: { type: 'model_error', class: 'overloaded', message: 'Overloaded.' },
};
const refused = (attempt: number, text: string): LoopEvent => ({
  ...retry,
  attempt,
  error: { type: 'model_error', class: 'server', status: 500, message: text },
});

const CASES: readonly (readonly [what: string, events: readonly LoopEvent[], lines: string])[] = [
  [
    'text as it streams, once',
    [block('text'), delta('Hel'), delta('lo.'), stop, answered('Hello.')],
    'Hello.',
  ],
  ['text that never streamed', [answered('Hello.')], 'Hello.'],
  ['control characters, shown', [block('text'), delta('\u001b[2J'), stop], '\\x1b[2J'],
  [
    'thinking, as a short note',
    [block('thinking'), thought('I must\nlook.'), stop],
    '(thinking I must look.)',
  ],
  ['thinking that is not shown', [block('thinking'), stop], '(thinking ...)'],
  [
    'a call and its result',
    [
      calls('1', 'Bash', { command: 'npm test' }),
      intent('1', 'Bash', { command: 'npm test' }),
      result('1', 'a\nb\nc'),
    ],
    '* Bash npm test\n  ok: a\n    b\n    c',
  ],
  [
    'calls side by side, each result with its name',
    [
      intent('1', 'Read', { file_path: '/project/a.ts' }),
      intent('2', 'Grep', { pattern: 'x', path: 'src' }),
      result('1', '1\n2\n3'),
      result('2', 'no match', true),
    ],
    '* Read a.ts\n* Grep x in src\n  Read a.ts: ok: 3 lines\n  Grep x in src: failed: no match',
  ],
  [
    'what a command is for, where the model says so',
    [intent('1', 'Bash', { command: 'npm test', description: 'Run the tests' })],
    '* Bash npm test (Run the tests)',
  ],
  [
    'the lines that an edit changed, unless a question has shown them',
    [
      intent('1', 'Edit', { file_path: '/project/a.ts', old_string: 'wo', new_string: 'WO' }),
      result('1', 'Edited a.ts: 1 replacement, line 2.'),
      intent('seen', 'Edit', { file_path: '/project/a.ts', old_string: 'wo', new_string: 'WO' }),
      result('seen', 'Edited a.ts: 1 replacement, line 2.'),
      intent('2', 'Edit', { file_path: '/project/a.ts', old_string: 'wo', new_string: 'WO' }),
      result('2', 'It changed on disk.', true),
    ],
    [
      '* Edit a.ts',
      '  ok: 1 replacement',
      '  | 2 - two',
      '  | 2 + tWO',
      '* Edit a.ts',
      '  ok: 1 replacement',
      '* Edit a.ts',
      '  failed: It changed on disk.',
    ].join('\n'),
  ],
  [
    'what came of a call of an earlier run, with its name',
    [result('old', 'The session was interrupted.', true)],
    '  Bash make: failed: The session was interrupted.',
  ],
  [
    'of a command that failed its code, and what stands beside it',
    [
      intent('1', 'Bash', { command: 'npm test' }),
      result('1', '\n> clsx@2.1.0 test\n> uvu\n\nsh: 1: uvu: not found\nExit code 127', true),
      intent('2', 'Bash', { command: 'false' }),
      result('2', 'Exit code 1', true),
      intent('3', 'Bash', { command: 'touch /x' }),
      result('3', 'touch: no\nExit code 1\nThe sandbox refused: writing /x.', true),
    ],
    [
      '* Bash npm test',
      '  failed: Exit code 127: > clsx@2.1.0 test',
      '    > uvu',
      '    sh: 1: uvu: not found',
      '* Bash false',
      '  failed: Exit code 1',
      '* Bash touch /x',
      '  failed: Exit code 1: The sandbox refused: writing /x.',
      '    touch: no',
    ].join('\n'),
  ],
  [
    'a call that never ran',
    [
      calls('1', 'Bash', { command: 'rm -rf x' }),
      result('1', '<tool_use_error>Permission denied.\nWhy</tool_use_error>', true),
    ],
    '  Bash rm -rf x: failed: Permission denied.\n    Why',
  ],
  [
    'the steps of a list',
    [
      intent('1', 'TodoWrite', {
        todos: [
          { content: 'Look', status: 'completed' },
          { content: 'Act', status: 'pending' },
        ],
      }),
    ],
    '* TodoWrite\n  [x] Look\n  [ ] Act',
  ],
  [
    'only the steps that changed, the second time',
    [
      intent('1', 'TodoWrite', {
        todos: [
          { content: 'Look', status: 'in_progress' },
          { content: 'Act', status: 'pending' },
          { content: 'Think', status: 'pending' },
        ],
      }),
      result('1', 'The list is kept: 0 of 3 done.'),
      intent('2', 'TodoWrite', {
        todos: [
          { content: 'Look', status: 'completed' },
          { content: 'Act', status: 'pending' },
        ],
      }),
      result('2', 'The list is kept: 1 of 2 done.'),
    ],
    [
      '* TodoWrite',
      '  [>] Look',
      '  [ ] Act',
      '  [ ] Think',
      '  ok: 0 of 3 done',
      '* TodoWrite',
      '  [x] Look',
      '  (1 step left out)',
      '  ok: 1 of 2 done',
    ].join('\n'),
  ],
  ['a tool of a server', [intent('1', 'mcp__db__query', { sql: 'x' })], '* db: query {"sql":"x"}'],
  ['a tool without input', [intent('1', 'EnterPlanMode', {})], '* EnterPlanMode'],
  ['a retry', [retry], '  (overloaded, trying again in 4.0 s (2 of 10))'.replace('4.0', '4')],
  [
    'what the server said of a trouble, once',
    [refused(1, 'llama runner process has terminated'), refused(2, 'llama runner process has terminated')],
    [
      '  (the server failed (500: llama runner process has terminated), trying again in 4 s (1 of 10))',
      '  (the server failed, trying again in 4 s (2 of 10))',
    ].join('\n'),
  ],
  [
    'a run that failed, with a sign in front',
    [
      message({
        type: 'assistant',
        ...stamp,
        responseId: 'r',
        model: 'm',
        apiError: 'auth',
        content: [{ type: 'text', text: 'invalid x-api-key' }],
      }),
    ],
    'failed: invalid x-api-key',
  ],
  [
    'a retry in the middle of an answer',
    [{ type: 'stream_request_start' }, block('text'), delta('Half of '), retry],
    'Half of \n  (overloaded, trying again in 4 s (2 of 10); the answer starts again)',
  ],
  [
    'a retracted answer',
    [
      { type: 'stream_request_start' },
      block('text'),
      delta('Wrong.'),
      stop,
      answered('Wrong.'),
      { type: 'tombstone', uuids: ['u'] },
    ],
    'Wrong.\n  (retracted; the answer starts again)',
  ],
  [
    'text that turns out to be thinking',
    [
      { type: 'stream_request_start' },
      block('text'),
      delta('Hm.'),
      block('thinking'),
      stop,
      block('text'),
      delta('Hello.'),
      stop,
    ],
    'Hm.\n  (the text above is thinking)\n(thinking ...)\nHello.',
  ],
  ['a tombstone of what was not shown', [{ type: 'tombstone', uuids: ['u'] }], ''],
  [
    'a compaction',
    [
      {
        type: 'context',
        report: { level: 'autocompact', tokensBefore: 180_000, tokensAfter: 24_300, rewrotePrefix: true },
      },
      { type: 'prefix_rewritten' },
    ],
    '  (the conversation was compacted (180k to 24.3k tokens))',
  ],
  [
    'a compaction that begins',
    [{ type: 'compacting', trigger: 'auto' }],
    '  (compacting the conversation...)',
  ],
  [
    'a block that the API refused',
    [{ type: 'refused', blocks: ['{}'] }],
    '  (a part of the conversation was rejected; a note replaces it)',
  ],
  [
    'a compaction that failed',
    [
      {
        type: 'context',
        report: {
          level: 'autocompact',
          tokensBefore: 1,
          tokensAfter: 1,
          rewrotePrefix: false,
          details: { failed: 'no answer' },
        },
      },
    ],
    '  (compaction failed: no answer)',
  ],
  [
    'once that a cache is lost',
    [{ type: 'prefix_rewritten' }, { type: 'prefix_rewritten' }],
    '  (the start of the conversation changed, so it is no longer cached)',
  ],
  [
    'another model',
    [
      message({
        type: 'system',
        ...stamp,
        subtype: 'model_fallback',
        content: 'Switched from a to b: overloaded',
        level: 'warning',
      }),
    ],
    '  (Switched from a to b: overloaded)',
  ],
  [
    'a hook',
    [{ type: 'hook_progress', hook: 'stop', text: 'Run the tests.' }],
    '  (hook stop: Run the tests.)',
  ],
  [
    'the reason why the loop continued',
    [
      { type: 'transition', transition: { reason: 'next_turn' }, turnCount: 1 },
      { type: 'transition', transition: { reason: 'stop_hook_blocking', blocks: 1 }, turnCount: 1 },
      {
        type: 'transition',
        transition: { reason: 'max_output_tokens_escalate', maxOutputTokens: 1 },
        turnCount: 1,
      },
    ],
    '  (a stop hook sent the model back to work)\n  (the answer was cut at the output limit; the request is repeated with a higher limit)',
  ],
  [
    'what was queued, when it joins',
    [attached({ kind: 'queued_command', commandId: 'c', prompt: 'and hurry' })],
    '> and hurry',
  ],
  [
    'a file that changed',
    [attached({ kind: 'changed_file', path: 'a.ts', note: 'n' })],
    '  (a.ts changed on disk; the model was told)',
  ],
  [
    'a nudge',
    [attached({ kind: 'reminder', about: 'repetition', text: 'x' })],
    '  (the same call keeps giving the same result; the model was told)',
  ],
  [
    'a new working directory of commands',
    [attached({ kind: 'reminder', about: 'other', text: 'The working directory /a no longer exists.' })],
    '  (The working directory /a no longer exists.)',
  ],
  [
    'what is meant for the model alone',
    [
      message({ type: 'user', ...stamp, isMeta: true, content: 'Resume.' }),
      attached({ kind: 'reminder', about: 'other', text: 'You are planning: change nothing.' }),
    ],
    '',
  ],
];

describe('the event renderer', () => {
  it.each(CASES)('shows %s', (_what, events, lines) => {
    expect(rendered(...events)).toBe(lines.trimEnd());
  });
});
