/** Translates loop events to the lines of a headless consumer. */
import {
  type ApiEvent,
  type AssistantMessage,
  type Attachment,
  bareToolError,
  COMPACTION_LEVELS,
  type LoopEvent,
  type Message,
  type MessageEvent,
  type ModelErrorClass,
  NO_USAGE,
  text,
  textOf,
  type Usage,
  type UserMessage,
  omitUndefined,
} from '@heddle/core';
import { type SdkMessage, sdkUsage, type SdkUser } from './message.ts';
import { lineInProgress } from './subagent-lines.ts';
import { type CallOfResult, hostResult } from './tool-results.ts';

export interface TranslatorSetup {
  readonly sessionId: string;
  readonly uuid: () => string;
  readonly now: () => number;
  /** Sends prompts back that joined the run. */
  readonly replays?: boolean;
  /** Hooks of the engine itself. Clients are not notified when they end a run. */
  readonly ownHooks?: readonly string[];
  /** The model of the session. */
  readonly model?: string;
}

/** Returns a prompt with the id of its host. */
export function replayLine(content: SdkUser['message']['content'], stamp: Envelope): SdkUser {
  return {
    type: 'user',
    message: { role: 'user', content },
    parent_tool_use_id: null,
    ...stamp,
    isReplay: true,
  };
}

/** The fields that every line has. */
type Envelope = Pick<SdkUser, 'uuid' | 'session_id'>;

interface StartedCall extends Omit<CallOfResult, 'durationMs'> {
  readonly startedAt: number;
}

type EventOf<Type extends LoopEvent['type']> = Extract<LoopEvent, { type: Type }>;

/** Remembers what later lines refer to: started calls, retracted messages, and the start of a request or compaction. */
export class Translator {
  readonly #setup: TranslatorSetup;
  readonly #thinking = new ThinkingTokens();
  readonly #calls = new Map<string, StartedCall>();
  /** Retracted messages that were not reported yet. The next assistant message contains them. */
  #superseded: string[] = [];
  #compactingSince: number | undefined;
  #reportedLimits = '';
  /** When the current attempt began. */
  #requestedAt: number;

  constructor(setup: TranslatorSetup) {
    this.#setup = setup;
    this.#requestedAt = setup.now();
  }

  lines(event: LoopEvent): SdkMessage[] {
    const { now } = this.#setup;
    switch (event.type) {
      case 'message':
        return this.#messageLines(event);
      case 'stream_request_start':
        this.#requestedAt = now();
        return [];
      case 'retry':
        return [this.#retryLine(event)];
      case 'rate_limits':
        return this.#limitLines(event);
      case 'tombstone':
        this.#superseded.push(...event.uuids);
        return [];
      case 'tool_intent': {
        const { toolUseId: id, tool, input } = event;
        this.#calls.set(id, { id, tool, input, startedAt: now() });
        return [];
      }
      case 'progress':
        return [lineInProgress(event.data) ?? this.#progressLine(event)];
      case 'tool_use_summary': {
        const { summary, toolUseIds: preceding_tool_use_ids } = event;
        return [{ type: 'tool_use_summary', ...this.#envelope(), summary, preceding_tool_use_ids }];
      }
      case 'stream_event':
        return [
          { type: 'stream_event', ...this.#envelope(), event: event.event, parent_tool_use_id: null },
          ...this.#thinking.lines(event.event, () => this.#envelope()),
        ];
      case 'compacting':
        this.#compactingSince = now();
        return [{ type: 'system', subtype: 'status', ...this.#envelope(), status: 'compacting' }];
      case 'context':
        return COMPACTION_LEVELS.has(event.report.level) ? this.#compactionLines(event) : [];
      case 'command': {
        const { commandId: command_uuid, state } = event;
        return [{ type: 'command_lifecycle', ...this.#envelope(), command_uuid, state }];
      }
      default:
        return [];
    }
  }

  #envelope(): Envelope {
    return { uuid: this.#setup.uuid(), session_id: this.#setup.sessionId };
  }

  #messageLines(event: MessageEvent): SdkMessage[] {
    const { message } = event;
    switch (message.type) {
      case 'assistant':
        return [
          this.#assistantLine(event.observable ?? message, event.usage),
          ...this.#refusalLines(message),
        ];
      case 'system': {
        const { content } = message;
        const level = message.level === 'warning' || message.level === 'error' ? 'warning' : 'info';
        return [{ type: 'system', subtype: 'informational', ...this.#envelope(), content, level }];
      }
      case 'attachment':
        return this.#attachmentLines(message.attachment);
      case 'user':
        return message.isMeta ? [] : [this.#userLine(message, event.outcome)];
    }
  }

  #assistantLine(message: AssistantMessage, usage: Usage = NO_USAGE): SdkMessage {
    const supersedes = this.#superseded;
    this.#superseded = [];
    return {
      type: 'assistant',
      message: {
        id: message.responseId,
        type: 'message',
        role: 'assistant',
        model: message.model,
        content: message.apiError ? [text(apiErrorText(message))] : message.content,
        stop_reason: null,
        stop_sequence: null,
        usage: sdkUsage(usage),
      },
      parent_tool_use_id: null,
      uuid: message.uuid,
      session_id: this.#setup.sessionId,
      ...(message.apiError ? { error: ERROR_WORDS[message.apiError], is_api_error_message: true } : {}),
      ...omitUndefined({ api_error_status: message.apiErrorStatus }),
      ...(message.incomplete === 'interrupted' ? { aborted: true } : {}),
      ...omitUndefined({ request_id: message.requestId }),
      ...(supersedes.length > 0 ? { supersedes } : {}),
    };
  }

  #refusalLines({ apiError, content, requestId }: AssistantMessage): SdkMessage[] {
    if (apiError !== 'refusal') return [];
    const { model: original_model = '' } = this.#setup;
    const about = { original_model, request_id: requestId ?? null, content: textOf(content) };
    return [{ type: 'system', subtype: 'model_refusal_no_fallback', ...this.#envelope(), ...about }];
  }

  #attachmentLines(attachment: Attachment): SdkMessage[] {
    const { ownHooks = [], replays = false, sessionId } = this.#setup;
    if (attachment.kind === 'hook_stopped_continuation') {
      if (ownHooks.includes(attachment.hook)) return [];
      const about = { content: attachment.reason, level: 'warning', prevent_continuation: true } as const;
      return [{ type: 'system', subtype: 'informational', ...this.#envelope(), ...about }];
    }
    if (!replays || attachment.kind !== 'queued_command') return [];
    return [replayLine(attachment.prompt, { uuid: attachment.commandId, session_id: sessionId })];
  }

  #userLine(message: UserMessage, outcome: MessageEvent['outcome']): SdkMessage {
    return {
      type: 'user',
      message: { role: 'user', content: message.content },
      parent_tool_use_id: null,
      uuid: message.uuid,
      session_id: this.#setup.sessionId,
      ...this.#toolResultField(message, outcome),
    };
  }

  #toolResultField(
    { content, toolUseResult: data }: UserMessage,
    outcome: MessageEvent['outcome'],
  ): Pick<SdkUser, 'tool_use_result'> {
    if (!outcome) return data === undefined ? {} : { tool_use_result: data };
    const call = this.#calls.get(outcome.toolUseId);
    this.#calls.delete(outcome.toolUseId);
    if (outcome.isError) return { tool_use_result: `Error: ${bareToolError(textOfToolResult(content))}` };
    if (data === undefined) return {};
    if (!call) return { tool_use_result: data };
    const durationMs = this.#setup.now() - call.startedAt;
    return { tool_use_result: hostResult({ ...call, durationMs }, data) };
  }

  #retryLine({ attempt, maxAttempts, delayMs, error }: EventOf<'retry'>): SdkMessage {
    const waited = this.#setup.now() - this.#requestedAt;
    this.#requestedAt = this.#setup.now() + delayMs;
    return {
      type: 'system',
      subtype: 'api_retry',
      ...this.#envelope(),
      attempt: attempt - 1,
      max_retries: maxAttempts - 1,
      retry_delay_ms: delayMs,
      error_status: error.status ?? null,
      error: ERROR_WORDS[error.class],
      ...(error.class === 'stall' ? { no_response: { waited_ms: waited, retry_wait_ms: delayMs } } : {}),
    };
  }

  /** The limits are reported when they change. */
  #limitLines({ limits }: EventOf<'rate_limits'>): SdkMessage[] {
    const described = JSON.stringify(limits);
    if (described === this.#reportedLimits) return [];
    this.#reportedLimits = described;
    return [{ type: 'rate_limit_event', ...this.#envelope(), rate_limit_info: limits }];
  }

  #progressLine({ toolUseId, tool }: EventOf<'progress'>): SdkMessage {
    const now = this.#setup.now();
    const startedAt = this.#calls.get(toolUseId)?.startedAt ?? now;
    return {
      type: 'tool_progress',
      ...this.#envelope(),
      tool_use_id: toolUseId,
      tool_name: tool,
      parent_tool_use_id: null,
      elapsed_time_seconds: (now - startedAt) / 1_000,
    };
  }

  #compactionLines({ report, messages }: EventOf<'context'>): SdkMessage[] {
    const status = { type: 'system', subtype: 'status', ...this.#envelope(), status: null } as const;
    const failed = report.details?.['failed'];
    if (typeof failed === 'string') return [{ ...status, compact_result: 'failed', compact_error: failed }];
    const ended: SdkMessage = { ...status, compact_result: 'success' };
    const boundary = messages?.find(isBoundary);
    if (!boundary) return [ended];
    const since = this.#compactingSince;
    const line: SdkMessage = {
      type: 'system',
      subtype: 'compact_boundary',
      uuid: boundary.uuid,
      session_id: this.#setup.sessionId,
      compact_metadata: {
        // The protocol has two triggers. A compaction after an error was not requested by the user.
        trigger: report.level === 'manual_compact' ? 'manual' : 'auto',
        pre_tokens: report.tokensBefore,
        post_tokens: report.tokensAfter,
        ...(since === undefined ? {} : { duration_ms: this.#setup.now() - since }),
      },
    };
    return [ended, line];
  }
}

/** Estimates how much a model has thought while it still thinks. */
class ThinkingTokens {
  #characters = 0;
  #reported = 0;

  lines(event: ApiEvent, envelope: () => Envelope): SdkMessage[] {
    if (event.type === 'message_start') {
      this.#characters = 0;
      this.#reported = 0;
    }
    if (event.type !== 'content_block_delta' || event.delta.type !== 'thinking_delta') return [];
    this.#characters += event.delta.thinking.length;
    const estimated = Math.ceil(this.#characters / CHARACTERS_PER_TOKEN);
    const delta = estimated - this.#reported;
    if (delta === 0) return [];
    this.#reported = estimated;
    const amounts = { estimated_tokens: estimated, estimated_tokens_delta: delta };
    return [{ type: 'system', subtype: 'thinking_tokens', ...envelope(), ...amounts }];
  }
}

/** A rough average for English text. */
const CHARACTERS_PER_TOKEN = 4;

/** Returns the text of the one tool result in a message. */
function textOfToolResult(content: UserMessage['content']): string {
  if (typeof content === 'string') return content;
  const result = content.find((block) => block.type === 'tool_result');
  return result ? textOf(result.content) : '';
}

/** Formats an error for clients. Hosts recognize the status at its start. */
export function apiErrorText({ content, apiErrorStatus }: AssistantMessage): string {
  const words = textOf(content);
  return apiErrorStatus === undefined ? words : `API Error: ${apiErrorStatus} ${words}`;
}

function isBoundary(message: Message): boolean {
  return message.type === 'system' && message.subtype === 'compact_boundary';
}

/** Error classes in the SDK protocol. */
const ERROR_WORDS: Readonly<Record<ModelErrorClass, string>> = {
  overflow: 'invalid_request',
  media: 'invalid_request',
  output_cap: 'max_output_tokens',
  rate_limit: 'rate_limit',
  overloaded: 'overloaded',
  server: 'server_error',
  auth: 'authentication_failed',
  permission: 'authentication_failed',
  not_found: 'model_not_found',
  network: 'unknown',
  stall: 'unknown',
  refusal: 'invalid_request',
  bad_request: 'invalid_request',
  refused_block: 'invalid_request',
  empty: 'unknown',
  aborted: 'unknown',
  internal: 'unknown',
};
