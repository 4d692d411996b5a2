/**
 * The switches and limits of the loop as settings. Each has one key and one environment variable, and the variable wins. The types
 * require a row for every gate and every limit.
 */
import {
  DEFAULT_GATES,
  DEFAULT_LIMITS,
  type Gates,
  type Json,
  type JsonObject,
  type Limits,
} from '@heddle/core';
import { valueAt } from './merge-settings.ts';
import { count, countOrZero, flag, type SettingKind, share } from './setting-kinds.ts';

export interface LoopSetting<T extends Json> {
  readonly key: string;
  readonly variable: string;
  readonly kind: SettingKind<T>;
  readonly meaning: string;
  readonly byDefault: T;
}

const GATE_ROWS: Readonly<Record<keyof Gates, readonly [key: string, variable: string, meaning: string]>> = {
  streamingToolExecution: [
    'streamingToolsEnabled',
    'HEDDLE_STREAMING_TOOLS',
    'whether calls that only read start while the model still answers',
  ],
  emitToolUseSummaries: [
    'toolUseSummariesEnabled',
    'HEDDLE_TOOL_USE_SUMMARIES',
    'whether the small model writes a sentence about the last calls',
  ],
  fastMode: ['fastMode', 'HEDDLE_FAST_MODE', 'whether models that offer it answer faster, at a higher price'],
  outputEscalation: [
    'outputEscalationEnabled',
    'HEDDLE_OUTPUT_ESCALATION',
    'whether an answer that was cut is asked for again with a higher output cap',
  ],
  tokenBudget: [
    'tokenBudgetEnabled',
    'HEDDLE_TOKEN_BUDGET',
    'whether a run with a token budget continues until the budget is used',
  ],
  historySnip: ['snipEnabled', 'HEDDLE_SNIP', 'whether the oldest rounds are dropped from a full window'],
  contextCollapse: [
    'collapseEnabled',
    'HEDDLE_COLLAPSE',
    'whether finished stretches of a conversation are replaced by summaries',
  ],
  cachedMicrocompact: [
    'cachedMicrocompactEnabled',
    'HEDDLE_CACHED_MICROCOMPACT',
    'whether the server clears old results, which keeps the cached prefix',
  ],
  reactiveCompact: [
    'reactiveCompactEnabled',
    'HEDDLE_REACTIVE_COMPACT',
    'whether a request that did not fit is followed by a compaction; as autoCompactEnabled if absent',
  ],
  autoCompact: ['autoCompactEnabled', 'HEDDLE_AUTO_COMPACT', 'whether a full window is compacted by itself'],
  repetition: [
    'repetitionCheckEnabled',
    'HEDDLE_REPETITION_CHECK',
    'whether a run that repeats the same call is reminded and ended',
  ],
};

const LIMIT_ROWS: Readonly<Record<keyof Limits, readonly [kind: SettingKind<number>, meaning: string]>> = {
  maxOutputTokens: [count, 'tokens that one answer may have'],
  escalatedOutputTokens: [count, 'the higher cap after an answer was cut, in tokens'],
  outputRecoveries: [countOrZero, 'how often a cut answer is asked to resume'],
  stopHookBlocks: [countOrZero, 'how often stop hooks may send one run back to work'],
  autoCompactFailures: [count, 'failed compactions in a row after which none is tried'],
  repetitionNudge: [count, 'equal calls in a row after which the model is reminded'],
  repetitionStop: [count, 'equal calls in a row after which the run ends'],
  budgetShare: [share, 'the share of a token budget at which a run stops'],
  budgetContinuations: [countOrZero, 'continuations on a token budget before small gains end the run'],
  budgetMinimumGain: [countOrZero, 'tokens that a continuation must gain'],
  toolConcurrency: [count, 'calls of one answer that run at the same time'],
  abortGraceMs: [countOrZero, 'milliseconds that an aborted call may take to end'],
  blockGraceMs: [countOrZero, 'milliseconds that a call may still take after a new message'],
  turnEndStepMs: [countOrZero, 'milliseconds that a run waits for one step at the end of a turn'],
};

export const GATE_SETTINGS: ReadonlyMap<keyof Gates, LoopSetting<boolean>> = new Map(
  namesOf(DEFAULT_GATES).map((gate) => {
    const [key, variable, meaning] = GATE_ROWS[gate];
    return [gate, { key, variable, meaning, kind: flag, byDefault: DEFAULT_GATES[gate] }];
  }),
);

export const LIMIT_SETTINGS: ReadonlyMap<keyof Limits, LoopSetting<number>> = new Map(
  namesOf(DEFAULT_LIMITS).map((limit) => {
    const [kind, meaning] = LIMIT_ROWS[limit];
    const variable = `HEDDLE_${limit.replaceAll(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase()}`;
    return [limit, { key: `limits.${limit}`, variable, meaning, kind, byDefault: DEFAULT_LIMITS[limit] }];
  }),
);

export interface LoopOverrides {
  readonly gates: Partial<Gates>;
  readonly limits: Partial<Limits>;
  /** Variables with invalid values, each as a sentence. */
  readonly problems: readonly string[];
}

/** The gates and limits that the user set. Other ones are absent. */
export function loopOverrides(
  merged: JsonObject,
  env: Readonly<Record<string, string | undefined>>,
): LoopOverrides {
  const problems: string[] = [];
  const chosen = <Name extends string, T extends Json>(
    settings: ReadonlyMap<Name, LoopSetting<T>>,
    read: (text: string) => Json,
  ): [Name, T][] =>
    [...settings].flatMap(([name, { key, variable, kind }]): [Name, T][] => {
      const given = env[variable]?.trim() ?? '';
      const fromVariable = given === '' ? undefined : read(given);
      if (fromVariable !== undefined && kind.accepts(fromVariable)) return [[name, fromVariable]];
      if (given !== '') problems.push(`${variable} takes ${kind.expects}, not ${given}. It is ignored.`);
      const value = valueAt(merged, key.split('.'));
      return value !== undefined && kind.accepts(value) ? [[name, value]] : [];
    });
  return {
    gates: Object.fromEntries(chosen(GATE_SETTINGS, readSwitch)),
    limits: Object.fromEntries(chosen(LIMIT_SETTINGS, Number)),
    problems,
  };
}

/** Any other word is returned as it is, and rejected as a switch. */
export function readSwitch(word: string): Json {
  if (['1', 'true', 'yes', 'on'].includes(word.trim().toLowerCase())) return true;
  return ['0', 'false', 'no', 'off'].includes(word.trim().toLowerCase()) ? false : word;
}

function namesOf<T extends object>(table: T): (keyof T & string)[] {
  return Object.keys(table).filter((name): name is keyof T & string => name in table);
}
