/**
 * Reads a script from a file: a list of steps, or `{ "window": 50000, "steps": […] }`. The file comes from
 * a user, so everything is checked.
 */
import { isRecord, errorMessage } from '@heddle/core';
import type { ScriptPart, ScriptStep } from './part.ts';

export interface ReadScript {
  readonly steps: readonly ScriptStep[];
  /** The context window in tokens. */
  readonly window: number | undefined;
}

/** Throws an error that describes the problem with the text. */
export function parseScript(text: string): ReadScript {
  const value = parsed(text);
  const given = isRecord(value) ? value : { steps: value };
  const { steps, window } = given;
  if (!Array.isArray(steps)) throw new Error('a script is a JSON list with one step for each call');
  if (window !== undefined && !(typeof window === 'number' && window > 0))
    throw new Error('the window of a script is a number of tokens');
  return { steps: steps.map(stepAt), window };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (thrown) {
    throw new Error(`it is not JSON: ${errorMessage(thrown)}`, {
      cause: thrown,
    });
  }
}

function stepAt(value: unknown, at: number): ScriptStep {
  const parts: readonly unknown[] = Array.isArray(value) ? value : [value];
  return parts.map((part, index) => {
    if (isPart(part)) return part;
    const place = parts.length === 1 ? `step ${at + 1}` : `step ${at + 1}, part ${index + 1}`;
    throw new Error(`${place}: ${complaint(part)}`);
  });
}

/** Describes why a value is not a part. */
function complaint(value: unknown): string {
  const seen = JSON.stringify(value)?.slice(0, 60);
  const name = isRecord(value) ? value['part'] : undefined;
  const known = Object.keys(FIELDS).join(', ');
  if (typeof name !== 'string')
    return `${seen} is not a part; a part is an object whose "part" is one of ${known}`;
  const fields = Object.hasOwn(FIELDS, name) ? FIELDS[name] : undefined;
  if (fields === undefined) return `there is no part ${name}; there are ${known}`;
  const wants = Object.entries(fields).map(([field, kind]) => `"${field}" (${WORDS[kind]})`);
  return `${seen} is not a complete ${name}; it has ${wants.join(', ')}`;
}

type Kind = 'text' | 'texts' | 'number' | 'object' | 'any';

/** The required fields of each part, by name. */
const FIELDS: Readonly<Record<string, Readonly<Record<string, Kind>>>> = {
  text: { pieces: 'texts' },
  thinking: { pieces: 'texts' },
  redacted_thinking: { data: 'text' },
  tool_use: { id: 'text', name: 'text', pieces: 'texts' },
  foreign_block: { block: 'object' },
  pause: { ms: 'number' },
  pace: { ms: 'number' },
  begin: {},
  ping: {},
  foreign_event: { event: 'object' },
  usage: { usage: 'object' },
  stop: { reason: 'any' },
  fail: { error: 'object' },
  hang_up: {},
  break_at: { events: 'number' },
  stall: {},
};

const WORDS: Readonly<Record<Kind, string>> = {
  text: 'a text',
  texts: 'a list of texts',
  number: 'a number',
  object: 'an object',
  any: 'anything',
};

function isPart(value: unknown): value is ScriptPart {
  if (!isRecord(value) || typeof value['part'] !== 'string') return false;
  const fields = Object.hasOwn(FIELDS, value['part']) ? FIELDS[value['part']] : undefined;
  return fields !== undefined && Object.entries(fields).every(([name, kind]) => IS[kind](value[name]));
}

const IS: Readonly<Record<Kind, (value: unknown) => boolean>> = {
  text: (value) => typeof value === 'string',
  texts: (value) =>
    Array.isArray(value) && value.every((piece) => typeof piece === 'string' || isPart(piece)),
  number: (value) => typeof value === 'number',
  object: isRecord,
  any: () => true,
};
