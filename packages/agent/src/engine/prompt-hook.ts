/** A prompt before it is stored: a command becomes its text, then a hook may block the prompt or add context for the model. */
import { errorMessage, textOf, type UserMessage } from '@heddle/core';
import type { SdkMessage, SdkResult } from '../sdk/message.ts';
import type { LineStamp } from './lines.ts';
import type { AgentOptions, PromptHookAnswer } from './options.ts';
import type { Prompt } from './params.ts';

interface PreparedPrompt extends PromptHookAnswer {
  readonly content: UserMessage['content'];
}

export async function preparePrompt(
  options: AgentOptions,
  { content: given, verbatim }: Prompt,
  signal: AbortSignal,
): Promise<PreparedPrompt> {
  const content = verbatim ? given : ((await options.expandPrompt?.(given, signal, options)) ?? given);
  return { ...(await promptHookAnswer(options, content, signal)), content };
}

/** A hook that throws blocks the prompt: a guard that cannot answer must not let it pass. */
async function promptHookAnswer(
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
