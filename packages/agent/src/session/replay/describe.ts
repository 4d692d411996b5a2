/** Describes events, decisions, guards and states of the machine in words. */
import type {
  Decided,
  Decision,
  Effect,
  Guards,
  MachineEvent,
  Terminal,
  TracedStep,
  Transition,
  LoopState,
} from '@heddle/core';

/** `tools`: the tools that were called in the iteration. */
export function describeEvent(event: MachineEvent, tools: readonly string[]): string {
  if (event.type === 'began') return 'began';
  const aborted = event.aborted ? `, aborted (${event.aborted})` : '';
  return `${outcomeWords(event, tools)}${aborted}`;
}

function outcomeWords(event: Exclude<MachineEvent, { type: 'began' }>, tools: readonly string[]): string {
  switch (event.type) {
    case 'prepared': {
      const { overLimit, staged, autoCompact } = event.context;
      const notes = [
        ...(autoCompact.outcome === 'idle' ? [] : [`autocompact ${autoCompact.outcome}`]),
        ...(overLimit ? ['over the limit'] : []),
        ...(staged ? ['collapses staged'] : []),
      ];
      return notes.length === 0 ? 'prepared' : `prepared: ${notes.join(', ')}`;
    }
    case 'streamed': {
      const calls =
        event.calls === 0 ? 'no call' : `${pluralizeCount(event.calls, 'call')} (${listed(tools)})`;
      const { ended } = event;
      return `streamed: ${calls}${ended.well ? '' : `, ended with ${ended.error.class}`}`;
    }
    case 'drained':
      return event.committed ? 'drained: collapses committed' : 'drained: nothing';
    case 'compacted':
      return event.result.ok ? `compacted for ${event.cause}` : `compaction failed (${event.cause})`;
    case 'tools_ran': {
      const { stoppedBy } = event;
      return `tools ran: ${listed(tools)}${stoppedBy ? `, stopped by ${stoppedBy.hook}` : ''}`;
    }
    case 'asked':
      return event.continues ? 'asked: continue' : 'asked: stop';
    case 'attached':
      return 'attached';
    case 'hooks_ran': {
      if (event.prevented) return `hooks ran: ${event.prevented.hook} prevents`;
      return event.blocking.length > 0 ? 'hooks ran: blocked' : 'hooks ran: passed';
    }
    case 'threw':
      return `threw during ${event.during}: ${event.message}`;
  }
}

export function describeDecision(decision: Decision): string {
  switch (decision.kind) {
    case 'do':
      return effectWords(decision.effect);
    case 'continue':
      return `continue ${transitionWords(decision.transition)}`;
    case 'stop':
      return `stop ${terminalWords(decision.terminal)}`;
  }
}

export function describeRecordedDecision(decided: Decided): string {
  return decided.kind === 'continue'
    ? `continue ${transitionWords(decided.transition)}, turn ${decided.turnCount}`
    : `stop ${terminalWords(decided.terminal)}`;
}

function effectWords(effect: Effect): string {
  switch (effect.type) {
    case 'prepare':
      return effect.autoCompact ? 'prepare' : 'prepare, no autocompact';
    case 'stream':
      return `stream, at most ${effect.maxOutputTokens} tokens`;
    case 'compact':
      return `compact for ${effect.cause}`;
    case 'ask':
      return `ask: ${effect.calls.map(({ tool, count }) => `${tool} ${count} times`).join(', ')}`;
    case 'attach':
      return effect.nudge.length > 0 ? 'attach, with a nudge' : 'attach';
    default:
      return effect.type.replaceAll('_', ' ');
  }
}

function transitionWords({ reason, ...more }: Transition): string {
  return [reason, ...Object.entries(more).map(([name, value]) => `${name} ${String(value)}`)].join(', ');
}

function terminalWords(terminal: Terminal): string {
  const { reason, ...more } = terminal;
  if (terminal.reason === 'api_error') return `${reason}: ${terminal.error.class}`;
  if ('message' in terminal) return `${reason}: ${terminal.message}`;
  const flags = Object.entries(more).flatMap(([name, value]) => {
    if (value === true) return [name];
    return typeof value === 'number' ? [`${name} ${value}`] : [];
  });
  return [reason, ...flags].join(', ');
}

const GUARD_WORDS: Readonly<Record<keyof Guards, readonly [yes: string, no: string]>> = {
  mayStage: ['collapses may be staged', 'collapses were staged since the last answer'],
  mayDrain: ['nothing drained since the last turn', 'already drained since the last turn'],
  mayCompact: ['not compacted for an error yet', 'already compacted for an error'],
  overrideIsFree: ['the output cap was not raised yet', 'the output cap was raised already'],
  nothingResumedYet: ['nothing was resumed yet', 'already resumed'],
  mayResume: ['may resume again', 'resumed as often as allowed'],
  mayBlockAgain: ['hooks may block again', 'hooks blocked as often as allowed'],
  mayAutoCompact: ['autocompact may run', 'autocompact failed too often'],
  mayTakeAnotherTurn: ['another turn is allowed', 'the turn limit is reached'],
  repeatsTooOften: ['a call repeats too often', 'no call repeats too often'],
  gainsDiminish: ['gains diminish', 'gains do not diminish'],
};

export function describeGuard({ guard, answer }: TracedStep['guards'][number]): string {
  return GUARD_WORDS[guard][answer ? 0 : 1];
}

export function describeGuards(guards: TracedStep['guards']): string {
  return [...new Set(guards.map(describeGuard))].join('; ');
}

/** Describes the fields that differ from the state at the start of a run. */
export function describeState({ state, ledger }: LoopState): string {
  const tracking = state.autoCompactTracking;
  return [
    `turn ${state.turnCount}`,
    ...(state.transition ? [`after ${state.transition.reason}`] : []),
    ...(state.maxOutputTokensRecoveryCount > 0
      ? [`resumed ${state.maxOutputTokensRecoveryCount} times`]
      : []),
    ...(state.maxOutputTokensOverride === undefined
      ? []
      : [`cap raised to ${state.maxOutputTokensOverride}`]),
    ...(state.hasAttemptedReactiveCompact ? ['compacted for an error'] : []),
    ...(state.stopHookActive ? [`sent back by hooks ${ledger.stopHookBlocks} times`] : []),
    ...(tracking?.compacted ? [`autocompacted ${tracking.turnCounter} turns ago`] : []),
    ...(tracking && tracking.consecutiveFailures > 0
      ? [`autocompact failed ${tracking.consecutiveFailures} times`]
      : []),
    ...(ledger.drained ? ['drained'] : []),
    ...(ledger.budget.continuationCount > 0
      ? [`budget continued ${ledger.budget.continuationCount} times`]
      : []),
  ].join(', ');
}

export function pluralizeCount(count: number, word: string): string {
  return `${count} ${word}${count === 1 ? '' : 's'}`;
}

/** `Read, Bash ×2`. */
function listed(tools: readonly string[]): string {
  const counts = new Map<string, number>();
  for (const tool of tools) counts.set(tool, (counts.get(tool) ?? 0) + 1);
  return [...counts].map(([tool, count]) => (count === 1 ? tool : `${tool} ×${count}`)).join(', ');
}
