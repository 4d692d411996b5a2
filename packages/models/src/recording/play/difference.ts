/** Two plain values side by side. */
import { BLOT } from '../text/scrub.ts';

export interface Difference {
  /** Names of fields, from the outside in. */
  readonly path: readonly string[];
  readonly recorded: unknown;
  readonly now: unknown;
}

/** The first place where two plain values differ. */
export function difference(recorded: unknown, now: unknown): Difference | undefined {
  if (recorded === now) return undefined;
  if (typeof recorded === 'string' && typeof now === 'string')
    return sameButForBlots(recorded, now) ? undefined : { path: [], recorded, now };
  if (!isObject(recorded) || !isObject(now) || Array.isArray(recorded) !== Array.isArray(now))
    return { path: [], recorded, now };
  for (const key of new Set([...Object.keys(recorded), ...Object.keys(now)])) {
    const found = difference(field(recorded, key), field(now, key));
    if (found) return { ...found, path: [key, ...found.path] };
  }
  return undefined;
}

/** What was taken out of one side may be anything on the other. */
function sameButForBlots(left: string, right: string): boolean {
  return fits(left, right) || fits(right, left);
}

function fits(pattern: string, text: string): boolean {
  const pieces = pattern.split(BLOT);
  const [first = '', ...rest] = pieces;
  const last = rest.pop();
  if (last === undefined || !text.startsWith(first)) return false;
  let at = first.length;
  for (const piece of rest) {
    const found = text.indexOf(piece, at);
    if (found < 0) return false;
    at = found + piece.length;
  }
  return text.length - last.length >= at && text.endsWith(last);
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}

export function field(value: unknown, key: string): unknown {
  return isObject(value) ? Reflect.get(value, key) : undefined;
}
