/** A consumer that leaves while work is pending. The work ends at once. */
import { call, createClock, createTestGate, fakeTool, hang } from '@heddle/testing';
import { expect, it } from 'vitest';
import { stage } from './test/play.ts';

it('a consumer that leaves while it waits for a tool ends that tool', async () => {
  const gate = createTestGate();
  const slow = fakeTool({ name: 'Slow', readOnly: false, gate });
  const { run } = stage([call('Slow', {}, 's1')], { tools: [slow], clock: createClock() });
  let next = await run.next();
  while (!next.done && next.value.type !== 'tool_intent') next = await run.next();
  const pending = run.next();
  await gate.reached;
  await run.return({ reason: 'completed' });
  expect(slow.calls).toMatchObject([{ ended: 'aborted' }]);
  expect(await pending).toMatchObject({ done: false, value: { type: 'message' } });
  expect(await run.next()).toEqual({ done: true, value: undefined });
});

it('a consumer that leaves while it waits for the model ends the call', async () => {
  const gate = createTestGate();
  const { run, clock } = stage([[gate, hang()]], { clock: createClock() });
  await run.next();
  const pending = run.next();
  await gate.reached;
  await run.return({ reason: 'completed' });
  await pending;
  expect(clock.pending).toEqual([]);
});

it('an exception of the consumer is returned to it, and the run ends', async () => {
  const gate = createTestGate();
  const { run } = stage([[gate, hang()]], { clock: createClock() });
  await run.next();
  const pending = run.next();
  await gate.reached;
  await expect(run.throw(new Error('the screen is gone'))).rejects.toThrow('the screen is gone');
  await pending;
  expect(await run.next()).toEqual({ done: true, value: undefined });
});
