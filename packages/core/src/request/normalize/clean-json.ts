/**
 * Converts values of unknown origin to plain JSON with well-formed Unicode and without cycles. Returns a clean value
 * itself, so the common case needs no copy.
 */
import { isJsonObject, type Json, type JsonObject } from '../../json.ts';

/** Deeper nesting is cut. No tool produces it, and a recursive parser on the server may fail on it. */
const MAX_DEPTH = 200;

export type Dict = Readonly<Record<string, unknown>>;

/** Replaces halves of surrogate pairs (a text cut inside an emoji), which the API refuses. */
export function wellFormed(text: string): string {
  return text.isWellFormed() ? text : text.toWellFormed();
}

// Control characters are not visible either. Some languages treat them as white space, and the server may do so too.
const VISIBLE = /[^\s\p{Cc}]/u;

export function isBlank(text: string): boolean {
  return !VISIBLE.test(text);
}

/** Returns `undefined` for a value that JSON cannot represent (a function, `undefined`). */
export function cleanJson(value: unknown): Json | undefined {
  return isClean(value, 0) ? value : cleanCopy(value, []);
}

export function cleanObject(value: Dict): JsonObject {
  const clean = cleanJson(value);
  return isJsonObject(clean) ? clean : {};
}

function isClean(value: unknown, depth: number): value is Json {
  if (typeof value === 'string') return value.isWellFormed();
  if (typeof value === 'number') return Number.isFinite(value);
  if (typeof value === 'boolean' || value === null) return true;
  if (typeof value !== 'object' || depth >= MAX_DEPTH) return false;
  if (Array.isArray(value)) return value.every((item) => isClean(item, depth + 1)) && isDense(value);
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== null) return false;
  for (const [key, item] of Object.entries(value))
    if (!key.isWellFormed() || !isClean(item, depth + 1)) return false;
  return true;
}

/** Detects holes in an array. `every` skips them, and JSON would contain `null`. */
function isDense(list: readonly unknown[]): boolean {
  return Object.keys(list).length === list.length;
}

function cleanCopy(value: unknown, path: readonly object[]): Json | undefined {
  switch (typeof value) {
    case 'string':
      return wellFormed(value);
    case 'number':
      return Number.isFinite(value) ? value : null;
    case 'boolean':
      return value;
    case 'bigint':
      return value.toString();
    case 'object':
      return value === null || path.length >= MAX_DEPTH || path.includes(value)
        ? null
        : cleanParts(value, path);
    default:
      return undefined;
  }
}

function cleanParts(value: object, path: readonly object[]): Json {
  const below = [...path, value];
  if (Array.isArray(value)) return Array.from(value, (item: unknown) => cleanCopy(item, below) ?? null);
  const entries: [string, Json][] = [];
  for (const [key, item] of Object.entries(value)) {
    const clean = cleanCopy(item, below);
    if (clean !== undefined) entries.push([wellFormed(key), clean]);
  }
  // An assignment would set the prototype for the key `__proto__`.
  return Object.fromEntries(entries);
}
