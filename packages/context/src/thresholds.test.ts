import { describe, expect, it } from 'vitest';
import { contextOptions } from './options.ts';
import { thresholdsOf, windowState } from './thresholds.ts';

describe('thresholds', () => {
  it('are the smaller of a share of the window and the window less the reserved output', () => {
    expect(thresholdsOf(contextOptions(), 'm')).toMatchObject({ blocking: 180_000, autoCompact: 180_000 });
    const large = contextOptions({ windowOf: () => 1_000_000 });
    expect(thresholdsOf(large, 'm')).toMatchObject({ blocking: 980_000, autoCompact: 900_000 });
  });

  it('obey a cap of the user', () => {
    const capped = contextOptions({ autoCompactCap: 50_000, autoCompactRatio: 0.5 });
    expect(thresholdsOf(capped, 'm')).toMatchObject({
      autoCompact: 50_000,
      warning: 42_500,
      blocking: 180_000,
    });
  });

  it('use a smaller window if the user sets one, but block at the window of the model', () => {
    const smaller = contextOptions({ windowOf: () => 1_000_000, autoCompactWindow: 100_000 });
    expect(thresholdsOf(smaller, 'm')).toMatchObject({ blocking: 980_000, autoCompact: 80_000 });
    const larger = contextOptions({ autoCompactWindow: 1_000_000, autoCompactRatio: 0.5 });
    expect(thresholdsOf(larger, 'm').autoCompact).toBe(100_000);
  });

  it('depend on the model, and leave something of a small window', () => {
    const options = contextOptions({ windowOf: (model) => (model === 'small' ? 10_000 : 200_000) });
    expect(thresholdsOf(options, 'small')).toMatchObject({ blocking: 6_000, autoCompact: 6_000 });
    expect(thresholdsOf(options, 'other').blocking).toBe(180_000);
  });
});

describe('the state of the window', () => {
  const thresholds = thresholdsOf(contextOptions({ autoCompactCap: 100_000 }), 'm');

  it('goes from fine to blocked, with the percentage that is left', () => {
    const states = [0, 84_999, 85_000, 100_000, 180_000, 400_000].map((tokens) => {
      const { state, percentLeft } = windowState(tokens, thresholds);
      return `${state} ${percentLeft}`;
    });
    expect(states).toEqual([
      'fine 100',
      'fine 53',
      'warning 53',
      'compaction_due 44',
      'blocked 0',
      'blocked 0',
    ]);
  });
});
