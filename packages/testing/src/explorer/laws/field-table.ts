/**
 * The expected effect of each transition on each field. It is written by hand and shares nothing with
 * `continues.ts`, so an error there is found. `=` kept, `–` cleared.
 */
import type { QueryConfig, TransitionReason, LoopState } from '@heddle/core';
import { isSameData } from '../frozen.ts';

type Cell =
  | '='
  | '–'
  | '0'
  | '+1'
  | 'set'
  | '64,000'
  | 'new'
  | 'true'
  | 'false'
  | 'spent'
  | 'noted'
  | 'older'
  | 'compacted';
type Row = readonly [
  string,
  (loop: LoopState) => unknown,
  ...cells: [Cell, Cell, Cell, Cell, Cell, Cell, Cell],
];

/** The order of the columns. */
const COLUMNS: readonly TransitionReason[] = [
  'next_turn',
  'max_output_tokens_escalate',
  'max_output_tokens_recovery',
  'collapse_drain_retry',
  'reactive_compact_retry',
  'stop_hook_blocking',
  'token_budget_continuation',
];

// biome-ignore format: a table is read in columns
const TABLE: readonly Row[] = [
  ['recovery count',   ({ state }) => state.maxOutputTokensRecoveryCount,  '0',     '=',      '+1', '=',    '=',     '0',    '0'],
  ['reactive guard',   ({ state }) => state.hasAttemptedReactiveCompact,   '–',     '=',      '=',  '=',    'set',   '=',    '–'],
  ['override',         ({ state }) => state.maxOutputTokensOverride,       '–',     '64,000', '–',  '=',    '=',     '–',    '–'],
  ['stopHookActive',   ({ state }) => state.stopHookActive,                '=',     '=',      '=',  '=',    '=',     'true', '–'],
  ['turnCount',        ({ state }) => state.turnCount,                     '+1',    '=',      '=',  '=',    '=',     '=',    '='],
  ['summary promise',  ({ state }) => state.pendingToolUseSummary,         'new',   '=',      '=',  '=',    '=',     '–',    '–'],
  ['drained',          ({ ledger }) => ledger.drained,                     'false', '=',      '=',  'true', '=',     '=',    '='],
  // Not columns of the page: the other fields, by its sections 2, 8 and 9.
  ['tool use context', ({ state }) => state.toolUseContext,                '=',     '=',      '=',  '=',    '=',     '=',    '='],
  ['autocompact',      ({ state }) => state.autoCompactTracking,           'older', '=',      '=',  '=',    'compacted', '=', '='],
  ['staged',           ({ ledger }) => ledger.stagedSinceAnswer,           '=',     '=',      '=',  '=',    '=',     '=',    '='],
  ['hook blocks',      ({ ledger }) => ledger.stopHookBlocks,              '=',     '=',      '=',  '=',    '=',     '+1',   '='],
  ['repetition',       ({ ledger }) => ledger.repetition,                  '=',     '=',      '=',  '=',    '=',     '=',    '='],
  ['budget',           ({ ledger }) => ledger.budget,                      '=',     '=',      '=',  '=',    '=',     '=',    'noted'],
  ['task budget',      ({ ledger }) => ledger.taskBudgetRemaining,         '=',     '=',      '=',  '=',    'spent', '=',    '='],
];

/** Returns the first field that does not match its column. */
export function fieldOutOfPlace(
  before: LoopState,
  after: LoopState,
  reason: TransitionReason,
  config: QueryConfig,
): string | undefined {
  const column = COLUMNS.indexOf(reason);
  for (const [field, read, ...cells] of TABLE) {
    const cell = cells[column];
    if (cell !== undefined && !obeys(cell, read(before), read(after), config))
      return `${field} is not '${cell}'`;
  }
  return undefined;
}

/** Checks the changes during an iteration: no guard may change, except those that the effect concerns. */
export function fieldChanged(
  before: LoopState,
  after: LoopState,
  mayChange: readonly string[],
): string | undefined {
  if (before === after) return undefined;
  const changed = TABLE.find(
    ([field, read]) => !mayChange.includes(field) && !isSameData(read(before), read(after)),
  );
  return changed && `${changed[0]} has changed`;
}

function obeys(cell: Cell, before: unknown, after: unknown, config: QueryConfig): boolean {
  switch (cell) {
    case '=':
      return isSameData(before, after);
    case '–':
      return after === undefined || after === false;
    case '0':
      return after === 0;
    case '+1':
      return typeof before === 'number' && after === before + 1;
    case 'set':
    case 'true':
      return after === true;
    case 'false':
      return after === false;
    case '64,000':
      return after === config.limits.escalatedOutputTokens;
    case 'new':
      return config.gates.emitToolUseSummaries
        ? after !== undefined && after !== before
        : after === undefined;
    case 'older':
      return isSameData(after, older(before));
    case 'compacted':
      return isSameData(after, justCompacted(before));
    case 'noted':
      return !isSameData(before, after);
    case 'spent':
      return config.taskBudget === undefined ? isSameData(before, after) : typeof after === 'number';
  }
}

/** One more turn since autocompact ran, and no other change. */
function older(tracking: unknown): unknown {
  if (typeof tracking !== 'object' || tracking === null) return tracking;
  return { ...tracking, turnCounter: Number(Reflect.get(tracking, 'turnCounter')) + 1 };
}

/** A compaction after an error starts a new lineage. It does not reset the breaker of autocompact. */
function justCompacted(tracking: unknown): unknown {
  const failures: unknown =
    typeof tracking === 'object' && tracking ? Reflect.get(tracking, 'consecutiveFailures') : 0;
  return { compacted: true, turnCounter: 0, id: 'boundary', consecutiveFailures: failures };
}
