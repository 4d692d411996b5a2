/**
 * `reasoning_details` belong to a whole answer, while our history has them with each thinking. Where they are, the words of the
 * thinking are in them, and are not said twice.
 */
import type { JSONValue, LanguageModelV4Message } from '@ai-sdk/provider';

type AnswerMessage = Extract<LanguageModelV4Message, { role: 'assistant' }>;

export function liftDetails(message: AnswerMessage): void {
  const details = message.content.flatMap((part) => detailsOf(part.providerOptions));
  if (details.length === 0) return;
  const others = message.content.filter((part) => detailsOf(part.providerOptions).length === 0);
  message.content.splice(0, message.content.length, ...others);
  const before = detailsOf(message.providerOptions);
  message.providerOptions = {
    ...message.providerOptions,
    openaiCompatible: {
      ...message.providerOptions?.['openaiCompatible'],
      reasoning_details: [...before, ...details],
    },
  };
}

function detailsOf(options: AnswerMessage['providerOptions']): readonly JSONValue[] {
  const details = options?.['openaiCompatible']?.['reasoning_details'];
  return isList(details) ? details : [];
}

function isList(value: JSONValue | undefined): value is JSONValue[] {
  return Array.isArray(value);
}
