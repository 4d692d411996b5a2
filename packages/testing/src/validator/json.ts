/** Reads plain JSON of unknown shape. */
import { isRecord } from '@heddle/core';

export type JsonFields = Readonly<Record<string, unknown>>;

export function jsonListOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** Returns the items of a list that are objects, each with its index. */
export function placedFieldsOf(value: unknown): { readonly place: number; readonly fields: JsonFields }[] {
  return jsonListOf(value).flatMap((fields, place) => (isRecord(fields) ? [{ place, fields }] : []));
}

export interface PlacedBlock {
  readonly block: JsonFields;
  readonly path: string;
  /** The index of its message and its index there. A block inside a result has those of the result. */
  readonly message: number;
  readonly place: number;
  readonly role: unknown;
  /** Inside a tool result. */
  readonly inResult: boolean;
}

/** Returns every block of every message in order. Blocks inside results follow the result. */
export function blocksOf(body: JsonFields): PlacedBlock[] {
  const blocks: PlacedBlock[] = [];
  for (const { place: message, fields } of placedFieldsOf(body['messages'])) {
    const { role, content } = fields;
    for (const { place, fields: block } of placedFieldsOf(content)) {
      const path = `messages.${message}.content.${place}`;
      blocks.push({ block, path, message, place, role, inResult: false });
      if (block['type'] !== 'tool_result') continue;
      for (const inner of placedFieldsOf(block['content'])) {
        const innerPath = `${path}.content.${inner.place}`;
        blocks.push({ block: inner.fields, path: innerPath, message, place, role, inResult: true });
      }
    }
  }
  return blocks;
}

export function isBlankText(text: unknown): boolean {
  return typeof text === 'string' && text.trim() === '';
}

export function isString(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}
