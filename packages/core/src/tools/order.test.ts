import { fakeTool } from '@heddle/testing';
import { describe, expect, it } from 'vitest';
import { newSlot, nextCalls, type Slot } from './slot.ts';

type Kind = 'reads' | 'safe' | 'alone' | 'unread';

/** `reads 1` is a call without effects, in the given state. */
function slot(kind: Kind, id: string, state: Slot['state'] = 'queued'): Slot {
  const made = newSlot({ type: 'tool_use', id, name: 'Tool', input: {} });
  made.state = kind === 'unread' ? 'classifying' : state;
  if (kind === 'unread') return made;
  const [safe, early] = [kind !== 'alone', kind === 'reads'];
  made.call = { tool: fakeTool({ name: 'Tool' }), input: {}, raw: {}, safe, early, effect: 'writing' };
  return made;
}

const next = (slots: readonly Slot[], { room = 10, ended = true } = {}): string[] =>
  nextCalls(slots, room, ended).map(({ slot: { block } }) => block.id);

describe('the order of calls', () => {
  it('adjacent safe calls proceed together, up to the limit', () => {
    const slots = [slot('reads', 'a', 'running'), slot('safe', 'b'), slot('safe', 'c', 'permitted')];
    expect(next(slots)).toEqual(['b', 'c']);
    expect(next(slots, { room: 2 })).toEqual(['b']);
    expect(next(slots, { room: 1 })).toEqual([]);
  });

  it('a call that must run alone waits for those before it, and those behind it wait for the call', () => {
    const before = slot('safe', 'a', 'running');
    const slots = [before, slot('alone', 'b'), slot('safe', 'c')];
    expect(next(slots)).toEqual([]);
    before.state = 'settled';
    expect(next(slots)).toEqual(['b']);
  });

  it('a call that must run alone waits for one behind it that started early', () => {
    expect(next([slot('alone', 'a'), slot('reads', 'b', 'running')])).toEqual([]);
  });

  it('only calls without effects start before the answer has ended', () => {
    const slots = [slot('reads', 'a'), slot('safe', 'b'), slot('reads', 'c')];
    expect(next(slots, { ended: false })).toEqual(['a', 'c']);
    expect(next([slot('alone', 'a'), slot('reads', 'b')], { ended: false })).toEqual([]);
  });

  it('no call overtakes one whose input is not classified yet', () => {
    expect(next([slot('reads', 'a'), slot('unread', 'b'), slot('reads', 'c')])).toEqual(['a']);
  });
});
