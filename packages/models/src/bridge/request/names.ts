/** Maps tool names to names that every provider accepts, and back. */
import type { ToolSpec } from '@heddle/core';
import { createHash } from 'node:crypto';

/** The names that OpenAI, Gemini and Bedrock all accept. */
const TAKEN_BY_ALL = /^[a-zA-Z_][a-zA-Z0-9_-]{0,63}$/;
const LONGEST = 64;
const HASH = 8;

export class ToolNames {
  readonly #ours = new Map<string, string>();
  readonly #folded = new Set<string>();

  constructor(tools: readonly ToolSpec[]) {
    for (const { name } of tools) {
      this.#ours.set(wireName(name), name);
      this.#folded.add(wireName(name).toLowerCase());
    }
  }

  /**
   * Contract: deterministic. The same name always maps to the same wire name, so calls of earlier turns
   * keep theirs.
   */
  toWire(name: string): string {
    return wireName(name);
  }

  /** Returns true for the wire name of a tool of this request, in any case: the loop finds a tool in any case. */
  isKnown(name: string): boolean {
    return this.#folded.has(name.toLowerCase());
  }

  /** An unknown name is returned unchanged. The loop then reports the unknown tool to the model. */
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

/** Contract: deterministic, so that calls match their results and cached prefixes stay equal. */
export function wireId(id: string, form: IdForm): string {
  if (form === 'any' || NINE.test(id)) return id;
  const digits = BigInt(`0x${createHash('sha256').update(id).digest('hex')}`).toString(36);
  return digits.slice(0, 9);
}
