/** Requests for tests of ports: short notation, complete in every field. */
import { type ContentBlock, History, type ModelRequest, type RequestMessage } from '@heddle/core';
import { TEST_MODEL } from './context.ts';
import { markedMessages } from './request-body.ts';

/** A message as `['user', 'text']` or with its blocks. */
export type ShortMessage = readonly ['user' | 'assistant', string | readonly ContentBlock[]];

/** A request with these messages, its bytes included; no system prompt, tools or marks unless they are given. */
export function requestOf(
  messages: readonly ShortMessage[],
  overrides: Partial<Omit<ModelRequest, 'messages' | 'messagesJson'>> = {},
): ModelRequest {
  const plain = messages.map(
    ([role, content]): RequestMessage => ({
      role,
      content: typeof content === 'string' ? [{ type: 'text', text: content }] : content,
    }),
  );
  const request: ModelRequest = {
    model: TEST_MODEL,
    max_tokens: 8_192,
    system: [],
    tools: [],
    marks: [],
    options: {},
    ...overrides,
    messages: History.of(plain),
    messagesJson: [],
  };
  return { ...request, messagesJson: [new TextEncoder().encode(JSON.stringify(markedMessages(request)))] };
}
