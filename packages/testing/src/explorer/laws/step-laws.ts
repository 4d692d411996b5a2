/** Laws about every single step. */
import type { MachineEvent } from '@heddle/core';
import type { ExploredStep } from '../step.ts';
import { followsBudget } from '../scenario.ts';
import { fieldChanged, fieldOutOfPlace } from './field-table.ts';

export interface StepLaw {
  readonly name: string;
  /** Returns a description of the violation, or undefined. */
  complaint(step: ExploredStep): string | undefined;
}

export const STEP_LAWS: readonly StepLaw[] = [
  { name: 'an abort ends the run, before anything else', complaint: abortIsObeyed },
  { name: 'stop hooks never run after an error answer', complaint: hooksJudgeAnswers },
  { name: 'each continue treats each field as its column says', complaint: continueFollowsTable },
  { name: 'no guard changes within an iteration', complaint: guardsRest },
  { name: 'a withheld error is released once, or recovered', complaint: errorIsReleasedOnce },
  { name: 'a call is blocked only when no remedy is left', complaint: blockingLimitIsLast },
  { name: 'autocompact is not tried once its breaker is open', complaint: breakerHolds },
  { name: 'an output cap of the caller is never raised', complaint: callersCapHolds },
  { name: 'the user is not asked if no user can answer', complaint: someoneCanAnswer },
  { name: 'only a main run with a token budget continues on it', complaint: budgetIsTheMainRuns },
];

const AFTER_TOOLS: ReadonlySet<string> = new Set(['run_tools', 'ask', 'attach']);

function abortIsObeyed({ pending, event, decision }: ExploredStep): string | undefined {
  if (event.type === 'began' || event.aborted === undefined) return undefined;
  const reason = AFTER_TOOLS.has(pending.type) ? 'aborted_tools' : 'aborted_streaming';
  if (decision.kind !== 'stop' || decision.terminal.reason !== reason)
    return `it does not stop with ${reason}`;
  const closed = decision.first.some((step) => step.type === 'close_open_calls');
  const notifies = decision.first.some((step) => step.type === 'notify');
  if (!closed) return 'it leaves calls open';
  return notifies === (event.aborted === 'interrupt')
    ? 'it notifies after an interrupt, or not after a cancel'
    : undefined;
}

function hooksJudgeAnswers({ event, decision }: ExploredStep): string | undefined {
  if (decision.kind !== 'do' || decision.effect.type !== 'stop_hooks') return undefined;
  const answered = event.type === 'streamed' && event.ended.well && event.calls === 0;
  return answered ? undefined : 'stop hooks run without an answer to judge';
}

function continueFollowsTable({ scenario, loop, decision }: ExploredStep): string | undefined {
  if (decision.kind !== 'continue' || decision.loop.state.transition === undefined) return undefined;
  const { reason } = decision.loop.state.transition;
  const complaint = fieldOutOfPlace(loop, decision.loop, reason, scenario.config);
  return complaint && `${reason}: ${complaint}`;
}

/** Autocompact and completed calls are recorded as soon as they are known. */
function guardsRest({ loop, event, decision }: ExploredStep): string | undefined {
  if (decision.kind !== 'do') return undefined;
  const mayChange: Partial<Record<MachineEvent['type'], string[]>> = {
    prepared: ['autocompact', 'task budget', 'staged'],
    streamed: ['staged'],
    tools_ran: ['repetition', 'tool use context'],
    asked: ['repetition'],
  };
  return fieldChanged(loop, decision.loop, mayChange[event.type] ?? []);
}

function errorIsReleasedOnce({ event, decision }: ExploredStep): string | undefined {
  const released = decision.first.filter((step) => step.type === 'release').length;
  const due = Number(decision.kind === 'stop' && holdsWithheldError(event));
  return released === due ? undefined : `released ${released} times instead of ${due}`;
}

/** The response is an error that was withheld while a recovery was possible. */
function holdsWithheldError(event: MachineEvent): boolean {
  if (event.type === 'began' || event.aborted !== undefined) return false;
  if (event.type === 'streamed') return event.calls === 0 && !event.ended.well;
  return event.type === 'drained' || event.type === 'compacted';
}

/** Section 6 of the page, condition by condition. */
function blockingLimitIsLast({ scenario, loop, event, decision }: ExploredStep): string | undefined {
  if (event.type !== 'prepared' || event.aborted !== undefined) return undefined;
  const { gates, limits, querySource } = scenario.config;
  const { overLimit, staged, autoCompact } = event.context;
  const failures =
    (loop.state.autoCompactTracking?.consecutiveFailures ?? 0) + Number(autoCompact.outcome === 'failed');
  const applies =
    overLimit &&
    querySource !== 'compact' &&
    autoCompact.outcome !== 'compacted' &&
    loop.state.transition?.reason !== 'reactive_compact_retry' &&
    (!gates.autoCompact || failures >= limits.autoCompactFailures) &&
    (!gates.reactiveCompact || loop.state.hasAttemptedReactiveCompact) &&
    (!gates.contextCollapse || !staged);
  const blocked = decision.kind === 'stop' && decision.terminal.reason === 'blocking_limit';
  return blocked === applies ? undefined : `blocked: ${blocked}, expected: ${applies}`;
}

function breakerHolds({ scenario, loop, decision }: ExploredStep): string | undefined {
  if (decision.kind !== 'do' || decision.effect.type !== 'prepare' || !decision.effect.autoCompact)
    return undefined;
  if (!scenario.config.gates.autoCompact) return 'it is switched off';
  const failures = loop.state.autoCompactTracking?.consecutiveFailures ?? 0;
  return failures < scenario.config.limits.autoCompactFailures
    ? undefined
    : `tried after ${failures} failures in a row`;
}

function callersCapHolds({ scenario, decision }: ExploredStep): string | undefined {
  const { outputCap } = scenario.config;
  if (outputCap === undefined || decision.kind !== 'do' || decision.effect.type !== 'stream')
    return undefined;
  const { maxOutputTokens } = decision.effect;
  return maxOutputTokens === outputCap ? undefined : `the call may have ${maxOutputTokens} tokens`;
}

function someoneCanAnswer({ scenario, decision }: ExploredStep): string | undefined {
  const asks = decision.kind === 'do' && decision.effect.type === 'ask';
  return asks && !scenario.config.canAsk ? 'it asks' : undefined;
}

function budgetIsTheMainRuns({ scenario, decision }: ExploredStep): string | undefined {
  const goesOn =
    decision.kind === 'continue' && decision.loop.state.transition?.reason === 'token_budget_continuation';
  return goesOn && !followsBudget(scenario.config) ? 'it continues' : undefined;
}
