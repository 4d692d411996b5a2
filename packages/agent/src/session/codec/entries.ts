/** Converts an event to log entries. Deltas, progress and announcements have none. */
import type { EntryBody, LoopEvent, MessageEvent } from '@heddle/core';
import type { Cost } from '../../cost/usage-meter.ts';

/** `cost` is the cost of the event. */
export function entriesOf(event: LoopEvent, cost: Cost = {}): EntryBody[] {
  switch (event.type) {
    case 'message':
      return event.outcome
        ? [{ type: 'outcome', ...event.outcome }, entryOf(event.message)]
        : [entryOf(event.message)];
    case 'answer_end': {
      const { responseId, model, stopReason, usage } = event;
      return [{ type: 'answer', responseId, model, stopReason: stopReason ?? null, usage, ...cost }];
    }
    case 'spent':
      return [{ type: 'spent', model: event.model, usage: event.usage, ...cost }];
    case 'retry':
      return [{ type: 'retry', attempt: event.attempt, delayMs: event.delayMs, error: event.error }];
    case 'tombstone':
      return [{ type: 'tombstone', uuids: event.uuids }];
    case 'tool_intent': {
      const { toolUseId, tool, input, effect, details } = event;
      return [{ type: 'intent', toolUseId, tool, input, effect, ...(details ? { details } : {}) }];
    }
    case 'transition':
      return [{ type: 'transition', transition: event.transition, turnCount: event.turnCount }];
    case 'tool_use_summary':
      return [{ type: 'summary', summary: event.summary, toolUseIds: event.toolUseIds }];
    case 'context':
      return [event];
    case 'stance':
    case 'refused':
      return [event];
    case 'mended':
      return [{ type: 'mended', mends: event.mends }];
    case 'command':
      return [{ type: 'command', commandId: event.commandId, state: event.state }];
    // The log already contains the cause: a context step, a tombstone, another model.
    case 'prefix_rewritten':
    case 'stream_request_start':
    case 'stream_event':
    case 'progress':
    case 'hook_progress':
    case 'compacting':
    case 'rate_limits':
      return [];
  }
}

export function entryOf(message: MessageEvent['message']): EntryBody {
  switch (message.type) {
    case 'user':
      return { type: 'user', message };
    case 'assistant':
      return { type: 'assistant', message };
    case 'system':
      return { type: 'system', message };
    case 'attachment':
      return { type: 'attachment', message };
  }
}
