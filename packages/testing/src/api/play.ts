/** Plays a step to an HTTP client: as server-sent events, or as one message. */
import type { ApiEvent, BlockDelta, Clock, ModelError } from '@heddle/core';
import type { ServerResponse } from 'node:http';
import { settleOrAbort } from '../gate.ts';
import type { Act, EndAct } from '../scripted/act.ts';
import { envelopeOf, httpErrorOf } from './errors.ts';
import type { Wire } from './reply.ts';

export interface ReplyStage {
  readonly response: ServerResponse;
  readonly requestId: string;
  readonly clock: Clock | undefined;
  /** Aborts when the client has disconnected. */
  readonly gone: AbortSignal;
}

export async function playStream(acts: readonly Act[], wire: Wire, stage: ReplyStage): Promise<void> {
  const { response, requestId } = stage;
  const stream = new EventStream(response, { ...wire.headers, 'request-id': requestId }, wire);
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

// Folds the events of a response into one message, for a request without `stream`.

type Fields = Record<string, unknown>;

function apiMessageOf(events: readonly ApiEvent[]): Fields {
  const message: Fields = {};
  const blocks: Fields[] = [];
  const usage: Fields = {};
  for (const event of events) {
    switch (event.type) {
      case 'message_start':
        Object.assign(message, event.message);
        Object.assign(usage, event.message.usage);
        break;
      case 'content_block_start':
        blocks[event.index] = { ...event.content_block };
        break;
      case 'content_block_delta':
        add(blocks[event.index], event.delta);
        break;
      case 'message_delta':
        Object.assign(message, event.delta);
        Object.assign(usage, event.usage);
        break;
      default:
    }
  }
  return { ...message, content: blocks.map(finished), usage };
}

function add(block: Fields | undefined, delta: BlockDelta): void {
  if (block === undefined) return;
  const append = (field: string, text: string) => (block[field] = textOf(block[field]) + text);
  if (delta.type === 'text_delta') append('text', delta.text);
  else if (delta.type === 'thinking_delta') append('thinking', delta.thinking);
  else if (delta.type === 'signature_delta') append('signature', delta.signature);
  else if (delta.type === 'input_json_delta') append('json', delta.partial_json);
}

/** The server parses a tool's input itself. Broken input is dropped. */
function finished({ json, ...block }: Fields): Fields {
  if (typeof json !== 'string' || json === '') return block;
  try {
    const input: unknown = JSON.parse(json);
    return { ...block, input };
  } catch {
    return block;
  }
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

// Sends server-sent events in chunks over a socket that may close between two of them.

class EventStream {
  readonly #response: ServerResponse;
  readonly #headers: Readonly<Record<string, string>>;
  readonly #wire: Wire;
  #bytes = 0;
  #chunks = 0;

  constructor(response: ServerResponse, headers: Readonly<Record<string, string>>, wire: Wire) {
    this.#response = response;
    this.#headers = headers;
    this.#wire = wire;
  }

  /** Sends status and headers, once. */
  open(): void {
    if (this.#response.headersSent) return;
    this.#response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8', ...this.#headers });
    this.#response.flushHeaders();
  }

  get opened(): boolean {
    return this.#response.headersSent;
  }

  async send(type: string, data: unknown): Promise<void> {
    this.open();
    const line = this.#wire.crlf === true ? '\r\n' : '\n';
    const bytes = Buffer.from(`event: ${type}${line}data: ${JSON.stringify(data)}${line}${line}`);
    const size = this.#wire.chunkBytes ?? bytes.length;
    for (let start = 0; start < bytes.length; start += size)
      await this.#write(bytes.subarray(start, start + size));
  }

  end(): void {
    this.open();
    this.#response.end();
  }

  /** Closes the connection: before any byte, or in the middle of the body. */
  destroy(): void {
    this.#response.socket?.destroy();
  }

  async #write(chunk: Uint8Array): Promise<void> {
    if (this.#response.destroyed) return;
    const { destroyAfterBytes = Number.POSITIVE_INFINITY, destroyAfterChunks = Number.POSITIVE_INFINITY } =
      this.#wire;
    const room = Math.min(chunk.length, destroyAfterBytes - this.#bytes);
    if (room > 0 && this.#chunks < destroyAfterChunks) await this.#flush(chunk.subarray(0, room));
    this.#bytes += room;
    this.#chunks++;
    if (this.#bytes >= destroyAfterBytes || this.#chunks >= destroyAfterChunks) this.destroy();
  }

  /** Resolves when the bytes were passed to the system, or can no longer be sent. */
  #flush(chunk: Uint8Array): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#response.write(chunk, () => resolve());
    this.#response.once('close', resolve);
    return promise.finally(() => this.#response.removeListener('close', resolve));
  }
}
