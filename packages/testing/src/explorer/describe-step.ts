/** Describes events and decisions for traces and diagrams. Derived from the data, never from a table. */
import type { Decision, MachineEvent, StreamEnd } from '@heddle/core';
import type { Pending } from './world.ts';

/** Returns the distinguishing aspects of an event, by name. */
export function aspectsOf(happened: MachineEvent): Readonly<Record<string, string>> {
  switch (happened.type) {
    case 'began':
      return {};
    case 'prepared': {
      const { overLimit, staged, autoCompact } = happened.context;
      const size = overLimit ? 'over the limit' : 'fits';
      return {
        size,
        staged: stagedWord(staged),
        autoCompact: `autocompact ${autoCompact.outcome}`,
        ...abortOf(happened),
      };
    }
    case 'streamed': {
      const calls = happened.calls > 0 ? 'tool calls' : 'no call';
      return {
        calls,
        ended: endOf(happened.ended),
        staged: stagedWord(happened.staged),
        ...abortOf(happened),
      };
    }
    case 'drained':
      return { committed: happened.committed ? 'committed' : 'nothing to commit', ...abortOf(happened) };
    case 'compacted':
      return {
        cause: happened.cause,
        result: happened.result.ok ? 'smaller' : 'failed',
        ...abortOf(happened),
      };
    case 'tools_ran': {
      const calls = happened.calls.map((call) => call.fingerprint.replace(/ \d+$/, '')).join(' + ');
      return {
        calls,
        hook: happened.stoppedBy ? 'stopped by a hook' : 'not stopped',
        ...abortOf(happened),
      };
    }
    case 'asked':
      return { word: happened.goOn ? 'continue' : 'stop', ...abortOf(happened) };
    case 'attached':
      return abortOf(happened);
    case 'hooks_ran': {
      const prevented = happened.prevented ? 'prevented' : 'not prevented';
      const blocking = happened.blocking.length > 0 ? 'blocking' : 'not blocking';
      return { prevented, blocking, tokens: `${happened.outputTokens} tokens`, ...abortOf(happened) };
    }
    case 'threw':
      return { threw: happened.media ? 'threw on media' : 'threw', ...abortOf(happened) };
  }
}

export function describeMachineEvent(happened: MachineEvent): string {
  const aspects = Object.values(aspectsOf(happened)).filter((aspect) => aspect !== NOT_ABORTED);
  return aspects.length === 0 ? happened.type : `${happened.type} (${aspects.join(', ')})`;
}

export function describeMachineDecision(decision: Decision): string {
  switch (decision.kind) {
    case 'do':
      return `do ${describePending(decision.effect)}`;
    case 'continue':
      return `continue ${decision.turn.state.transition?.reason ?? 'without a reason'}`;
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
