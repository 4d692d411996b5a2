/**
 * Level 3 on the server: a request asks the API to clear old tool uses itself, which keeps the cached prefix. The client
 * then rewrites nothing, and reports the deletions when the answer has arrived.
 */
import type { ContextReport, JsonObject, RequestOptions, Tool, Usage } from '@heddle/core';
import type { ContextOptions } from '../options.ts';
import { thresholdsOf } from '../thresholds.ts';

const CONTEXT_MANAGEMENT_BETA = 'context-management-2025-06-27';

export type ServerEdits = Required<Pick<RequestOptions, 'contextManagement' | 'betas'>>;

/** Returns the request options that make the server clear old results. */
export function serverEdits(options: ContextOptions, model: string, tools: readonly Tool[]): ServerEdits {
  const { keepRecent, minFreed } = options.microcompact;
  const kept = tools.filter((tool) => tool.compactable !== true).map((tool) => tool.name);
  const edit: JsonObject = {
    type: 'clear_tool_uses_20250919',
    trigger: { type: 'input_tokens', value: thresholdsOf(options, model).microcompact },
    keep: { type: 'tool_uses', value: keepRecent },
    clear_at_least: { type: 'input_tokens', value: minFreed },
    ...(kept.length === 0 ? {} : { exclude_tools: kept }),
  };
  return { contextManagement: { edits: [edit] }, betas: [CONTEXT_MANAGEMENT_BETA] };
}

/** Adds the server edits to the options of the host. */
export function withServerEdits<T extends RequestOptions>(options: T, edits: ServerEdits | undefined): T {
  if (!edits) return options;
  const own = options.contextManagement?.edits ?? [];
  return {
    ...options,
    contextManagement: { edits: [...own, ...edits.contextManagement.edits] },
    betas: [...new Set([...(options.betas ?? []), ...edits.betas])],
  };
}

/** Reports the edits that the server made, or undefined if it cleared nothing. */
export function serverCleared(usage: Usage, appliedEdits: readonly JsonObject[]): ContextReport | undefined {
  const sum = (field: string): number =>
    appliedEdits.reduce((total, { [field]: count }) => total + (typeof count === 'number' ? count : 0), 0);
  const cleared = sum('cleared_input_tokens');
  if (cleared <= 0) return undefined;
  const tokensAfter = usage.input_tokens + usage.cache_read_input_tokens + usage.cache_creation_input_tokens;
  return {
    level: 'cached_microcompact',
    tokensBefore: tokensAfter + cleared,
    tokensAfter,
    rewrotePrefix: false,
    details: {
      clearedTokens: cleared,
      clearedToolUses: sum('cleared_tool_uses'),
      edits: appliedEdits.flatMap(({ type }) => (typeof type === 'string' ? [type] : [])),
    },
  };
}
