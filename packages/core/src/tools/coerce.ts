/**
 * Corrects common mistakes of models in an input. Models write `"5"` for 5, `"true"` for true, a list as a JSON string,
 * `filePath` for `file_path`, `"Content"` for `"content"`, or an option under another name. A value is changed only if the
 * schema rejects it and exactly one correction fits.
 */
import type { Json, JsonObject } from '../json.ts';

/** Names that models use for a field, with the field's own name. `null`: the value is ignored. */
export type InputAliases = Readonly<Record<string, string | null>>;

export function coerceInput(schema: JsonObject, input: JsonObject, aliases: InputAliases = {}): JsonObject {
  const properties = asObject(schema['properties']) ?? {};
  const coerced = new Map<string, Json>();
  for (const [given, value] of Object.entries(input)) {
    if (value === undefined) continue;
    const alias = Object.hasOwn(properties, given) ? given : aliasOf(given, aliases, Object.keys(properties));
    if (alias === null) continue;
    const name = alias !== given && (Object.hasOwn(input, alias) || coerced.has(alias)) ? given : alias;
    const property = Object.hasOwn(properties, name) ? asObject(properties[name]) : undefined;
    if (property && !isRequired(schema, name) && standsForNothing(property, value)) continue;
    coerced.set(name, property ? coerceValue(property, value) : value);
  }
  // A field named `__proto__` stays a field. As a prototype it would hide its fields from hooks and hosts.
  return Object.fromEntries(coerced);
}

function aliasOf(given: string, aliases: InputAliases, names: readonly string[]): string | null {
  const alias = Object.hasOwn(aliases, given) ? aliases[given] : undefined;
  return alias === undefined ? (sameSpelling(given, names) ?? given) : alias;
}

/** Returns the only word that differs from the given one at most in case, `_` and `-`. */
function sameSpelling(given: string, words: readonly string[]): string | undefined {
  const folded = foldSpelling(given);
  const same = words.filter((word) => foldSpelling(word) === folded);
  return same.length === 1 ? same[0] : undefined;
}

function foldSpelling(word: string): string {
  return word.trim().replaceAll(/[-_ ]/g, '').toLowerCase();
}

/** Models write null, or an empty text that the field does not accept, for an optional field that they leave out. */
function standsForNothing(property: JsonObject, value: Json): boolean {
  if (value === null) return !acceptsType(property, 'null');
  if (value !== '') return false;
  const { enum: words, minLength } = property;
  return (
    !acceptsType(property, 'string') ||
    isList(words ?? null) ||
    (typeof minLength === 'number' && minLength > 0)
  );
}

function coerceValue(schema: JsonObject, value: Json): Json {
  if (typeof value === 'string' && !acceptsType(schema, 'string')) return fromText(schema, value);
  if (typeof value === 'string' && Array.isArray(schema['enum'])) return wordOf(schema['enum'], value);
  if (isList(value)) {
    const items = asObject(schema['items']);
    return items ? value.map((item) => coerceValue(items, item)) : value;
  }
  const object = asObject(value);
  return object && schema['properties'] !== undefined ? coerceInput(schema, object) : value;
}

function wordOf(words: readonly Json[], text: string): string {
  if (words.includes(text)) return text;
  return (
    sameSpelling(
      text,
      words.filter((word) => typeof word === 'string'),
    ) ?? text
  );
}

/** Converts a text to the type of the schema, if the conversion is unambiguous. */
function fromText(schema: JsonObject, text: string): Json {
  const trimmed = text.trim();
  if (acceptsType(schema, 'boolean') && /^(true|false)$/i.test(trimmed))
    return trimmed.toLowerCase() === 'true';
  const isNumeric = /^-?\d+(\.\d+)?$/.test(trimmed);
  if (isNumeric && (acceptsType(schema, 'number') || acceptsType(schema, 'integer'))) return Number(trimmed);
  if (!acceptsType(schema, 'array') && !acceptsType(schema, 'object')) return text;
  const parsed = parseJson(trimmed);
  const fits = Array.isArray(parsed)
    ? acceptsType(schema, 'array')
    : asObject(parsed) && acceptsType(schema, 'object');
  return fits && parsed !== undefined ? coerceValue(schema, parsed) : text;
}

function acceptsType({ type }: JsonObject, wanted: string): boolean {
  return Array.isArray(type) ? type.includes(wanted) : type === wanted;
}

function isRequired({ required }: JsonObject, name: string): boolean {
  return Array.isArray(required) && required.includes(name);
}

function asObject(value: Json | undefined): JsonObject | undefined {
  return typeof value === 'object' && value !== null && !isList(value) ? value : undefined;
}

function isList(value: Json): value is readonly Json[] {
  return Array.isArray(value);
}

function parseJson(text: string): Json | undefined {
  try {
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- JSON.parse returns JSON
    return JSON.parse(text) as Json;
  } catch {
    return undefined;
  }
}
