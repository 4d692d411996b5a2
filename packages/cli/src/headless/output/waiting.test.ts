import type { LoopEvent } from '@heddle/core';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { WaitingNotice } from '../print.ts';

let notices: string[];
let waiting: WaitingNotice;
beforeEach(() => {
  vi.useFakeTimers();
  notices = [];
  waiting = new WaitingNotice((text) => notices.push(text));
});
afterEach(() => vi.useRealTimers());

const ASKED: LoopEvent = { type: 'stream_request_start' };
const INTENT: LoopEvent = { type: 'tool_intent', toolUseId: 't', tool: 'Read', input: {}, effect: 'writing' };

it('tells the user about a slow answer after ten seconds, after a minute, and then no more', () => {
  waiting.observe(ASKED);
  vi.advanceTimersByTime(9_999);
  expect(notices).toEqual([]);
  vi.advanceTimersByTime(600_000);
  expect(notices).toEqual(
    ['10 s', '1 min 0 s'].map((time) => `still waiting for the model's answer, ${time}`),
  );
});

it('of many answers that take ten seconds, one is told; of those that take a minute, each', () => {
  for (const seconds of [12, 12, 70]) {
    waiting.observe(ASKED);
    vi.advanceTimersByTime(seconds * 1_000);
    waiting.observe(INTENT);
  }
  expect(notices).toHaveLength(2);
});

it('a pause before another attempt does not count, and nothing is told after the end', () => {
  waiting.observe({
    type: 'retry',
    attempt: 2,
    maxAttempts: 10,
    delayMs: 30_000,
    error: { type: 'model_error', class: 'overloaded', message: '' },
  });
  vi.advanceTimersByTime(35_000);
  waiting.end();
  vi.advanceTimersByTime(600_000);
  expect(notices).toEqual([]);
});
