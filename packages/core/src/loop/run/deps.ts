/**
 * `QueryDeps`: every door of the loop to the outside. Each field is required, so a new door cannot be forgotten by whoever
 * assembles them. Functions here answer with values for errors of life; a throw is a bug and ends the run with `model_error`.
 * One that is waited for is given a signal, alone or in its context, and must end when it aborts: soon after, nobody waits.
 */
import type { Clock } from '../../clock.ts';
import type { ContextPort } from '../../context/port.ts';
import type { HookMessage } from '../../machine/happened.ts';
import type { RepeatedCall } from '../../machine/state.ts';
import type { ContentBlock, ToolUseBlock } from '../../messages/blocks.ts';
import type {
  AssistantMessage,
  Attachment,
  AttachmentMessage,
  MessageHistory,
  UserMessage,
} from '../../messages/message.ts';
import type { ModelError } from '../../messages/model-error.ts';
import type { ModelPort } from '../../model/port.ts';
import type { ToolUseContext } from '../../tools/context.ts';
import type { ToolHooks } from '../../tools/tool.ts';
import type { Redact } from '../../tools/call-pipeline.ts';
import type { HookProgress } from './events.ts';

export interface QueryDeps {
  readonly model: ModelPort;
  readonly clock: Clock;
  readonly ids: Ids;
  /** For jitter: a number in [0, 1). */
  readonly random: () => number;
  readonly context: ContextPort;
  readonly toolHooks: ToolHooks;
  /** Takes secrets out of results, progress and remarks of tools before anything else sees them. */
  readonly redact: Redact;
  readonly turnEnd: TurnEndPort;
  readonly attachments: AttachmentSources;
  /** Asks whether a repeating run should go on. Only called where the configuration says that someone can answer. */
  readonly askToGoOn: (calls: readonly RepeatedCall[], signal: AbortSignal) => Promise<boolean>;
  /** A sentence on what the last tools did, written by a small model. Never waited for. */
  readonly summariseTools: (
    calls: readonly { call: ToolUseBlock; result: UserMessage }[],
    signal: AbortSignal,
  ) => Promise<string | undefined>;
}

export interface Ids {
  readonly uuid: () => string;
}

/** The end of a turn, step by step; see `effects/stop-hooks.ts` for the order and for who is spared which step. */
export interface TurnEndPort {
  saveCacheSafeParams(params: { readonly messages: MessageHistory; readonly context: ToolUseContext }): void;
  /** Writes the state of a dispatched job; does nothing for an ordinary session. */
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

/** What hooks say before they have decided. An attachment joins the conversation, should the run go on. */
export type HookEvent = HookProgress | { readonly type: 'message'; readonly message: AttachmentMessage };

export interface StopHookOutcome {
  readonly blockingErrors: readonly HookMessage[];
  readonly preventContinuation: HookMessage | undefined;
}

/** What gathers beside the conversation. Nothing here is waited for: what is not ready comes the next time. */
export interface AttachmentSources {
  /** Begun when the run begins (memories) and when an iteration begins (skills). */
  begin(scope: 'run' | 'iteration', messages: MessageHistory, context: ToolUseContext): void;
  /** Takes what waits for this agent out of the queue. */
  takeQueued(context: ToolUseContext): readonly QueuedCommand[];
  /** Changed files, memories, skills, reminders: whatever is ready. */
  gather(messages: MessageHistory, context: ToolUseContext): Promise<readonly Attachment[]>;
}

export interface QueuedCommand {
  readonly commandId: string;
  readonly prompt: string | readonly ContentBlock[];
}
