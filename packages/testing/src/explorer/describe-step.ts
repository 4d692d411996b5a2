/** Describes events and decisions for traces and diagrams. Derived from the data, never from a table. */
import type { Decision, MachineEvent, StreamEnd } from '@heddle/core';
import type { Pending } from './world.ts';

/** Returns the distinguishing aspects of an event, by name. */
export function aspectsOf(event: MachineEvent): Readonly<Record<string, string>> {
  switch (event.type) {
    case 'began':
      return {};
    case 'prepared': {
      const { overLimit, staged, autoCompact } = event.context;
      const size = overLimit ? 'over the limit' : 'fits';
      return {
        size,
        staged: stagedWord(staged),
        autoCompact: `autocompact ${autoCompact.outcome}`,
        ...abortOf(event),
      };
    }
    case 'streamed': {
      const calls = event.calls > 0 ? 'tool calls' : 'no call';
      return {
        calls,
        ended: endOf(event.ended),
        staged: stagedWord(event.staged),
        ...abortOf(event),
      };
    }
    case 'drained':
      return { committed: event.committed ? 'committed' : 'nothing to commit', ...abortOf(event) };
    case 'compacted':
      return {
        cause: event.cause,
        result: event.result.ok ? 'smaller' : 'failed',
        ...abortOf(event),
      };
    case 'tools_ran': {
      const calls = event.calls.map((call) => call.fingerprint.replace(/ \d+$/, '')).join(' + ');
      return {
        calls,
        hook: event.stoppedBy ? 'stopped by a hook' : 'not stopped',
        ...abortOf(event),
      };
    }
    case 'asked':
      return { word: event.continues ? 'continue' : 'stop', ...abortOf(event) };
    case 'attached':
      return abortOf(event);
    case 'hooks_ran': {
      const prevented = event.prevented ? 'prevented' : 'not prevented';
      const blocking = event.blocking.length > 0 ? 'blocking' : 'not blocking';
      return { prevented, blocking, tokens: `${event.outputTokens} tokens`, ...abortOf(event) };
    }
    case 'threw':
      return { threw: event.media ? 'threw on media' : 'threw', ...abortOf(event) };
  }
}

export function describeMachineEvent(event: MachineEvent): string {
  const aspects = Object.values(aspectsOf(event)).filter((aspect) => aspect !== NOT_ABORTED);
  return aspects.length === 0 ? event.type : `${event.type} (${aspects.join(', ')})`;
}

export function describeMachineDecision(decision: Decision): string {
  switch (decision.kind) {
    case 'do':
      return `do ${describePending(decision.effect)}`;
    case 'continue':
      return `continue ${decision.loop.state.transition?.reason ?? 'without a reason'}`;
    case 'stop':
      return `stop ${decision.terminal.reason}`;
  }
}

export function describePending(pending: Pending): string {
  if (pending.type === 'prepare') return pending.autoCompact ? 'prepare with autocompact' : 'prepare';
  return pending.type === 'compact' ? `compact for ${pending.cause}` : pending.type;
}

const NOT_ABORTED = 'not aborted';

function abortOf({ aborted }: Exclude<MachineEvent, { type: 'began' }>): { aborted: string } {
  return { aborted: aborted === undefined ? NOT_ABORTED : `aborted: ${aborted}` };
}

function endOf(ended: StreamEnd): string {
  return ended.well ? 'ended well' : ended.error.class;
}

function stagedWord(staged: boolean): string {
  return staged ? 'staged' : 'nothing staged';
}
