/** Tools that break their contract. They cause an error result and never end the run. */
import { createTestGate, fakeTool } from '@heddle/testing';
import { describe, expect, it } from 'vitest';
import { Rig } from './test/rig.ts';
import type { ToolResult } from './tool.ts';

const read = fakeTool({ name: 'Read' });

describe('a tool that does not match its type', () => {
  it('gets an error result when a property of it throws', async () => {
    const trap = Object.defineProperty(fakeTool({ name: 'Trap' }), 'describeIntent', {
      get: () => {
        throw new Error('no such thing');
      },
    });
    const rig = new Rig([trap, read]);
    await rig.add('Trap t1', 'Read r1');
    await rig.runAll();
    expect(rig.results()).toEqual(['t1! <tool_use_error>no such thing</tool_use_error>', 'r1 Read ok']);
  });

  const circular: unknown[] = [{ type: 'text', text: 'a' }];
  circular.push({ type: 'text', text: 'b', more: circular });

  it.each([
    ['nothing', undefined],
    ['no content', {}],
    ['a number', { content: 5 }],
    ['a list of nothing', { content: [null] }],
    ['a circle', { content: circular }],
  ])('gets an error result for %s', async (_what, result) => {
    const odd = { ...fakeTool({ name: 'Odd' }), toResult: () => result as ToolResult };
    const rig = new Rig([odd]);
    await rig.add('Odd o1');
    await rig.runAll();
    expect(rig.results()).toEqual([
      expect.stringMatching(/^o1! .*neither text nor a list of content blocks/),
    ]);
  });
});

describe('a call that blocks interruption', () => {
  it('is ended after its longer grace', async () => {
    const careful = fakeTool({
      name: 'Careful',
      readOnly: false,
      gate: createTestGate(),
      interruptBehavior: 'block',
    });
    const rig = new Rig([careful]);
    await rig.add('Careful c1');
    await rig.endStream();
    await rig.begin();
    rig.controller.abort('interrupt');
    await rig.clock.advance(29_999);
    expect(rig.results()).toEqual([]);
    await rig.clock.advance(1);
    expect(rig.results()).toEqual([expect.stringMatching(/^c1! .*Careful was aborted/)]);
    expect(rig.clock.pending).toEqual([]);
  });

  it('does not hold the run longer if it ignores its signal', async () => {
    const deaf = fakeTool({
      name: 'Deaf',
      readOnly: false,
      gate: createTestGate(),
      interruptBehavior: 'block',
      ignoresAbort: true,
    });
    const rig = new Rig([deaf]);
    await rig.add('Deaf d1');
    await rig.endStream();
    await rig.begin();
    rig.controller.abort('interrupt');
    await rig.clock.advance(30_800);
    expect(rig.results()).toEqual([expect.stringMatching(/^d1! .*may or may not have taken effect/)]);
  });
});
