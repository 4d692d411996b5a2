/** A session's conversation for people. */
import { appendFileSync } from 'node:fs';
import type { EntryBody } from '@heddle/core';
import { describe, expect, it } from 'vitest';
import {
  assistant,
  boundary,
  callOf,
  createSessionHome,
  resultOf,
  tombstone,
  user,
} from '../test/session-home.ts';
import { readTranscript, transcriptPartsOf } from './transcript.ts';

function textsOf(bodies: readonly EntryBody[]): string[] {
  const home = createSessionHome();
  const { journal } = home.begin('s1');
  for (const body of bodies) journal.append(body);
  journal.close();
  return readTranscript(home.file('s1')).items.map((item) =>
    item.kind === 'message' ? item.message.uuid : `compacted: ${item.handoff.map(({ uuid }) => uuid).join()}`,
  );
}

describe('the transcript', () => {
  it('continues through a compaction, and leaves out retracted messages', () => {
    const log = [
      user('u1'),
      assistant('a1'),
      tombstone('a1'),
      assistant('a2'),
      boundary('sum', 'a2'),
      user('u2'),
    ];
    expect(textsOf(log)).toEqual(['u1', 'a2', 'compacted: sum', 'u2']);
  });

  it('follows a rewind', () => {
    const log = [user('u1'), assistant('a1'), user('u2'), { type: 'rewind', to: 'a1' } as const, user('u3')];
    expect(textsOf(log)).toEqual(['u1', 'a1', 'u3']);
  });

  it('no longer contains a compaction that was undone', () => {
    const log = [user('u1'), boundary('sum'), user('u2'), boundary('sum2'), user('u3')];
    const back = (...uuids: string[]): EntryBody => ({
      type: 'rewind',
      to: 'u2',
      messages: uuids.map((uuid) => ({ type: 'user', uuid, at: 0, content: uuid })),
    });
    expect(textsOf([...log, back('sum', 'u2')])).toEqual(['u1', 'compacted: sum', 'u2']);
    expect(textsOf([...log, back('u1', 'u2')])).toEqual(['u1', 'u2']);
  });

  it('counts what cannot be read, and brings back long texts', () => {
    const home = createSessionHome();
    const { journal } = home.begin('s1');
    journal.append(user('u1', 'x'.repeat(100_000)));
    journal.close();
    appendFileSync(home.file('s1'), 'damage\n');
    const { items, damagedLines } = readTranscript(home.file('s1'));
    expect(damagedLines).toBe(1);
    expect(items).toMatchObject([{ message: { content: 'x'.repeat(100_000) } }]);
  });
});

describe('the pieces of a message', () => {
  const at = 0;

  it('are what was said, called and answered; what is for the model alone is left out', () => {
    expect(transcriptPartsOf({ type: 'user', uuid: 'u', at, content: 'hidden', isMeta: true })).toEqual([]);
    const call = callOf('a', 'c1');
    const result = resultOf('r', 'c1', 'out');
    expect(
      [call, result].flatMap((body) =>
        body.type === 'assistant' || body.type === 'user' ? transcriptPartsOf(body.message) : [],
      ),
    ).toMatchObject([
      { kind: 'call', tool: 'Bash' },
      { kind: 'result', role: 'tool', text: 'out', isError: false },
    ]);
  });

  it('name pictures and keep them', () => {
    const source = { type: 'base64', media_type: 'image/png', data: 'AAAA' } as const;
    const content = [
      { type: 'tool_result', tool_use_id: 'c', content: [{ type: 'image', source }] },
    ] as const;
    expect(transcriptPartsOf({ type: 'user', uuid: 'u', at, content })).toMatchObject([
      { kind: 'result', text: '' },
      { kind: 'media', text: '[image: image/png]', source },
    ]);
  });
});

describe('blocks that lack what they should hold', () => {
  const odd = [
    { type: 'text' },
    { type: 'thinking', thinking: 7 },
    { type: 'tool_use', id: 'c1' },
    { type: 'tool_result', tool_use_id: 'c1' },
    { type: 'tool_result', tool_use_id: 'c2', content: [null, { type: 'text' }, { type: 'image' }] },
    { type: 'image' },
    { type: 'document', source: 'x' },
    { type: 'text', text: 'the rest' },
  ];
  const line = (type: string, more: object): string => `${JSON.stringify({ type, uuid: type, ...more })}\n`;

  it('do not prevent reading the others', () => {
    const home = createSessionHome();
    home.begin('s1').journal.close();
    appendFileSync(home.file('s1'), line('user', { message: { content: odd } }));
    appendFileSync(home.file('s1'), line('assistant', { message: { content: odd } }));
    appendFileSync(home.file('s1'), line('attachment', { attachment: { kind: 'queued_command' } }));
    const { items } = readTranscript(home.file('s1'));
    const texts = items.map((item) =>
      item.kind === 'message' ? transcriptPartsOf(item.message).at(-1) : undefined,
    );
    expect(texts).toMatchObject([{ text: 'the rest' }, { text: 'the rest' }, undefined]);
  });
});
