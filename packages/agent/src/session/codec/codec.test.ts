/** Entries on their way to the disk and back, and the lines that other tools write into the same layout. */
import type { Entry, EntryBody } from '@heddle/core';
import { describe, expect, it } from 'vitest';
import { StoredCosts } from '../../cost/stored-costs.ts';
import { decodeEntry } from './decode.ts';
import { encodeEntry, type EntryFrame } from './encode.ts';
import { assistant, boundary, user } from '../test/session-home.ts';

const frame: EntryFrame = { sessionId: 's1', cwd: '/work', version: '0.1.0' };
const NOTHING = { parentUuid: null, bill: new StoredCosts() };
const at = Date.parse('2026-11-15T10:00:00.000Z');
const usage = {
  input_tokens: 1,
  output_tokens: 2,
  cache_creation_input_tokens: 3,
  cache_read_input_tokens: 4,
  more: { service_tier: 'standard' },
};

/** One of each kind, with every field it can have. */
const EVERY_KIND: Readonly<Record<EntryBody['type'], readonly EntryBody[]>> = {
  session: [
    {
      type: 'session',
      snapshot: {
        cwd: '/work',
        model: 'm',
        systemPrompt: ['one', 'two'],
        userContext: { a: 'b' },
        systemContext: { c: 'd' },
        forkedFrom: 's0',
        agent: 'reviewer',
      },
    },
  ],
  user: [
    { type: 'user', message: { type: 'user', uuid: 'u1', at, content: 'plain' } },
    { type: 'user', message: { type: 'user', uuid: 'u2', at, content: 'hidden', isMeta: true } },
    { type: 'user', message: { type: 'user', uuid: 'u3', at, content: 'shown', isVirtual: true } },
    {
      type: 'user',
      message: {
        type: 'user',
        uuid: 'u4',
        at,
        content: [{ type: 'tool_result', tool_use_id: 't1', content: 'no', is_error: true }],
        toolUseResult: { stdout: 'no', nested: [1, null, { deep: true }] },
      },
    },
  ],
  assistant: [
    {
      type: 'assistant',
      message: {
        type: 'assistant',
        uuid: 'a1',
        at,
        responseId: 'msg_1',
        model: 'm',
        content: [{ type: 'thinking', thinking: 'hm', signature: 'sig' }],
        usage,
        requestId: 'req_1',
        isVirtual: true,
      },
    },
    {
      type: 'assistant',
      message: {
        type: 'assistant',
        uuid: 'a2',
        at,
        responseId: 'msg_2',
        model: '<synthetic>',
        content: [{ type: 'text', text: 'API Error' }],
        apiError: 'overloaded',
      },
    },
  ],
  system: [
    {
      type: 'system',
      message: {
        type: 'system',
        uuid: 's1',
        at,
        subtype: 'model_fallback',
        content: 'Switched',
        level: 'warning',
        details: { from: 'a' },
      },
    },
  ],
  attachment: [
    {
      type: 'attachment',
      message: {
        type: 'attachment',
        uuid: 't1',
        at,
        attachment: { kind: 'changed_file', path: '/a', note: 'changed' },
      },
    },
  ],
  request: [
    {
      type: 'request',
      model: 'm',
      chars: { system: 1, tools: 2, messages: 3, results: 4 },
      window: 200_000,
      threshold: 150_000,
    },
  ],
  answer: [{ type: 'answer', responseId: 'msg_1', model: 'm', stopReason: 'tool_use', usage, costUsd: 0.25 }],
  spent: [{ type: 'spent', model: 'm', usage, costUsd: 0.125 }],
  retry: [
    {
      type: 'retry',
      attempt: 2,
      delayMs: 600,
      error: {
        type: 'model_error',
        class: 'rate_limit',
        message: 'slow down',
        status: 429,
        requestId: 'req_2',
        retryAfterMs: 1_000,
      },
    },
  ],
  tombstone: [{ type: 'tombstone', uuids: ['a1', 'a2'] }],
  intent: [
    {
      type: 'intent',
      toolUseId: 't1',
      tool: 'Edit',
      input: { path: 'a' },
      effect: 'idempotent',
      details: { before: 'x' },
    },
  ],
  outcome: [{ type: 'outcome', toolUseId: 't1', isError: true }],
  ask: [{ type: 'ask', toolUseId: 't1', tool: 'Bash', input: { command: 'ls' } }],
  ask_answer: [{ type: 'ask_answer', toolUseId: 't1', behavior: 'deny', message: 'not now' }],
  checkpoint: [{ type: 'checkpoint', toolUseId: 't1', path: '/a', hash: null }],
  transition: [
    { type: 'transition', transition: { reason: 'max_output_tokens_recovery', attempt: 2 }, turnCount: 3 },
  ],
  summary: [{ type: 'summary', summary: 'read two files', toolUseIds: ['t1', 't2'] }],
  context: [
    {
      type: 'context',
      report: {
        level: 'snip',
        tokensBefore: 9,
        tokensAfter: 3,
        rewrotePrefix: false,
        details: { removed: 2 },
      },
    },
    boundary('kept'),
  ],
  stance: [
    { type: 'stance', stance: { workingDirectory: '/p/sub', permissionMode: 'default', tools: ['Bash'] } },
  ],
  mended: [{ type: 'mended', mends: ['a call without a result was closed'] }],
  refused: [{ type: 'refused', blocks: ['120-00ff'] }],
  command: [{ type: 'command', commandId: 'c1', state: 'completed' }],
  rewind: [
    { type: 'rewind', to: 'u1' },
    { type: 'rewind', to: 'u1', messages: [{ type: 'user', uuid: 'u1', at, content: 'plain' }] },
  ],
  title: [{ type: 'title', title: 'a "name"' }],
  end: [{ type: 'end', terminal: { reason: 'completed', truncated: true } }],
};

function onDisk(body: EntryBody): string {
  return JSON.stringify(encodeEntry({ ...body, at }, frame, NOTHING));
}

describe('an entry', () => {
  it.each(Object.values(EVERY_KIND).flat())('comes back from the disk as it was: $type', (body) => {
    const decoded = decodeEntry(onDisk(body));
    expect(decoded.kind === 'entry' ? decoded.entry : undefined).toEqual({ ...body, at });
  });
});

describe('a line of the file', () => {
  it('of the conversation has the fields that other tools look for, in a chain', () => {
    const entry = { ...user('u2', 'hello'), at } as Entry;
    expect(encodeEntry(entry, frame, { ...NOTHING, parentUuid: 'u1' })).toEqual({
      type: 'user',
      uuid: 'u2',
      parentUuid: 'u1',
      sessionId: 's1',
      isSidechain: false,
      userType: 'external',
      cwd: '/work',
      version: '0.1.0',
      timestamp: '2026-11-15T10:00:00.000Z',
      message: { role: 'user', content: 'hello' },
    });
  });

  it('of an answer holds a message of the API with one block', () => {
    const line = encodeEntry({ ...assistant('a1', 'hi'), at }, frame, NOTHING);
    expect(line).toMatchObject({
      type: 'assistant',
      message: {
        id: 'msg_1',
        type: 'message',
        role: 'assistant',
        model: 'm',
        content: [{ type: 'text', text: 'hi' }],
        stop_reason: null,
        stop_sequence: null,
      },
    });
  });

  it('of bookkeeping has neither uuid nor parent', () => {
    const line = encodeEntry({ type: 'tombstone', uuids: ['a'], at }, frame, NOTHING);
    expect(Object.keys(line)).toEqual(['type', 'uuids', 'sessionId', 'timestamp']);
  });

  it('where the history was replaced says what a reader who starts there would miss', () => {
    const bill = new StoredCosts();
    bill.add('m', usage, 0.5);
    const text = JSON.stringify(encodeEntry({ ...boundary('kept'), at }, frame, { parentUuid: 'a9', bill }));
    expect(text.startsWith('{"type":"boundary"')).toBe(true);
    const decoded = decodeEntry(text);
    expect(decoded.kind === 'entry' && decoded.before?.parentUuid).toBe('a9');
    expect(decoded.kind === 'entry' && decoded.before?.bill.costUsd).toBe(0.5);
  });
});

describe('a transcript that another tool wrote', () => {
  const common = {
    parentUuid: null,
    isSidechain: false,
    userType: 'external',
    cwd: '/work',
    sessionId: 's9',
    version: '2.1.325',
    gitBranch: 'main',
    timestamp: '2026-11-15T10:00:00.000Z',
  };
  const line = (fields: object): string => JSON.stringify({ ...common, ...fields });

  it('is read message by message', () => {
    const decoded = [
      line({ type: 'user', uuid: 'u1', message: { role: 'user', content: 'hello' } }),
      line({
        type: 'assistant',
        uuid: 'a1',
        requestId: 'req_1',
        message: {
          id: 'msg_9',
          type: 'message',
          role: 'assistant',
          model: 'claude',
          content: [{ type: 'tool_use', id: 't1', name: 'Bash', input: { command: 'ls' } }],
          stop_reason: null,
          usage: { input_tokens: 3, output_tokens: 1, service_tier: 'standard' },
        },
      }),
      line({
        type: 'user',
        uuid: 'u2',
        message: { role: 'user', content: [{ type: 'tool_result', tool_use_id: 't1', content: 'a.txt' }] },
        toolUseResult: { stdout: 'a.txt' },
      }),
      line({ type: 'system', uuid: 'y1', subtype: 'informational', content: 'note', level: 'info' }),
    ].map((text) => decodeEntry(text));
    expect(decoded.map((one) => (one.kind === 'entry' ? one.entry.type : one.kind))).toEqual([
      'user',
      'assistant',
      'user',
      'system',
    ]);
    expect(decoded[1]).toMatchObject({
      entry: {
        message: { responseId: 'msg_9', usage: { input_tokens: 3, more: { service_tier: 'standard' } } },
      },
    });
  });

  it('may hold bookkeeping that means nothing here, and subagents that are another conversation', () => {
    const foreign = [
      JSON.stringify({ type: 'queue-operation', operation: 'enqueue' }),
      JSON.stringify({ type: 'last-prompt', lastPrompt: 'x' }),
      JSON.stringify({ type: 'file-history-snapshot', snapshot: {} }),
      line({ type: 'user', uuid: 'u1', isSidechain: true, message: { role: 'user', content: 'sub' } }),
      line({ type: 'attachment', uuid: 't1', attachment: { type: 'todo_reminder' } }),
      line({ type: 'progress', uuid: 'p1', data: {} }),
      JSON.stringify({ type: 'user', message: { role: 'user', content: 'no uuid' } }),
    ];
    expect(foreign.map((text) => decodeEntry(text).kind)).toEqual(foreign.map(() => 'foreign'));
  });
});

describe('a damaged line', () => {
  it.each([
    ['', 'nothing'],
    ['{"type":"user","uuid":"u1"', 'half a line'],
    ['[1,2]', 'no object'],
    ['{"uuid":"u1"}', 'no type'],
    ['{"type":"user","uuid":"u1","message":{"role":"user"}}', 'a message without content'],
    ['{"type":"assistant","uuid":"a1"}', 'an answer without a message'],
    ['{"type":"tombstone"}', 'a tombstone without ids'],
    ['{"type":"boundary","report":{}}', 'a boundary without a history'],
    ['{"type":"boundary","report":{},"messages":[{"type":"user"}]}', 'a history of something else'],
    ['{"type":"end"}', 'an end without a reason'],
  ])('is recognized and never throws: %s (%s)', (text) => {
    expect(decodeEntry(text)).toEqual({ kind: 'damaged' });
  });

  it('keeps the blocks that are some', () => {
    const content = [null, 5, { text: 'no type' }, { type: 'text', text: 'yes' }];
    const decoded = decodeEntry(
      JSON.stringify({ type: 'user', uuid: 'u1', message: { role: 'user', content } }),
    );
    expect(decoded).toMatchObject({ entry: { message: { content: [{ type: 'text', text: 'yes' }] } } });
  });
});
