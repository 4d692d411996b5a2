/** Compiles a JSON Schema to a validator. Loads the schema library: import it only on demand. */
import { isJsonObject, type JsonObject, type Schema } from '@heddle/core';
import * as z from 'zod';

const compiledSchemas = new WeakMap<JsonObject, Schema<JsonObject>>();

/** Throws if the schema itself is invalid. Each schema object is compiled once. */
export function compileSchema(schema: JsonObject): Schema<JsonObject> {
  const known = compiledSchemas.get(schema) ?? compile(schema);
  compiledSchemas.set(schema, known);
  return known;
}

function compile(schema: JsonObject): Schema<JsonObject> {
  const copy: unknown = JSON.parse(JSON.stringify(schema));
  if (!isSchema(copy)) throw new Error('A JSON Schema is an object.');
  const parser = z.fromJSONSchema(copy);
  return {
    safeParse(value) {
      const parsed = parser.safeParse(value);
      if (!parsed.success) return { success: false, error: parsed.error };
      return isJsonObject(parsed.data)
        ? { success: true, data: parsed.data }
        : { success: false, error: { message: 'The value is not an object.' } };
    },
  };
}

function isSchema(value: unknown): value is z.core.JSONSchema.JSONSchema {
  return typeof value === 'object' && value !== null;
}
