/** Converts finish reason and usage of a provider to those of the Messages API. */
import type { LanguageModelV4FinishReason, LanguageModelV4Usage } from '@ai-sdk/provider';
import { isRecord, type StopReason, omitUndefined } from '@heddle/core';

export type Ending =
  | { readonly is: 'answer'; readonly reason: StopReason }
  /** The stream stopped before the server sent a finish reason. */
  | { readonly is: 'broken' }
  /** The server failed with this finish reason. */
  | { readonly is: 'failed'; readonly word: string };

export function answerEndOf({ unified, raw }: LanguageModelV4FinishReason, calls: number): Ending {
  if (raw !== undefined && REFUSALS.test(raw)) return { is: 'answer', reason: 'refusal' };
  if (raw !== undefined && FAILURES.test(raw)) return { is: 'failed', word: raw };
  switch (unified) {
    // Some servers send `stop` after calls, too.
    case 'stop':
    case 'tool-calls':
      return { is: 'answer', reason: calls > 0 ? 'tool_use' : 'end_turn' };
    case 'length':
      return { is: 'answer', reason: 'max_tokens' };
    case 'content-filter':
      return { is: 'answer', reason: 'refusal' };
    case 'interrupted':
      return { is: 'broken' };
    case 'error':
      return raw === undefined ? { is: 'broken' } : { is: 'failed', word: raw };
    // An unknown finish reason counts as an end. A missing one does not.
    case 'other':
      if (raw === undefined) return { is: 'broken' };
      return { is: 'answer', reason: calls > 0 ? 'tool_use' : 'end_turn' };
  }
}

/** Finish reasons that some packages do not know. */
const REFUSALS = /^(content_filter|sensitive|refusal)$/;
const FAILURES =
  /^(error|abort|aborted|cancelled|network_error|insufficient_system_resource|MALFORMED_FUNCTION_CALL|UNEXPECTED_TOOL_CALL|MALFORMED_RESPONSE)$/;

export interface UsageSetting {
  /** Returns an estimate of the tokens of the request. */
  readonly estimate: () => number;
  /** The provider reports the cost of a response in dollars. */
  readonly tellsCost: boolean;
}

/**
 * Returns four counters that do not overlap. `estimated` means that the server did not count, as some
 * local servers do.
 */
export function usageFromProvider(
  { inputTokens, outputTokens, raw }: LanguageModelV4Usage,
  { estimate, tellsCost }: UsageSetting,
): object {
  const { cacheRead = 0, cacheWrite = writtenIn(raw) } = inputTokens;
  const read = count(cacheRead);
  const written = count(cacheWrite);
  const fresh = freshIn(inputTokens, read, written);
  const costUsd = tellsCost ? costIn(raw) : undefined;
  const isUnknown = fresh === undefined || count(fresh) + read + written === 0;
  return {
    input_tokens: isUnknown ? estimate() : count(fresh),
    cache_read_input_tokens: read,
    cache_creation_input_tokens: written,
    output_tokens: count(outputTokens.total),
    ...(outputTokens.reasoning ? { reasoning_tokens: count(outputTokens.reasoning) } : {}),
    ...(isUnknown ? { estimated: true } : {}),
    ...omitUndefined({ cost_usd: costUsd }),
  };
}

type Raw = LanguageModelV4Usage['raw'];

/** Counts cache writes once. A package that does not report them includes them in the fresh tokens. */
function freshIn(
  { total, noCache, cacheWrite }: LanguageModelV4Usage['inputTokens'],
  read: number,
  written: number,
): number | undefined {
  if (noCache !== undefined) return cacheWrite === undefined ? noCache - written : noCache;
  return total === undefined ? undefined : total - read - written;
}

/** OpenRouter reports cache writes in a field that the package does not read. */
function writtenIn(raw: Raw): number | undefined {
  const details = raw?.['prompt_tokens_details'];
  return isRecord(details) ? numberOf(details['cache_write_tokens']) : undefined;
}

/**
 * Returns the real cost, which OpenRouter reports. With the user's own key, the cost of the upstream
 * provider is added.
 */
function costIn(raw: Raw): number | undefined {
  const cost = numberOf(raw?.['cost']);
  if (cost === undefined || raw?.['is_byok'] !== true) return cost;
  const details = raw['cost_details'];
  const upstream = isRecord(details) ? numberOf(details['upstream_inference_cost']) : undefined;
  return cost + (upstream ?? 0);
}

function numberOf(value: unknown): number | undefined {
  return typeof value === 'number' && value >= 0 ? value : undefined;
}

function count(value: number | undefined): number {
  return value !== undefined && value > 0 ? value : 0;
}
