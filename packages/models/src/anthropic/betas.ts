/** The betas a request needs: those that were asked for, and those without which what was asked for is refused. */
import type { RequestOptions } from '@heddle/core';

const TASK_BUDGETS = 'task-budgets-2026-03-13';
const FAST_MODE = 'fast-mode-2026-02-01';
const CONTEXT_MANAGEMENT = 'context-management-2025-06-27';
const COMPACT = 'compact-2026-01-12';

export function betasOf(options: RequestOptions): readonly string[] {
  const { betas = [], taskBudget, fastMode, contextManagement } = options;
  const compacts =
    contextManagement?.edits.some(({ type }) => typeof type === 'string' && type.startsWith('compact_')) ??
    false;
  const needed = [
    ...(taskBudget ? [TASK_BUDGETS] : []),
    ...(fastMode === true ? [FAST_MODE] : []),
    ...(contextManagement ? [CONTEXT_MANAGEMENT] : []),
    ...(compacts ? [COMPACT] : []),
  ];
  return [...new Set([...betas, ...needed])];
}
