/** The kinds of values that settings have. Each kind gives the type, the check, the JSON schema and the words for a message. */
import { isJsonObject, type Json, type JsonObject } from '@heddle/core';

export interface SettingKind<T extends Json = Json> {
  /** Describes the allowed values for an error message. */
  readonly expects: string;
  readonly accepts: (value: Json) => value is T;
  readonly schema: JsonObject;
  /** The part of an invalid value that is still usable. Without it, an invalid value is ignored as a whole. */
  readonly salvage?: (value: Json) => T | undefined;
}

export const text: SettingKind<string> = {
  expects: 'a text',
  accepts: (value) => typeof value === 'string',
  schema: { type: 'string' },
};

/** Items that are not texts are left out. A single text does not become a list: it may have been meant otherwise. */
export const texts: SettingKind<readonly string[]> = {
  expects: 'a list of texts',
  accepts: isTexts,
  schema: { type: 'array', items: { type: 'string' } },
  salvage: (value) => (Array.isArray(value) ? value.filter(isText) : undefined),
};

/** A list that can only forbid. A single text counts as a list of one. */
export const forbiddenTexts: SettingKind<readonly string[]> = {
  ...texts,
  salvage: (value) => (isText(value) ? [value] : texts.salvage?.(value)),
};

export const textOrTexts: SettingKind<string | readonly string[]> = {
  expects: 'a text or a list of texts',
  accepts: (value) => isText(value) || isTexts(value),
  schema: { anyOf: [text.schema, texts.schema] },
};

/** A command of the user, in the form that similar tools use. */
export const statusCommand: SettingKind<JsonObject> = {
  expects: 'an object with type "command" and command',
  accepts: (value): value is JsonObject =>
    isJsonObject(value) && value['type'] === 'command' && isText(value['command'] ?? null),
  schema: {
    type: 'object',
    properties: { type: { const: 'command' }, command: { type: 'string' } },
    required: ['type', 'command'],
  },
};

export const flag: SettingKind<boolean> = {
  expects: 'true or false',
  accepts: (value) => typeof value === 'boolean',
  schema: { type: 'boolean' },
};

export const count: SettingKind<number> = {
  expects: 'a whole number over 0',
  accepts: (value): value is number => typeof value === 'number' && Number.isSafeInteger(value) && value > 0,
  schema: { type: 'integer', minimum: 1 },
};

export const countOrZero: SettingKind<number> = {
  expects: 'a whole number, 0 or more',
  accepts: (value): value is number => typeof value === 'number' && Number.isSafeInteger(value) && value >= 0,
  schema: { type: 'integer', minimum: 0 },
};

export const share: SettingKind<number> = {
  expects: 'a number from 0 to 1',
  accepts: (value): value is number => typeof value === 'number' && value >= 0 && value <= 1,
  schema: { type: 'number', minimum: 0, maximum: 1 },
};

export const port: SettingKind<number> = {
  expects: 'a port number',
  accepts: (value): value is number =>
    typeof value === 'number' && Number.isInteger(value) && value > 0 && value < 65_536,
  schema: { type: 'integer', minimum: 1, maximum: 65_535 },
};

/** Numbers and booleans become texts. */
export const environment: SettingKind<JsonObject> = {
  expects: 'an object of texts',
  accepts: (value): value is JsonObject => isJsonObject(value) && Object.values(value).every(isPlain),
  schema: { type: 'object', additionalProperties: { type: ['string', 'number', 'boolean'] } },
  salvage: (value) =>
    isJsonObject(value)
      ? Object.fromEntries(Object.entries(value).filter(([, item]) => isPlain(item)))
      : undefined,
};

export const object: SettingKind<JsonObject> = {
  expects: 'an object',
  accepts: isJsonObject,
  schema: { type: 'object' },
};

/** Entries that name MCP servers. A single name counts as a list of one, and a list without usable entries is empty. */
export const serverEntries: SettingKind<readonly Json[]> = {
  expects: 'a list of names, or of objects with serverName, serverCommand or serverUrl',
  accepts: (value): value is readonly Json[] => Array.isArray(value) && value.every(isServerEntry),
  schema: {
    type: 'array',
    items: {
      anyOf: [
        text.schema,
        {
          type: 'object',
          properties: { serverName: text.schema, serverCommand: texts.schema, serverUrl: text.schema },
        },
      ],
    },
  },
  salvage: (value) => {
    const entries: readonly Json[] = Array.isArray(value) ? value : [value];
    return entries.filter(isServerEntry);
  },
};

function isServerEntry(value: Json): value is string | JsonObject {
  if (!isJsonObject(value)) return isText(value);
  const { serverName, serverCommand = null, serverUrl } = value;
  return isText(serverName) || isText(serverUrl) || isTexts(serverCommand);
}

/** By rule: inputs that it matches, and inputs that it does not match. */
export const ruleExamples: SettingKind<JsonObject> = {
  expects: 'an object of rules, each with the lists match and not_match',
  accepts: (value): value is JsonObject =>
    isJsonObject(value) && Object.values(value).every((rule) => rule !== undefined && isExample(rule)),
  schema: {
    type: 'object',
    additionalProperties: {
      type: 'object',
      properties: { match: texts.schema, not_match: texts.schema },
    },
  },
};

function isExample(value: Json): boolean {
  if (!isJsonObject(value)) return false;
  return [value['match'], value['not_match']].every((list) => list === undefined || isTexts(list));
}

export function oneOf<const Word extends string>(...words: readonly Word[]): SettingKind<Word> {
  return {
    expects: `one of ${words.join(', ')}`,
    accepts: (value): value is Word => words.some((word) => word === value),
    schema: { enum: [...words] },
  };
}

function isText(value: Json | undefined): value is string {
  return typeof value === 'string';
}

function isTexts(value: Json): value is readonly string[] {
  return Array.isArray(value) && value.every(isText);
}

function isPlain(value: Json | undefined): boolean {
  return ['string', 'number', 'boolean'].includes(typeof value);
}
