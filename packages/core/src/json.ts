/** Plain data that JSON can represent. */
export type Json = string | number | boolean | null | readonly Json[] | JsonObject;

export interface JsonObject {
  readonly [key: string]: Json | undefined;
}

/** Returns true for an object that is neither null nor an array. Its values are still unknown. */
export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Does the same check for a value that was parsed from JSON, so that its values are JSON too. */
export function isJsonObject(value: unknown): value is JsonObject {
  return isRecord(value);
}

/** Returns a deep copy. */
export function cloneJson(value: JsonObject): Record<string, Json | undefined> {
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [key, inner === undefined ? inner : cloneValue(inner)]),
  );
}

function cloneValue(value: Json): Json {
  if (typeof value !== 'object' || value === null) return value;
  return isList(value) ? value.map(cloneValue) : cloneJson(value);
}

function isList(value: readonly Json[] | JsonObject): value is readonly Json[] {
  return Array.isArray(value);
}

type Defined<T> = { [Key in keyof T]?: Exclude<T[Key], undefined> };

/** Leaves out the fields that are undefined. A field that is present, but undefined, is not the same in JSON. */
export function omitUndefined<T extends object>(fields: T): Defined<T> {
  const defined: Defined<T> = {};
  for (const key in fields) {
    const value = fields[key];
    if (isDefined(value)) defined[key] = value;
  }
  return defined;
}

function isDefined<T>(value: T): value is Exclude<T, undefined> {
  return value !== undefined;
}
