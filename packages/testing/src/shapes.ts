/**
 * A request as a shape, in the notation of the worked trace: `system[m]
 * user:reminder text[m]`. It contains order, roles, kinds, ids and cache marks, without the texts.
 *
 * `[m]` a cache mark · `!` an error result · `reminder` a text in `<system-reminder>` tags ·
 * `tool_result(id:image)` media in a result
 */
import { isDeepStrictEqual } from 'node:util';
import type { ContentBlock, ModelRequest } from '@heddle/core';

/**
 * The whole request in one line, with `
 * ` between its messages.
 */
export function shapeOf(request: ModelRequest): string {
  return shapeLines(request).join(' | ');
}

/** One line per message. The first is the head, if it is not empty. */
export function shapeLines(request: ModelRequest): string[] {
  const head = headShape(request);
  return [...(head === '' ? [] : [head]), ...messageShapes(request)];
}

/**
 * The requests of a run, one line each, in the notation of the worked trace: `…` represents the whole
 * request above (except its marks), and a repeated request is named as such.
 */
export function shapesOf(requests: readonly ModelRequest[]): string[] {
  return requests.map((request, index) => {
    const before = requests[index - 1];
    return before === undefined ? shapeOf(request) : shapeAfter(before, index, request);
  });
}

function shapeAfter(before: ModelRequest, number: number, request: ModelRequest): string {
  const shared = sharedMessages(before, request);
  const sameHead = headJson(before) === headJson(request);
  if (shared < before.messages.length || !sameHead) return shapeOf(request);

  const changed = changesOf(before, request);
  const added = messageShapes(request).slice(shared);
  if (added.length > 0) {
    const marks = request.marks.some(({ message }) => message === shared - 1) ? '… [m]' : '…';
    return [marks, ...added].join(' | ') + changed.map((change) => `, ${change}`).join('');
  }
  const same = isDeepStrictEqual(before.marks, request.marks) && changed.length === 0;
  return same ? `same bytes as ${number}` : [`same messages as ${number}`, ...changed].join(', ');
}

/** Returns how many messages from the first on are equal in both. */
function sharedMessages(left: ModelRequest, right: ModelRequest): number {
  const most = Math.min(left.messages.length, right.messages.length);
  let count = 0;
  while (count < most && isDeepStrictEqual(left.messages.at(count), right.messages.at(count))) count++;
  return count;
}

function headJson({ system, tools, options }: ModelRequest): string {
  return JSON.stringify([system, tools, options]);
}

function changesOf(before: ModelRequest, after: ModelRequest): string[] {
  const changes: string[] = [];
  if (before.model !== after.model) changes.push(`model ${after.model}`);
  if (before.max_tokens !== after.max_tokens) changes.push(`max_tokens ${after.max_tokens}`);
  return changes;
}

function headShape({ system, tools }: ModelRequest): string {
  const marked = (items: readonly { readonly cache_control?: unknown }[]) =>
    items.some(({ cache_control }) => cache_control !== undefined);
  const words: string[] = [];
  if (marked(tools)) words.push('tools[m]');
  if (system.length > 0) words.push(marked(system) ? 'system[m]' : 'system');
  return words.join(' ');
}

function messageShapes({ messages, marks }: ModelRequest): string[] {
  const marked = new Set(marks.map(({ message, block }) => `${message}.${block}`));
  return [...messages].map(({ role, content }, message) => {
    const blocks = content.map(
      (block, place) => blockShape(block) + (marked.has(`${message}.${place}`) ? '[m]' : ''),
    );
    return `${role}:${blocks.join(' ')}`;
  });
}

function blockShape(block: ContentBlock): string {
  switch (block.type) {
    case 'text':
      return block.text.startsWith('<system-reminder>') ? 'reminder' : 'text';
    case 'tool_use':
      return `tool_use(${block.id})`;
    case 'tool_result': {
      const content = typeof block.content === 'string' ? [] : block.content;
      const media = content.filter(({ type }) => type !== 'text').map(({ type }) => `:${String(type)}`);
      return `tool_result(${block.tool_use_id}${media.join('')})${block.is_error === true ? '!' : ''}`;
    }
    case 'thinking':
    case 'redacted_thinking':
    case 'image':
    case 'document':
      return block.type;
    default:
      return String(block.type);
  }
}
