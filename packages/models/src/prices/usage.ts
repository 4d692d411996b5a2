/** A call's usage as a bill sees it: one line for the model that answered, and one for each helper that it asked on the way. */
import type { JsonObject, Usage } from '@heddle/core';

export interface BillLine {
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
}

export function billLines(model: string, usage: Usage): readonly BillLine[] {
  const { more = {}, ...counters } = usage;
  return lines(model, { ...more, ...counters });
}

/** Web searches of a call and of its helpers; they are billed by the piece. */
export function webSearchesOf(usage: Usage): number {
  return billLines('', usage).reduce((sum, { webSearches }) => sum + webSearches, 0);
}

function lines(model: string, usage: JsonObject): readonly BillLine[] {
  return [
    lineOf(model, usage),
    ...helpers(usage).flatMap((helper) => lines(stringOf(helper['model']) ?? model, helper)),
  ];
}

/** Iterations of the answering model are in the totals already; what a compaction or an advisor used is not. */
function helpers({ iterations }: JsonObject): readonly JsonObject[] {
  if (!isList(iterations)) return [];
  return iterations.filter(isObject).filter(({ type }) => type !== 'message' && type !== 'fallback_message');
}

function lineOf(model: string, usage: JsonObject): BillLine {
  const tools = objectOf(usage['server_tool_use']);
  const cacheWriteTokens = count(usage['cache_creation_input_tokens']);
  return {
    model,
    inputTokens: count(usage['input_tokens']),
    outputTokens: count(usage['output_tokens']),
    cacheReadTokens: count(usage['cache_read_input_tokens']),
    cacheWriteTokens,
    cacheWriteHourTokens: Math.min(
      cacheWriteTokens,
      count(objectOf(usage['cache_creation'])['ephemeral_1h_input_tokens']),
    ),
    webSearches: count(tools['web_search_requests']),
    isFast: usage['speed'] === 'fast',
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
