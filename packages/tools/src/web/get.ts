/**
 * One GET with limits: the address is fixed before the connection, and redirects to other hosts are
 * reported, not followed.
 */
import { type IncomingMessage, request as httpRequest } from 'node:http';
import { request as httpsRequest } from 'node:https';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
import { waitOrInterrupt } from '../files/abort.ts';
import { type Address, resolveAddress, type Resolve } from './address.ts';
import { parseFetchUrl } from './deps.ts';

export interface GetOptions {
  readonly allowsPrivate: (host: string) => boolean;
  readonly resolve: Resolve;
  readonly maxBytes: number;
  readonly userAgent: string;
  readonly signal: AbortSignal;
}

export type Got =
  | {
      readonly kind: 'body';
      readonly url: string;
      readonly status: number;
      readonly statusText: string;
      readonly contentType: string;
      readonly body: Buffer;
      readonly isCut: boolean;
    }
  | { readonly kind: 'redirect'; readonly url: string; readonly to: string; readonly status: number };

const MAX_REDIRECTS = 5;

/** Throws with a reason. */
export async function fetchLimited(address: string, options: GetOptions): Promise<Got> {
  let url = parseFetchUrl(address);
  for (let redirects = 0; redirects <= MAX_REDIRECTS; redirects++) {
    const looking = resolveAddress(url.hostname, options.allowsPrivate(url.hostname), options.resolve);
    // A name server can be silent for minutes, and a running lookup cannot be cancelled.
    const target = await waitOrInterrupt(looking, options.signal);
    const response = await ask(url, target, options);
    const status = response.statusCode ?? 0;
    const { location } = response.headers;
    if (status >= 300 && status < 400 && location !== undefined) {
      response.destroy();
      const next = parseFetchUrl(new URL(location, url).href);
      if (!isSameHost(url, next)) return { kind: 'redirect', url: url.href, to: next.href, status };
      url = next;
      continue;
    }
    const { body, isCut } = await bodyOf(response, options.maxBytes);
    return {
      kind: 'body',
      url: url.href,
      status,
      statusText: response.statusMessage ?? '',
      contentType: response.headers['content-type'] ?? '',
      body,
      isCut,
    };
  }
  throw new Error(`${address} redirects more than ${MAX_REDIRECTS} times.`);
}

/** `www.example.com` is another host than `example.com`: a rule may deny one of them, so it needs its own decision. */
function isSameHost(from: URL, to: URL): boolean {
  const isDowngrade = from.protocol === 'https:' && to.protocol === 'http:';
  return from.hostname === to.hostname && from.port === to.port && !isDowngrade;
}

function ask(
  url: URL,
  { address, family }: Address,
  { userAgent, signal }: GetOptions,
): Promise<IncomingMessage> {
  const request = url.protocol === 'https:' ? httpsRequest : httpRequest;
  const answer = Promise.withResolvers<IncomingMessage>();
  const asked = request(url, {
    agent: false,
    signal,
    // The name was resolved and checked. A second lookup could return another address.
    lookup: (_host, options, done) =>
      options.all ? done(null, [{ address, family }]) : done(null, address, family),
    headers: {
      'user-agent': userAgent,
      accept: 'text/markdown, text/html;q=0.9, text/plain;q=0.8, */*;q=0.1',
      'accept-encoding': 'gzip, br, deflate',
    },
  });
  asked.once('response', answer.resolve);
  // Several errors can occur, the later ones after the response.
  asked.on('error', answer.reject);
  asked.end();
  return answer.promise;
}

async function bodyOf(
  response: IncomingMessage,
  maxBytes: number,
): Promise<{ body: Buffer; isCut: boolean }> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  const full = new Error('full');
  const take = async function (source: AsyncIterable<Buffer>): Promise<void> {
    for await (const chunk of source) {
      chunks.push(chunk);
      bytes += chunk.length;
      if (bytes > maxBytes) throw full;
    }
  };
  const decoder = decoderFor(response.headers['content-encoding']);
  try {
    if (decoder) await pipeline(response, decoder, take);
    else await pipeline(response, take);
  } catch (thrown) {
    if (thrown !== full) throw thrown;
  } finally {
    response.destroy();
  }
  return { body: Buffer.concat(chunks).subarray(0, maxBytes), isCut: bytes > maxBytes };
}

function decoderFor(encoding: string | undefined): (Readable & NodeJS.WritableStream) | undefined {
  switch (encoding) {
    case 'gzip':
    case 'x-gzip':
      return createGunzip();
    case 'br':
      return createBrotliDecompress();
    case 'deflate':
      return createInflate();
    default:
      return undefined;
  }
}
