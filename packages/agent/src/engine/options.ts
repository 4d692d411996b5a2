/** What a host gives to have an agent. */
import type {
  Clock,
  ConfigChanges,
  JsonObject,
  LoopEvent,
  ModelPort,
  PermissionMode,
  QueryDeps,
  RequestOptions,
  Tool,
} from '@heddle/core';
import type { Rules } from '../permission/authorize.ts';
import type { Session } from '../session/open.ts';
import type { Price } from './meter.ts';

export interface AgentOptions {
  readonly model: ModelPort;
  /** The model's name, as requests and reports call it. */
  readonly modelName: string;
  readonly fallbackModel?: string;
  readonly tools: readonly Tool[];
  readonly cwd: string;
  /** In place of the built-in one. */
  readonly systemPrompt?: readonly string[];
  readonly appendSystemPrompt?: string;
  readonly permissionMode?: PermissionMode;
  readonly rules?: Rules;
  /** Asked where no rule decides. Without it, ask means deny. */
  readonly canUseTool?: AskPermission;
  readonly hooks?: AgentHooks;
  /** Writes a sentence on what the last tools did; turn it on with the gate `emitToolUseSummaries`. */
  readonly summariseTools?: QueryDeps['summariseTools'];
  readonly maxTurns?: number;
  /** Needs a known price: without one the run does not start. */
  readonly maxBudgetUsd?: number;
  readonly tokenBudget?: number;
  readonly taskBudget?: { readonly total: number };
  readonly maxOutputTokens?: number;
  /** Thinking, effort, betas, metadata. */
  readonly requestOptions?: RequestOptions;
  /** The answer must be an object of this JSON schema; it comes back as `structured_output`. */
  readonly outputSchema?: JsonObject;
  readonly price?: Price;
  /** In place of `price`, for a list that takes time to load. */
  readonly loadPrice?: () => Promise<Price>;
  /** Where the conversation is kept; in memory by default. Open one with `newSession`, `resumeSession` or `forkSession`. */
  readonly session?: Session;
  readonly includePartialMessages?: boolean;
  /** No background work at the end of a turn. */
  readonly bare?: boolean;
  readonly apiKeySource?: string;
  readonly config?: ConfigChanges;
  /** Sees every event of the loop after it was stored: for a screen, a recorder, a test. */
  readonly onEvent?: (event: LoopEvent) => void;
  readonly clock?: Clock;
  readonly uuid?: () => string;
  readonly random?: () => number;
}

export type AskPermission = (
  question: {
    readonly toolUseId: string;
    readonly tool: string;
    readonly input: JsonObject;
    readonly reason: string;
  },
  signal: AbortSignal,
) => Promise<PermissionAnswer>;

export interface PermissionAnswer {
  readonly allow: boolean;
  readonly message?: string;
  readonly updatedInput?: JsonObject;
  /** With a denial: end the whole turn. */
  readonly interrupt?: boolean;
}

export interface AgentHooks {
  /** Runs when the model thinks it is done: may send it back to work, or end the run. */
  readonly stop?: (input: {
    readonly stopHookActive: boolean;
    readonly signal: AbortSignal;
  }) => Promise<{ readonly block?: string; readonly prevent?: string }>;
}
