/** A server of the Model Context Protocol on standard input and output, without a library. For tests of clients. */
// Many tests start a server: it loads this file alone, not all of the package.
import { isRecord } from '@heddle/core/json';
import { createInterface } from 'node:readline';

export type Fields = Readonly<Record<string, unknown>>;

/** A message as the client sent it. */
interface Received {
  readonly id?: string | number;
  readonly method?: string;
  readonly params: Fields;
  /** The whole message, if it answers a request of the server. */
  readonly reply: Fields;
}

/** Returns the result. Undefined gives no answer. A thrown error becomes an error response. */
export type Handler = (params: Fields, message: Received) => unknown;

export function write(message: Fields): void {
  process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
}

/** Serves until standard input ends. */
export function serveLines(
  handlers: Readonly<Record<string, Handler>>,
  onReply?: (message: Fields) => void,
): void {
  createInterface({ input: process.stdin }).on('line', (line) => {
    const message = read(line);
    if (message?.method === undefined) {
      if (message) onReply?.(message.reply);
      return;
    }
    const handler = handlers[message.method];
    if (!handler) {
      if (message.id !== undefined)
        write({ id: message.id, error: { code: -32_601, message: 'Method not found' } });
      return;
    }
    void answer(handler, message);
  });
}

async function answer(handler: Handler, message: Received): Promise<void> {
  try {
    const result = await handler(message.params, message);
    if (result !== undefined && message.id !== undefined) write({ id: message.id, result });
  } catch (thrown) {
    const text = thrown instanceof Error ? thrown.message : String(thrown);
    if (message.id !== undefined) write({ id: message.id, error: { code: -32_000, message: text } });
  }
}

function read(line: string): Received | undefined {
  try {
    const reply = fieldsOf(JSON.parse(line));
    const { id, method, params } = reply;
    return {
      ...(typeof id === 'string' || typeof id === 'number' ? { id } : {}),
      ...(typeof method === 'string' ? { method } : {}),
      params: fieldsOf(params),
      reply,
    };
  } catch {
    return undefined;
  }
}

/** An object as it is, and anything else as an empty one. */
export function fieldsOf(value: unknown): Fields {
  return isRecord(value) ? value : {};
}

export function initializeResult(name: string, capabilities: Fields): Fields {
  return { protocolVersion: '2025-11-25', capabilities, serverInfo: { name, version: '1.0.0' } };
}

export const ANY_OBJECT = { type: 'object', properties: {} } as const;

export function textResult(text: string): Fields {
  return { content: [{ type: 'text', text }] };
}
