/**
 * `fetch` for provider packages, over node:http(s). Node's own `fetch` ends after five minutes without a
 * byte. A thinking or local model may take longer; here only our own deadlines apply.
 */
import type { Agent, ClientRequest, IncomingMessage, RequestOptions } from 'node:http';
import type { Readable, Transform } from 'node:stream';
import { ReadableStream } from 'node:stream/web';
import { constants, createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
import { type Environment, readVariable } from '../secrets/environment.ts';
import { readExtraCertificates } from '../transport/certificates.ts';
import { proxiesIn } from './proxies.ts';

type Fetch = typeof globalThis.fetch;

interface HttpClient {
  readonly request: (url: URL, options: RequestOptions) => ClientRequest;
  readonly agent: Agent;
}

export function createFetch(environment: Environment): Fetch {
  const deps = new Map<string, Promise<HttpClient>>();
  function clientFor({ protocol }: URL): Promise<HttpClient> {
    const port = deps.get(protocol) ?? openClient(protocol, environment);
    deps.set(protocol, port);
    return port;
  }
  return async (input, init = {}) => {
    let url = new URL(input instanceof Request ? input.url : input);
    for (let hops = 0; ; hops++) {
      const answer = await send(await clientFor(url), url, init);
      const next = hops < MOST_HOPS ? movedTo(answer, url) : undefined;
      if (next === undefined) return responseOf(answer);
      answer.resume();
      url = next;
    }
  };
}

const MOST_HOPS = 3;

/** Follows a redirect on the same host only, because the request carries a key. */
function movedTo({ statusCode, headers }: IncomingMessage, from: URL): URL | undefined {
  if ((statusCode !== 307 && statusCode !== 308) || headers.location === undefined) return undefined;
  const to = URL.parse(headers.location, from);
  const isSafe = to !== null && to.hostname === from.hostname && isAsSecure(to, from);
  return isSafe ? to : undefined;
}

function isAsSecure(to: URL, from: URL): boolean {
  return to.protocol === 'https:' || (from.protocol === 'http:' && to.protocol === 'http:');
}

function send({ request, agent }: HttpClient, url: URL, init: RequestInit): Promise<IncomingMessage> {
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  const { signal } = init;
  if (signal?.aborted) return Promise.reject(reasonOf(signal));
  const outgoing = request(url, {
    method: init.method ?? 'GET',
    headers: { 'accept-encoding': 'gzip, deflate, br', ...Object.fromEntries(new Headers(init.headers)) },
    agent,
  });
  const onAbort = () => void outgoing.destroy(reasonOf(signal));
  signal?.addEventListener('abort', onAbort, { once: true });
  outgoing.once('close', () => signal?.removeEventListener('abort', onAbort));
  outgoing.on('response', resolve).on('error', reject);
  outgoing.end(bytesOf(init.body));
  return promise;
}

function reasonOf(signal: AbortSignal | null | undefined): Error {
  const reason: unknown = signal?.reason;
  return reason instanceof Error ? reason : new DOMException('This operation was aborted', 'AbortError');
}

/** The packages send JSON. */
function bytesOf(body: RequestInit['body']): string | Uint8Array | undefined {
  if (body === undefined || body === null) return undefined;
  if (typeof body === 'string' || body instanceof Uint8Array) return body;
  throw new TypeError('a body is a text or bytes here');
}

async function openClient(protocol: string, environment: Environment): Promise<HttpClient> {
  const options = { keepAlive: true, proxyEnv: { ...proxiesIn(environment) } };
  // Not imported statically: see transport.ts.
  if (protocol === 'http:') {
    const { Agent, request } = process.getBuiltinModule('node:http');
    return { request, agent: new Agent(options) };
  }
  const { Agent, request } = process.getBuiltinModule('node:https');
  const ca = await readExtraCertificates(readVariable(environment, 'NODE_EXTRA_CA_CERTS'));
  return { request, agent: new Agent(ca === undefined ? options : { ...options, ca }) };
}

async function responseOf(incoming: IncomingMessage): Promise<Response> {
  const status = incoming.statusCode ?? 0;
  const headers = headersOf(incoming);
  if (WITHOUT_BODY.has(status)) {
    incoming.resume();
    return new Response(null, { status, headers });
  }
  if (status >= 300 && status < 400) {
    incoming.resume();
    const where = incoming.headers.location ?? 'nowhere';
    return Response.json({ error: { message: `it points to ${where}` } }, { status });
  }
  const body = decompressed(incoming);
  const isCalledStream = status !== 200 || /event-?stream/i.test(incoming.headers['content-type'] ?? '');
  const read = isCalledStream ? body : await streamFromWholeResponse(body);
  return new Response(streamOf(read), { status, statusText: incoming.statusMessage ?? '', headers });
}

const WITHOUT_BODY: ReadonlySet<number> = new Set([204, 205, 304]);

function streamOf(chunks: Readable | AsyncIterable<Uint8Array>): ReadableStream<Uint8Array> {
  return ReadableStream.from<Uint8Array>(chunks);
}

function headersOf({ headers }: IncomingMessage): Headers {
  const known = new Headers();
  for (const [name, value] of Object.entries(headers)) {
    for (const one of Array.isArray(value) ? value : [value ?? '']) known.append(name, one);
  }
  return known;
}

// Handles responses that are not streams although one was requested: an error with a success status, or a
// server that ignores the option. The packages would find nothing in them and report only that.

/**
 * Returns the stream if it is one, because some servers set a wrong content type. Throws the error in a
 * JSON body.
 */
async function streamFromWholeResponse(body: Readable): Promise<AsyncIterable<Uint8Array>> {
  const chunks: AsyncIterator<Uint8Array> = body[Symbol.asyncIterator]();
  const first = await chunks.next();
  const begun = first.done === true ? [] : [first.value];
  const whole = rejoined(begun, chunks);
  if (!/^\s*[{[]/.test(Buffer.concat(begun).toString('latin1'))) return whole;
  throw new UnstreamedAnswer(await textIn(whole));
}

/** Has the fields in which package errors carry the provider's response. */
class UnstreamedAnswer extends Error {
  readonly responseBody: string | undefined;

  constructor(body: string) {
    super('it did not stream its answer');
    const isAnswer = /"(choices|candidates|output)"\s*:/.test(body);
    this.responseBody = isAnswer ? undefined : body;
  }
}

async function* rejoined(
  begun: readonly Uint8Array[],
  rest: AsyncIterator<Uint8Array>,
): AsyncGenerator<Uint8Array, void> {
  yield* begun;
  yield* { [Symbol.asyncIterator]: () => rest };
}

/** Longer ones do not explain more. */
const LONGEST_BYTES = 100_000;

async function textIn(chunks: AsyncIterable<Uint8Array>): Promise<string> {
  const read: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of chunks) {
    read.push(chunk);
    bytes += chunk.byteLength;
    if (bytes > LONGEST_BYTES) break;
  }
  return Buffer.concat(read).toString('utf8');
}

function decompressed(incoming: IncomingMessage): Readable {
  const encoding = incoming.headers['content-encoding']?.trim().toLowerCase();
  const unpack = encoding === undefined ? undefined : UNPACKERS[encoding];
  // A reader gets the error from the iterator. A caller that stopped reading does not need it.
  incoming.on('error', () => undefined);
  if (unpack === undefined) return incoming;
  const stream = unpack();
  incoming.on('error', (error) => stream.destroy(error));
  stream.on('error', () => undefined).on('close', () => incoming.destroy());
  return incoming.pipe(stream);
}

/** A truncated compressed body ends without an error. The reader detects the missing rest. */
const SYNC = { flush: constants.Z_SYNC_FLUSH, finishFlush: constants.Z_SYNC_FLUSH };
const SYNC_BROTLI = {
  flush: constants.BROTLI_OPERATION_FLUSH,
  finishFlush: constants.BROTLI_OPERATION_FLUSH,
};

const UNPACKERS: Readonly<Record<string, () => Transform>> = {
  gzip: () => createGunzip(SYNC),
  'x-gzip': () => createGunzip(SYNC),
  deflate: () => createInflate(SYNC),
  br: () => createBrotliDecompress(SYNC_BROTLI),
};
