import type { ModelRecord } from '@heddle/core';
import { describe, expect, it } from 'vitest';
import { RecordQueue } from './record-queue.ts';

const PING: ModelRecord = { type: 'ping' };
const DONE = { type: 'done' } as const;

function queue() {
  const calls: string[] = [];
  const records = new RecordQueue({
    onFull: () => void calls.push('full'),
    onDrained: () => void calls.push('drained'),
    onLeft: () => void calls.push('left'),
  });
  return { records, said: calls };
}

describe('the queue of records', () => {
  it('delivers records in order, then ends', async () => {
    const { records } = queue();
    const first = records.next();
    records.push(PING);
    records.end(DONE);
    records.push(PING);
    expect(await first).toEqual({ done: false, value: PING });
    expect(await records.next()).toEqual({ done: false, value: DONE });
    expect(await records.next()).toEqual({ done: true, value: undefined });
  });

  it('delivers available records without a promise, and none if the queue is empty', () => {
    const { records } = queue();
    expect(records.ready()).toBeUndefined();
    records.push(PING);
    expect(records.ready()).toBe(PING);
    expect(records.ready()).toBeUndefined();
  });

  it('asks the sender to pause when it fills up, once, and to continue when it is empty', async () => {
    const { records, said: calls } = queue();
    for (let count = 0; count < 5_000; count++) records.push(PING);
    expect(calls).toEqual(['full']);
    for (let count = 0; count < 5_000; count++) await records.next();
    expect(calls).toEqual(['full', 'drained']);
  });

  it('reports that the reader stopped, and wakes a waiting reader', async () => {
    const { records, said: calls } = queue();
    const waiting = records.next();
    await records.return();
    expect(await waiting).toEqual({ done: true, value: undefined });
    expect(calls).toEqual(['left']);
  });
});
