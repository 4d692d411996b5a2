/** `Message`: what may stand in a history. A history is append-only data; nothing here is ever changed in place. */
import type { JsonObject } from '../json.ts';
import {
  type ContentBlock,
  type ImageBlock,
  isToolResult,
  isToolUse,
  type ToolResultBlock,
  type ToolUseBlock,
} from './blocks.ts';
import type { History } from './history.ts';
import type { ModelErrorClass } from './model-error.ts';
import type { Usage } from './usage.ts';

interface Stamped {
  readonly uuid: string;
  /** Milliseconds since the epoch, by the injected clock. */
  readonly at: number;
}

export interface UserMessage extends Stamped {
  readonly type: 'user';
  readonly content: string | readonly ContentBlock[];
  /** Written by the loop, not by the user: sent to the model, hidden from people. */
  readonly isMeta?: true;
  /** Shown to people, never sent. */
  readonly isVirtual?: true;
  /** A tool's structured output beside the result the model sees. */
  readonly toolUseResult?: unknown;
  /** The command whose text the program added, because the user typed it and no rule denied it. The text of a prompt does not show that. */
  readonly usedCommand?: UsedCommand;
}

export interface UsedCommand {
  readonly name: string;
  readonly words: string;
}

/** One finished block of an answer. The blocks of one answer share `responseId`. */
export interface AssistantMessage extends Stamped {
  readonly type: 'assistant';
  readonly responseId: string;
  readonly model: string;
  readonly content: readonly ContentBlock[];
  /** As a stored conversation has it. The loop's own messages have none: what an answer cost is known at its end. */
  readonly usage?: Usage;
  readonly requestId?: string;
  /** Set on a synthetic message that tells of a failed call. It is shown, and never sent back. */
  readonly apiError?: ModelErrorClass;
  /** The HTTP status of the failed call, if the server answered. */
  readonly apiErrorStatus?: number;
  /** The block lacks its end: the output cap cut it off, or an abort did. Its text is sent as it is. */
  readonly incomplete?: 'cut' | 'interrupted';
  readonly isVirtual?: true;
}

export interface SystemMessage extends Stamped {
  readonly type: 'system';
  readonly subtype:
    | 'informational'
    | 'compact_boundary'
    | 'local_command'
    | 'model_fallback'
    | 'interruption'
    | 'collapse'
    | 'microcompact_boundary';
  readonly content: string;
  readonly level?: 'info' | 'warning' | 'error';
  readonly details?: JsonObject;
}

/** A message from beside the conversation, for the model between two calls. */
export interface AttachmentMessage extends Stamped {
  readonly type: 'attachment';
  readonly attachment: Attachment;
}

export type Attachment =
  | {
      readonly kind: 'queued_command';
      readonly commandId: string;
      readonly prompt: string | readonly ContentBlock[];
    }
  | { readonly kind: 'changed_file'; readonly path: string; readonly note: string }
  /** A file or folder that the prompt named with `@`. The note states what is missing. */
  | { readonly kind: 'file'; readonly path: string; readonly text: string; readonly note?: string }
  | { readonly kind: 'image'; readonly path: string; readonly image: ImageBlock }
  | { readonly kind: 'memory'; readonly path: string; readonly text: string }
  /** An instruction file that applies from here on: the model touched a file in its folder, or one that its rule names. */
  | {
      readonly kind: 'instructions';
      readonly path: string;
      readonly reason: string;
      readonly text: string;
    }
  | { readonly kind: 'skills'; readonly text: string }
  | {
      readonly kind: 'reminder';
      readonly about: 'todo' | 'plan' | 'repetition' | 'hook' | 'other';
      readonly text: string;
    }
  /** A command or a subagent in the background has ended. `runId` is the run of the subagent, which may have several. */
  | {
      readonly kind: 'task_ended';
      readonly taskId: string;
      readonly runId?: string | undefined;
      readonly text: string;
    }
  | { readonly kind: 'max_turns_reached'; readonly maxTurns: number; readonly turnCount: number }
  | { readonly kind: 'hook_stopped_continuation'; readonly hook: string; readonly reason: string };

/** This type and the next two occur in logs and streams. They never enter a request. */
export interface ProgressMessage extends Stamped {
  readonly type: 'progress';
  readonly toolUseId: string;
  readonly data: unknown;
}

export interface TombstoneMessage extends Stamped {
  readonly type: 'tombstone';
  /** The messages that are retracted. */
  readonly uuids: readonly string[];
}

export interface ToolUseSummaryMessage extends Stamped {
  readonly type: 'tool_use_summary';
  readonly summary: string;
  readonly toolUseIds: readonly string[];
}

export type Message =
  | UserMessage
  | AssistantMessage
  | SystemMessage
  | AttachmentMessage
  | ProgressMessage
  | TombstoneMessage
  | ToolUseSummaryMessage;

/** The conversation, growing at its end. */
export type MessageHistory = History<Message>;

/**
 * Returns the message without the structured output of a tool. Streams and logs contain it, and histories do not: it often
 * repeats the text of the result, and would stay in memory as long as the conversation.
 */
export function withoutToolOutput(message: Message): Message {
  if (message.type !== 'user' || message.toolUseResult === undefined) return message;
  const { toolUseResult: _, ...rest } = message;
  return rest;
}

/** The calls in some finished blocks of an answer, in order. */
export function callsOf(answer: readonly AssistantMessage[]): ToolUseBlock[] {
  const calls: ToolUseBlock[] = [];
  for (const { content } of answer) for (const block of content) if (isToolUse(block)) calls.push(block);
  return calls;
}

/** The results that a message carries. */
export function resultsOf(message: Message): ToolResultBlock[] {
  if (message.type !== 'user' || typeof message.content === 'string') return [];
  return message.content.filter(isToolResult);
}

/** The model of a message that Heddle wrote in place of a model. */
export const SYNTHETIC_MODEL = '<synthetic>';

// Texts in the history that mark an interruption by the user.

/** Two wordings, so that a reader can tell whether tools may have had effects. */
export const INTERRUPTED_STREAMING = '[Request interrupted by user]';
export const INTERRUPTED_TOOLS = '[Request interrupted by user for tool use]';

/** True for the text of the loop in place of a prompt. The user did not write it. */
export function isInterruption(text: string): boolean {
  return text === INTERRUPTED_STREAMING || text === INTERRUPTED_TOOLS;
}
