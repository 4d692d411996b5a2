/** The projection of a log to the messages that the model sees. */
import { describe, expect, it } from 'vitest';
import type { EntryBody, Message, UserMessage } from '../index.ts';
import { projectLog, Projection } from './projection.ts';

const userEntry = (uuid: string, content: UserMessage['content'] = uuid): EntryBody => ({
  type: 'user',
  message: { type: 'user', uuid, at: 0, content },
});

const called = (uuid: string, ...ids: string[]): EntryBody => ({
  type: 'assistant',
  message: {
    type: 'assistant',
    uuid,
    at: 0,
    responseId: 'r',
    model: 'm',
    content: ids.map((id) => ({ type: 'tool_use', id, name: 'Bash', input: {} })),
  },
});

const result = (uuid: string, id: string): EntryBody =>
  userEntry(uuid, [{ type: 'tool_result', tool_use_id: id, content: 'done' }]);

const intent = (toolUseId: string): Extract<EntryBody, { type: 'intent' }> => ({
  type: 'intent',
  toolUseId,
  tool: 'Bash',
  input: {},
  effect: 'writing',
});

const replaced = (...messages: Message[]): EntryBody => ({
  type: 'context',
  report: { level: 'autocompact', tokensBefore: 9, tokensAfter: 1, rewrotePrefix: true },
  messages,
});

const summary: Message = { type: 'user', uuid: 'summary', at: 0, content: 'what happened so far' };

const uuids = (entries: readonly EntryBody[]): string[] => projectLog(entries).map(({ uuid }) => uuid);

function openCalls(entries: readonly EntryBody[]): string[] {
  const projection = new Projection();
  for (const entry of entries) projection.apply(entry);
  return projection.openCalls.map(({ call, intent: begun }) => `${call.id}${begun ? ' begun' : ''}`);
}

describe('the projection of a log', () => {
  it('leaves out the structured output of tools, also in the messages of a rewind', () => {
    const message: Message = {
      type: 'user',
      uuid: 't1',
      at: 0,
      content: 'one line',
      toolUseResult: ['one line'],
    };
    const plain: Message = { type: 'user', uuid: 't1', at: 0, content: 'one line' };
    const stored: EntryBody = { type: 'user', message };
    expect(projectLog([stored])).toStrictEqual([plain]);
    expect(projectLog([stored, { type: 'rewind', to: 't1', messages: [message] }])).toStrictEqual([plain]);
  });

  it('contains the messages in order, without other entries', () => {
    const log: EntryBody[] = [
      userEntry('u1'),
      { type: 'mended', mends: ['x'] },
      called('a1', 'c1'),
      intent('c1'),
      { type: 'outcome', toolUseId: 'c1', isError: false },
      result('t1', 'c1'),
      { type: 'transition', transition: { reason: 'next_turn' }, turnCount: 2 },
      {
        type: 'system',
        message: { type: 'system', uuid: 's1', at: 0, subtype: 'informational', content: 'x' },
      },
      { type: 'end', terminal: { reason: 'completed' } },
    ];
    expect(uuids(log)).toEqual(['u1', 'a1', 't1', 's1']);
  });

  it('leaves out retracted messages and their calls', () => {
    const log = [
      userEntry('u1'),
      called('a1', 'c1'),
      intent('c1'),
      { type: 'tombstone', uuids: ['a1'] } as const,
    ];
    expect(uuids(log)).toEqual(['u1']);
    expect(openCalls(log)).toEqual([]);
  });

  it('opens a call again when only its result was retracted', () => {
    const log = [
      called('a1', 'c1'),
      intent('c1'),
      result('t1', 'c1'),
      { type: 'tombstone', uuids: ['t1'] } as const,
    ];
    expect(openCalls(log)).toEqual(['c1']);
  });

  it('starts with the new history after a replacement', () => {
    expect(uuids([userEntry('u1'), called('a1', 'c1'), replaced(summary), userEntry('u2')])).toEqual([
      'summary',
      'u2',
    ]);
  });

  it('is not changed by a context level that only reports', () => {
    const report = { level: 'microcompact', tokensBefore: 2, tokensAfter: 1, rewrotePrefix: false } as const;
    expect(uuids([userEntry('u1'), { type: 'context', report }])).toEqual(['u1']);
  });

  it('rewinds to a message and continues from it', () => {
    const log: EntryBody[] = [
      userEntry('u1'),
      userEntry('u2'),
      userEntry('u3'),
      { type: 'rewind', to: 'u2' },
      userEntry('u4'),
    ];
    expect(uuids(log)).toEqual(['u1', 'u2', 'u4']);
  });

  it('rewinds behind a replaced history if the record contains the messages', () => {
    const first: Message = { type: 'user', uuid: 'u1', at: 0, content: 'u1' };
    const log: EntryBody[] = [
      userEntry('u1'),
      userEntry('u2'),
      replaced(summary),
      { type: 'rewind', to: 'u1', messages: [first] },
      userEntry('u3'),
    ];
    expect(uuids(log)).toEqual(['u1', 'u3']);
  });

  it('reports a call as started if a rewind removed its result', () => {
    const call = called('a1', 'c1');
    const begun = { type: 'intent', toolUseId: 'c1', tool: 'Bash', input: {}, effect: 'writing' };
    const intents = (log: readonly EntryBody[]): unknown[] => {
      const projection = new Projection();
      for (const entry of log) projection.apply(entry);
      return projection.openCalls.map((open) => open.intent);
    };
    const back: EntryBody = { type: 'rewind', to: 'a1' };
    expect(intents([call, intent('c1'), result('t1', 'c1'), back])).toEqual([begun]);
    // The record contains the history, and earlier entries are not read.
    const messages = projectLog([call]);
    expect(intents([{ ...back, messages }])).toEqual([begun]);
    expect(intents([call, userEntry('u2'), back])).toEqual([undefined]);
    expect(intents([call, intent('c1'), userEntry('u2'), back])).toEqual([intent('c1')]);
  });

  it('ignores a rewind to an unknown message', () => {
    expect(uuids([userEntry('u1'), { type: 'rewind', to: 'nowhere' }])).toEqual(['u1']);
  });

  it('does not change an older version of itself', () => {
    const projection = new Projection();
    projection.apply(userEntry('u1'));
    const before = projection.messages;
    projection.apply(userEntry('u2'));
    projection.apply({ type: 'tombstone', uuids: ['u1'] });
    expect([...before].map(({ uuid }) => uuid)).toEqual(['u1']);
    expect([...projection.messages].map(({ uuid }) => uuid)).toEqual(['u2']);
  });
});

describe('open calls', () => {
  it('have no result, and are listed in order with their intents', () => {
    const log = [called('a1', 'c1', 'c2', 'c3'), intent('c3'), intent('c1'), result('t1', 'c1')];
    expect(openCalls(log)).toEqual(['c2', 'c3 begun']);
  });

  it('keep their intents when another message is retracted', () => {
    const log = [
      called('a1', 'c1'),
      intent('c1'),
      userEntry('u2'),
      { type: 'tombstone', uuids: ['u2'] } as const,
    ];
    expect(openCalls(log)).toEqual(['c1 begun']);
  });

  it('are removed with the history that contained them', () => {
    expect(openCalls([called('a1', 'c1'), intent('c1'), replaced(summary)])).toEqual([]);
  });

  it('ignore an intent and a result of unknown calls', () => {
    expect(openCalls([intent('c9'), result('t1', 'c9'), called('a1', 'c1')])).toEqual(['c1']);
  });
});
