/** Plain data, as JSON can hold it. */
export type Json = string | number | boolean | null | readonly Json[] | JsonObject;

export interface JsonObject {
  readonly [key: string]: Json | undefined;
}

/** A copy that shares nothing with the original. */
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
