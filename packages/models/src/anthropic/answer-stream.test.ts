import { PassThrough } from 'node:stream';
import type { Done, ModelError, ModelRecord } from '@heddle/core';
import { settle } from '@heddle/testing';
import { describe, expect, it } from 'vitest';
import { AnswerStream } from './answer-stream.ts';

const ERROR: ModelError = { type: 'model_error', class: 'network', message: 'broken' };

function stage(onRecord: (record: ModelRecord) => void = () => undefined) {
  const response = Object.assign(new PassThrough(), { headers: { 'request-id': 'req_1' } });
  const records: string[] = [];
  const ends: (Done | ModelError)[] = [];
  const stream = new AnswerStream(response, {
    onRecord(record) {
      records.push(String(record.type));
      onRecord(record);
    },
    onContent: () => void records.push('content'),
    onHold: () => void records.push('hold'),
    onStopped: () => void records.push('stopped'),
    onEnd: (end) => void ends.push(end),
    wordFor: () => ERROR,
    wordForBreak: () => ERROR,
    wordForBug: (thrown) => ({ ...ERROR, class: 'internal', message: String(thrown) }),
  });
  const send = async (...events: readonly string[]) => {
    for (const type of events) response.write(`data: {"type":"${type}"}\n\n`);
    await settle();
  };
  return { response, stream, said: records, ends, send };
}

describe('the stream of an answer', () => {
  it('distinguishes content from pings', async () => {
    const { said: records, send } = stage();
    await send('ping');
    await send('of_tomorrow');
    expect(records).toEqual(['ping', 'of_tomorrow', 'content']);
  });

  it('treats a large incomplete event as content', async () => {
    const { said: records, response } = stage();
    response.write(`data: {"type":"of_tomorrow","x":"${'x'.repeat(2_000)}`);
    await settle();
    expect(records).toEqual(['content']);
  });

  it('reads nothing while it is paused, and everything afterwards', async () => {
    const { stream, said: records, send, ends, response } = stage();
    stream.pause();
    await send('of_tomorrow', 'message_stop');
    response.end();
    await settle();
    expect(records).toEqual(['hold']);
    expect(ends).toEqual([]);
    stream.resume();
    await settle();
    expect(records.filter((word) => word !== 'content')).toEqual([
      'hold',
      'of_tomorrow',
      'message_stop',
      'stopped',
    ]);
    expect(ends).toEqual([{ type: 'done', requestId: 'req_1' }]);
  });

  it('does not start a new wait with the chunk that caused the pause', async () => {
    const {
      stream,
      said: records,
      send,
    } = stage((record) => {
      if (String(record.type) === 'the_last_straw') stream.pause();
    });
    await send('of_tomorrow', 'the_last_straw');
    expect(records).toEqual(['of_tomorrow', 'content', 'the_last_straw', 'hold']);
  });

  it('reports an internal error as a model error instead of throwing it', async () => {
    const { ends, send } = stage(() => {
      throw new Error('a bug');
    });
    await send('of_tomorrow');
    expect(ends).toEqual([{ ...ERROR, class: 'internal', message: 'Error: a bug', requestId: 'req_1' }]);
  });

  it('is complete after message_stop, even if the connection breaks', async () => {
    const { response, ends, send } = stage();
    await send('message_stop');
    response.destroy(new Error('reset'));
    await settle();
    expect(ends).toEqual([{ type: 'done', requestId: 'req_1' }]);
  });

  it('ignores data after message_stop', async () => {
    const { said: records, send } = stage();
    await send('message_stop', 'error', 'of_tomorrow');
    await send('more');
    expect(records).toEqual(['message_stop', 'stopped', 'content']);
  });

  it('ends once, even if several causes end it', async () => {
    const { response, ends } = stage();
    response.destroy(new Error('reset'));
    await settle();
    expect(ends).toEqual([{ ...ERROR, requestId: 'req_1' }]);
  });
});
