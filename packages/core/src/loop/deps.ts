/**
 * `QueryDeps`: every door of the loop to the outside. Each field is required, so a new door cannot be forgotten by whoever
 * assembles them. Functions here answer with values for errors of life; a throw is a bug and ends the run with `model_error`.
 * One that is waited for is given a signal, alone or in its context, and must end when it aborts: soon after, nobody waits.
 */
import type { Clock } from '../clock.ts';
import type { JsonObject } from '../json.ts';
import type { History } from '../messages/history.ts';
import type { AssistantMessage, Attachment, Message, UserMessage } from '../messages/message.ts';
import type { Usage } from '../messages/usage.ts';
import type { OverflowCause } from '../machine/effect.ts';
import type { HookWord } from '../machine/happened.ts';
import type { ModelError } from '../model/error.ts';
import type { ModelPort } from '../model/port.ts';
import type { ContentBlock, ToolUseBlock } from '../messages/blocks.ts';
import type { ToolUseContext } from '../tools/context.ts';
import type { ToolHooks } from '../tools/hooks.ts';
import type { CompactionTrigger, ContextReport, ContextStep, LoopEvent } from './events.ts';

/** The conversation, growing at its end. */
export type MessageHistory = History<Message>;

export interface QueryDeps {
  readonly model: ModelPort;
  readonly clock: Clock;
  readonly ids: Ids;
  /** For jitter: a number in [0, 1). */
  readonly random: () => number;
  readonly context: ContextDoor;
  readonly toolHooks: ToolHooks;
  readonly turnEnd: TurnEnd;
  readonly attachments: AttachmentSources;
  /** Asks whether a repeating run should go on. Only called where the configuration says that someone can answer. */
  readonly askToGoOn: (
    calls: readonly { tool: string; count: number }[],
    signal: AbortSignal,
  ) => Promise<boolean>;
  /** A sentence on what the last tools did, written by a small model. Never waited for. */
  readonly summariseTools: (
    calls: readonly { call: ToolUseBlock; result: UserMessage }[],
    signal: AbortSignal,
  ) => Promise<string | undefined>;
}

export interface Ids {
  readonly uuid: () => string;
}

/** The context pipeline's I/O. */
export interface ContextDoor {
  prepare(request: PrepareRequest): AsyncGenerator<PrepareStep, PreparedHistory>;
  /** The server has answered, and counted what it was sent: the most exact word on its size. Tells what it cleared. */
  answered(answer: AnsweredRequest): ContextReport | undefined;
  /** Commits every staged collapse. */
  drain(
    signal?: AbortSignal,
  ): Promise<{ readonly committed: number; readonly report: ContextReport | undefined }>;
  /** Replaces the history by something smaller and valid, or says that it could not. Empties the staging queue. */
  compact(request: CompactRequest): Promise<Compacted>;
  /** Are collapses staged that could be drained? */
  staged(): boolean;
}

export interface AnsweredRequest {
  readonly responseId: string;
  readonly usage: Usage;
  /** Edits that the server made to the conversation by itself. */
  readonly appliedEdits?: readonly JsonObject[];
}

export interface PrepareRequest {
  readonly messages: MessageHistory;
  readonly autoCompact: boolean;
  readonly context: ToolUseContext;
}

export type PrepareStep = LevelStep | CompactionStart;

/** What a level did, and what it spent on calls of its own. */
export interface LevelStep extends ContextStep {
  readonly spent?: readonly SpentTokens[];
}

/** Told before the summariser is asked: whoever watches should know what is waited for. */
export interface CompactionStart {
  readonly compacting: CompactionTrigger;
}

export interface SpentTokens {
  readonly model: string;
  readonly usage: Usage;
}

export interface PreparedHistory {
  /** The history that goes on. */
  readonly messages: MessageHistory;
  /** What is sent: the history as the collapse store projects it. */
  readonly view: MessageHistory;
  readonly overLimit: boolean;
  readonly autoCompact:
    | { readonly outcome: 'idle' }
    | { readonly outcome: 'compacted'; readonly id: string; readonly replacedTokens: number }
    | { readonly outcome: 'failed' };
}

export interface CompactRequest {
  readonly messages: MessageHistory;
  readonly cause: OverflowCause;
  readonly context: ToolUseContext;
}

export type Compacted =
  | {
      readonly ok: true;
      readonly messages: MessageHistory;
      readonly replacedTokens: number;
      readonly report: ContextReport;
      readonly spent?: readonly SpentTokens[];
    }
  | {
      readonly ok: false;
      readonly why: string;
      /** The conversation is too short: no model was asked. */
      readonly nothingToDo?: boolean;
      readonly spent?: readonly SpentTokens[];
      /** What is told of the failure. */
      readonly report?: ContextReport;
    };

/** The end of a turn, step by step; see `stop-hooks.ts` for the order and for who is spared which step. */
export interface TurnEnd {
  saveCacheSafeParams(params: { readonly messages: MessageHistory; readonly context: ToolUseContext }): void;
  /** Writes the state of a dispatched job; does nothing for an ordinary session. */
  classifyJob(answer: readonly AssistantMessage[], signal: AbortSignal): Promise<void>;
  /** Started, not waited for. */
  suggestPrompt(messages: MessageHistory): void;
  extractMemories(messages: MessageHistory): void;
  consolidateMemories(): void;
  releaseTurnResources(signal: AbortSignal): Promise<void>;
  userStopHooks(input: StopHookInput): AsyncGenerator<LoopEvent, StopHookOutcome>;
  teamHooks(input: StopHookInput): AsyncGenerator<LoopEvent, StopHookOutcome>;
  /** Started, not waited for. */
  stopFailure(error: ModelError): void;
}

export interface StopHookInput {
  readonly messages: MessageHistory;
  readonly answer: readonly AssistantMessage[];
  readonly stopHookActive: boolean;
  readonly context: ToolUseContext;
}

export interface StopHookOutcome {
  readonly blockingErrors: readonly HookWord[];
  readonly preventContinuation: HookWord | undefined;
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
