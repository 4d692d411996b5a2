/** The border: what a server says becomes an event here, or is found unreadable. What nobody here knows passes unharmed. */
import type { ApiEvent } from '@heddle/core';

/** An error within a stream that began well. */
export interface WireError {
  readonly type: 'error';
  readonly error: { readonly type?: unknown; readonly message?: unknown };
}

type Fields = Readonly<Record<string, unknown>>;

/** Undefined when it is not JSON, or not what an event of its kind must be. Never throws. */
export function readWireEvent(data: string): ApiEvent | WireError | undefined {
  const event = parsed(data);
  if (!isFields(event)) return undefined;
  if (event['type'] === 'content_block_start') return blockStart(event);
  return isReadable(event) ? event : undefined;
}

function isReadable(event: Fields): event is Fields & (ApiEvent | WireError) {
  switch (event['type']) {
    case 'content_block_delta':
      return typeof event['index'] === 'number' && isDelta(event['delta']);
    case 'content_block_stop':
      return typeof event['index'] === 'number';
    case 'message_start': {
      const { message } = event;
      return isFields(message) && typeof message['id'] === 'string' && typeof message['model'] === 'string';
    }
    case 'message_delta':
      return isFields(event['delta']);
    case 'error':
      return isFields(event['error']);
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
  if (!isFields(delta) || typeof delta['type'] !== 'string') return false;
  const field = TEXT_OF_DELTA[delta['type']];
  return field === undefined || typeof delta[field] === 'string';
}

/** Some servers leave out what is empty at the start of a block. */
const EMPTY_BLOCK: Readonly<Record<string, Fields>> = {
  text: { text: '' },
  thinking: { thinking: '', signature: '' },
  tool_use: { input: {} },
};

function blockStart(event: Fields): ApiEvent | undefined {
  const { content_block: given } = event;
  if (typeof event['index'] !== 'number' || !isFields(given) || typeof given['type'] !== 'string')
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

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
