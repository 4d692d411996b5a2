/** A call's usage as a bill sees it: one line for the model that answered, and one for each helper that it asked on the way. */
import { type JsonObject, NO_USAGE, type Usage, updateUsage } from '@heddle/core';

export interface CostLine {
  readonly model: string;
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly cacheReadTokens: number;
  readonly cacheWriteTokens: number;
  /** The part of the cache writes that is kept for an hour. */
  readonly cacheWriteHourTokens: number;
  readonly webSearches: number;
  /** Billed at rates that the list does not have. */
  readonly isFast: boolean;
  /** What the provider itself says it cost, in USD. */
  readonly toldUsd?: number;
}

/** Of a call's usage, the part that one model had. */
export interface UsageOfModel {
  readonly model: string;
  readonly usage: Usage;
}

/** The model that answered first, then each helper that it asked on the way, however deep. */
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

/** Iterations of the answering model are in the totals already; what a compaction or an advisor used is not. */
function helpers(iterations: unknown): readonly JsonObject[] {
  if (!isList(iterations)) return [];
  return iterations.filter(isObject).filter(({ type }) => type !== 'message' && type !== 'fallback_message');
}

export function costLines(model: string, usage: Usage): readonly CostLine[] {
  return usageByModel(model, usage).map((part) => lineOf(part.model, part.usage));
}

/** Web searches of a call and of its helpers; they are billed by the piece. */
export function webSearchesOf(usage: Usage): number {
  return costLines('', usage).reduce((sum, { webSearches }) => sum + webSearches, 0);
}

/** The provider itself says what this cost. */
export function isCostReported(usage: Usage): boolean {
  return lineOf('', usage).toldUsd !== undefined;
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
    ...(typeof more['cost_usd'] === 'number' ? { toldUsd: more['cost_usd'] } : {}),
  };
}

function count(value: unknown): number {
  return typeof value === 'number' && value > 0 ? value : 0;
}

function objectOf(value: unknown): JsonObject {
  return isObject(value) ? value : {};
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isList(value: unknown): value is readonly unknown[] {
  return Array.isArray(value);
}

function stringOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}
