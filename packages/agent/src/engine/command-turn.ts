/** A command that is typed as a prompt: how it ends, and what is said of it. */
import { type LoopEvent, SYNTHETIC_MODEL, type Terminal } from '@heddle/core';
import type { CommandFailure, CompactOutcome } from '../context/commands.ts';

export const BUSY: CommandFailure = {
  ok: false,
  reason: 'busy',
  message: 'The conversation is in use: wait until the running prompt or compaction has ended, or stop it.',
};

export function terminalOf(outcome: CompactOutcome): Terminal {
  if (outcome.ok || outcome.reason === 'nothing to do') return { reason: 'completed' };
  if (outcome.reason === 'aborted') return { reason: 'aborted_streaming' };
  return { reason: 'model_error', message: outcome.message };
}

/** What the program says where a model would have spoken. Not stored: it is no part of the conversation. */
export function synthetic(words: string, stamp: { readonly uuid: string; readonly at: number }): LoopEvent {
  const content = [{ type: 'text' as const, text: words }];
  const message = {
    type: 'assistant',
    ...stamp,
    responseId: stamp.uuid,
    model: SYNTHETIC_MODEL,
    content,
  } as const;
  return { type: 'message', message };
}
