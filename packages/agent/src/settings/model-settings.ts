/** The setting `models`: what a user states about models, for gateways, contracts and models that no list has. */
import { isJsonObject, type Json, type JsonObject } from '@heddle/core';

/** Prices in USD. What is left out comes from the lists. */
export interface ModelSettings {
  /** Tokens that the model reads at once. */
  readonly contextWindow?: number;
  /** Tokens that the model writes at once. */
  readonly maxOutputTokens?: number;
  /** How the model thinks. */
  readonly thinking?: ThinkingMode;
  readonly inputPerMillion?: number;
  readonly outputPerMillion?: number;
  readonly cacheReadPerMillion?: number;
  readonly cacheWritePerMillion?: number;
  readonly cacheWriteHourPerMillion?: number;
  readonly webSearchPerThousand?: number;
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

/** A field of another kind than expected counts as absent. */
export function modelSettings(value: Json | undefined): Readonly<Record<string, ModelSettings>> {
  if (!isJsonObject(value)) return {};
  const entries = Object.entries(value).flatMap(([name, said]): [string, ModelSettings][] =>
    isJsonObject(said) ? [[name, readSettings(said)]] : [],
  );
  return Object.fromEntries(entries);
}

/** Every field is known and of its kind: for `heddle config`. */
export function isModelSettings(value: Json): boolean {
  if (!isJsonObject(value)) return false;
  return Object.values(value).every((said) => {
    if (said === undefined || !isJsonObject(said)) return false;
    return Object.keys(said).length === Object.keys(readSettings(said)).length;
  });
}

function readSettings(said: JsonObject): ModelSettings {
  const numbers = [
    ...TOKENS.filter((key) => isNumber(said[key]) && Number(said[key]) >= 1),
    ...PRICES.filter((key) => isNumber(said[key]) && Number(said[key]) >= 0),
  ].map((key) => [key, Number(said[key])] as const);
  const thinking = THINKING_MODES.find((mode) => mode === said['thinking']);
  return { ...Object.fromEntries(numbers), ...(thinking === undefined ? {} : { thinking }) };
}

function isNumber(value: Json | undefined): boolean {
  return typeof value === 'number' && Number.isFinite(value);
}
