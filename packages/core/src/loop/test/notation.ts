/**
 * Prints the events of `query`, one short line per event, in the notation of the worked trace. Blocks of answers are `a1`,
 * `a2`, … and messages with results `t1`, `t2`, …, so that a tombstone can name them. Deltas are left out.
 */
import type { ContentBlock, LoopEvent, MessageEvent } from '../../index.ts';

export function linesOf(events: readonly LoopEvent[]): string[] {
  const names = new Map<string, string>();
  const counts = { a: 0, t: 0 };
  const name = (uuid: string, kind: 'a' | 't'): string => {
    const given = `${kind}${++counts[kind]}`;
    names.set(uuid, given);
    return given;
  };
  return events.flatMap((event) => {
    switch (event.type) {
      case 'stream_event':
        return [];
      case 'stream_request_start':
        return ['request'];
      case 'message':
        return [messageLine(event, name)];
      case 'answer_end':
        return [`answer_end ${event.stopReason ?? '–'}`];
      case 'spent':
        return ['spent'];
      case 'retry':
        return [`retry ${event.error.class} ${event.attempt}/${event.maxAttempts} in ${event.delayMs} ms`];
      case 'tombstone':
        return [`tombstone ${event.uuids.map((uuid) => names.get(uuid) ?? uuid).join(' ')}`];
      case 'tool_intent':
        return [`intent ${event.toolUseId}`];
      case 'progress':
        return [`progress ${event.toolUseId} ${JSON.stringify(event.data)}`];
      case 'transition':
        return [`→ ${event.transition.reason}`];
      case 'tool_use_summary':
        return [`summary ${quoted(event.summary)}`];
      case 'context':
        return [`context ${event.report.level}`];
      case 'compacting':
        return [`compacting ${event.trigger}`];
      case 'refused':
        return ['refused'];
      case 'stance':
        return [`working directory ${event.stance.workingDirectory}`];
      case 'mended':
        return [`repaired ${event.mends.join('; ')}`];
      case 'prefix_rewritten':
        return ['prefix rewritten'];
      case 'rate_limits':
        return [`rate limits ${event.limits.status}`];
      case 'command':
        return [`command ${event.commandId} ${event.state}`];
      case 'hook_progress':
        return [`hook ${event.hook} ${quoted(event.text)}`];
    }
  });
}

function messageLine(
  { message, outcome }: MessageEvent,
  name: (uuid: string, kind: 'a' | 't') => string,
): string {
  switch (message.type) {
    case 'assistant': {
      const label = name(message.uuid, 'a');
      if (message.apiError !== undefined) return `${label} error ${message.apiError}`;
      return `${label} ${message.content.map(blockLine).join(' ')}`;
    }
    case 'user': {
      if (outcome) return `${name(message.uuid, 't')} ${blocksOf(message.content).map(blockLine).join(' ')}`;
      const words = blocksOf(message.content).map((block) =>
        block.type === 'text' ? block.text : block.type,
      );
      return `${message.isMeta === true ? 'meta' : 'user'} ${quoted(words.join(' '))}`;
    }
    case 'system':
      return `system ${message.subtype} ${quoted(message.content)}`;
    case 'attachment': {
      const { attachment } = message;
      if (attachment.kind === 'queued_command') return `attachment queued_command ${attachment.commandId}`;
      if (attachment.kind === 'reminder') return `attachment reminder ${attachment.about}`;
      if (attachment.kind === 'max_turns_reached') {
        return `attachment max_turns_reached ${attachment.turnCount} of ${attachment.maxTurns}`;
      }
      return `attachment ${attachment.kind}`;
    }
  }
}

function blockLine(block: ContentBlock): string {
  switch (block.type) {
    case 'text':
      return `text ${quoted(block.text)}`;
    case 'tool_use':
      return `call ${block.id} ${block.name}`;
    case 'tool_result': {
      const words =
        typeof block.content === 'string' ? block.content : block.content.map(blockLine).join(' ');
      return `result ${block.tool_use_id}${block.is_error === true ? '!' : ''} ${quoted(withoutTags(words))}`;
    }
    default:
      return String(block.type);
  }
}

function blocksOf(content: string | readonly ContentBlock[]): readonly ContentBlock[] {
  return typeof content === 'string' ? [{ type: 'text', text: content }] : content;
}

function withoutTags(words: string): string {
  return words.replace(/^<tool_use_error>(.*)<\/tool_use_error>$/s, '$1');
}

/** The number of characters that are printed of a text. */
const SHOWN = 36;

function quoted(words: string): string {
  return words.length > SHOWN ? `"${words.slice(0, SHOWN)}…"` : `"${words}"`;
}
