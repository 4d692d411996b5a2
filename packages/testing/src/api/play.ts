/** Plays a step to an HTTP client: as server-sent events, or as one message. */
import type { ServerResponse } from 'node:http';
import type { ApiEvent, Clock, ModelError } from '@heddle/core';
import { settleOrAbort } from '../gate.ts';
import type { Act, EndAct } from '../scripted/act.ts';
import { envelopeOf, httpErrorOf } from './errors.ts';
import { apiMessageOf } from './message-of.ts';
import type { Wire } from './reply.ts';
import { EventStream } from './wire.ts';

export interface ReplyStage {
  readonly response: ServerResponse;
  readonly requestId: string;
  readonly clock: Clock | undefined;
  /** Aborts when the client has disconnected. */
  readonly gone: AbortSignal;
}

export async function playStream(acts: readonly Act[], wire: Wire, stage: ReplyStage): Promise<void> {
  const { response, requestId } = stage;
  const stream = new EventStream(response, { 'request-id': requestId }, wire);
  if (wire.headersFirst === true) stream.open();
  for (const act of acts) {
    if (stage.gone.aborted || response.destroyed) return;
    if (act.act === 'event') await stream.send(String(act.event.type), act.event);
    else if (act.act === 'wait' || act.act === 'gate') await wait(act, stage);
    else await endStream(act, stream, stage);
  }
}

async function endStream(end: EndAct, stream: EventStream, stage: ReplyStage): Promise<void> {
  const failure = failureOf(end);
  if (failure === 'silence') return settleOrAbort(NEVER, stage.gone);
  if (failure === 'break') return stream.destroy();
  if (failure !== undefined && !stream.opened) return sendError(failure, stage);
  if (failure !== undefined) await stream.send('error', envelopeOf(failure, stage.requestId));
  stream.end();
}

/** Without a stream nothing is sent before the end, so every break comes before the first byte. */
export async function playMessage(acts: readonly Act[], stage: ReplyStage): Promise<void> {
  const events: ApiEvent[] = [];
  for (const act of acts) {
    if (stage.gone.aborted) return;
    if (act.act === 'event') events.push(act.event);
    else if (act.act === 'wait' || act.act === 'gate') await wait(act, stage);
    else await endMessage(act, events, stage);
  }
}

async function endMessage(end: EndAct, events: readonly ApiEvent[], stage: ReplyStage): Promise<void> {
  const failure = failureOf(end);
  if (failure === 'silence') return settleOrAbort(NEVER, stage.gone);
  if (failure === 'break' || end.act === 'hang_up') return void stage.response.socket?.destroy();
  if (failure !== undefined) return sendError(failure, stage);
  sendJson(stage.response, 200, apiMessageOf(events), { 'request-id': stage.requestId });
}

export function sendError(
  error: ModelError,
  { response, requestId }: Pick<ReplyStage, 'response' | 'requestId'>,
): void {
  const { status, headers, body } = httpErrorOf(error, requestId);
  sendJson(response, status, body, { ...headers, 'request-id': requestId });
}

export function sendJson(
  response: ServerResponse,
  status: number,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers });
  response.end(JSON.stringify(body));
}

/** Maps an end to a socket. Connection errors happen to the socket; the others are sent. */
function failureOf(end: EndAct): ModelError | 'silence' | 'break' | undefined {
  switch (end.act) {
    case 'done':
      return undefined;
    case 'silence':
      return 'silence';
    case 'hang_up':
      return end.clean ? undefined : 'break';
    case 'fail':
      if (end.error.class === 'stall') return 'silence';
      return end.error.class === 'network' ? 'break' : end.error;
  }
}

async function wait(act: Extract<Act, { act: 'wait' | 'gate' }>, { clock, gone }: ReplyStage): Promise<void> {
  if (act.act === 'gate') await act.gate.pass(gone);
  else await clock?.sleep(act.ms, gone);
}

const NEVER = Promise.withResolvers<never>().promise;
