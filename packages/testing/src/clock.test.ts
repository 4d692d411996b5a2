import { describe, expect, it } from 'vitest';
import { createClock, settle } from './clock.ts';
import { createTestGate } from './gate.ts';

const signal = new AbortController().signal;

describe('the virtual clock', () => {
  it('stands still until it is told to move', async () => {
    const clock = createClock({ now: 0 });
    let woke = false;
    void clock.sleep(10, signal).then(() => (woke = true));
    await settle();
    expect([clock.now(), woke]).toEqual([0, false]);
    expect(clock.pending).toEqual([{ at: 10 }]);
    await clock.advance(9);
    expect([clock.now(), woke]).toEqual([9, false]);
    await clock.advance(1);
    expect([clock.now(), woke]).toEqual([10, true]);
  });

  it('wakes sleepers in order of time, and the older first at the same instant', async () => {
    const clock = createClock({ now: 0 });
    const order: string[] = [];
    for (const [name, ms] of [
      ['c', 30],
      ['a', 10],
      ['b1', 20],
      ['b2', 20],
    ] as const) {
      void clock.sleep(ms, signal).then(() => order.push(`${name}@${clock.now()}`));
    }
    expect(await clock.runUntilIdle()).toBe(30);
    expect(order).toEqual(['a@10', 'b1@20', 'b2@20', 'c@30']);
  });

  it('lets what a sleeper sets off come to rest before it wakes the next', async () => {
    const clock = createClock({ now: 0 });
    const order: string[] = [];
    const worker = async (name: string, ms: number) => {
      await clock.sleep(ms, signal);
      for (let step = 0; step < 5; step++) await Promise.resolve();
      order.push(name);
      await clock.sleep(1, signal);
      order.push(`${name} again`);
    };
    void worker('a', 10);
    void worker('b', 12);
    await clock.advance(20);
    expect(order).toEqual(['a', 'a again', 'b', 'b again']);
  });

  it('ends a sleep at once when its signal aborts, and forgets it', async () => {
    const clock = createClock({ now: 0 });
    const controller = new AbortController();
    const sleep = clock.sleep(1_000, controller.signal);
    controller.abort();
    await sleep;
    expect([clock.now(), clock.pending]).toEqual([0, []]);
    await clock.sleep(1_000, controller.signal);
  });

  it('moves by itself when it is automatic, one sleeper at a time', async () => {
    const clock = createClock({ now: 0, auto: true });
    const order: string[] = [];
    const worker = async (name: string, every: number) => {
      for (let round = 0; round < 3; round++) {
        await clock.sleep(every, signal);
        order.push(`${name}@${clock.now()}`);
      }
    };
    await Promise.all([worker('a', 10), worker('b', 25)]);
    expect(order).toEqual(['a@10', 'a@20', 'b@25', 'a@30', 'b@50', 'b@75']);
  });

  it('lets time pass for one piece of work, also across a gate', async () => {
    const clock = createClock({ now: 0 });
    const gate = createTestGate();
    const work = (async () => {
      await clock.sleep(10, signal);
      await gate.pass();
      await clock.sleep(10, signal);
      return clock.now();
    })();
    void gate.reached.then(() => gate.open());
    expect(await clock.run(work)).toBe(20);
    await expect(clock.run(Promise.reject(new Error('no')))).rejects.toThrow('no');
  });
});

describe('a gate', () => {
  it('holds until it is opened and says when it was reached', async () => {
    const gate = createTestGate();
    let passed = false;
    const passing = gate.pass().then(() => (passed = true));
    await gate.reached;
    await settle();
    expect([passed, gate.isOpen]).toEqual([false, false]);
    gate.open();
    await passing;
    await gate.pass();
    expect([passed, gate.isOpen]).toEqual([true, true]);
  });

  it('lets an aborted caller go', async () => {
    const controller = new AbortController();
    const passing = createTestGate().pass(controller.signal);
    controller.abort();
    await passing;
  });
});
