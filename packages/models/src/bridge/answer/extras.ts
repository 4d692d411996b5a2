/**
 * What some who speak Chat Completions add to it, and the package does not tell: OpenRouter's `reasoning_details`, and the
 * signatures that Gemini puts on calls. Both want to have them back as they were.
 */
import type { JSONObject, JSONValue } from '@ai-sdk/provider';
import type { Metadata } from '../signature.ts';

export interface Extras {
  readonly details: readonly JSONObject[];
  /** By the call's id. */
  readonly signatures: ReadonlyMap<string, Metadata>;
}

/** Of one chunk as it came. */
export function extrasIn(chunk: unknown): Extras {
  const [choice] = listOf(fieldsOf(chunk)['choices']);
  const delta = fieldsOf(choice?.['delta']);
  const signatures = new Map<string, Metadata>();
  for (const { id, extra_content: extra } of listOf(delta['tool_calls'])) {
    const thoughtSignature = fieldsOf(fieldsOf(extra)['google'])['thought_signature'];
    if (typeof id === 'string' && typeof thoughtSignature === 'string') {
      signatures.set(id, { google: { thoughtSignature } });
    }
  }
  return { details: listOf(delta['reasoning_details']), signatures };
}

/** Whether there is something in it beside words, which thinking has anyway. */
export function isSealed({ signature, data }: JSONObject): boolean {
  return typeof signature === 'string' || typeof data === 'string';
}

/** Details come in pieces, like everything. What belongs to one of them is one again. */
export function joined(before: readonly JSONObject[], more: readonly JSONObject[]): readonly JSONObject[] {
  const all = [...before];
  for (const piece of more) {
    const last = all.at(-1);
    if (last === undefined || !isContinued(last, piece)) all.push(piece);
    else all[all.length - 1] = continued(last, piece);
  }
  return all;
}

function isContinued(last: JSONObject, piece: JSONObject): boolean {
  if (last['type'] !== piece['type'] || last['index'] !== piece['index']) return false;
  return (
    piece['type'] !== 'reasoning.encrypted' && (piece['id'] ?? last['id']) === (last['id'] ?? piece['id'])
  );
}

function continued(last: JSONObject, piece: JSONObject): JSONObject {
  const one: Record<string, JSONValue | undefined> = { ...last };
  for (const [name, value] of Object.entries(piece)) {
    if (value === null || value === undefined) continue;
    const known = one[name];
    const grows = (name === 'text' || name === 'summary') && typeof known === 'string';
    one[name] = grows && typeof value === 'string' ? known + value : value;
  }
  return one;
}

function fieldsOf(value: unknown): JSONObject {
  return isObject(value) ? value : {};
}

function listOf(value: unknown): readonly JSONObject[] {
  return Array.isArray(value) ? value.filter(isObject) : [];
}

/** Chunks were JSON. */
function isObject(value: unknown): value is JSONObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
