/** A session's conversation for people. */
import { appendFileSync } from 'node:fs';
import type { EntryBody } from '@heddle/core';
import { describe, expect, it } from 'vitest';
import { assistant, boundary, callOf, house, resultOf, tombstone, user } from '../test/house.ts';
import { piecesOf } from './pieces.ts';
import { readTranscript } from './read.ts';

function told(bodies: readonly EntryBody[]): string[] {
  const home = house();
  const { journal } = home.begin('s1');
  for (const body of bodies) journal.append(body);
  journal.close();
  return readTranscript(home.file('s1')).items.map((item) =>
    item.kind === 'message'
      ? item.message.uuid
      : `compacted: ${item.handOver.map(({ uuid }) => uuid).join()}`,
  );
}

describe('the transcript', () => {
  it('goes on through a compaction, and leaves out what was taken back', () => {
    const log = [
      user('u1'),
      assistant('a1'),
      tombstone('a1'),
      assistant('a2'),
      boundary('sum', 'a2'),
      user('u2'),
    ];
    expect(told(log)).toEqual(['u1', 'a2', 'compacted: sum', 'u2']);
  });

  it('follows a rewind', () => {
    const log = [user('u1'), assistant('a1'), user('u2'), { type: 'rewind', to: 'a1' } as const, user('u3')];
    expect(told(log)).toEqual(['u1', 'a1', 'u3']);
  });

  it('counts what cannot be read, and brings back long texts', () => {
    const home = house();
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
    expect(piecesOf({ type: 'user', uuid: 'u', at, content: 'hidden', isMeta: true })).toEqual([]);
    const call = callOf('a', 'c1');
    const result = resultOf('r', 'c1', 'out');
    expect(
      [call, result].flatMap((body) =>
        body.type === 'assistant' || body.type === 'user' ? piecesOf(body.message) : [],
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
    expect(piecesOf({ type: 'user', uuid: 'u', at, content })).toMatchObject([
      { kind: 'result', text: '' },
      { kind: 'media', text: '[image: image/png]', source },
    ]);
  });
});
