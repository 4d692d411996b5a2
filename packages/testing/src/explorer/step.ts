/** One step of the machine, and the marks by which paths are counted. */
import type { Decision, MachineEvent, TransitionReason, LoopState } from '@heddle/core';
import type { Scenario } from './scenario.ts';
import type { Pending } from './world.ts';

export interface ExploredStep {
  readonly scenario: Scenario;
  readonly loop: LoopState;
  readonly pending: Pending;
  readonly event: MachineEvent;
  readonly decision: Decision;
}

/** The kind of a step as bits, so that millions of them stay small. */
export const MARK = {
  /** Complete tool calls, or an answer that reached the stop hooks. */
  goodAnswer: 1 << 0,
  modelCall: 1 << 1,
  autoCompactFailed: 1 << 2,
  autoCompacted: 1 << 3,
  repeatableCall: 1 << 4,
  newCall: 1 << 5,
  toldToGoOn: 1 << 6,
  next_turn: 1 << 7,
  max_output_tokens_escalate: 1 << 8,
  max_output_tokens_recovery: 1 << 9,
  collapse_drain_retry: 1 << 10,
  reactive_compact_retry: 1 << 11,
  stop_hook_blocking: 1 << 12,
  token_budget_continuation: 1 << 13,
  staging: 1 << 14,
} as const satisfies Record<string, number> & Record<TransitionReason, number>;

export function marksOf({ scenario, event, decision }: ExploredStep): number {
  let marks = 0;
  if (decision.kind === 'continue')
    marks |= decision.loop.state.transition ? MARK[decision.loop.state.transition.reason] : 0;
  if (decision.kind === 'do' && decision.effect.type === 'stream') marks |= MARK.modelCall;
  if (decision.kind === 'do' && decision.effect.type === 'prepare' && decision.effect.stage)
    marks |= MARK.staging;
  if (event.type === 'streamed' && decision.kind === 'do') {
    const { type } = decision.effect;
    if (type === 'stop_hooks' || (type === 'run_tools' && event.calls > 0)) marks |= MARK.goodAnswer;
  }
  if (event.type === 'prepared') {
    const { outcome } = event.context.autoCompact;
    if (outcome === 'failed') marks |= MARK.autoCompactFailed;
    if (outcome === 'compacted') marks |= MARK.autoCompacted;
  }
  if (event.type === 'tools_ran') {
    const again = event.calls.every(({ fingerprint }) => scenario.repeatable.includes(fingerprint));
    marks |= again ? MARK.repeatableCall : MARK.newCall;
  }
  if (event.type === 'asked' && event.continues) marks |= MARK.toldToGoOn;
  return marks;
}
