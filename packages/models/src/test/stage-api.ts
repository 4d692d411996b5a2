/**
 * A port on the fake API, over real HTTP. The port's clock moves only when a test advances it. Pauses take
 * no time.
 */
import type { ModelRecord, ModelRequest } from '@heddle/core';
import {
  type ApiScript,
  createClock,
  type FakeApi,
  type FakeApiOptions,
  requestOf,
  startFakeApi,
  type VirtualClock,
} from '@heddle/testing';
import type { AnthropicOptions } from '../anthropic/options.ts';
import { type AnthropicPort, createAnthropicPort } from '../anthropic/port.ts';

export const TEST_KEY = 'sk-ant-test-0123456789abcdef';

export const HELLO: ModelRequest = requestOf([['user', 'hello']]);

export interface Stage {
  readonly api: FakeApi;
  readonly port: AnthropicPort;
  readonly clock: VirtualClock;
}

const open: { close(): unknown }[] = [];

/** For `afterEach`. */
export async function closeStages(): Promise<void> {
  for (const closable of open.splice(0)) await closable.close();
}

export function closing<T extends { close(): unknown }>(closable: T): T {
  open.push(closable);
  return closable;
}

export async function stageApi(
  script: ApiScript,
  options: AnthropicOptions = {},
  apiOptions: FakeApiOptions = {},
): Promise<Stage> {
  const api = closing(await startFakeApi(script, apiOptions));
  return { api, ...stagePort({ baseUrl: api.url, ...options }) };
}

export function stagePort(options: AnthropicOptions): Omit<Stage, 'api'> {
  const clock = createClock();
  const port = closing(createAnthropicPort({ environment: {}, apiKey: TEST_KEY, clock, ...options }));
  return { port, clock };
}

export async function ask(
  port: AnthropicPort,
  request: ModelRequest = HELLO,
): Promise<readonly ModelRecord[]> {
  const records: ModelRecord[] = [];
  for await (const record of { [Symbol.asyncIterator]: () => port(request, NEVER)[Symbol.asyncIterator]() }) {
    records.push(record);
  }
  return records;
}

const NEVER = new AbortController().signal;

/** Returns the last record of a call that must fail. */
export async function failureOf(port: AnthropicPort, request: ModelRequest = HELLO) {
  const last = (await ask(port, request)).at(-1);
  if (last?.type !== 'model_error') throw new Error(`expected an error, got ${String(last?.type)}`);
  return last;
}

/** Returns the text of the records. */
export function textIn(records: readonly ModelRecord[]): string {
  return records
    .map((record) =>
      record.type === 'content_block_delta' && record.delta.type === 'text_delta' ? record.delta.text : '',
    )
    .join('');
}
