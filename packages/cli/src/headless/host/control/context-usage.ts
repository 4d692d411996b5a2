/** How full the window is, in the words that clients know. */
import type { ContextUsage } from '@heddle/core';

export function contextUsage(
  { categories, window, state, model, thresholds }: ContextUsage,
  isAutoCompactEnabled: boolean,
): object {
  return {
    categories: categories.map(({ name, tokens }) => ({ name, tokens, kind: 'used', color: '' })),
    totalTokens: state.tokens,
    maxTokens: thresholds.blocking,
    rawMaxTokens: window,
    percentage: Math.min(100, Math.round((state.tokens / window) * 100)),
    model,
    autoCompactThreshold: thresholds.autoCompact,
    isAutoCompactEnabled,
    // What there is not: pictures of it, and what other agents break down further.
    gridRows: [],
    memoryFiles: [],
    mcpTools: [],
    agents: [],
    apiUsage: null,
  };
}
