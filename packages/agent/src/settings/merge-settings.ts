/** Merges and compares settings as JSON: objects by key, lists by item, other values as a whole. */
import { isJsonObject, type Json, type JsonObject } from '@heddle/core';
import type { LoadedFile } from './scopes.ts';

/** Their order matters, or they are limits. A lower scope must not add to them. */
const WHOLE_LISTS: ReadonlySet<string> = new Set(['fallbackModel', 'availableModels']);

/** The higher value wins. Objects are merged, and lists are concatenated without duplicates. */
export function joinSettings(lower: JsonObject, higher: JsonObject): JsonObject {
  // A Map, because assigning a key named `__proto__` would change the prototype.
  const result = new Map(Object.entries(lower));
  for (const [key, value] of Object.entries(higher)) result.set(key, joined(key, result.get(key), value));
  return Object.fromEntries(result);
}

function joined(key: string, lower: Json | undefined, higher: Json | undefined): Json | undefined {
  if (isJsonObject(lower) && isJsonObject(higher)) return joinSettings(lower, higher);
  if (!isList(lower) || !isList(higher) || WHOLE_LISTS.has(key)) return higher;
  const items = new Map([...higher, ...lower].map((item) => [JSON.stringify(item), item]));
  return [...items.values()];
}

/** Returns the content of both, in the order of the first. */
export function commonPart(first: JsonObject, second: JsonObject): JsonObject {
  return compared(first, second, true);
}

/** Returns the content of the first that is not in the second. */
export function remainder(first: JsonObject, second: JsonObject): JsonObject {
  return compared(first, second, false);
}

function compared(first: JsonObject, second: JsonObject, inBoth: boolean): JsonObject {
  const others = new Map(Object.entries(second));
  const kept = Object.entries(first).flatMap(([key, value]): [string, Json][] => {
    const part = comparedValue(value, others.get(key), inBoth);
    return part === undefined ? [] : [[key, part]];
  });
  return Object.fromEntries(kept);
}

/** Undefined if nothing remains. */
function comparedValue(value: Json | undefined, other: Json | undefined, inBoth: boolean): Json | undefined {
  if (isJsonObject(value) && isJsonObject(other)) {
    const part = compared(value, other, inBoth);
    return Object.keys(part).length === 0 ? undefined : part;
  }
  if (isList(value) && isList(other)) {
    const items = new Set(other.map((item) => JSON.stringify(item)));
    const part = value.filter((item) => items.has(JSON.stringify(item)) === inBoth);
    return part.length === 0 ? undefined : part;
  }
  return (JSON.stringify(value) === JSON.stringify(other)) === inBoth ? value : undefined;
}

function isList(value: Json | undefined): value is readonly Json[] {
  return Array.isArray(value);
}

/** Merges files from the highest to the lowest scope. Only entries that count are included. */
export function mergeSettings(files: readonly LoadedFile[]): JsonObject {
  return files.reduceRight<JsonObject>((lower, { counting }) => joinSettings(lower, counting), {});
}

/** The value of a key inside objects, or undefined. */
export function valueAt(settings: Json | undefined, [name, ...inner]: readonly string[]): Json | undefined {
  if (name === undefined) return settings;
  return isJsonObject(settings) && Object.hasOwn(settings, name) ? valueAt(settings[name], inner) : undefined;
}

/** Sets a key inside objects. Undefined removes it, and objects that become empty. */
export function withKey(
  settings: JsonObject,
  [name = '', ...inner]: readonly string[],
  value: Json | undefined,
): JsonObject {
  const { [name]: old, ...others } = settings;
  if (inner.length === 0) return value === undefined ? others : { ...settings, [name]: value };
  const nested = withKey(isJsonObject(old) ? old : {}, inner, value);
  const isEmptied = value === undefined && Object.keys(nested).length === 0;
  return isEmptied ? others : { ...settings, [name]: nested };
}
