/** `--debug`: what the loop does, one line an event. Kinds, names and numbers only: what was said may hold secrets. */
import { appendFileSync } from 'node:fs';
import path from 'node:path';
import { errorMessage, type LoopEvent } from '@heddle/core';
import type { Debugging } from '../arguments/arguments.ts';
import { knownSecrets } from '../known-secrets.ts';
import { refuseForeignLink } from '../sessions/export/write-private-file.ts';
import { escapeControls } from '../terminal/escape-controls.ts';
import { warn, writeToStandardError } from '../terminal/write-message.ts';

export function debugLog({ file: named, only }: Debugging): (event: LoopEvent) => void {
  const file = named === undefined ? undefined : path.resolve(named);
  const started = performance.now();
  let write = (line: string): void => {
    if (file === undefined) writeToStandardError(line);
    else {
      // A call may have made the link since the start.
      refuseForeignLink(file);
      appendFileSync(file, line, { mode: 0o600 });
    }
  };
  return (event) => {
    if (event.type === 'stream_event' || (only.length > 0 && !only.includes(event.type))) return;
    const at = ((performance.now() - started) / 1000).toFixed(3).padStart(9);
    try {
      const facts = [event.type, ...factsOf(event)].map(escapeControls).join(' ');
      write(`${at} ${knownSecrets.redact(facts)}\n`);
    } catch (thrown) {
      // The error is reported once, and the run continues without the log.
      warn(`the debug log cannot be written: ${errorMessage(thrown)}`);
      write = () => undefined;
    }
  };
}

function factsOf(event: LoopEvent): readonly string[] {
  switch (event.type) {
    case 'message': {
      const { message, outcome } = event;
      const ended = outcome ? [outcome.toolUseId, outcome.isError ? 'error' : 'ok'] : [];
      return [message.type, message.uuid, ...ended];
    }
    case 'answer_end': {
      const { input_tokens, output_tokens, cache_read_input_tokens } = event.usage;
      const tokens = `in ${input_tokens} cached ${cache_read_input_tokens} out ${output_tokens}`;
      return [event.model, event.stopReason ?? 'no stop reason', tokens, event.requestId ?? ''];
    }
    case 'spent':
      return [event.model, `in ${event.usage.input_tokens} out ${event.usage.output_tokens}`];
    case 'retry':
      return [event.error.class, `${event.attempt} of ${event.maxAttempts}`, `in ${event.delayMs} ms`];
    case 'tombstone':
      return event.uuids;
    case 'tool_intent':
      return [event.tool, event.toolUseId, event.effect];
    case 'progress':
      return [event.tool, event.toolUseId];
    case 'transition':
      return [event.transition.reason, `turn ${event.turnCount}`];
    case 'context':
      return [event.report.level, `${event.report.tokensBefore} to ${event.report.tokensAfter} tokens`];
    case 'compacting':
      return [event.trigger];
    case 'mended':
      return event.mends;
    case 'command':
      return [event.commandId, event.state];
    case 'hook_progress':
      return [event.hook];
    default:
      return [];
  }
}
