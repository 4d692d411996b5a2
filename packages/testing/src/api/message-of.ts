/** Folds the events of a response into one message, for a request without `stream`. */
import type { ApiEvent, BlockDelta } from '@heddle/core';

type Fields = Record<string, unknown>;

export function apiMessageOf(events: readonly ApiEvent[]): Fields {
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
