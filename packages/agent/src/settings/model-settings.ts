/** The setting `models`: facts about models from the user, for gateways, contracts and unlisted models. */
import { isJsonObject, type Json, type JsonObject, omitUndefined } from '@heddle/core';
import type { PriceOverride } from '@heddle/models';

/** Prices are in USD. Missing values come from the price lists. */
export interface ModelSettings extends PriceOverride {
  /** The number of tokens in a response. */
  readonly maxOutputTokens?: number;
  /** The thinking mode of the model. */
  readonly thinking?: ThinkingMode;
}

type ThinkingMode = (typeof THINKING_MODES)[number];

const THINKING_MODES = ['none', 'adaptive', 'budget', 'either'] as const;

const TOKENS = ['contextWindow', 'maxOutputTokens'] as const;

const PRICES = [
  'inputPerMillion',
  'outputPerMillion',
  'cacheReadPerMillion',
  'cacheWritePerMillion',
  'cacheWriteHourPerMillion',
  'webSearchPerThousand',
] as const;

/** A field of an unexpected type counts as absent. */
export function modelSettings(value: Json | undefined): Readonly<Record<string, ModelSettings>> {
  if (!isJsonObject(value)) return {};
  const entries = Object.entries(value).flatMap(([name, stated]): [string, ModelSettings][] =>
    isJsonObject(stated) ? [[name, readSettings(stated)]] : [],
  );
  return Object.fromEntries(entries);
}

/** Returns whether every field is known and valid. */
export function isModelSettings(value: Json): value is JsonObject {
  if (!isJsonObject(value)) return false;
  return Object.values(value).every((stated) => {
    if (stated === undefined || !isJsonObject(stated)) return false;
    return Object.keys(stated).length === Object.keys(readSettings(stated)).length;
  });
}

/** The valid fields of a value that is not valid as a whole. */
export function usableModelSettings(value: Json): JsonObject | undefined {
  if (!isJsonObject(value)) return undefined;
  const usable = new Map<string, Json>();
  for (const [name, fields] of Object.entries(modelSettings(value))) usable.set(name, { ...fields });
  return Object.fromEntries(usable);
}

export function modelSettingsSchema(): JsonObject {
  const numbers = (names: readonly string[], minimum: number): [string, JsonObject][] =>
    names.map((name) => [name, { type: 'number', minimum }]);
  const properties: JsonObject = {
    ...Object.fromEntries([...numbers(TOKENS, 1), ...numbers(PRICES, 0)]),
    thinking: { enum: [...THINKING_MODES] },
  };
  const model: JsonObject = { type: 'object', properties, additionalProperties: false };
  return { type: 'object', additionalProperties: model };
}

function readSettings(stated: JsonObject): ModelSettings {
  const numbers = [
    ...TOKENS.filter((key) => isNumber(stated[key]) && Number(stated[key]) >= 1),
    ...PRICES.filter((key) => isNumber(stated[key]) && Number(stated[key]) >= 0),
  ].map((key) => [key, Number(stated[key])] as const);
  const thinking = THINKING_MODES.find((mode) => mode === stated['thinking']);
  return { ...Object.fromEntries(numbers), ...omitUndefined({ thinking }) };
}

function isNumber(value: Json | undefined): boolean {
  return typeof value === 'number' && Number.isFinite(value);
}
