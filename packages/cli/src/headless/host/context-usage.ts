/** How full the window is, in the words that clients know. */
import type { ContextUsage } from '@heddle/core';

export function contextUsage({ categories, window, state, model, thresholds }: ContextUsage): object {
  return {
    categories: categories.map(({ name, tokens }) => ({ name, tokens })),
    totalTokens: state.tokens,
    maxTokens: thresholds.blocking,
    rawMaxTokens: window,
    percentage: Math.min(100, Math.round((state.tokens / window) * 100)),
    model,
    memoryFiles: [],
    mcpTools: [],
    agents: [],
  };
}
