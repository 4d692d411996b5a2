import { expect, it } from 'vitest';
import { closeInOrder } from './close-in-order.ts';

it('runs every step in order although some fail, and reports the first error at the end', async () => {
  const ran: string[] = [];
  const step = (name: string, work: () => unknown) => async () => {
    await work();
    ran.push(name);
  };
  const closing = closeInOrder([
    step('hooks', () => Promise.resolve()),
    () => {
      throw new Error('tools');
    },
    step('sandbox', () => Promise.reject(new Error('sandbox'))),
    step('journal', () => undefined),
  ]);
  await expect(closing).rejects.toThrow('tools');
  expect(ran).toEqual(['hooks', 'journal']);
});
