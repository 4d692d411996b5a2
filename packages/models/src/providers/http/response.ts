/** What came over the wire as the `Response` that packages read. */
import type { IncomingMessage } from 'node:http';
import type { Readable } from 'node:stream';
import { ReadableStream } from 'node:stream/web';
import { streamIn } from './told-whole.ts';
import { unpacked } from './unpacked.ts';

export async function responseOf(incoming: IncomingMessage): Promise<Response> {
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
  const body = unpacked(incoming);
  const isCalledStream = status !== 200 || /event-?stream/i.test(incoming.headers['content-type'] ?? '');
  const read = isCalledStream ? body : await streamIn(body);
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
