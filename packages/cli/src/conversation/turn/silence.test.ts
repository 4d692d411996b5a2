import type { LoopEvent } from '@heddle/core';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { SilenceTimer } from './running.ts';

let notes: string[];
let silence: SilenceTimer;
beforeEach(() => {
  vi.useFakeTimers();
  notes = [];
  silence = new SilenceTimer((text) => notes.push(text));
});
afterEach(() => vi.useRealTimers());

const ASKED: LoopEvent = { type: 'stream_request_start' };
const PING: LoopEvent = { type: 'stream_event', event: { type: 'ping' } };

it('reports at growing intervals that no answer has arrived, and ignores pings', () => {
  silence.observe(ASKED);
  vi.advanceTimersByTime(9_000);
  silence.observe(PING);
  expect(notes).toEqual([]);
  vi.advanceTimersByTime(61_000);
  expect(notes).toEqual(
    ['10 s', '20 s', '40 s'].map((waited) => `no answer yet, ${waited}; Ctrl-C interrupts`),
  );
});

it('stops with the first part of an answer, and with the turn', () => {
  silence.observe(ASKED);
  silence.observe({ type: 'stream_event', event: { type: 'message_stop' } });
  vi.advanceTimersByTime(60_000);
  silence.observe(ASKED);
  silence.end();
  vi.advanceTimersByTime(60_000);
  expect(notes).toEqual([]);
});
