/**
 * Decides which states are equal to the machine. The key keeps everything that a guard may read and drops
 * the rest: identifiers, ages, times, and counts beyond the point of any effect. Without it the walk would
 * never end.
 */
import type { RepetitionLedger, LoopState } from '@heddle/core';
import { followsBudget, type Scenario } from './scenario.ts';
import type { Pending } from './world.ts';

export function keyOf(loop: LoopState, pending: Pending, scenario: Scenario): string {
  return `${pendingKey(loop, pending)}|${turnKey(loop, scenario)}`;
}

export function turnKey({ state, ledger }: LoopState, { config, repeatable }: Scenario): string {
  const { limits, maxTurns } = config;
  const turns = maxTurns ? Math.min(state.turnCount, maxTurns + 1) : 0;
  const recoveries = Math.min(state.maxOutputTokensRecoveryCount, limits.outputRecoveries + 1);
  const failures = Math.min(
    state.autoCompactTracking?.consecutiveFailures ?? 0,
    limits.autoCompactFailures + 1,
  );
  const blocks = Math.min(ledger.stopHookBlocks, limits.stopHookBlocks + 1);
  const flags =
    Number(state.hasAttemptedReactiveCompact) +
    2 * Number(state.stopHookActive) +
    4 * Number(state.pendingToolUseSummary !== undefined) +
    8 * Number(ledger.drained) +
    16 * Number(ledger.stagedSinceAnswer);
  const repetition = repetitionKey(ledger.repetition, repeatable, limits.repetitionStop);
  const budget = followsBudget(config) ? budgetKey(ledger.budget, limits) : '';
  return `${turns},${recoveries},${failures},${blocks},${flags},${state.maxOutputTokensOverride ?? ''},${repetition},${budget}`;
}

/** The reason of an iteration is read only before the call. Every continue sets a new one. */
function pendingKey({ state }: LoopState, pending: Pending): string {
  const afterCompaction = state.transition?.reason === 'reactive_compact_retry' ? '*' : '';
  switch (pending.type) {
    case 'begin':
      return `begin${afterCompaction}`;
    case 'prepare':
      return `prepare${pending.autoCompact ? '+' : ''}${pending.stage ? 's' : ''}${afterCompaction}`;
    case 'compact':
      return `compact:${pending.cause}`;
    default:
      return pending.type;
  }
}

/**
 * Only repeatable calls return the same result. With a single one only its count matters. With several,
 * the order in which they are forgotten matters as well.
 */
function repetitionKey(seen: RepetitionLedger, repeatable: readonly string[], most: number): string {
  const [only] = repeatable;
  if (repeatable.length === 1)
    return String(Math.min(seen.find((call) => call.fingerprint === only)?.count ?? 0, most));
  const counted = seen.map((call) => {
    const name = repeatable.indexOf(call.fingerprint);
    return name < 0 ? '-' : `${name}:${Math.min(call.count, most)}`;
  });
  return counted.join(' ');
}

function budgetKey(budget: LoopState['ledger']['budget'], limits: Scenario['config']['limits']): string {
  const count = Math.min(budget.continuationCount, limits.budgetContinuations);
  return `${count}${budget.lastDeltaTokens < limits.budgetMinimumGain ? '<' : '>'}${budget.lastGlobalTurnTokens}`;
}
