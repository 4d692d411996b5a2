/** The hook before a prompt: it may block the prompt, or add context for the model. */
import { errorMessage, textOf, type UserMessage } from '@heddle/core';
import type { SdkMessage, SdkResult } from '../sdk/message.ts';
import type { LineStamp } from './lines.ts';
import type { AgentOptions, PromptHookAnswer } from './options.ts';

/** A hook that throws blocks the prompt: a guard that cannot answer must not let it pass. */
export async function promptHookAnswer(
  { hooks, redact = (value) => value }: AgentOptions,
  content: UserMessage['content'],
  signal: AbortSignal,
): Promise<PromptHookAnswer> {
  const text = typeof content === 'string' ? content : textOf(content);
  try {
    return redact((await hooks?.prompt?.({ text, signal })) ?? {});
  } catch (thrown) {
    return { block: `A hook failed: ${errorMessage(thrown)}` };
  }
}

/** The lines of a prompt that a hook blocked: a warning, and a result without a run. */
export function* blockedPromptLines(
  reason: string,
  failedStart: SdkResult,
  stamp: LineStamp,
): Generator<SdkMessage> {
  const content = `A hook blocked this prompt: ${reason}`;
  yield {
    type: 'system',
    subtype: 'informational',
    ...stamp,
    content,
    level: 'warning',
    prevent_continuation: true,
  };
  const { errors: _errors, terminal_reason: _reason, ...line } = failedStart;
  yield { ...line, subtype: 'success', is_error: false, result: content };
}
