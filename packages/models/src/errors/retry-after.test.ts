import type { IncomingHttpHeaders } from 'node:http';
import { describe, expect, it } from 'vitest';
import { LONGEST_TIMER_MS } from '../clock.ts';
import { describeReset, retryDelayOf } from './retry-after.ts';

const NOW = Date.parse('2026-01-01T00:00:00Z');

describe('how long the server wants us to wait', () => {
  it.each<[string, IncomingHttpHeaders, number | undefined]>([
    ['seconds', { 'retry-after': '2' }, 2_000],
    ['parts of a second', { 'retry-after': '0.5' }, 500],
    ['a date', { 'retry-after': 'Thu, 01 Jan 2026 00:01:30 GMT' }, 90_000],
    ['milliseconds', { 'retry-after-ms': '1500', 'retry-after': '9' }, 1_500],
    ['zero', { 'retry-after': '0' }, undefined],
    ['a date that has passed', { 'retry-after': 'Wed, 31 Dec 2025 00:00:00 GMT' }, undefined],
    ['nonsense', { 'retry-after': 'soon' }, undefined],
    ['nothing', {}, undefined],
    [
      'the reset of the limit that is used up',
      {
        'anthropic-ratelimit-requests-remaining': '4',
        'anthropic-ratelimit-requests-reset': '2026-01-01T01:00:00Z',
        'anthropic-ratelimit-tokens-remaining': '0',
        'anthropic-ratelimit-tokens-reset': '2026-01-01T00:00:30Z',
      },
      30_000,
    ],
    [
      'the reset of a plan, in seconds since the epoch',
      {
        'anthropic-ratelimit-unified-status': 'rejected',
        'anthropic-ratelimit-unified-reset': String(NOW / 1_000 + 3_600),
      },
      3_600_000,
    ],
  ])('is read from %s', (_what, headers, wait) => {
    expect(retryDelayOf(headers, 'rate_limit', NOW)).toBe(wait);
  });

  it.each<[IncomingHttpHeaders, number | undefined]>([
    [{ 'retry-after': '99999999999999' }, LONGEST_TIMER_MS],
    [{ 'retry-after': '1e308' }, LONGEST_TIMER_MS],
    [{ 'retry-after': 'Infinity' }, LONGEST_TIMER_MS],
    [{ 'retry-after-ms': '1e400' }, LONGEST_TIMER_MS],
    [{ 'retry-after': 'Fri, 31 Dec 9999 23:59:59 GMT' }, LONGEST_TIMER_MS],
    [{ 'retry-after': '+275760-09-13T00:00:00Z' }, LONGEST_TIMER_MS],
    [{ 'retry-after': '+275760-09-13T00:00:01Z' }, undefined],
    [{ 'retry-after': '-99999999999999' }, undefined],
    [{ 'retry-after': '-Infinity' }, undefined],
    [{ 'retry-after': 'NaN' }, undefined],
    [{ 'retry-after': ' ' }, undefined],
    [
      {
        'anthropic-ratelimit-tokens-remaining': '0',
        'anthropic-ratelimit-tokens-reset': '9'.repeat(300),
      },
      LONGEST_TIMER_MS,
    ],
    [
      {
        'anthropic-ratelimit-tokens-remaining': '0',
        'anthropic-ratelimit-tokens-reset': '9999-12-31T23:59:59Z',
      },
      LONGEST_TIMER_MS,
    ],
  ])('has a bound that no header breaks: %j', (headers, wait) => {
    expect(retryDelayOf(headers, 'rate_limit', NOW)).toBe(wait);
    expect(describeReset(NOW, wait ?? 1)).toMatch(/^It (resets at|does not reset within)/);
  });

  it('does not matter for errors that waiting does not cure', () => {
    expect(retryDelayOf({ 'retry-after': '2' }, 'auth', NOW)).toBeUndefined();
  });

  it('takes the reset of limits for rate limits only', () => {
    const headers = {
      'anthropic-ratelimit-tokens-remaining': '0',
      'anthropic-ratelimit-tokens-reset': '2026-01-01T00:00:30Z',
    };
    expect(retryDelayOf(headers, 'overloaded', NOW)).toBeUndefined();
  });

  it.each([
    [5_000, 'in 5 s'],
    [600_000, 'in 10 minutes'],
    [5 * 3_600_000, 'in 5 hours'],
    [LONGEST_TIMER_MS, 'not reset within 597 hours'],
  ])('%i ms read “%s”', (ms, words) => {
    expect(describeReset(NOW, ms)).toContain(words);
  });
});
