/**
 * Answers that are no stream although one was asked for: an error that somebody on the way said with the status of an answer,
 * or a server that ignores the wish. The packages would find nothing in them, and say only that.
 */
import type { Readable } from 'node:stream';

/** The stream, where it is one: some servers only forget to call it so. Throws what JSON says instead. */
export async function streamIn(body: Readable): Promise<AsyncIterable<Uint8Array>> {
  const chunks: AsyncIterator<Uint8Array> = body[Symbol.asyncIterator]();
  const first = await chunks.next();
  const begun = first.done === true ? [] : [first.value];
  const whole = rejoined(begun, chunks);
  if (!/^\s*[{[]/.test(Buffer.concat(begun).toString('latin1'))) return whole;
  throw new ToldWhole(await textIn(whole));
}

/** Has the fields in which errors of the packages carry what a provider said. */
class ToldWhole extends Error {
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

/** Longer ones explain nothing. */
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
