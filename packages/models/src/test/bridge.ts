/** Single calls through the bridge. */
import { type ModelPort, type ModelRecord, type ModelRequest, type ToolSpec } from '@heddle/core';
import { collectList, requestOf, type ShortMessage } from '@heddle/testing';
import type { TestWire } from './wires.ts';

export function requestTo(
  { model }: Pick<TestWire, 'model'>,
  messages: readonly ShortMessage[] = [['user', 'hello']],
  overrides: Partial<Omit<ModelRequest, 'messages' | 'messagesJson'>> = {},
): ModelRequest {
  return requestOf(messages, { model, tools: [LOOK], ...overrides });
}

const LOOK: ToolSpec = { name: 'Look', description: 'Looks', input_schema: { type: 'object' } };

export function ask(
  port: ModelPort,
  request: ModelRequest,
  signal: AbortSignal = new AbortController().signal,
): Promise<readonly ModelRecord[]> {
  return collectList({ [Symbol.asyncIterator]: () => port(request, signal)[Symbol.asyncIterator]() });
}

/** The last record of a call that must fail. */
export async function failureOf(port: ModelPort, request: ModelRequest) {
  const last = (await ask(port, request)).at(-1);
  if (last?.type !== 'model_error') throw new Error(`expected an error, got ${String(last?.type)}`);
  return last;
}
