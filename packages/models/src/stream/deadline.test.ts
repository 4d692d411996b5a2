import { createClock } from '@heddle/testing';
import { describe, expect, it } from 'vitest';
import { Deadline } from './deadline.ts';

function watched() {
  const clock = createClock();
  const missed: string[] = [];
  const deadline = new Deadline(clock);
  const set = (name: string, ms: number) => deadline.set(ms, () => missed.push(name));
  return { clock, missed, deadline, set };
}

describe('a deadline', () => {
  it('passes when nothing happens', async () => {
    const { clock, missed, set } = watched();
    set('a', 100);
    await clock.advance(99);
    expect(missed).toEqual([]);
    await clock.advance(1);
    expect(missed).toEqual(['a']);
    await clock.advance(1_000);
    expect(missed).toEqual(['a']);
  });

  it('restarts whenever something happens', async () => {
    const { clock, missed, deadline, set } = watched();
    set('a', 100);
    for (let count = 0; count < 5; count++) {
      await clock.advance(90);
      deadline.touch();
    }
    await clock.advance(99);
    expect(missed).toEqual([]);
    await clock.advance(1);
    expect(missed).toEqual(['a']);
  });

  it.each([
    ['longer', 300],
    ['shorter', 20],
  ])('can be replaced by a %s one', async (_name, ms) => {
    const { clock, missed, set } = watched();
    set('a', 100);
    await clock.advance(50);
    set('b', ms);
    await clock.advance(ms - 1);
    expect(missed).toEqual([]);
    await clock.advance(1);
    expect(missed).toEqual(['b']);
  });

  it('does not pass while it is held', async () => {
    const { clock, missed, deadline, set } = watched();
    set('a', 100);
    deadline.hold();
    await clock.advance(1_000);
    expect(missed).toEqual([]);
    deadline.touch();
    await clock.advance(100);
    expect(missed).toEqual(['a']);
  });

  it('leaves no timer when it is stopped', async () => {
    const { clock, missed, deadline, set } = watched();
    set('a', 100);
    deadline.stop();
    await clock.advance(1_000);
    expect(missed).toEqual([]);
    expect(clock.pending).toEqual([]);
  });
});
