/**
 * `fetch` for the packages of providers, over node:http(s). The usual one gives up by itself after five minutes without a
 * byte, which a model that thinks, or runs on a small machine, may well take; here only our own deadlines count.
 */
import type { Agent, ClientRequest, IncomingMessage, RequestOptions } from 'node:http';
import { type Environment, variable } from '../../secrets/environment.ts';
import { trustedBeside } from '../../transport/certificates.ts';
import { responseOf } from './response.ts';
import { proxiesIn } from './proxies.ts';

type Fetch = typeof globalThis.fetch;

interface Door {
  readonly request: (url: URL, options: RequestOptions) => ClientRequest;
  readonly agent: Agent;
}

export function createFetch(environment: Environment): Fetch {
  const doors = new Map<string, Promise<Door>>();
  function doorTo({ protocol }: URL): Promise<Door> {
    const door = doors.get(protocol) ?? openDoor(protocol, environment);
    doors.set(protocol, door);
    return door;
  }
  return async (input, init = {}) => {
    let url = new URL(input instanceof Request ? input.url : input);
    for (let hops = 0; ; hops++) {
      const answer = await send(await doorTo(url), url, init);
      const next = hops < MOST_HOPS ? movedTo(answer, url) : undefined;
      if (next === undefined) return responseOf(answer);
      answer.resume();
      url = next;
    }
  };
}

const MOST_HOPS = 3;

/** A request that shall be repeated elsewhere is repeated on the same host only: it carries a key. */
function movedTo({ statusCode, headers }: IncomingMessage, from: URL): URL | undefined {
  if ((statusCode !== 307 && statusCode !== 308) || headers.location === undefined) return undefined;
  const to = URL.parse(headers.location, from);
  const isSafe = to !== null && to.hostname === from.hostname && isAsSecure(to, from);
  return isSafe ? to : undefined;
}

function isAsSecure(to: URL, from: URL): boolean {
  return to.protocol === 'https:' || (from.protocol === 'http:' && to.protocol === 'http:');
}

function send({ request, agent }: Door, url: URL, init: RequestInit): Promise<IncomingMessage> {
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

/** The packages write JSON. */
function bytesOf(body: RequestInit['body']): string | Uint8Array | undefined {
  if (body === undefined || body === null) return undefined;
  if (typeof body === 'string' || body instanceof Uint8Array) return body;
  throw new TypeError('a body is a text or bytes here');
}

async function openDoor(protocol: string, environment: Environment): Promise<Door> {
  const options = { keepAlive: true, proxyEnv: { ...proxiesIn(environment) } };
  // Not imported: see transport.ts.
  if (protocol === 'http:') {
    const { Agent, request } = process.getBuiltinModule('node:http');
    return { request, agent: new Agent(options) };
  }
  const { Agent, request } = process.getBuiltinModule('node:https');
  const ca = await trustedBeside(variable(environment, 'NODE_EXTRA_CA_CERTS'));
  return { request, agent: new Agent(ca === undefined ? options : { ...options, ca }) };
}
