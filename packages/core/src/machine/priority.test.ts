/** Section 5: if several ends or recoveries apply at once, the first wins. Tests adjacent pairs of the order. */
import { describe, expect, it } from 'vitest';
import * as given from './test/given.ts';
import { config, HOOK, next, loop } from './test/given.ts';

describe('when several apply at once', () => {
  it('an abort wins over a media error', () => {
    expect(next(given.threw({ media: true, aborted: 'cancel' }))[0]).toBe('stop aborted_streaming');
  });

  it('a media error wins over any other exception', () => {
    expect(next(given.threw({ media: true }))[0]).toBe('stop image_error');
  });

  it('an abort wins over a thrown error, and over an error answer', () => {
    expect(next(given.threw({ aborted: 'cancel' }))[0]).toBe('stop aborted_streaming');
    expect(next(given.failed('overflow', { aborted: 'cancel' }))[0]).toBe('stop aborted_streaming');
  });

  it('complete tool calls win over every error at the end of the answer', () => {
    const names = ['overflow', 'media', 'output_cap', 'refusal', 'network'] as const;
    expect(names.map((name) => next(given.failed(name, { calls: 1, staged: true }))[0])).toEqual(
      names.map(() => 'do run_tools'),
    );
  });

  it('prompt too long: draining comes before compaction, and compaction before the release', () => {
    const collapse = config({ gates: { contextCollapse: true } });
    const drained = loop({}, { drained: true });
    const both = loop({ hasAttemptedReactiveCompact: true }, { drained: true });
    const tooLong = given.failed('overflow', { staged: true });
    expect(next(tooLong, { config: collapse })[0]).toBe('do drain');
    expect(next(tooLong, { config: collapse, loop: drained })[0]).toBe('do compact');
    expect(next(tooLong, { config: collapse, loop: both })[0]).toBe('stop prompt_too_long');
  });

  it('output cap: escalation comes before resumption, and resumption before the release', () => {
    const raised = loop({ maxOutputTokensOverride: 64_000 });
    const worn = loop({ maxOutputTokensRecoveryCount: 3 });
    expect(next(given.failed('output_cap'))[0]).toBe('continue max_output_tokens_escalate');
    expect(next(given.failed('output_cap'), { loop: raised })[0]).toBe('continue max_output_tokens_recovery');
    expect(next(given.failed('output_cap'), { loop: worn })[0]).toBe('stop completed');
  });

  it('any other error wins over the stop hooks, which never see it', () => {
    expect(next(given.failed('server'))).toEqual(['stop api_error', 'release', 'fire_stop_failure']);
  });

  it('stop hooks: preventing wins over blocking', () => {
    expect(next(given.hooksRan({ prevented: HOOK, blocking: [HOOK] }))[0]).toBe('stop stop_hook_prevented');
  });

  it('stop hooks, preventing or blocking, win over the token budget', () => {
    const budget = config({ tokenBudget: 10_000 });
    expect(next(given.hooksRan({ prevented: HOOK }), { config: budget })[0]).toBe('stop stop_hook_prevented');
    expect(next(given.hooksRan({ blocking: [HOOK] }), { config: budget })[0]).toBe(
      'continue stop_hook_blocking',
    );
  });

  it('the token budget wins over completion, and over the turn limit', () => {
    const both = config({ tokenBudget: 10_000, maxTurns: 1 });
    expect(next(given.hooksRan(), { config: both })[0]).toBe('continue token_budget_continuation');
  });

  it('an abort wins over a hook that stopped the run, and the hook over repetition', () => {
    const circle = loop({}, { repetition: [{ fingerprint: 'ls', tool: 'Bash', count: 11 }] });
    expect(next(given.toolsRan({ stoppedBy: HOOK, aborted: 'cancel' }), { loop: circle })[0]).toBe(
      'stop aborted_tools',
    );
    expect(next(given.toolsRan({ stoppedBy: HOOK }), { loop: circle })[0]).toBe('stop hook_stopped');
  });

  it('repetition wins over the turn limit', () => {
    const circle = loop({}, { repetition: [{ fingerprint: 'ls', tool: 'Bash', count: 11 }] });
    expect(next(given.toolsRan(), { loop: circle, config: config({ maxTurns: 1 }) })[0]).toBe(
      'stop repetition_stopped',
    );
  });

  it('an abort wins over the turn limit, over the blocking limit and over the end', () => {
    const limited = config({ maxTurns: 1, gates: { autoCompact: false, reactiveCompact: false } });
    expect(next(given.attached({ aborted: 'cancel' }), { config: limited })[0]).toBe('stop aborted_tools');
    expect(next(given.prepared({ overLimit: true }, { aborted: 'cancel' }), { config: limited })[0]).toBe(
      'stop aborted_streaming',
    );
    expect(next(given.hooksRan({ aborted: 'cancel' }))[0]).toBe('stop aborted_streaming');
  });
});
