import { setImmediate as later } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { untilAborted } from './abort.ts';

it('what fails after an abort is nobody’s to handle, whenever the abort came', async () => {
  const failures: unknown[] = [];
  const note = (why: unknown): void => void failures.push(why);
  process.on('unhandledRejection', note);
  try {
    for (const comesFirst of [true, false]) {
      const work = Promise.withResolvers<never>();
      const controller = new AbortController();
      if (comesFirst) controller.abort();
      const waiting = untilAborted(work.promise, controller.signal);
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

it('an abort that came before wins over what is there already', async () => {
  await expect(untilAborted(Promise.resolve(1), AbortSignal.abort())).rejects.toThrow(/Interrupted/);
});
