/**
 * Level 3 on the server's side: the API is asked to clear old tool uses itself, which leaves the prefix that it has cached
 * as it is. The client then rewrites nothing; what the server says it deleted is reported when the answer is in.
 */
import type { JsonObject } from '../../json.ts';
import type { ContextReport } from '../../loop/events.ts';
import type { Usage } from '../../messages/usage.ts';
import type { RequestOptions } from '../../model/port.ts';
import type { Tool } from '../../tools/tool.ts';
import type { ContextOptions } from '../options.ts';
import { thresholdsOf } from '../thresholds.ts';

const CONTEXT_MANAGEMENT_BETA = 'context-management-2025-06-27';

/** The options of a request that has the server clear old results: to be joined with the host's own. */
export function serverEdits(
  options: ContextOptions,
  model: string,
  tools: readonly Tool[],
): Pick<RequestOptions, 'contextManagement' | 'betas'> {
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

/** What the server says it cleared, if the answer's usage carries it (`context_management.applied_edits`). */
export function serverCleared(usage: Usage): ContextReport | undefined {
  const cleared = clearedTokens(usage.more?.['context_management']);
  if (cleared <= 0) return undefined;
  const tokensAfter = usage.input_tokens + usage.cache_read_input_tokens + usage.cache_creation_input_tokens;
  return {
    level: 'cached_microcompact',
    tokensBefore: tokensAfter + cleared,
    tokensAfter,
    rewrotePrefix: false,
    details: { clearedTokens: cleared },
  };
}

function clearedTokens(management: unknown): number {
  if (typeof management !== 'object' || management === null || !('applied_edits' in management)) return 0;
  const { applied_edits: edits } = management;
  if (!Array.isArray(edits)) return 0;
  return edits.reduce((sum: number, edit: unknown) => {
    const tokens =
      typeof edit === 'object' && edit !== null && 'cleared_input_tokens' in edit
        ? edit.cleared_input_tokens
        : 0;
    return sum + (typeof tokens === 'number' ? tokens : 0);
  }, 0);
}
