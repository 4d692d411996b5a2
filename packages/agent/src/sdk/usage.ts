/** What was used, in the words of the API: clients take every one of these fields for granted. */
import type { Json, Usage } from '@heddle/core';

export interface SdkUsage extends Omit<Usage, 'more'> {
  readonly cache_creation: {
    readonly ephemeral_5m_input_tokens: number;
    readonly ephemeral_1h_input_tokens: number;
  };
  readonly server_tool_use: { readonly web_search_requests: number; readonly web_fetch_requests: number };
  readonly service_tier: string;
  /** What else the server said. */
  readonly [field: string]: Json | undefined;
}

/** What the server said of it stands before what is assumed: ours are the marks of five minutes, and the plain tier. */
export function sdkUsage({ more = {}, ...counters }: Usage, webSearches = 0): SdkUsage {
  return {
    cache_creation: {
      ephemeral_5m_input_tokens: counters.cache_creation_input_tokens,
      ephemeral_1h_input_tokens: 0,
    },
    server_tool_use: { web_search_requests: webSearches, web_fetch_requests: 0 },
    service_tier: 'standard',
    ...more,
    ...counters,
  };
}

/** What a session has cost; null if a part of it has no known price, for then the sum would be too low. */
export function totalCost({
  costUsd,
  models,
}: {
  readonly costUsd: number;
  readonly models: Readonly<Record<string, { readonly costUSD: number | null }>>;
}): number | null {
  return Object.values(models).some(({ costUSD }) => costUSD === null) ? null : costUsd;
}
