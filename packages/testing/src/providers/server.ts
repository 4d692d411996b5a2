/**
 * Servers on the loopback interface with the formats of other providers. They play the scripts of the
 * scripted model, break connections, and reject requests that every provider rejects.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Clock } from '@heddle/core';
import type { ApiScript, Reply } from '../api/reply.ts';
import { readRequest, type RecordedRequest } from '../api/recorded.ts';
import { actsOf, requestIdOf } from '../scripted/acts.ts';
import { startLoopback } from '../loopback.ts';
import { errorOf } from '../scripted/errors.ts';
import { playProvider, sendProviderError } from './play.ts';
import { type ProviderWire, type Traffic, wireFieldsOf } from './wire.ts';
import { chatWire, deepseekWire, groqWire, mistralWire, openrouterWire } from './wires/chat.ts';
import { converseWire } from './wires/converse.ts';
import { geminiWire } from './wires/gemini.ts';
import { vertexMessagesWire } from './wires/messages.ts';
import { responsesWire } from './wires/responses.ts';

const WIRES = {
  chat: chatWire,
  mistral: mistralWire,
  groq: groqWire,
  deepseek: deepseekWire,
  openrouter: openrouterWire,
  responses: responsesWire,
  gemini: geminiWire,
  converse: converseWire,
  'vertex-messages': vertexMessagesWire,
} as const;

export type FakeWire = keyof typeof WIRES;

export interface FakeProviderOptions {
  /** Pauses are spent on this clock. Without one they take no time. */
  readonly clock?: Clock;
  /** The listed models, for `GET …/models` and Ollama's `GET /api/tags`. */
  readonly models?: readonly string[];
}

export interface FakeProvider {
  /** `http://127.0.0.1:…`, without a path. */
  readonly url: string;
  /** Every request to any path, in order of arrival. */
  readonly requests: readonly RecordedRequest[];
  /** Requests for a response. */
  readonly calls: readonly RecordedRequest[];
  readonly problems: readonly string[];
  assertNoViolations(): void;
  close(): Promise<void>;
}

export async function startFakeProvider(
  format: FakeWire,
  script: ApiScript,
  options: FakeProviderOptions = {},
): Promise<FakeProvider> {
  const wire: ProviderWire = WIRES[format];
  const requests: RecordedRequest[] = [];
  const calls: RecordedRequest[] = [];
  const problems: string[] = [];

  async function answer(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const gone = new AbortController();
    response.once('close', () => gone.abort());
    const request = await readRequest(incoming, requests.length + 1, options.clock);
    requests.push(request);
    response.once('close', () =>
      request.end(response.writableFinished ? 'answered' : 'broken', options.clock),
    );
    if (request.method === 'GET') return listModels(request.path, response, options.models ?? []);
    const model = wire.modelAsked(request.path, request.body);
    const requestId = requestIdOf(request.number);
    const refuse = (problem: string): void => {
      problems.push(problem);
      const error = errorOf('bad_request', { message: `TEST: ${problem}` });
      return sendProviderError(error, { response, wire, requestId });
    };
    if (model === undefined) return refuse(`nothing is asked at ${request.path}`);
    calls.push(request);
    const broken = brokenRules(wire.traffic(request.body), wire.ids);
    if (broken.length > 0) return refuse(`call ${calls.length}: ${broken.join('; ')}`);
    const reply = replyFor(script, wireFieldsOf(request.body), calls.length);
    if (reply === undefined) return refuse(`the script has no step for call ${calls.length}`);
    if ('reply' in reply && reply.reply === 'raw') {
      response.writeHead(reply.status, reply.headers);
      return void response.end(reply.body);
    }
    const acts = actsOf('reply' in reply ? reply.step : reply, {
      call: calls.length,
      model,
      inputTokens: Math.ceil(request.bytes.length / 4),
      sign: (thinking) => `signed-${thinking.length}`,
    });
    const encoder = wire.encoder({ call: calls.length, model });
    await playProvider(acts, { response, wire, encoder, requestId, clock: options.clock, gone: gone.signal });
  }

  const server = await startLoopback(answer, (message) =>
    problems.push(`the fake provider threw: ${message}`),
  );

  return {
    url: server.url,
    requests,
    calls,
    problems,
    assertNoViolations() {
      if (problems.length > 0) throw new Error(problems.join('\n'));
    },
    close: () => server.close(),
  };
}

function replyFor(
  script: ApiScript,
  body: Readonly<Record<string, unknown>>,
  call: number,
): Reply | undefined {
  const reply = typeof script === 'function' ? script : script[call - 1];
  return typeof reply === 'function' ? reply(body, call) : reply;
}

function listModels(path: string, response: ServerResponse, models: readonly string[]): void {
  const isTags = path.endsWith('/api/tags');
  const isKnown = isTags || path.endsWith('/models');
  const body = isTags
    ? { models: models.map((name) => ({ name, model: name })) }
    : { object: 'list', data: models.map((id) => ({ id, object: 'model' })) };
  response.writeHead(isKnown ? 200 : 404, { 'content-type': 'application/json' });
  response.end(JSON.stringify(isKnown ? body : {}));
}

/**
 * Finds what every provider rejects: a call without its result, a result without its call, a repeated id, or an id of a
 * wrong form.
 */
function brokenRules(traffic: readonly Traffic[], ids?: RegExp): readonly string[] {
  const open = new Map<string, number>();
  const problems = traffic
    .filter(({ id }) => ids?.test(id) === false)
    .map(({ id }) => `${id}: not an id here`);
  for (const [at, { is, id }] of traffic.entries()) {
    const waiting = open.get(id) ?? 0;
    if (is === 'call') {
      // Results come before the next call.
      const isNextRound = traffic[at - 1]?.is === 'result';
      if (isNextRound) for (const [other, count] of open) if (count > 0) problems.push(`${other}: no result`);
      open.set(id, waiting + 1);
    } else if (waiting === 0) problems.push(`${id}: a result without its call`);
    else open.set(id, waiting - 1);
  }
  for (const [id, count] of open) if (count > 0) problems.push(`${id}: no result`);
  return [...new Set(problems)];
}
