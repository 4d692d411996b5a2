/** Sends the lines of a session as server-sent events. The id of an event is the number of its line. */
import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import type { Seen, TurnState } from '../client.ts';
import { lineBody, turnBody } from './routes.ts';

export interface EventSource {
  readonly stream: AsyncGenerator<Seen>;
  /** The turn after which the stream ends. */
  readonly end: () => Promise<TurnState | undefined>;
  readonly signal: AbortSignal;
  /** The token may be revoked while the stream is open. */
  readonly isValid: () => Promise<boolean>;
}

/** A proxy closes a silent connection. The token is checked as often. */
const HEARTBEAT_MS = 10_000;

export async function sendEvents(
  response: ServerResponse,
  headers: Readonly<Record<string, string>>,
  { stream, end, signal, isValid }: EventSource,
): Promise<void> {
  // A write to a response that has ended emits an error, even if the client has only just gone.
  response.on('error', () => undefined);
  const isOpen = (): boolean => !response.writableEnded && !response.destroyed;
  const write = (text: string): boolean => !isOpen() || response.write(text);
  response.writeHead(200, { ...headers, 'content-type': 'text/event-stream; charset=utf-8' });
  response.flushHeaders();
  const beat = async (): Promise<void> => {
    // A database that is away says nothing about the token.
    if (await isValid().catch(() => true)) write(': waiting\n\n');
    else response.end();
  };
  const timer = setInterval(() => void beat(), HEARTBEAT_MS);
  try {
    for await (const seen of stream) {
      const text = `event: line\nid: ${seen.seq}\ndata: ${JSON.stringify(lineBody(seen))}\n\n`;
      if (!isOpen()) return;
      if (!write(text)) await once(response, 'drain', { signal });
    }
    const turn = signal.aborted ? undefined : await end();
    if (turn) write(`event: end\ndata: ${JSON.stringify(turnBody(turn))}\n\n`);
  } catch (thrown) {
    // The client has gone, or the database is away: the client continues with `Last-Event-ID`.
    if (!signal.aborted) write(`event: error\ndata: {"message":"The stream broke. Connect again."}\n\n`);
    void thrown;
  } finally {
    clearInterval(timer);
    response.end();
  }
}
