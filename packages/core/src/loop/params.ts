/**
 * The input of a run: `QueryParams`, and `QueryDeps` with every port to the outside.
 *
 * Contract of the ports:
 * - Each field is required, so the compiler reports a port that a host forgot.
 * - A port returns errors of normal operation as values. A throw is a bug and ends the run with `model_error`.
 * - A port that the loop waits for receives a signal and must end when it aborts. The loop waits only a short grace.
 */
import type { Clock } from '../clock.ts';
import type { ContextPort } from '../context/port.ts';
import type { ConfigChanges, QuerySource } from '../machine/config.ts';
import type { HookMessage } from '../machine/effects.ts';
import type { ResumePoint } from '../log/resume-point.ts';
import type { AutoCompactTracking, RepeatedCall } from '../machine/state.ts';
import type { ContentBlock, ToolUseBlock } from '../messages/blocks.ts';
import type {
  AssistantMessage,
  Attachment,
  AttachmentMessage,
  Message,
  MessageHistory,
  UserMessage,
} from '../messages/message.ts';
import type { ModelError } from '../messages/model-error.ts';
import type { ModelPort, RequestOptions } from '../model/port.ts';
import type { CacheSafeParams } from '../request/side-query.ts';
import type { Redact } from '../tools/call-pipeline.ts';
import type { AuthorizeCall, ToolHooks, ToolUseContext } from '../tools/tool.ts';
import type { HookProgress } from './events.ts';

export interface QueryParams {
  readonly messages: Iterable<Message>;
  /** Layers in a stable order. They carry the cache marks. */
  readonly systemPrompt: readonly string[];
  readonly userContext: Readonly<Record<string, string>>;
  readonly systemContext: Readonly<Record<string, string>>;
  /** Decides about each call, including the question to the user. */
  readonly authorizeCall: AuthorizeCall;
  readonly toolUseContext: ToolUseContext;
  readonly querySource: QuerySource;
  /** Models that take over, in this order, when the one before is overloaded or does not exist. */
  readonly fallbackModel?: string | readonly string[];
  /** The caller's output cap, in tokens. It applies to the whole run and is never raised. */
  readonly maxOutputTokensOverride?: number | undefined;
  /** The compactions of earlier runs of the conversation, as `Projection` reports them. */
  readonly autoCompactTracking?: AutoCompactTracking | undefined;
  /** Unset or 0: no limit. */
  readonly maxTurns?: number | undefined;
  readonly skipCacheWrite?: boolean;
  readonly taskBudget?: { readonly total: number } | undefined;
  readonly tokenBudget?: number | undefined;
  readonly requestOptions?: GivenOptions;
  /** Blocks of the history that the API rejected in earlier runs, by the names in `refused` events. */
  readonly refusedBlocks?: Iterable<string>;
  /** Continues a run that was cut off. `messages` contain its stored answer and results. */
  readonly resume?: ResumePoint | undefined;
  /** Gates, limits and the session. The loop copies them when the run starts. */
  readonly config: { readonly sessionId: string } & RunConfig;
  readonly deps: QueryDeps;
}

/** Leaves out the settings that have a parameter of their own or come from the context. */
export type RunConfig = Omit<
  ConfigChanges,
  'sessionId' | 'querySource' | 'isSubagent' | 'maxTurns' | 'tokenBudget' | 'taskBudget' | 'outputCap'
>;

/** Leaves out fast mode, which is a gate, and the task budget, which the machine counts. */
export type GivenOptions = Omit<RequestOptions, 'fastMode' | 'taskBudget'>;

export interface QueryDeps {
  readonly model: ModelPort;
  readonly clock: Clock;
  readonly ids: Ids;
  /** Returns a number in [0, 1), for the jitter of retry delays. */
  readonly random: () => number;
  readonly context: ContextPort;
  readonly toolHooks: ToolHooks;
  /** Removes secrets from results, progress and remarks of tools before any other code receives them. */
  readonly redact: Redact;
  readonly turnEnd: TurnEndPort;
  /** Receives each request of the main thread before it is sent, for side queries while the run continues. */
  readonly requestSent: (params: CacheSafeParams) => void;
  readonly attachments: AttachmentSources;
  /** Asks whether a repeating run should continue. Called only if the configuration has `canAsk`. */
  readonly askToContinue: (calls: readonly RepeatedCall[], signal: AbortSignal) => Promise<boolean>;
  /** Describes the last tool calls in one sentence, written by a small model. The loop does not wait for it. */
  readonly summarizeTools: (
    calls: readonly { call: ToolUseBlock; result: UserMessage }[],
    signal: AbortSignal,
  ) => Promise<string | undefined>;
}

export interface Ids {
  readonly uuid: () => string;
}

/**
 * The end of a turn, step by step. `effects/turn-end.ts` has the order, and the steps that subagents skip.
 *
 * Contract: a step that throws, or that does not end in time, is reported. The run continues without it.
 */
export interface TurnEndPort {
  /** Receives the last request as it was sent. Side queries share its cached prefix. */
  saveCacheSafeParams(params: CacheSafeParams): void;
  /** Writes the state of a dispatched job. Does nothing for an ordinary session. */
  classifyJob(answer: readonly AssistantMessage[], signal: AbortSignal): Promise<void>;
  /** Started, not waited for. */
  suggestPrompt(messages: MessageHistory): void;
  extractMemories(messages: MessageHistory): void;
  consolidateMemories(): void;
  releaseTurnResources(signal: AbortSignal): Promise<void>;
  userStopHooks(input: StopHookInput): AsyncGenerator<HookEvent, StopHookOutcome>;
  teamHooks(input: StopHookInput): AsyncGenerator<HookEvent, StopHookOutcome>;
  /** Started, not waited for. */
  stopFailure(error: ModelError): void;
}

export interface StopHookInput {
  readonly messages: MessageHistory;
  readonly answer: readonly AssistantMessage[];
  readonly stopHookActive: boolean;
  readonly context: ToolUseContext;
}

/** An event of hooks that have not decided yet. An attachment joins the conversation if the run continues. */
export type HookEvent = HookProgress | { readonly type: 'message'; readonly message: AttachmentMessage };

export interface StopHookOutcome {
  readonly blockingErrors: readonly HookMessage[];
  readonly preventContinuation: HookMessage | undefined;
}

/** Sources of messages beside the conversation. An item that is not ready arrives at the next turn. */
export interface AttachmentSources {
  /** Starts prefetches: of memories when the run starts, of skills when an iteration starts. */
  begin(scope: 'run' | 'iteration', messages: MessageHistory, context: ToolUseContext): void;
  /** Removes the prompts for this agent from the queue and returns them. */
  takeQueued(context: ToolUseContext): readonly QueuedPrompt[];
  /** Returns changed files, memories, skills and reminders. If it takes longer than `turnEndStepMs`, the next turn waits for it again. */
  gather(messages: MessageHistory, context: ToolUseContext): Promise<readonly Attachment[]>;
}

/** A prompt that arrived during a run. */
export interface QueuedPrompt {
  /** Its id on the wire and on disk. */
  readonly commandId: string;
  readonly prompt: string | readonly ContentBlock[];
}

/** Thrown by code that processes media on this machine (scaling, decoding). The run ends with `image_error`. */
export class LocalMediaError extends Error {
  override readonly name = 'LocalMediaError';
}
