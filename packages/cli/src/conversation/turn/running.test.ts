import type { LoopEvent } from '@heddle/core';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { Running } from './running.ts';

let shown: (string | undefined)[];
let notes: string[];
beforeEach(() => {
  vi.useFakeTimers();
  [shown, notes] = [[], []];
});
afterEach(() => vi.useRealTimers());

function running(isKeyScreen: boolean): Running {
  const note = (text: string): void => void notes.push(text);
  return new Running({
    cwd: '/project',
    now: Date.now,
    show: (text) => shown.push(text),
    note: isKeyScreen ? undefined : note,
  });
}

const begins = (tool = 'Bash'): LoopEvent => ({
  type: 'tool_intent',
  toolUseId: 'b1',
  tool,
  input: { command: 'make' },
  effect: 'writing',
});
const writes = (output: string): LoopEvent => ({
  type: 'progress',
  toolUseId: 'b1',
  tool: 'Bash',
  data: { output, bytes: output.length },
});
const ENDS: LoopEvent = {
  type: 'message',
  message: {
    type: 'user',
    uuid: 'u',
    at: 0,
    content: [{ type: 'tool_result', tool_use_id: 'b1', content: '' }],
  },
};

it('shows the duration and the last output of a call every second, after ten seconds', () => {
  const calls = running(true);
  calls.observe(begins());
  vi.advanceTimersByTime(9_000);
  expect(shown.filter(Boolean)).toEqual([]);
  vi.advanceTimersByTime(1_000);
  calls.observe(writes('\u001b[32mone\u001b[0m\ntwo\r50 %\n\n'));
  vi.advanceTimersByTime(1_000);
  expect(shown.slice(-2)).toEqual(['  (10 s, Bash make)', '  (11 s, Bash make: 50 %)']);
  calls.observe(ENDS);
  vi.advanceTimersByTime(60_000);
  expect(shown.at(-1)).toBeUndefined();
  expect(shown.filter(Boolean)).toHaveLength(2);
});

it('prints lines at growing intervals on a screen without a status line', () => {
  running(false).observe(begins());
  vi.advanceTimersByTime(70_000);
  expect(notes).toEqual(['10 s', '20 s', '40 s'].map((time) => `Bash make runs, ${time}`));
});

it('does not show calls that wait for the user', () => {
  running(true).observe(begins('AskUserQuestion'));
  vi.advanceTimersByTime(60_000);
  expect(shown).toEqual([]);
});
