/** The decision table (`docs/machine.md`), row by row. */
import { describe, expect, it } from 'vitest';
import type { ModelErrorClass } from '../messages/model-error.ts';
import { decide } from './decide.ts';
import type { MachineEvent } from './effects.ts';
import * as given from './test/given.ts';
import { config, HOOK, next, loop } from './test/given.ts';

const COLLAPSE = config({ gates: { contextCollapse: true } });
const NO_REACTIVE = config({ gates: { reactiveCompact: false } });
const RESUMED = loop({ maxOutputTokensRecoveryCount: 1 });
const CIRCLE = loop({}, { repetition: [{ fingerprint: 'ls', tool: 'Bash', count: 11 }] });

describe('an iteration', () => {
  it('starts with preparing the context, with autocompact if it is on', () => {
    expect(decide(loop(), { type: 'began' }, config())).toMatchObject({
      kind: 'do',
      effect: { type: 'prepare', autoCompact: true },
    });
    const off = config({ gates: { autoCompact: false } });
    expect(decide(loop(), { type: 'began' }, off)).toMatchObject({
      effect: { type: 'prepare', autoCompact: false },
    });
  });

  it('skips autocompact after three failures in a row', () => {
    const failures = (consecutiveFailures: number) =>
      decide(
        loop({ autoCompactTracking: { compacted: false, turnCounter: 0, id: '', consecutiveFailures } }),
        { type: 'began' },
        config(),
      );
    expect(failures(2)).toMatchObject({ effect: { autoCompact: true } });
    expect(failures(3)).toMatchObject({ effect: { autoCompact: false } });
  });
});

describe('an abort', () => {
  const before: MachineEvent[] = [
    given.prepared({}, { aborted: 'cancel' }),
    given.drained(true, { aborted: 'cancel' }),
    given.compacted({ aborted: 'cancel' }),
    given.answered({ aborted: 'cancel' }),
    given.hooksRan({ aborted: 'cancel' }),
    given.threw({ during: 'stream', aborted: 'cancel' }),
  ];
  it.each(before)(
    'after `$type` keeps the partial text, closes open calls and stops with aborted_streaming',
    (event) => {
      expect(next(event)).toEqual([
        'stop aborted_streaming',
        'keep_interrupted',
        'close_open_calls',
        'notify interrupted',
      ]);
    },
  );

  const after: MachineEvent[] = [
    given.toolsRan({ aborted: 'cancel' }),
    given.asked(true, { aborted: 'cancel' }),
    given.attached({ aborted: 'cancel' }),
    given.threw({ during: 'run_tools', aborted: 'cancel' }),
  ];
  it.each(after)('after `$type` closes open calls and stops with aborted_tools', (event) => {
    expect(next(event)).toEqual(['stop aborted_tools', 'close_open_calls', 'notify interrupted']);
  });

  it('adds no message if the user sent a new one', () => {
    expect(next(given.answered({ aborted: 'interrupt' }))).toEqual([
      'stop aborted_streaming',
      'keep_interrupted',
      'close_open_calls',
    ]);
    expect(next(given.toolsRan({ aborted: 'interrupt' }))).toEqual([
      'stop aborted_tools',
      'close_open_calls',
    ]);
  });
});

describe('`prepared`', () => {
  it('stops with a message when the blocking limit applies', () => {
    const nothingLeft = config({ gates: { autoCompact: false, reactiveCompact: false } });
    expect(next(given.prepared({ overLimit: true }), { config: nothingLeft })).toEqual([
      'stop blocking_limit',
      'notify prompt_too_long',
    ]);
  });

  it('streams otherwise, under the default cap', () => {
    expect(decide(loop(), given.prepared(), config())).toMatchObject({
      kind: 'do',
      effect: { type: 'stream', maxOutputTokens: 8_192 },
    });
  });

  it('streams with the override if one is set', () => {
    const raised = loop({ maxOutputTokensOverride: 64_000 });
    expect(decide(raised, given.prepared(), config())).toMatchObject({ effect: { maxOutputTokens: 64_000 } });
  });
});

describe('`streamed`', () => {
  it('that threw on local media reports it and stops with image_error', () => {
    expect(next(given.threw({ media: true }))).toEqual([
      'stop image_error',
      'close_open_calls',
      'notify thrown',
    ]);
  });

  it('that threw another error closes open calls, reports it and stops with model_error', () => {
    expect(next(given.threw())).toEqual(['stop model_error', 'close_open_calls', 'notify thrown']);
  });

  it('with complete tool calls runs them', () => {
    expect(next(given.answered({ calls: 2 }))).toEqual(['do run_tools']);
  });

  it('with complete tool calls and a cut last block drops the block and runs the calls', () => {
    expect(next(given.failed('output_cap', { calls: 1 }))).toEqual(['do run_tools', 'drop_unfinished']);
  });

  it('with an overflow drains staged collapses first', () => {
    expect(next(given.failed('overflow', { staged: true }), { config: COLLAPSE })).toEqual(['do drain']);
  });

  it('with an overflow does not drain twice, without staged collapses or if switched off', () => {
    const onceMore = loop({}, { drained: true });
    expect(next(given.failed('overflow', { staged: true }), { config: COLLAPSE, loop: onceMore })).toEqual([
      'do compact',
    ]);
    expect(next(given.failed('overflow'), { config: COLLAPSE })).toEqual(['do compact']);
    expect(next(given.failed('overflow', { staged: true }))).toEqual(['do compact']);
  });

  it.each(['overflow', 'media'] as const)('with %s compacts, and stores the cause', (cause) => {
    expect(decide(loop(), given.failed(cause), config())).toMatchObject({
      effect: { type: 'compact', cause },
    });
  });

  it('with media too large does not drain', () => {
    expect(next(given.failed('media', { staged: true }), { config: COLLAPSE })).toEqual(['do compact']);
  });

  const compactedBefore = { loop: loop({ hasAttemptedReactiveCompact: true }) };
  it.each([compactedBefore, { config: NO_REACTIVE }])(
    'with an overflow and nothing left releases the error (%#)',
    (left) => {
      expect(next(given.failed('overflow'), left)).toEqual([
        'stop prompt_too_long',
        'release',
        'fire_stop_failure',
      ]);
    },
  );

  it.each([compactedBefore, { config: NO_REACTIVE }])(
    'with media and nothing left releases the error (%#)',
    (left) => {
      expect(next(given.failed('media'), left)).toEqual(['stop image_error', 'release', 'fire_stop_failure']);
    },
  );

  it('cut at the cap escalates and retracts the attempt', () => {
    expect(next(given.failed('output_cap'))).toEqual([
      'continue max_output_tokens_escalate',
      'tombstone_attempt',
    ]);
  });

  it.each([
    ['an override is in force', { loop: loop({ maxOutputTokensOverride: 16_000 }) }],
    ['it was resumed before', { loop: RESUMED }],
    ['the caller set the cap', { config: config({ outputCap: 1_000 }) }],
    ['escalation is off', { config: config({ gates: { outputEscalation: false } }) }],
  ])('cut at the cap asks to resume if %s', (_, where) => {
    expect(next(given.failed('output_cap'), where)).toEqual([
      'continue max_output_tokens_recovery',
      'keep_partial',
    ]);
  });

  it('cut at the cap after three resumptions is released and completes, truncated', () => {
    const resumed = (count: number) => loop({ maxOutputTokensRecoveryCount: count });
    expect(next(given.failed('output_cap'), { loop: resumed(2) })).toContain(
      'continue max_output_tokens_recovery',
    );
    expect(next(given.failed('output_cap'), { loop: resumed(3) })).toEqual([
      'stop completed',
      'keep_partial',
      'release',
      'fire_stop_failure',
    ]);
    expect(decide(resumed(3), given.failed('output_cap'), config())).toMatchObject({
      terminal: { reason: 'completed', truncated: true },
    });
  });

  it('with a refusal is released and completes without StopFailure hooks', () => {
    expect(next(given.failed('refusal'))).toEqual(['stop completed', 'release']);
  });

  const others: Record<Exclude<ModelErrorClass, 'overflow' | 'media' | 'output_cap' | 'refusal'>, true> = {
    rate_limit: true,
    overloaded: true,
    server: true,
    auth: true,
    permission: true,
    not_found: true,
    network: true,
    stall: true,
    bad_request: true,
    refused_block: true,
    empty: true,
    aborted: true,
    internal: true,
  };
  it.each(Object.keys(others))('with the error `%s` is released and stops with api_error', (name) => {
    const event = given.failed(name as ModelErrorClass);
    expect(next(event)).toEqual(['stop api_error', 'release', 'fire_stop_failure']);
    expect(decide(loop(), event, config())).toMatchObject({
      terminal: { reason: 'api_error', error: { class: name } },
    });
  });

  it('with an answer runs the stop hooks, and tells them whether one has blocked', () => {
    expect(decide(loop(), given.answered(), config())).toMatchObject({
      effect: { type: 'stop_hooks', stopHookActive: false },
    });
    const blocked = loop({ stopHookActive: true });
    expect(decide(blocked, given.answered(), config())).toMatchObject({ effect: { stopHookActive: true } });
  });
});

describe('`drained`', () => {
  it('retries if a collapse was committed, and retracts the attempt', () => {
    expect(next(given.drained(true))).toEqual(['continue collapse_drain_retry', 'tombstone_attempt']);
  });

  it('continues with compaction if none was committed, or releases the error', () => {
    expect(next(given.drained(false))).toEqual(['do compact']);
    const usedUp = loop({ hasAttemptedReactiveCompact: true });
    expect(next(given.drained(false), { loop: usedUp })).toEqual([
      'stop prompt_too_long',
      'release',
      'fire_stop_failure',
    ]);
  });
});

describe('`compacted`', () => {
  it('retries with the summary and retracts the attempt', () => {
    expect(next(given.compacted())).toEqual(['continue reactive_compact_retry', 'tombstone_attempt']);
  });

  it.each([
    ['overflow', 'stop prompt_too_long'],
    ['media', 'stop image_error'],
  ] as const)('that failed for %s releases the error: %s', (cause, stop) => {
    expect(next(given.compacted({ cause, result: { ok: false } }))).toEqual([
      stop,
      'release',
      'fire_stop_failure',
    ]);
  });
});

describe('`hooks ran`', () => {
  it('stops if a hook prevents continuation', () => {
    expect(next(given.hooksRan({ prevented: HOOK }))).toEqual([
      'stop stop_hook_prevented',
      'notify stop_hook_prevented',
    ]);
  });

  it('continues with the errors if a hook blocks', () => {
    expect(next(given.hooksRan({ blocking: [HOOK] }))).toEqual(['continue stop_hook_blocking']);
  });

  it('stops at the ninth block and names the hook', () => {
    const blocks = (stopHookBlocks: number) => loop({}, { stopHookBlocks });
    expect(next(given.hooksRan({ blocking: [HOOK] }), { loop: blocks(7) })).toEqual([
      'continue stop_hook_blocking',
    ]);
    expect(decide(blocks(8), given.hooksRan({ blocking: [HOOK] }), config())).toMatchObject({
      kind: 'stop',
      terminal: { reason: 'stop_hook_prevented', hook: 'lint', message: expect.stringContaining('8 times') },
    });
  });

  it('continues if the token budget is not used', () => {
    expect(next(given.hooksRan({ outputTokens: 600 }), { config: config({ tokenBudget: 10_000 }) })).toEqual([
      'continue token_budget_continuation',
    ]);
  });

  it('completes otherwise', () => {
    expect(next(given.hooksRan())).toEqual(['stop completed']);
  });
});

describe('`tools ran`', () => {
  it('stops if a tool hook stopped the run', () => {
    expect(next(given.toolsRan({ stoppedBy: HOOK }))).toEqual(['stop hook_stopped', 'notify hook_stopped']);
  });

  it('asks at the limit of repetition if a user can answer', () => {
    expect(decide(CIRCLE, given.toolsRan(), config({ canAsk: true }))).toMatchObject({
      effect: { type: 'ask', calls: [{ tool: 'Bash', count: 12 }] },
    });
  });

  it('stops at the limit of repetition if no user can answer, and lists the calls', () => {
    expect(next(given.toolsRan(), { loop: CIRCLE })).toEqual([
      'stop repetition_stopped',
      'notify repetition',
    ]);
    expect(decide(CIRCLE, given.toolsRan(), config())).toMatchObject({
      terminal: { calls: [{ tool: 'Bash', count: 12 }] },
    });
  });

  it('never stops for repetition if the detector is off', () => {
    expect(
      next(given.toolsRan(), { loop: CIRCLE, config: config({ gates: { repetition: false } }) }),
    ).toEqual(['do attach']);
  });

  it('attaches otherwise', () => {
    expect(next(given.toolsRan())).toEqual(['do attach']);
  });

  it('attaches a nudge at the fifth repetition, once', () => {
    const seen = (count: number) => loop({}, { repetition: [{ fingerprint: 'ls', tool: 'Bash', count }] });
    const nudgeAfter = (count: number) => decide(seen(count), given.toolsRan(), config());
    expect(nudgeAfter(3)).toMatchObject({ effect: { type: 'attach', nudge: [] } });
    expect(nudgeAfter(4)).toMatchObject({ effect: { type: 'attach', nudge: [{ tool: 'Bash', count: 5 }] } });
    expect(nudgeAfter(5)).toMatchObject({ effect: { type: 'attach', nudge: [] } });
  });

  it('does not nudge again about a call that stays at five repetitions', () => {
    const repetition = [
      { fingerprint: 'cat', tool: 'Read', count: 5 },
      { fingerprint: 'ls', tool: 'Bash', count: 2 },
    ];
    expect(decide(loop({}, { repetition }), given.toolsRan(), config())).toMatchObject({
      effect: { type: 'attach', nudge: [] },
    });
  });

  it('does not drain the queue if the turn limit forbids another call', () => {
    const limited = config({ maxTurns: 1 });
    expect(decide(loop(), given.toolsRan(), limited)).toMatchObject({
      effect: { type: 'attach', drainQueue: false },
    });
    expect(decide(loop(), given.toolsRan(), config())).toMatchObject({
      effect: { type: 'attach', drainQueue: true },
    });
  });
});

describe('`asked`', () => {
  it('to continue resets the count and attaches', () => {
    const decision = decide(CIRCLE, given.asked(true), config());
    expect(decision).toMatchObject({ kind: 'do', effect: { type: 'attach' } });
    expect(decision.loop.ledger.repetition).toEqual([]);
  });

  it('to stop stops with repetition_stopped', () => {
    expect(next(given.asked(false), { loop: CIRCLE })).toEqual([
      'stop repetition_stopped',
      'notify repetition',
    ]);
  });
});

describe('`attached`', () => {
  it('stops at the turn limit and reports it', () => {
    const limited = config({ maxTurns: 3 });
    expect(next(given.attached(), { loop: loop({ turnCount: 3 }), config: limited })).toEqual([
      'stop max_turns',
      'notify max_turns',
    ]);
    expect(next(given.attached(), { loop: loop({ turnCount: 2 }), config: limited })).toEqual([
      'continue next_turn',
    ]);
    expect(decide(loop({ turnCount: 3 }), given.attached(), limited)).toMatchObject({
      terminal: { turnCount: 4, maxTurns: 3 },
    });
  });

  it.each([undefined, 0])('takes the next turn without a limit if the limit is %s', (maxTurns) => {
    expect(
      next(given.attached(), { loop: loop({ turnCount: 1_000 }), config: config({ maxTurns }) }),
    ).toEqual(['continue next_turn']);
  });
});
