/** The tokens of a call: four counters that are never null. `more` has the other counters of the server. */
import type { Json, JsonObject } from '../json.ts';

export interface Usage {
  readonly input_tokens: number;
  readonly output_tokens: number;
  readonly cache_creation_input_tokens: number;
  readonly cache_read_input_tokens: number;
  readonly more?: JsonObject;
}

/** The tokens of a call, and the model whose prices apply. */
export interface Spent {
  readonly model: string;
  readonly usage: Usage;
}

export const NO_USAGE: Usage = {
  input_tokens: 0,
  output_tokens: 0,
  cache_creation_input_tokens: 0,
  cache_read_input_tokens: 0,
};

const COUNTERS = [
  'input_tokens',
  'output_tokens',
  'cache_creation_input_tokens',
  'cache_read_input_tokens',
] as const;

/**
 * Updates the usage of one answer, counter by counter. `message_delta` contains only the changed counters, and `null`
 * means "unchanged".
 */
export function updateUsage(known: Usage, reported: unknown): Usage {
  if (!isReport(reported)) return known;
  const others = Object.entries(reported).filter(
    ([key, value]) => !isCounter(key) && value !== null && value !== undefined,
  );
  const more = others.length === 0 ? known.more : { ...known.more, ...Object.fromEntries(others) };
  const counters = {
    input_tokens: counterOf(reported['input_tokens'], known.input_tokens),
    output_tokens: counterOf(reported['output_tokens'], known.output_tokens),
    cache_creation_input_tokens: counterOf(
      reported['cache_creation_input_tokens'],
      known.cache_creation_input_tokens,
    ),
    cache_read_input_tokens: counterOf(reported['cache_read_input_tokens'], known.cache_read_input_tokens),
  };
  return more === undefined ? counters : { ...counters, more };
}

function counterOf(reported: Json | undefined, known: number): number {
  return typeof reported === 'number' && reported >= 0 ? reported : known;
}

export function addUsage(left: Usage, right: Usage): Usage {
  return {
    input_tokens: left.input_tokens + right.input_tokens,
    output_tokens: left.output_tokens + right.output_tokens,
    cache_creation_input_tokens: left.cache_creation_input_tokens + right.cache_creation_input_tokens,
    cache_read_input_tokens: left.cache_read_input_tokens + right.cache_read_input_tokens,
  };
}

/** Returns false for an attempt that never reached a model. It costs nothing and is not reported. */
export function isSpent(usage: Usage): boolean {
  return COUNTERS.some((counter) => usage[counter] > 0);
}

/** The usage of a server, as JSON. */
function isReport(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null;
}

function isCounter(key: string): key is (typeof COUNTERS)[number] {
  return (COUNTERS as readonly string[]).includes(key);
}

/** The server's count for one answer. */
export interface AnswerCount {
  readonly responseId: string;
  readonly usage: Usage;
}
