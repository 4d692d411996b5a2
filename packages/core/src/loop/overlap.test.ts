/** Calls that run while the answer streams: their timing on the virtual clock, and calls that fail, hang or are aborted. */
import {
  call,
  createClock,
  fakeTool,
  pause,
  say,
  settle,
  type FakeTool,
  type FakeToolOptions,
} from '@heddle/testing';
import { describe, expect, it } from 'vitest';
import { DEFAULT_LIMITS } from '../machine/config.ts';
import { play } from './test/play.ts';

const IDS = ['c1', 'c2', 'c3', 'c4', 'c5'] as const;

/** Five calls, 300 ms apart, and 600 ms of silence before the answer ends. */
const five = IDS.flatMap((id, index) => [...(index === 0 ? [] : [pause(300)]), call(`Tool-${id}`, {}, id)]);
const script = [[...five, pause(600)], say('Done.')];

/** Half a second each by default. */
function tools(
  clock: ReturnType<typeof createClock>,
  change: Partial<Record<string, Partial<FakeToolOptions>>> = {},
) {
  return IDS.map((id) => fakeTool({ name: `Tool-${id}`, clock, delayMs: 500, ...change[id] }));
}

function startedAt(all: readonly FakeTool[], began: number): (number | undefined)[] {
  return all.map((tool) => tool.calls.at(0)).map((begun) => begun && begun.startedAt - began);
}

describe('five calls without effects, half a second each, streamed 300 ms apart', () => {
  it('are done when the answer is: after 1.8 s', async () => {
    const clock = createClock({ auto: true });
    const began = clock.now();
    const all = tools(clock);
    const { took, lines } = await play(script, { tools: all, clock });
    expect(took).toBe(1_800);
    expect(startedAt(all, began)).toEqual([0, 300, 600, 900, 1_200]);
    expect(lines.slice(-10)).toEqual([
      't3 result c3 "Tool-c3 ok"',
      'a5 call c5 Tool-c5',
      'intent c5',
      't4 result c4 "Tool-c4 ok"',
      't5 result c5 "Tool-c5 ok"',
      'answer_end tool_use',
      '→ next_turn',
      'request',
      'a6 text "Done."',
      'answer_end end_turn',
    ]);
  });

  it('take longer if they wait for the end of the answer', async () => {
    const clock = createClock({ auto: true });
    const { took } = await play(script, {
      tools: tools(clock),
      clock,
      config: { gates: { streamingToolExecution: false } },
    });
    expect(took).toBe(2_300);
  });
});

describe('calls with effects', () => {
  it('start only after the end, one after another', async () => {
    const clock = createClock({ auto: true });
    const began = clock.now();
    const all = tools(clock, Object.fromEntries(IDS.map((id) => [id, { readOnly: false }])));
    const { took } = await play(script, { tools: all, clock });
    expect(startedAt(all, began)).toEqual([1_800, 2_300, 2_800, 3_300, 3_800]);
    expect(took).toBe(4_300);
  });

  it('delay later calls, not earlier ones', async () => {
    const clock = createClock({ auto: true });
    const began = clock.now();
    const all = tools(clock, { c3: { readOnly: false } });
    const { took } = await play(script, { tools: all, clock });
    expect(startedAt(all, began)).toEqual([0, 300, 1_800, 2_300, 2_300]);
    expect(took).toBe(2_800);
  });
});

describe('twelve calls at once', () => {
  it('run ten at a time', async () => {
    const clock = createClock({ auto: true });
    const tool = fakeTool({ name: 'Read', clock, delayMs: 500 });
    const began = clock.now();
    const calls = Array.from({ length: 12 }, (_, index) => call('Read', { index }, `r${index}`));
    const { took } = await play([calls, say('Done.')], { tools: [tool], clock });
    expect(tool.calls.map((begun) => begun.startedAt - began)).toEqual([
      ...Array.from({ length: 10 }, () => 0),
      500,
      500,
    ]);
    expect(took).toBe(1_000);
  });
});

describe('five calls of which some fail, hang or are aborted', () => {
  const FAILS = { fails: 'no such file' } as const;
  const BREAKS = { fails: 'exit code 1', failureCancelsSiblings: true } as const;
  const HANGS = { delayMs: 10_000_000 } as const;
  const DEAF = { delayMs: 10_000_000, ignoresAbort: true } as const;

  /** The result of each call: `ok`, `failed`, `cancelled` after a failed command, `aborted`, or `not run`. */
  const permutations: readonly {
    readonly name: string;
    readonly change: Partial<Record<string, Partial<FakeToolOptions>>>;
    readonly abortAfterMs?: number;
    readonly fates: readonly string[];
    readonly took: number;
    readonly end: string;
  }[] = [
    {
      name: 'two fail without an effect on the others',
      change: { c2: FAILS, c4: FAILS },
      fates: ['ok', 'failed', 'ok', 'failed', 'ok'],
      took: 1_800,
      end: 'completed',
    },
    {
      name: 'a shell command breaks while its siblings run: at 800 ms, beside c3 only',
      change: { c2: BREAKS },
      fates: ['ok', 'failed', 'cancelled', 'ok', 'ok'],
      took: 1_800,
      end: 'completed',
    },
    {
      name: 'one hangs, the user aborts while the answer streams',
      change: { c1: HANGS },
      abortAfterMs: 1_000,
      fates: ['aborted', 'ok', 'aborted', 'aborted'],
      took: 1_000,
      end: 'aborted_streaming',
    },
    {
      name: 'one hangs, one fails, the user aborts after the answer',
      change: { c1: FAILS, c5: HANGS },
      abortAfterMs: 5_000,
      fates: ['failed', 'ok', 'ok', 'ok', 'aborted'],
      took: 5_000,
      end: 'aborted_tools',
    },
    {
      name: 'one ignores its signal, one waits: the abort ends within the grace period',
      change: { c2: DEAF, c3: { readOnly: false } },
      abortAfterMs: 2_000,
      fates: ['ok', 'interrupted', 'not run', 'not run', 'not run'],
      took: 2_000 + DEFAULT_LIMITS.abortGraceMs,
      end: 'aborted_tools',
    },
  ];

  it.each(permutations)('$name', async ({ change, abortAfterMs, fates, took, end }) => {
    const clock = createClock({ auto: true });
    const controller = new AbortController();
    if (abortAfterMs !== undefined) {
      void clock.sleep(abortAfterMs, new AbortController().signal).then(() => controller.abort('cancelled'));
    }
    const played = await play(end === 'completed' ? script : script.slice(0, 1), {
      tools: tools(clock, change),
      clock,
      controller,
    });
    expect(played.lines.filter((line) => line.includes('result')).map(fateOf)).toEqual(fates);
    expect(played.terminal.reason).toBe(end);
    expect(played.took).toBe(took);
    await settle();
  });
});

function fateOf(line: string): string {
  if (line.includes('Cancelled')) return 'cancelled';
  if (line.includes('was aborted')) return 'aborted';
  if (line.includes('was interrupted')) return 'interrupted';
  if (line.includes('not run')) return 'not run';
  return line.includes('!') ? 'failed' : 'ok';
}
