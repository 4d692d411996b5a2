/** The repetition detector: it detects cycles of calls, and does not report progress as one. */
import { describe, expect, it } from 'vitest';
import { noteCalls, repeated } from './ledger.ts';
import type { RepetitionLedger } from './state.ts';

/** A batch is one string. Several calls of one batch are joined by `+`. A call is its tool, input and result. */
function after(batches: readonly string[], before: RepetitionLedger = []): RepetitionLedger {
  return batches.reduce(
    (seen, batch) =>
      noteCalls(
        seen,
        batch.split('+').map((fingerprint) => ({ tool: fingerprint.split(' ')[0] ?? '', fingerprint })),
      ),
    before,
  );
}

function highest(batches: readonly string[]): number {
  return Math.max(0, ...after(batches).map((call) => call.count));
}

function times<T>(count: number, make: (at: number) => T | T[]): T[] {
  return Array.from({ length: count }, (_, at) => make(at)).flat() as T[];
}

describe('the repetition detector notices', () => {
  it('the same call with the same result, and counts it', () => {
    expect(highest(times(12, () => 'ls a'))).toBe(12);
  });

  it('two alternating calls', () => {
    expect(highest(times(12, () => ['ls a', 'cat b']))).toBe(12);
  });

  it('a cycle of eight different calls', () => {
    expect(highest(times(12, () => times(8, (at) => `step ${at}`)))).toBe(12);
  });

  it('the same batch of several calls, once a batch', () => {
    expect(highest(times(5, () => 'ls a+cat b'))).toBe(5);
    expect(highest(times(5, () => 'ls a+ls a'))).toBe(5);
  });

  it('a cycle that starts after much other work', () => {
    const work = times(50, (at) => `edit ${at}`);
    expect(highest([...work, ...times(12, () => ['ls a', 'cat b'])])).toBe(12);
  });

  it('a call that continues, although it was first seen long before', () => {
    const between = times(8, (at) => [`edit ${at}`, 'ls a']);
    expect(highest(['ls a', ...between, ...times(11, () => 'ls a')])).toBe(12);
  });

  it('which tools were called how often', () => {
    expect(repeated(after(times(5, () => ['ls a', 'cat b'])), 4)).toEqual([
      { tool: 'ls', count: 4 },
      { tool: 'cat', count: 5 },
    ]);
    expect(repeated(after(['ls a', 'ls a', 'cat b', 'ls a']), 2)).toEqual([]);
  });
});

describe('the repetition detector ignores', () => {
  it('polling whose result changes', () => {
    expect(highest(times(40, (at) => `status ${at}`))).toBe(1);
  });

  it('equal waits between polls with new results', () => {
    expect(highest(times(40, (at) => ['sleep 5', `status ${at}`]))).toBe(1);
  });

  it('a test that fails the same way after each different edit', () => {
    expect(highest(times(40, (at) => [`edit ${at}`, 'test fails']))).toBe(1);
  });

  it('reading the same file after each different edit and test', () => {
    expect(highest(times(40, (at) => [`edit ${at}`, 'test fails', 'read same', 'test fails']))).toBeLessThan(
      5,
    );
  });

  it('a batch in which one call is new', () => {
    expect(highest(times(40, (at) => `read same+status ${at}`))).toBe(1);
  });

  it('a sequence of more different calls than it remembers', () => {
    expect(highest(times(12, () => times(9, (at) => `step ${at}`)))).toBe(1);
  });
});

describe('the ledger of calls', () => {
  it('remembers the last eight, however many there were', () => {
    expect(after(times(50, (at) => `edit ${at}`)).map((call) => call.fingerprint)).toEqual(
      times(8, (at) => `edit ${at + 42}`),
    );
  });

  it('remembers a whole batch, however large', () => {
    expect(after([times(12, (at) => `read ${at}`).join('+')])).toHaveLength(12);
  });

  it('resets all counts after a new call', () => {
    expect(after(['ls a', 'ls a', 'ls a', 'new b'])).toEqual([
      { tool: 'ls', fingerprint: 'ls a', count: 0 },
      { tool: 'new', fingerprint: 'new b', count: 1 },
    ]);
  });

  it('does not change its argument', () => {
    const seen = Object.freeze([Object.freeze({ tool: 'ls', fingerprint: 'ls a', count: 1 })]);
    expect(noteCalls(seen, [{ tool: 'ls', fingerprint: 'ls a' }])).toEqual([
      { tool: 'ls', fingerprint: 'ls a', count: 2 },
    ]);
  });
});
