/** Helpers of tools whose input is described by a JSON Schema. */
import type { JsonObject, Schema } from '@heddle/core';

/** Loads the schema library on the first call. Throws if the schema itself is invalid. */
export async function loadSchema(schema: JsonObject): Promise<Schema<JsonObject>> {
  const { compileSchema } = await import('@heddle/tools/json-schema');
  return compileSchema(schema);
}

/** The schema of the tool has checked the input, so any other value is a missing text. */
export function stringOrEmpty(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

/** Returns undefined for an empty text, too: models send one for a field that they leave out. */
export function nonEmptyString(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}
