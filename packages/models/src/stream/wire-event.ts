/**
 * The trust boundary: converts server data to an event or rejects it as unreadable. Unknown events pass
 * unchanged.
 */
import { type ApiEvent, isRecord } from '@heddle/core';

/** An error inside a stream that began normally. */
interface StreamError {
  readonly type: 'error';
  readonly error: { readonly type?: unknown; readonly message?: unknown };
}

type Fields = Readonly<Record<string, unknown>>;

/** Returns undefined if it is not JSON, or not a valid event of its type. Never throws. */
export function readWireEvent(data: string): ApiEvent | StreamError | undefined {
  const event = parsed(data);
  if (!isRecord(event)) return undefined;
  if (event['type'] === 'content_block_start') return blockStart(event);
  return isReadable(event) ? event : undefined;
}

function isReadable(event: Fields): event is Fields & (ApiEvent | StreamError) {
  switch (event['type']) {
    case 'content_block_delta':
      return typeof event['index'] === 'number' && isDelta(event['delta']);
    case 'content_block_stop':
      return typeof event['index'] === 'number';
    case 'message_start': {
      const { message } = event;
      return isRecord(message) && typeof message['id'] === 'string' && typeof message['model'] === 'string';
    }
    case 'message_delta':
      return isRecord(event['delta']);
    case 'error':
      return isRecord(event['error']);
    default:
      return typeof event['type'] === 'string';
  }
}

const TEXT_OF_DELTA: Readonly<Record<string, string>> = {
  text_delta: 'text',
  input_json_delta: 'partial_json',
  thinking_delta: 'thinking',
  signature_delta: 'signature',
};

function isDelta(delta: unknown): boolean {
  if (!isRecord(delta) || typeof delta['type'] !== 'string') return false;
  const field = TEXT_OF_DELTA[delta['type']];
  return field === undefined || typeof delta[field] === 'string';
}

/** Some servers omit empty fields at the start of a block. */
const EMPTY_BLOCK: Readonly<Record<string, Fields>> = {
  text: { text: '' },
  thinking: { thinking: '', signature: '' },
  tool_use: { input: {} },
};

function blockStart(event: Fields): ApiEvent | undefined {
  const { content_block: given } = event;
  if (typeof event['index'] !== 'number' || !isRecord(given) || typeof given['type'] !== 'string')
    return undefined;
  const filled = { ...event, content_block: { ...EMPTY_BLOCK[given['type']], ...given } };
  return isBlockStart(filled) ? filled : undefined;
}

function isBlockStart(
  event: Fields & { readonly content_block: Fields },
): event is typeof event & Extract<ApiEvent, { type: 'content_block_start' }> {
  const { content_block: block } = event;
  const has = (...fields: readonly string[]) => fields.every((field) => typeof block[field] === 'string');
  switch (block['type']) {
    case 'text':
      return has('text');
    case 'thinking':
      return has('thinking', 'signature');
    case 'tool_use':
      return has('id', 'name');
    default:
      return true;
  }
}

function parsed(data: string): unknown {
  try {
    return JSON.parse(data);
  } catch {
    return undefined;
  }
}

/**
 * Reads server-sent events from chunks of bytes and delivers the data of each. Chunks may end anywhere:
 * inside a character, a line or an event. Names, ids and comments are skipped, because the Messages API
 * repeats an event's name in its data.
 *
 * This is our own code because every delta passes through it: it takes about 60 % of the time of the
 * parser that was measured.
 */
export class EventReader {
  readonly #onData: (data: string) => void;
  readonly #decoder = new TextDecoder();
  /** The start of an incomplete line, as a list of chunks that is joined once. */
  #line: string[] = [];
  #data: string | undefined;
  #unread = 0;
  #endedInCr = false;

  constructor(onData: (data: string) => void) {
    this.#onData = onData;
  }

  /** Characters of an incomplete event. */
  get unread(): number {
    return this.#unread;
  }

  feed(bytes: Uint8Array): void {
    const text = this.#withPlainLineEnds(this.#decoder.decode(bytes, STREAM));
    let start = 0;
    for (let end = text.indexOf('\n'); end >= 0; end = text.indexOf('\n', start)) {
      if (this.#line.length === 0) this.#take(text, start, end);
      else this.#takeJoined(text.slice(start, end));
      start = end + 1;
    }
    if (start === text.length) return;
    this.#line.push(text.slice(start));
    this.#unread += text.length - start;
  }

  #takeJoined(last: string): void {
    const line = this.#line.join('') + last;
    this.#line = [];
    this.#take(line, 0, line.length);
  }

  /**
   * An empty line ends the event. Of the other lines only `data` counts, and several of them form one text
   * with line breaks.
   */
  #take(text: string, start: number, end: number): void {
    if (start === end) {
      const data = this.#data;
      this.#data = undefined;
      this.#unread = 0;
      if (data !== undefined) this.#onData(data);
      return;
    }
    if (!text.startsWith('data:', start)) return;
    const from = start + (text.charCodeAt(start + 5) === SPACE ? 6 : 5);
    const value = text.slice(from, Math.max(from, end));
    this.#data = this.#data === undefined ? value : `${this.#data}\n${value}`;
    this.#unread += value.length;
  }

  /** A line may end in LF, CR LF or CR, and a chunk may end between CR and LF. */
  #withPlainLineEnds(text: string): string {
    const rest = this.#endedInCr && text.startsWith('\n') ? text.slice(1) : text;
    if (text !== '') this.#endedInCr = false;
    if (!rest.includes('\r')) return rest;
    this.#endedInCr = rest.endsWith('\r');
    return rest.replaceAll(/\r\n?/g, '\n');
  }
}

const STREAM = { stream: true };
const SPACE = 0x20;
