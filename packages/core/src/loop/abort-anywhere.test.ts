/** An abort or a leaving consumer at every event of a long run. The run ends soon, and every call has a result. */
import {
  breakOff,
  call,
  createClock,
  cut,
  fail,
  fakeAttachments,
  fakeTool,
  fakeTurnEnd,
  queued,
  say,
  unfinished,
} from '@heddle/testing';
import { describe, expect, it } from 'vitest';
import { DEFAULT_LIMITS } from '../machine/config.ts';
import type { LoopEvent } from './events.ts';
import { play, stage } from './test/play.ts';

const script = [
  [say('Let me look'), breakOff()],
  [say('I read.'), call('Read', { path: 'a' }, 'r1'), call('Bash', {}, 'b1'), call('Nonsense', {}, 'n1')],
  [unfinished(say('At length')), cut()],
  fail('overflow'),
  [call('Bash', {}, 'b2'), call('Read', { path: 'b' }, 'r2'), cut()],
  say('Done.'),
  say('Done indeed.'),
];

function scene() {
  const clock = createClock({ auto: true });
  const read = fakeTool({ name: 'Read', clock, delayMs: 100 });
  const bash = fakeTool({ name: 'Bash', readOnly: false, progress: ['…'], clock, delayMs: 100 });
  const turnEnd = fakeTurnEnd({
    stopHooks: [{ block: 'Test it.' }],
    progress: [{ type: 'hook_progress', hook: 'lint', text: '…' }],
  });
  const attachments = fakeAttachments({ queue: [queued('c1', 'hurry')] });
  const summarizeTools = () => Promise.resolve('worked');
  return {
    clock,
    controller: new AbortController(),
    tools: [read, bash],
    config: { gates: { emitToolUseSummaries: true } },
    deps: { turnEnd, attachments, summarizeTools },
  };
}

describe('a run with many kinds of events', () => {
  it('completes without an abort', async () => {
    const { terminal, lines, model } = await play(script, scene());
    expect(terminal).toEqual({ reason: 'completed' });
    expect(model.stepsLeft()).toBe(0);
    expect(lines.filter((line) => line.startsWith('→'))).toEqual([
      '→ next_turn',
      '→ max_output_tokens_escalate',
      '→ reactive_compact_retry',
      '→ next_turn',
      '→ stop_hook_blocking',
    ]);
  });

  it.each(['cancelled', 'interrupt'])(
    'that is aborted (%s) ends soon, wherever that happens',
    async (reason) => {
      const whole = await play(script, scene());
      for (const [at, line] of whole.lines.entries()) {
        const set = scene();
        let [callsBefore, abortedAt, count] = [0, 0, 0];
        const { run, model } = stage(script, set);
        const events: LoopEvent[] = [];
        let next = await run.next();
        while (!next.done) {
          events.push(next.value);
          if (count++ === at) {
            [callsBefore, abortedAt] = [model.calls.length, set.clock.now()];
            set.controller.abort(reason);
          }
          next = await run.next();
        }
        model.assertNoViolations();
        // When only the completed commands are left to report, the run has ended, and an abort has no effect.
        const tooLate = whole.lines.slice(at).every((later) => later.startsWith('command'));
        expect({
          line,
          end: next.value.reason.replace(/_(streaming|tools)$/, ''),
          open: callsWithoutOneResult(events),
          callsAfter: model.calls.length - callsBefore,
          soon: set.clock.now() - abortedAt <= DEFAULT_LIMITS.abortGraceMs,
          says: JSON.stringify(events).includes('[Request interrupted by user'),
        }).toEqual({
          line,
          end: tooLate ? 'completed' : 'aborted',
          open: [],
          callsAfter: 0,
          soon: true,
          says: reason === 'cancelled' && !tooLate,
        });
      }
    },
  );

  it('leaves nothing running when its consumer leaves', async () => {
    const whole = await play(script, scene());
    for (const at of whole.events.keys()) {
      const set = scene();
      const { run } = stage(script, set);
      for (let count = 0; count <= at; count++) await run.next();
      await run.return({ reason: 'completed' });
      const running = set.tools.flatMap(({ calls }) => calls).filter(({ ended }) => ended === undefined);
      expect(running).toEqual([]);
      expect(await run.next()).toEqual({ done: true, value: undefined });
    }
  });
});

/** The calls in messages that were not retracted. */
function callsWithoutOneResult(events: readonly LoopEvent[]): string[] {
  const buried = new Set(events.flatMap((event) => (event.type === 'tombstone' ? event.uuids : [])));
  const results = new Map<string, number>();
  for (const event of events) {
    if (event.type !== 'message' || buried.has(event.message.uuid)) continue;
    const { message, outcome } = event;
    if (outcome) results.set(outcome.toolUseId, (results.get(outcome.toolUseId) ?? 0) + 1);
    if (message.type !== 'assistant') continue;
    for (const block of message.content) if (block.type === 'tool_use') results.set(block.id, 0);
  }
  return [...results].filter(([, count]) => count !== 1).map(([id]) => id);
}
