/** Responses as bytes, for data that a script cannot express: each format's own events, valid or not. */
import { raw, type RawReply } from '@heddle/testing';

const STREAM = { 'content-type': 'text/event-stream' };

/** Server-sent events. A string is sent unchanged. */
export function events(...data: readonly (object | string)[]): string {
  return data.map((one) => `data: ${typeof one === 'string' ? one : JSON.stringify(one)}\n\n`).join('');
}

export function streamed(...data: readonly (object | string)[]): RawReply {
  return raw(200, events(...data), STREAM);
}

/** Chat Completions: deltas, then a chunk with the reason for the end, then the usual last line. */
export function chat(reason: string | undefined, ...deltas: readonly (object | null)[]): RawReply {
  const end = reason === undefined ? [] : [chunk({}, reason), '[DONE]'];
  return streamed(...deltas.map((delta) => chunk(delta)), ...end);
}

export function chunk(delta: object | null, finish_reason: string | null = null): object {
  return { id: 'c1', object: 'chat.completion.chunk', choices: [{ index: 0, delta, finish_reason }] };
}

export function chatCall(more: object, json: unknown = '{"at":"a"}'): object {
  return { type: 'function', function: { name: 'Look', arguments: json }, ...more };
}

/** Gemini: one chunk for each list of parts; the last has the reason. */
export function gemini(reason: string | undefined, ...chunks: readonly (readonly object[])[]): RawReply {
  return streamed(
    ...chunks.map((parts, at) => geminiChunk(parts, at === chunks.length - 1 ? reason : undefined)),
  );
}

export function geminiChunk(parts: readonly object[], finishReason?: string): object {
  return { candidates: [{ content: { role: 'model', parts }, index: 0, finishReason }] };
}

export function geminiCall(more: object = {}): object {
  return { functionCall: { name: 'Look', args: { at: 'a' }, ...more } };
}

/** Responses: an event each. */
export function responses(...parts: readonly (object | string)[]): RawReply {
  return streamed(BEGUN, ...parts);
}

const BEGUN = { type: 'response.created', response: responseOf('in_progress') };
export const RESPONDED = { type: 'response.completed', response: responseOf('completed') };

export function responseOf(status: string, more: object = {}): object {
  return { id: 'r1', object: 'response', created_at: 1, model: 'm', status, output: [], ...more };
}

export function responded(text: string): readonly object[] {
  const item = { type: 'message', id: 'm1', role: 'assistant', status: 'completed', content: [] };
  return [
    { type: 'response.output_item.added', output_index: 0, item },
    { type: 'response.output_text.delta', item_id: 'm1', output_index: 0, content_index: 0, delta: text },
    { type: 'response.output_item.done', output_index: 0, item },
  ];
}

export function responsesCall(at: number, call_id: string, json: string): readonly object[] {
  const item = { type: 'function_call', id: `i${at}`, call_id, name: 'Look' };
  return [
    { type: 'response.output_item.added', output_index: at, item: { ...item, arguments: '' } },
    { type: 'response.function_call_arguments.delta', item_id: `i${at}`, output_index: at, delta: json },
    {
      type: 'response.output_item.done',
      output_index: at,
      item: { ...item, arguments: json, status: 'completed' },
    },
  ];
}
