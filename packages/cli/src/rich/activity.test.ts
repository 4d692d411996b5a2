/** The activity rows: subagents with their last action, and the output of other calls. */
import type { LoopEvent } from '@heddle/core';
import { describe, expect, it } from 'vitest';
import { styleFor } from '../terminal/style.ts';
import { activityRows } from './activity.ts';
import { beginWork, IDLE, reduceEvent } from './live-state.ts';
import { composeRegion } from './view.ts';

const style = styleFor({ plain: true, env: {} });

function intent(id: string, tool: string, input: Record<string, string>): LoopEvent {
  return { type: 'tool_intent', toolUseId: id, tool, input, effect: 'writing' };
}

function progress(id: string, output: string): LoopEvent {
  return { type: 'progress', toolUseId: id, tool: '', data: { output } };
}

function rowsAfter(events: readonly LoopEvent[], now: number): readonly string[] {
  const moment = { now: 1_000, cwd: '/work' };
  const state = events.reduce((before, event) => reduceEvent(before, event, moment), beginWork(IDLE, 1_000));
  return activityRows(state, [], { style, now, isAsking: false }).output;
}

it('shows one row for each subagent with its last action, and the last lines of a command', () => {
  const events = [
    intent('a1', 'Agent', { description: 'count files', prompt: 'Count.' }),
    intent('a2', 'Agent', { description: 'read notes', prompt: 'Read.' }),
    intent('b1', 'Bash', { command: 'make' }),
    progress('a1', 'Grep (1 call, 10 tokens)\n'),
    progress('a1', 'Read (2 calls, 20 tokens)\n'),
    progress('a2', 'Glob (1 call, 9 tokens)\n'),
    progress('b1', 'one\nt'),
    progress('b1', 'wo\n\nthree\nfour\n'),
  ];
  expect(rowsAfter(events, 1_500)).toEqual([]);
  const [first, second, ...others] = rowsAfter(events, 4_000);
  expect(first).toMatch(/^ {2}Agent .*count files.*, 3 s: Read \(2 calls, 20 tokens\)$/);
  expect(second).toMatch(/^ {2}Agent .*read notes.*, 3 s: Glob \(1 call, 9 tokens\)$/);
  expect(others).toEqual(['  Bash make, 3 s', '  ... +1 earlier line', '  | two', '  | three', '  | four']);
  const [note, ...last] = rowsAfter([...events, progress('b1', 'five')], 4_000).slice(-4);
  expect([note, last.at(-1)]).toEqual(['  ... +2 earlier lines', '  | five']);
});

it('counts the subagents that have no row', () => {
  const ids = Array.from({ length: 8 }, (_, index) => `a${index}`);
  const events = ids.flatMap((id) => [
    intent(id, 'Agent', { description: id, prompt: id }),
    progress(id, 'Read (1 call, 5 tokens)\n'),
  ]);
  const rows = rowsAfter(events, 4_000);
  expect(rows).toHaveLength(5);
  expect(rows.at(-1)).toContain('4 more agent');
});

describe('a question with long choices', () => {
  const choices = ['> 1  yes', `  2  yes, always: ${'a long rule '.repeat(4)}in this project`, '  3  no'];
  const rowsFor = (rows: number): readonly string[] =>
    composeRegion(
      {
        open: [],
        activity: { busy: [], output: [], todos: [], queued: [] },
        facts: [],
        dialog: { body: ['Allow?'], choices: () => choices, below: [], breaksChoices: true },
        menu: [],
        input: { rows: ['allow? '], cursorRow: 0, cursorColumn: 7 },
      },
      { columns: 60, rows },
      style,
    ).rows;

  it('breaks them between words', () => {
    const words = ['  2  yes, always: Bash(git push), this project (.claude/settings.local.json)'];
    const view = {
      open: [],
      activity: { busy: [], output: [], todos: [], queued: [] },
      facts: [],
      dialog: { body: ['Allow?'], choices: () => words, below: [], breaksChoices: true },
      menu: [],
      input: { rows: ['allow? '], cursorRow: 0, cursorColumn: 7 },
    };
    expect(composeRegion(view, { columns: 60, rows: 20 }, style).rows.slice(-3)).toEqual([
      '  2  yes, always: Bash(git push), this project',
      '      (.claude/settings.local.json)',
      'allow? ',
    ]);
  });

  it('continues them in the next row, and cuts them if all choices would not fit', () => {
    expect(rowsFor(20).slice(-6)).toEqual([
      'Allow?',
      '> 1  yes',
      '  2  yes, always: a long rule a long rule a long rule',
      '      a long rule in this project',
      '  3  no',
      'allow? ',
    ]);
    const few = rowsFor(6);
    expect(few.slice(-2)).toEqual(['  3  no', 'allow? ']);
    expect(few.at(-3)).toMatch(/^ {2}2 {2}yes.*(?:…|\.\.\.)$/);
  });
});
