import { expect, it } from 'vitest';
import { runInOrder } from './change.ts';

it('the entry after one that left the queue still waits for the earlier ones', async () => {
  const steps: string[] = [];
  const never = new AbortController().signal;
  const gate = Promise.withResolvers<void>();
  const first = runInOrder('a', never, async () => {
    await gate.promise;
    steps.push('first');
  });
  const leaving = new AbortController();
  const second = runInOrder('a', leaving.signal, async () => void steps.push('second'));
  leaving.abort();
  await expect(second).rejects.toThrow(/Interrupted/);
  const third = runInOrder('a', never, async () => void steps.push('third'));
  gate.resolve();
  await Promise.all([first, third]);
  expect(steps).toEqual(['first', 'third']);
});
