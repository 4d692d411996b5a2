/**
 * A fake Messages API over real HTTP on the loopback interface. It plays the scripts of the scripted
 * model, breaks connections, and checks every request against the API's rules.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { type Clock, isRecord } from '@heddle/core';
import { TEST_MODEL } from '../context.ts';
import type { RequestBody } from '../request-body.ts';
import { actsOf, requestIdOf } from '../scripted/acts.ts';
import { startLoopback } from '../loopback.ts';
import { errorOf } from '../scripted/errors.ts';
import { createJudge, type JudgeOptions, type Problem } from '../scripted/judge.ts';
import { playMessage, playStream, type ReplyStage, sendError, sendJson } from './play.ts';
import { type RecordedRequest, readRequest } from './recorded.ts';
import type { ApiScript, Reply, WiredStep } from './reply.ts';

export interface FakeApiOptions extends JudgeOptions {
  /** Pauses are spent on this clock. Without one they take no time. */
  readonly clock?: Clock;
  /** The known models. If given, others are not found. */
  readonly models?: readonly string[];
  /** The accepted key. Without one, any key is accepted, but it must be present. */
  readonly apiKey?: string;
}

export interface FakeApi {
  /** `http://127.0.0.1:…`, to be used as the base URL of a client. */
  readonly url: string;
  /** Every request to any path, in order of arrival. */
  readonly requests: readonly RecordedRequest[];
  readonly problems: readonly Problem[];
  /** Throws an error that lists the problems, if there are any. */
  assertNoViolations(): void;
  /** Destroys all sockets, then resolves. Idempotent. */
  close(): Promise<void>;
}

export async function startFakeApi(script: ApiScript, options: FakeApiOptions = {}): Promise<FakeApi> {
  const judge = createJudge(options);
  const requests: RecordedRequest[] = [];
  const models = options.models ?? [TEST_MODEL];
  let calls = 0;

  async function answer(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const gone = new AbortController();
    response.once('close', () => gone.abort());
    const request = await readRequest(incoming, requests.length + 1, options.clock);
    requests.push(request);
    response.once('close', () =>
      request.end(response.writableFinished ? 'answered' : 'broken', options.clock),
    );

    const stage: ReplyStage = {
      response,
      requestId: requestIdOf(request.number),
      clock: options.clock,
      gone: gone.signal,
    };
    const refusal = refusalOf(request, options);
    if (refusal !== undefined) return sendError(refusal, stage);
    switch (`${request.method} ${request.path}`) {
      case 'POST /v1/messages':
        return answerMessages(request, ++calls, stage);
      case 'POST /v1/messages/count_tokens':
        return answerCount(request, judge, stage);
      default:
        return answerModels(request, models, stage);
    }
  }

  async function answerMessages(request: RecordedRequest, call: number, stage: ReplyStage): Promise<void> {
    const objection = judge.examineBody(call, request.body, request.bytes.length);
    if (objection !== undefined) return sendError(objection, stage);
    const body = isRecord(request.body) ? request.body : {};
    const model = String(body['model']);
    if (options.models !== undefined && !models.includes(model)) {
      return sendError(errorOf('not_found', { message: `model: ${model}` }), stage);
    }
    const reply = replyFor(script, body, call);
    if (reply === undefined) {
      const error = judge.object(call, 'out_of_script', `The script has no step for call ${call}`);
      return sendError(error, stage);
    }
    if ('reply' in reply && reply.reply === 'raw') {
      stage.response.writeHead(reply.status, { 'request-id': stage.requestId, ...reply.headers });
      return void stage.response.end(reply.body);
    }
    const { step, wire } = isWired(reply) ? reply : { step: reply, wire: {} };
    const acts = actsOf(step, {
      call,
      model,
      inputTokens: Math.ceil(request.bytes.length / 4),
      sign: (thinking) => judge.signatures.sign(model, thinking),
    });
    judge.remember(model, acts);
    return body['stream'] === true ? playStream(acts, wire, stage) : playMessage(acts, stage);
  }

  const server = await startLoopback(answer, (message) =>
    judge.object(calls, 'script_threw', `The fake API threw: ${message}`),
  );

  return {
    url: server.url,
    requests,
    problems: judge.problems,
    assertNoViolations: () => judge.assertNoProblems(),
    close: () => server.close(),
  };
}

function answerCount(
  request: RecordedRequest,
  judge: ReturnType<typeof createJudge>,
  stage: ReplyStage,
): void {
  // The same rules, for a response that is never written.
  const body = isRecord(request.body) ? { max_tokens: 1_000_000, ...request.body } : request.body;
  const objection = judge.examineBody(request.number, body, request.bytes.length);
  if (objection !== undefined) return sendError(objection, stage);
  sendJson(stage.response, 200, { input_tokens: Math.ceil(request.bytes.length / 4) });
}

/** Answers with the list of models or with one of them. Other paths do not exist. */
function answerModels({ method, path }: RecordedRequest, models: readonly string[], stage: ReplyStage): void {
  if (method === 'GET' && path === '/v1/models')
    return sendJson(stage.response, 200, {
      data: models.map(describeModel),
      has_more: false,
      first_id: models[0] ?? null,
      last_id: models.at(-1) ?? null,
    });
  const model = models.find((id) => method === 'GET' && path === `/v1/models/${id}`);
  if (model === undefined) return sendError(errorOf('not_found', { message: path }), stage);
  return sendJson(stage.response, 200, describeModel(model));
}

function replyFor(script: ApiScript, body: RequestBody, call: number): Reply | undefined {
  const reply = typeof script === 'function' ? script : script[call - 1];
  return typeof reply === 'function' ? reply(body, call) : reply;
}

function isWired(reply: Exclude<Reply, { reply: 'raw' }>): reply is WiredStep {
  return 'reply' in reply;
}

/** Checks that the API makes before it reads the body. */
function refusalOf({ headers, method }: RecordedRequest, { apiKey }: FakeApiOptions) {
  const key = headers['x-api-key'] ?? /^Bearer (.+)$/.exec(headers['authorization'] ?? '')?.[1];
  if (key === undefined || (apiKey !== undefined && key !== apiKey)) return errorOf('auth');
  if (headers['anthropic-version'] === undefined) {
    return errorOf('bad_request', { message: 'anthropic-version: header is required' });
  }
  const isJson = headers['content-type']?.startsWith('application/json') === true;
  return method === 'POST' && !isJson
    ? errorOf('bad_request', { message: 'content-type: must be application/json' })
    : undefined;
}

function describeModel(id: string) {
  return { type: 'model', id, display_name: id, created_at: '2026-01-01T00:00:00Z' };
}
