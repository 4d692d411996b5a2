/** Short names for values: the same value has the same digest, in whatever order its fields were written. */
import { createHash } from 'node:crypto';

/** 80 bits: two different parts of one recording never meet. */
const LENGTH = 20;

export function digestOf(value: unknown): string {
  return digestOfText(JSON.stringify(value, inOrder));
}

/** Of a request, by the digests of its parts. */
export function digestOfParts(...lists: readonly (readonly string[])[]): string {
  return digestOfText(lists.map((list) => list.join(' ')).join('\n'));
}

export function digestOfText(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, LENGTH);
}

function inOrder(_key: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).sort(([left], [right]) => (left < right ? -1 : 1)));
}
