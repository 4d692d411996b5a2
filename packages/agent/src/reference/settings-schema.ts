/** The JSON schema of a settings file. Generated from the tables that read the settings, so that it cannot differ from them. */
import type { JsonObject } from '@heddle/core';
import type { HookHandler } from '../hooks/definition.ts';
import { HOOK_EVENT_NAMES, traitsOf } from '../hooks/events.ts';
import { KNOWN_SETTINGS } from '../settings/known-settings.ts';
import { omitUndefined } from '@heddle/core';

/** Other keys are allowed, because other programs share these files. */
export function settingsSchema(): JsonObject {
  const properties: Record<string, JsonObject> = {};
  for (const [key, { schema, meaning, variable, byDefault }] of Object.entries(KNOWN_SETTINGS)) {
    const path = key.split('.');
    const description = variable === undefined ? meaning : `${meaning} (${variable})`;
    const leaf: JsonObject = {
      ...(key === 'hooks' ? hooksSchema() : schema),
      description,
      ...omitUndefined({ default: byDefault }),
    };
    place(properties, path, leaf);
  }
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: 'Settings of Heddle',
    type: 'object',
    properties,
    $defs: { hookGroup: hookGroupSchema() },
  };
}

/** Puts the schema of a key into the objects that enclose it. */
function place(
  properties: Record<string, JsonObject>,
  [name = '', ...inner]: readonly string[],
  leaf: JsonObject,
): void {
  if (inner.length === 0) {
    properties[name] = leaf;
    return;
  }
  const enclosing: Record<string, JsonObject> = {};
  const known = properties[name]?.['properties'];
  for (const [key, value] of Object.entries(known ?? {})) if (isSchema(value)) enclosing[key] = value;
  place(enclosing, inner, leaf);
  properties[name] = { type: 'object', properties: enclosing };
}

function isSchema(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null;
}

/** The fields that handlers of all types have. */
const COMMON_FIELDS: JsonObject = {
  timeout: { type: 'number', exclusiveMinimum: 0, description: 'seconds' },
  if: { type: 'string', description: 'a permission rule that limits the hook to the calls it matches' },
  statusMessage: { type: 'string' },
  onFailure: { enum: ['block', 'continue'], description: 'block: without an answer, the event is blocked' },
};

const TEXT: JsonObject = { type: 'string' };
const TEXTS: JsonObject = { type: 'array', items: TEXT };

type DeclaredType = Exclude<HookHandler['type'], 'callback'>;

/** Fields by type of handler. The first one is required. */
const HANDLER_FIELDS: Readonly<Record<DeclaredType, JsonObject>> = {
  command: {
    command: TEXT,
    args: TEXTS,
    shell: TEXT,
    async: { type: 'boolean' },
    asyncRewake: { type: 'boolean' },
  },
  http: { url: TEXT, headers: { type: 'object', additionalProperties: TEXT }, allowedEnvVars: TEXTS },
  prompt: { prompt: TEXT, model: TEXT },
  agent: { prompt: TEXT, model: TEXT },
  mcp_tool: { server: TEXT, tool: TEXT, input: { type: 'object' } },
};

function hooksSchema(): JsonObject {
  const events = HOOK_EVENT_NAMES.map((event): [string, JsonObject] => {
    const { matchField } = traitsOf(event);
    const about = matchField === undefined ? {} : { description: `matcher: ${matchField}` };
    return [event, { type: 'array', items: { $ref: '#/$defs/hookGroup' }, ...about }];
  });
  return { type: 'object', properties: Object.fromEntries(events), additionalProperties: false };
}

/** A matcher with the hooks that run if it matches. A handler without a type is a command. */
function hookGroupSchema(): JsonObject {
  const handlers = Object.entries(HANDLER_FIELDS).map(([type, fields]): JsonObject => {
    const [first = ''] = Object.keys(fields);
    return {
      type: 'object',
      properties: { type: { const: type }, ...fields, ...COMMON_FIELDS },
      required: type === 'command' ? [first] : ['type', first],
    };
  });
  const hooks: JsonObject = { type: 'array', items: { anyOf: handlers } };
  return { type: 'object', properties: { matcher: TEXT, hooks }, required: ['hooks'] };
}
