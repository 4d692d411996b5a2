/**
 * Splits the usage of a call for billing: one line for the model that responded, and one for each helper
 * model.
 */
import { isJsonObject, type JsonObject, NO_USAGE, updateUsage, type Usage } from '@heddle/core';

export interface CostLine {
  readonly model: string;
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly cacheReadTokens: number;
  readonly cacheWriteTokens: number;
  /** The cache writes that are kept for an hour. */
  readonly cacheWriteHourTokens: number;
  readonly webSearches: number;
  /** Billed at rates that the list does not contain. */
  readonly isFast: boolean;
  /** The cost in USD as reported by the provider. */
  readonly reportedUsd?: number;
}

/** One model's part of the usage of a call. */
export interface UsageOfModel {
  readonly model: string;
  readonly usage: Usage;
}

/** Returns the model that responded first, then each helper model at any depth. */
export function usageByModel(model: string, usage: Usage): readonly UsageOfModel[] {
  const { more: { iterations, ...more } = {}, ...counters } = usage;
  const own = { model, usage: Object.keys(more).length === 0 ? counters : { ...counters, more } };
  return [
    own,
    ...helpers(iterations).flatMap((helper) =>
      usageByModel(stringOf(helper['model']) ?? model, updateUsage(NO_USAGE, helper)),
    ),
  ];
}

/**
 * The totals already include iterations of the responding model. They do not include compaction or advisor
 * models.
 */
function helpers(iterations: unknown): readonly JsonObject[] {
  if (!isList(iterations)) return [];
  return iterations
    .filter(isJsonObject)
    .filter(({ type }) => type !== 'message' && type !== 'fallback_message');
}

export function costLines(model: string, usage: Usage): readonly CostLine[] {
  return usageByModel(model, usage).map((part) => lineOf(part.model, part.usage));
}

/** Counts the web searches of a call and its helpers. They are billed per search. */
export function webSearchesOf(usage: Usage): number {
  return costLines('', usage).reduce((sum, { webSearches }) => sum + webSearches, 0);
}

/** Returns true if the provider itself reports the cost. */
export function isCostReported(usage: Usage): boolean {
  return typeof usage.more?.['cost_usd'] === 'number';
}

function lineOf(model: string, usage: Usage): CostLine {
  const { more = {} } = usage;
  const cacheWriteTokens = count(usage.cache_creation_input_tokens);
  const hour = count(objectOf(more['cache_creation'])['ephemeral_1h_input_tokens']);
  return {
    model,
    inputTokens: count(usage.input_tokens),
    outputTokens: count(usage.output_tokens),
    cacheReadTokens: count(usage.cache_read_input_tokens),
    cacheWriteTokens,
    cacheWriteHourTokens: Math.min(cacheWriteTokens, hour),
    webSearches: count(objectOf(more['server_tool_use'])['web_search_requests']),
    isFast: more['speed'] === 'fast',
    ...(typeof more['cost_usd'] === 'number' ? { reportedUsd: more['cost_usd'] } : {}),
  };
}

function count(value: unknown): number {
  return typeof value === 'number' && value > 0 ? value : 0;
}

function objectOf(value: unknown): JsonObject {
  return isJsonObject(value) ? value : {};
}

function isList(value: unknown): value is readonly unknown[] {
  return Array.isArray(value);
}

function stringOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}
