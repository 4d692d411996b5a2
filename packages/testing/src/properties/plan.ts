/**
 * A whole run as plain data: the model's attempts, the results of every port, and the moment when the
 * consumer stops. The outcome of a call is stored at the call, so a plan stays valid when parts of it are
 * removed.
 */
import type { ConfigChanges, ModelErrorClass } from '@heddle/core';

export interface RunPlan {
  /** One per attempt. Afterwards the model reports that it is done. */
  readonly attempts: readonly PlannedAttempt[];
  /** The start of the conversation. */
  readonly start: 'prompt' | 'image' | 'conversation' | 'open_turn' | 'open_turn_and_prompt';
  /** The answers of the open tool turn in a resumed conversation. Only for the last two starts. */
  readonly openTurn: readonly PlannedEarlierAnswer[];
  readonly settings: PlannedSettings;
  /** One per use of the port. Afterwards it always succeeds. */
  readonly prepares: readonly PlannedPrepare[];
  readonly drains: readonly ('commits' | 'commits_nothing' | 'throws')[];
  readonly compactions: readonly ('works' | 'fails' | 'throws')[];
  /**
   * Whether something is staged at the start, after the first turn, after the second… Never between two
   * good answers.
   */
  readonly staged: readonly boolean[];
  readonly turnEnds: readonly PlannedTurnEnd[];
  readonly gatherings: readonly PlannedGathering[];
  /** Answers to the question whether a repeating run should continue. */
  readonly continues: readonly boolean[];
  readonly summaries: readonly PlannedSummary[];
  readonly consumer: PlannedConsumer;
}

/** An answer with one call and its result, from before the run. */
export interface PlannedEarlierAnswer {
  readonly writer: 'first_model' | 'fallback_model' | 'another_model';
  readonly thinks: boolean;
}

export interface PlannedSettings {
  readonly config: Omit<ConfigChanges, 'sessionId' | 'querySource' | 'isSubagent' | 'maxTurns'>;
  readonly maxTurns: number;
  readonly tokenBudget: number | undefined;
  readonly taskBudget: number | undefined;
  readonly maxOutputTokensOverride: number | undefined;
  /** The number of fallback models. */
  readonly fallbacks: number;
  readonly thinking: 'unset' | 'adaptive' | 'enabled';
  readonly role: 'main' | 'subagent' | 'compaction';
  readonly skipCacheWrite: boolean;
  readonly userContext: boolean;
  /** The port delivers available records without a promise each. */
  readonly readyPort: boolean;
}

export interface PlannedAttempt {
  readonly blocks: readonly PlannedBlock[];
  readonly end: PlannedEnd;
  /** The last block never stops, and only this share of it arrives. Not for a normal end. */
  readonly unfinished: number | undefined;
  readonly outputTokens: number | undefined;
}

export type PlannedBlock =
  | {
      readonly kind: 'text' | 'blank' | 'thinking' | 'redacted_thinking' | 'foreign';
      readonly waitMs: number;
    }
  | PlannedCall;

export interface PlannedCall {
  readonly kind: 'call';
  readonly waitMs: number;
  readonly tool: ToolName;
  readonly form: 'good' | 'unknown_tool' | 'bad_json' | 'rejected' | 'invalid';
  /** A few values only, so that calls repeat. */
  readonly value: number;
  readonly fate: CallOutcomePlan;
}

export interface CallOutcomePlan {
  readonly takesMs: number;
  readonly ends: 'returns' | 'fails' | 'throws';
  /** Continues although it was aborted. */
  readonly deaf: boolean;
  readonly progress: number;
  readonly newContext: 'none' | 'directory' | 'another_tool' | 'throws';
  readonly before: { readonly waitMs: number; readonly does: BeforeDoes };
  readonly permission: { readonly waitMs: number; readonly does: PermissionDoes };
  readonly after: { readonly waitMs: number; readonly does: AfterDoes };
}

export type BeforeDoes = 'pass' | 'allow' | 'deny' | 'updated_input' | 'context' | 'stop' | 'throws';
export type PermissionDoes = 'allow' | 'deny' | 'interrupt' | 'updated_input' | 'throws';
export type AfterDoes = 'pass' | 'context' | 'updated_result' | 'stop' | 'throws';

export type PlannedEnd =
  | { readonly end: StreamEnding }
  | {
      readonly end: 'error';
      readonly class: ScriptedErrorClass;
      readonly retryAfterMs: number | undefined;
      readonly shouldRetry: boolean | undefined;
      /** A `bad_request` concerns thinking. */
      readonly rejectsThinking: boolean;
      /** Selects the refused block. */
      readonly place: number;
    };

/** `throws`: the port itself throws, which violates its contract. */
export type StreamEnding =
  | 'stop'
  | 'cut'
  | 'window_full'
  | 'pause'
  | 'refusal'
  | 'reset'
  | 'closed'
  | 'stall'
  | 'throws';

export type ScriptedErrorClass = Exclude<
  ModelErrorClass,
  'output_cap' | 'refusal' | 'empty' | 'aborted' | 'internal' | 'stall'
>;

export interface PlannedPrepare {
  readonly does:
    | 'pass'
    | 'autocompact'
    | 'autocompact_fails'
    | 'throws'
    | 'throws_media'
    | 'over_limit'
    | 'replaces'
    | 'report';
  readonly waitMs: number;
}

export interface PlannedTurnEnd {
  readonly does: 'pass' | 'block' | 'prevent' | 'throws' | 'team_blocks' | 'stop_failure_throws';
  readonly waitMs: number;
  readonly progress: boolean;
}

export interface PlannedGathering {
  /** Commands in the queue at that time. */
  readonly commands: number;
  readonly finds: 'nothing' | 'reminder' | 'file' | 'throws';
  readonly waitMs: number;
}

export type PlannedSummary = 'nothing' | 'at_once' | 'late' | 'throws';

export interface PlannedConsumer {
  /** Delays every nth event. 0: never. */
  readonly slowEvery: number;
  readonly patience: ConsumerPatience;
}

/** `tick`: after this many entries and exits of ports, so during any await. `leave`: `.return()`. */
export type ConsumerPatience =
  | { readonly until: 'end' }
  | { readonly until: 'event'; readonly at: number; readonly how: 'interrupt' | 'cancel' | 'leave' }
  | { readonly until: 'tick' | 'time'; readonly at: number; readonly how: 'interrupt' | 'cancel' };

export type ToolName = 'Read' | 'Look' | 'Shell' | 'Wait' | 'Write' | 'Edit' | 'Note' | 'Hold';

export interface ToolTraits {
  readonly readOnly: boolean;
  readonly safe: boolean;
  readonly idempotent?: true;
  readonly failureCancelsSiblings?: true;
  readonly interruptBehavior?: 'block';
  readonly describesIntent?: true;
}

/** Any tool has effects and runs alone if its input writes. */
export const TOOL_TRAITS: Readonly<Record<ToolName, ToolTraits>> = {
  Read: { readOnly: true, safe: true },
  Look: { readOnly: true, safe: false },
  Shell: { readOnly: true, safe: true, failureCancelsSiblings: true },
  Wait: { readOnly: true, safe: true, interruptBehavior: 'block', describesIntent: true },
  Write: { readOnly: false, safe: false },
  Edit: { readOnly: false, safe: false, idempotent: true, describesIntent: true },
  Note: { readOnly: false, safe: true, failureCancelsSiblings: true },
  Hold: { readOnly: false, safe: false, interruptBehavior: 'block' },
};

/** Returns the id of a call by its position in the plan. */
export function callId(attempt: number, block: number): string {
  return `call_${attempt}_${block}`;
}
