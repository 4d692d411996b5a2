import { setImmediate as later } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { waitOrInterrupt } from './abort.ts';

it('ignores an error of the work after an abort, whenever the abort came', async () => {
  const failures: unknown[] = [];
  const note = (why: unknown): void => void failures.push(why);
  process.on('unhandledRejection', note);
  try {
    for (const comesFirst of [true, false]) {
      const work = Promise.withResolvers<never>();
      const controller = new AbortController();
      if (comesFirst) controller.abort();
      const waiting = waitOrInterrupt(work.promise, controller.signal);
      controller.abort();
      await expect(waiting).rejects.toThrow(/Interrupted/);
      work.reject(new Error('too late'));
      await later();
    }
  } finally {
    process.off('unhandledRejection', note);
  }
  expect(failures).toEqual([]);
});

it('prefers an abort that came before to work that has settled already', async () => {
  await expect(waitOrInterrupt(Promise.resolve(1), AbortSignal.abort())).rejects.toThrow(/Interrupted/);
});
