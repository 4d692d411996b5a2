/**
 * Input schemas of servers, made safe for requests. One schema that a provider rejects would fail every request of the
 * session. So a schema that cannot be used is replaced by one that accepts any object. Pure.
 */
import { isRecord, type Json, type JsonObject } from '@heddle/core';

const MAX_CHARACTERS = 100_000;
const MAX_DEPTH = 32;

/** Accepts every object. The server checks the input itself. */
const OPEN_SCHEMA: JsonObject = { type: 'object', additionalProperties: true };

const PROPERTY_NAME = /^[a-zA-Z0-9_.-]{1,64}$/;

/** Providers reject these at the top of an input schema. */
const COMBINATORS = ['anyOf', 'oneOf', 'allOf', 'not', 'if', 'then', 'else', 'enum', 'const'] as const;

const TYPES: ReadonlySet<unknown> = new Set([
  'object',
  'array',
  'string',
  'number',
  'integer',
  'boolean',
  'null',
]);

export interface ReadSchema {
  readonly schema: JsonObject;
  /** The reason why the server's schema was replaced. */
  readonly problem?: string;
}

export function readInputSchema(value: unknown): ReadSchema {
  const problem = problemIn(value);
  if (problem !== undefined) return { schema: OPEN_SCHEMA, problem };
  const entries = Object.entries(isRecord(value) ? value : {}).filter(
    ([key]) => !COMBINATORS.some((word) => word === key),
  );
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- it was parsed from JSON, and checked above
  return { schema: { ...(Object.fromEntries(entries) as JsonObject), type: 'object' } };
}

function problemIn(value: unknown): string | undefined {
  if (!isRecord(value)) return 'it is not an object';
  if (value['type'] !== undefined && value['type'] !== 'object') return 'its type is not object';
  const { properties } = value;
  if (properties !== undefined && !isRecord(properties)) return 'its properties are not an object';
  const bad = Object.keys(properties ?? {}).find((name) => !PROPERTY_NAME.test(name));
  if (bad !== undefined) return 'a property has a name that providers reject';
  let text: string;
  try {
    text = JSON.stringify(value);
  } catch {
    return 'it contains itself';
  }
  if (text.length > MAX_CHARACTERS) return `it has more than ${MAX_CHARACTERS} characters`;
  return invalidPart(value, value, 0);
}

/** Checks the words that every validator checks, at any depth. */
function invalidPart(
  schema: unknown,
  root: Readonly<Record<string, unknown>>,
  depth: number,
): string | undefined {
  if (typeof schema === 'boolean') return undefined;
  if (!isRecord(schema)) return 'a part of it is not a schema';
  if (depth > MAX_DEPTH) return 'it is nested too deeply';
  const { type, required, pattern, $ref } = schema;
  const types: readonly unknown[] = Array.isArray(type) ? type : type === undefined ? [] : [type];
  if (!types.every((name) => TYPES.has(name))) return 'it has an unknown type';
  if (required !== undefined && !isTextList(required)) return 'required is not a list of names';
  if (schema['enum'] !== undefined && !Array.isArray(schema['enum'])) return 'enum is not a list';
  if (pattern !== undefined && !isExpression(pattern)) return 'a pattern is not a regular expression';
  if ($ref !== undefined && !resolves($ref, root)) return 'a $ref leads nowhere';
  for (const inner of innerSchemas(schema)) {
    const problem = invalidPart(inner, root, depth + 1);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

const MAPS = ['properties', 'patternProperties', '$defs', 'definitions', 'dependentSchemas'] as const;
const LISTS = ['anyOf', 'oneOf', 'allOf', 'prefixItems'] as const;
const SINGLE = ['additionalProperties', 'not', 'if', 'then', 'else', 'contains', 'propertyNames'] as const;

function* innerSchemas(schema: Readonly<Record<string, unknown>>): Generator {
  for (const key of MAPS) {
    const map = schema[key];
    if (map !== undefined) yield* isRecord(map) ? Object.values(map) : [map];
  }
  for (const key of LISTS) {
    const list: unknown = schema[key];
    if (list !== undefined) yield* Array.isArray(list) ? list : [list];
  }
  for (const key of SINGLE) if (schema[key] !== undefined) yield schema[key];
  const items: unknown = schema['items'];
  if (items !== undefined) yield* Array.isArray(items) ? items : [items];
}

/** Follows a pointer inside the schema. References between schemas may form a cycle; a reference to itself may not. */
function resolves(ref: unknown, root: Readonly<Record<string, unknown>>): boolean {
  const seen = new Set<unknown>();
  let pointer = ref;
  while (true) {
    if (typeof pointer !== 'string' || !pointer.startsWith('#') || seen.has(pointer)) return false;
    seen.add(pointer);
    let place: unknown = root;
    for (const part of pointer.split('/').slice(1)) {
      const key = decodeURIComponent(part).replaceAll('~1', '/').replaceAll('~0', '~');
      place = Array.isArray(place) ? place[Number(key)] : isRecord(place) ? place[key] : undefined;
    }
    if (!isRecord(place)) return typeof place === 'boolean';
    const next: unknown = place['$ref'];
    if (next === undefined) return true;
    pointer = next;
  }
}

function isTextList(value: unknown): value is readonly Json[] {
  return Array.isArray(value) && value.every((item) => typeof item === 'string');
}

function isExpression(value: unknown): boolean {
  try {
    return typeof value === 'string' && new RegExp(value, 'u') instanceof RegExp;
  } catch {
    return false;
  }
}
