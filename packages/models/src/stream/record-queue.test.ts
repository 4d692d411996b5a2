import type { ModelRecord } from '@heddle/core';
import { describe, expect, it } from 'vitest';
import { RecordQueue } from './record-queue.ts';

const PING: ModelRecord = { type: 'ping' };
const DONE = { type: 'done' } as const;

function queue() {
  const said: string[] = [];
  const records = new RecordQueue({
    onFull: () => void said.push('full'),
    onDrained: () => void said.push('drained'),
    onLeft: () => void said.push('left'),
  });
  return { records, said };
}

describe('the queue of records', () => {
  it('gives records in order, then ends', async () => {
    const { records } = queue();
    const first = records.next();
    records.push(PING);
    records.end(DONE);
    records.push(PING);
    expect(await first).toEqual({ done: false, value: PING });
    expect(await records.next()).toEqual({ done: false, value: DONE });
    expect(await records.next()).toEqual({ done: true, value: undefined });
  });

  it('gives what is here without a promise, and nothing where nothing is', () => {
    const { records } = queue();
    expect(records.ready()).toBeUndefined();
    records.push(PING);
    expect(records.ready()).toBe(PING);
    expect(records.ready()).toBeUndefined();
  });

  it('asks the sender to pause when it fills up, once, and to go on when it is empty', async () => {
    const { records, said } = queue();
    for (let count = 0; count < 5_000; count++) records.push(PING);
    expect(said).toEqual(['full']);
    for (let count = 0; count < 5_000; count++) await records.next();
    expect(said).toEqual(['full', 'drained']);
  });

  it('says so when the reader leaves, and wakes whoever waits', async () => {
    const { records, said } = queue();
    const waiting = records.next();
    await records.return();
    expect(await waiting).toEqual({ done: true, value: undefined });
    expect(said).toEqual(['left']);
  });
});
