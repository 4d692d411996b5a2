/** How an answer ended and what it took, in the words of the Messages API. */
import type { LanguageModelV4FinishReason, LanguageModelV4Usage } from '@ai-sdk/provider';
import type { StopReason } from '@heddle/core';

export type Ending =
  | { readonly is: 'answer'; readonly reason: StopReason }
  /** The stream stopped before the server had said why. */
  | { readonly is: 'broken' }
  /** The server gave up, and says so in this word. */
  | { readonly is: 'failed'; readonly word: string };

export function answerEndOf({ unified, raw }: LanguageModelV4FinishReason, calls: number): Ending {
  if (raw !== undefined && REFUSALS.test(raw)) return { is: 'answer', reason: 'refusal' };
  if (raw !== undefined && FAILURES.test(raw)) return { is: 'failed', word: raw };
  switch (unified) {
    // Some servers say `stop` after calls, too.
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
    // A word of its own counts as an end; no word at all is none.
    case 'other':
      if (raw === undefined) return { is: 'broken' };
      return { is: 'answer', reason: calls > 0 ? 'tool_use' : 'end_turn' };
  }
}

/** Words that not every package knows the meaning of. */
const REFUSALS = /^(content_filter|sensitive|refusal)$/;
const FAILURES =
  /^(error|abort|aborted|cancelled|network_error|insufficient_system_resource|MALFORMED_FUNCTION_CALL|UNEXPECTED_TOOL_CALL|MALFORMED_RESPONSE)$/;

export interface UsageSetting {
  /** How many tokens the request has by our own reckoning. */
  readonly estimate: () => number;
  /** The provider says in dollars what an answer cost. */
  readonly tellsCost: boolean;
}

/** Four counters that do not overlap. `estimated` says that the server counted nothing, as some local ones do. */
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
    ...(costUsd === undefined ? {} : { cost_usd: costUsd }),
  };
}

type Raw = LanguageModelV4Usage['raw'];

/** What was written into the cache is counted once: a package that does not tell of it has it among the fresh ones. */
function freshIn(
  { total, noCache, cacheWrite }: LanguageModelV4Usage['inputTokens'],
  read: number,
  written: number,
): number | undefined {
  if (noCache !== undefined) return cacheWrite === undefined ? noCache - written : noCache;
  return total === undefined ? undefined : total - read - written;
}

/** OpenRouter counts what it wrote, where the package does not look. */
function writtenIn(raw: Raw): number | undefined {
  const details = raw?.['prompt_tokens_details'];
  return typeof details === 'object' && details !== null && 'cache_write_tokens' in details
    ? numberOf(details['cache_write_tokens'])
    : undefined;
}

/** What the answer really cost. OpenRouter says it; with a key of one's own, what the provider behind takes comes on top. */
function costIn(raw: Raw): number | undefined {
  const cost = numberOf(raw?.['cost']);
  if (cost === undefined || raw?.['is_byok'] !== true) return cost;
  const details = raw['cost_details'];
  const upstream =
    typeof details === 'object' && details !== null && 'upstream_inference_cost' in details
      ? numberOf(details['upstream_inference_cost'])
      : undefined;
  return cost + (upstream ?? 0);
}

function numberOf(value: unknown): number | undefined {
  return typeof value === 'number' && value >= 0 ? value : undefined;
}

function count(value: number | undefined): number {
  return value !== undefined && value > 0 ? value : 0;
}
