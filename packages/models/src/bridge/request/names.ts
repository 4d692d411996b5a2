/** Names of tools as every provider takes them, and back again. */
import type { ToolSpec } from '@heddle/core';
import { createHash } from 'node:crypto';

/** What OpenAI, Gemini and Bedrock have in common. */
const TAKEN_BY_ALL = /^[a-zA-Z_][a-zA-Z0-9_-]{0,63}$/;
const LONGEST = 64;
const HASH = 8;

export class ToolNames {
  readonly #ours = new Map<string, string>();

  constructor(tools: readonly ToolSpec[]) {
    for (const { name } of tools) this.#ours.set(wireName(name), name);
  }

  /** The same name always becomes the same one, whatever else there is: calls of earlier turns keep theirs. */
  toWire(name: string): string {
    return wireName(name);
  }

  /** True for the wire name of a tool of this request. */
  isKnown(name: string): boolean {
    return this.#ours.has(name);
  }

  /** A name that no tool has stays as it is: the loop tells the model so. */
  toOurs(name: string): string {
    return this.#ours.get(name) ?? name;
  }
}

function wireName(name: string): string {
  if (TAKEN_BY_ALL.test(name)) return name;
  const hash = createHash('sha256').update(name).digest('hex').slice(0, HASH);
  const readable = name.replaceAll(/[^a-zA-Z0-9_-]/g, '_').replace(/^(?=[^a-zA-Z_])/, '_');
  return `${readable.slice(0, LONGEST - HASH - 1)}_${hash}`;
}

export type IdForm = 'any' | 'nine letters or digits';

const NINE = /^[a-zA-Z0-9]{9}$/;

/** The same id always becomes the same one: calls and results find each other, and caches their beginnings. */
export function wireId(id: string, form: IdForm): string {
  if (form === 'any' || NINE.test(id)) return id;
  const digits = BigInt(`0x${createHash('sha256').update(id).digest('hex')}`).toString(36);
  return digits.slice(0, 9);
}
