/** The effects of an abort on the calls of one answer. */
import { createClock, createTestGate, fakeTool } from '@heddle/testing';
import { describe, expect, it } from 'vitest';
import type { Tool } from '../index.ts';
import { Rig } from './test/rig.ts';

const read = fakeTool({ name: 'Read' });
const write = fakeTool({ name: 'Write', readOnly: false });
const note = fakeTool({ name: 'Note', readOnly: false, concurrencySafe: true });

describe('an abort', () => {
  it('ends running calls, rejects waiting calls, and gives each a result', async () => {
    const slow = fakeTool({ name: 'Slow', gate: createTestGate() });
    const rig = new Rig([slow, read, write]);
    await rig.add('Slow s1', 'Read r1', 'Write w1');
    await rig.begin('s1');
    rig.controller.abort('cancelled');
    await rig.rest();
    expect(rig.results()).toEqual([
      's1! <tool_use_error>Slow was aborted</tool_use_error>',
      'r1! <tool_use_error>The call was not run: the turn was interrupted before it began.</tool_use_error>',
      'w1! <tool_use_error>The call was not run: the turn was interrupted before it began.</tool_use_error>',
    ]);
  });

  it('during the start of a call also ends the calls that would start with it', async () => {
    const aborting: Tool = {
      ...note,
      validateInput: () => {
        rig.controller.abort('interrupt');
        return { ok: true };
      },
    };
    const rig = new Rig([aborting]);
    await rig.add('Note n1', 'Note n2');
    await rig.endStream();
    const notRun =
      '<tool_use_error>The call was not run: the turn was interrupted before it began.</tool_use_error>';
    expect(rig.results()).toEqual([`n1! ${notRun}`, `n2! ${notRun}`]);
  });

  it('waits once, for the grace period, for a tool that ignores its signal', async () => {
    const deaf = fakeTool({ name: 'Deaf', gate: createTestGate(), ignoresAbort: true });
    const clock = createClock();
    const rig = new Rig([deaf], { clock });
    await rig.add('Deaf d1');
    await rig.begin();
    const began = clock.now();
    rig.controller.abort();
    await clock.run(rig.executor.close('not run'));
    expect(clock.now() - began).toBe(800);
    expect(rig.results()).toEqual([
      'd1! <tool_use_error>The call was interrupted. It may or may not have taken effect: check before you repeat it.</tool_use_error>',
    ]);
    await clock.run(rig.executor.stop());
    expect(clock.now() - began).toBe(800);
    expect(clock.pending).toEqual([]);
  });

  it('rejects calls that are added after it', async () => {
    const rig = new Rig([read]);
    rig.controller.abort();
    await rig.add('Read r1');
    expect(rig.results()).toEqual([
      'r1! <tool_use_error>The call was not run: the turn was interrupted before it began.</tool_use_error>',
    ]);
  });

  describe('by a new message of the user', () => {
    it('waits for a call that blocks interruption', async () => {
      const gate = createTestGate();
      const careful = fakeTool({ name: 'Careful', gate, interruptBehavior: 'block' });
      const rig = new Rig([careful, read]);
      await rig.add('Careful c1', 'Read r1');
      await rig.begin('c1');
      rig.controller.abort('interrupt');
      const closed = rig.executor.close('not run');
      await rig.clock.advance(10_000);
      expect(careful.calls).toMatchObject([{ ended: undefined }]);
      gate.open();
      await closed;
      expect(rig.results()).toEqual([
        'c1 Careful ok',
        'r1! <tool_use_error>The call was not run: the turn was interrupted before it began.</tool_use_error>',
      ]);
    });

    it('ends the others', async () => {
      const slow = fakeTool({ name: 'Slow', gate: createTestGate() });
      const rig = new Rig([slow]);
      await rig.add('Slow s1');
      await rig.begin();
      rig.controller.abort('interrupt');
      await rig.rest();
      expect(slow.calls).toMatchObject([{ ended: 'aborted' }]);
    });

    it('ends all calls when the consumer leaves', async () => {
      const careful = fakeTool({ name: 'Careful', gate: createTestGate(), interruptBehavior: 'block' });
      const rig = new Rig([careful]);
      await rig.add('Careful c1');
      await rig.begin();
      rig.controller.abort('interrupt');
      await rig.clock.run(rig.executor.stop());
      expect(careful.calls).toMatchObject([{ ended: 'aborted' }]);
    });
  });
});
