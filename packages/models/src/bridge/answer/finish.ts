/** How an answer ended and what it took, in the words of the Messages API. */
import type { LanguageModelV4FinishReason, LanguageModelV4Usage } from '@ai-sdk/provider';
import type { StopReason } from '@heddle/core';

export type Ending =
  | { readonly is: 'answer'; readonly reason: StopReason }
  /** The stream stopped before the server had said why. */
  | { readonly is: 'broken' }
  /** The server gave up, and says so in this word. */
  | { readonly is: 'failed'; readonly word: string };

export function endingOf({ unified, raw }: LanguageModelV4FinishReason, calls: number): Ending {
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

/** Four counters that do not overlap. `estimated` says that the server counted nothing, as some local ones do. */
export function usageOf({ inputTokens, outputTokens }: LanguageModelV4Usage, estimate: () => number): object {
  const { total, cacheRead = 0, cacheWrite = 0 } = inputTokens;
  const read = count(cacheRead);
  const written = count(cacheWrite);
  const fresh = inputTokens.noCache ?? (total === undefined ? undefined : total - read - written);
  const isUnknown = fresh === undefined || count(fresh) + read + written === 0;
  return {
    input_tokens: isUnknown ? estimate() : count(fresh),
    cache_read_input_tokens: read,
    cache_creation_input_tokens: written,
    output_tokens: count(outputTokens.total),
    ...(outputTokens.reasoning ? { reasoning_tokens: count(outputTokens.reasoning) } : {}),
    ...(isUnknown ? { estimated: true } : {}),
  };
}

function count(value: number | undefined): number {
  return value !== undefined && value > 0 ? value : 0;
}
