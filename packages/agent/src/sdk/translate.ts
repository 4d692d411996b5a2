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

export interface Translator {
  lines(event: LoopEvent): SdkMessage[];
}

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
export function replayLine(
  content: SdkUser['message']['content'],
  stamp: Pick<SdkUser, 'uuid' | 'session_id'>,
): SdkUser {
  return {
    type: 'user',
    message: { role: 'user', content },
    parent_tool_use_id: null,
    ...stamp,
    isReplay: true,
  };
}

export function createTranslator(setup: TranslatorSetup): Translator {
  const { sessionId, uuid, now, replays = false, ownHooks = [], model: original_model = '' } = setup;
  /** Retracted messages that were not reported yet. The next assistant message contains them. */
  let superseded: string[] = [];
  const calls = new Map<string, Omit<CallOfResult, 'durationMs'> & { readonly startedAt: number }>();
  let compactingSince: number | undefined;
  let reportedLimits = '';
  /** When the current attempt began. */
  let requestedAt = now();
  const thinking = new ThinkingTokens();
  const envelope = (): { uuid: string; session_id: string } => ({ uuid: uuid(), session_id: sessionId });

  function assistant(message: AssistantMessage, usage: Usage = NO_USAGE): SdkMessage {
    const supersedes = superseded;
    superseded = [];
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
      session_id: sessionId,
      ...(message.apiError ? { error: ERROR_WORDS[message.apiError], is_api_error_message: true } : {}),
      ...omitUndefined({ api_error_status: message.apiErrorStatus }),
      ...(message.incomplete === 'interrupted' ? { aborted: true } : {}),
      ...omitUndefined({ request_id: message.requestId }),
      ...(supersedes.length > 0 ? { supersedes } : {}),
    };
  }

  function refusalLines({ apiError, content, requestId }: AssistantMessage): SdkMessage[] {
    if (apiError !== 'refusal') return [];
    const about = { original_model, request_id: requestId ?? null, content: textOf(content) };
    return [{ type: 'system', subtype: 'model_refusal_no_fallback', ...envelope(), ...about }];
  }

  function stopped({ hook, reason }: HookStop): SdkMessage[] {
    if (ownHooks.includes(hook)) return [];
    const about = { content: reason, level: 'warning', prevent_continuation: true } as const;
    return [{ type: 'system', subtype: 'informational', ...envelope(), ...about }];
  }

  function compactionLines({ report, messages }: Extract<LoopEvent, { type: 'context' }>): SdkMessage[] {
    const status = { type: 'system', subtype: 'status', ...envelope(), status: null } as const;
    const failed = report.details?.['failed'];
    if (typeof failed === 'string') return [{ ...status, compact_result: 'failed', compact_error: failed }];
    const ended: SdkMessage = { ...status, compact_result: 'success' };
    const boundary = messages?.find(isBoundary);
    if (!boundary) return [ended];
    const line: SdkMessage = {
      type: 'system',
      subtype: 'compact_boundary',
      uuid: boundary.uuid,
      session_id: sessionId,
      compact_metadata: {
        // The protocol has two triggers. A compaction after an error was not requested by the user.
        trigger: report.level === 'manual_compact' ? 'manual' : 'auto',
        pre_tokens: report.tokensBefore,
        post_tokens: report.tokensAfter,
        ...(compactingSince === undefined ? {} : { duration_ms: now() - compactingSince }),
      },
    };
    return [ended, line];
  }

  function toolResultField(
    { content, toolUseResult: data }: UserMessage,
    outcome: MessageEvent['outcome'],
  ): Pick<SdkUser, 'tool_use_result'> {
    if (!outcome) return data === undefined ? {} : { tool_use_result: data };
    const call = calls.get(outcome.toolUseId);
    calls.delete(outcome.toolUseId);
    if (outcome.isError) return { tool_use_result: `Error: ${bareToolError(textOfToolResult(content))}` };
    if (data === undefined) return {};
    if (!call) return { tool_use_result: data };
    return { tool_use_result: hostResult({ ...call, durationMs: now() - call.startedAt }, data) };
  }

  return {
    lines(event) {
      switch (event.type) {
        case 'message': {
          const { message } = event;
          if (message.type === 'assistant')
            return [assistant(event.observable ?? message, event.usage), ...refusalLines(message)];
          if (message.type === 'system') {
            const level = message.level === 'warning' || message.level === 'error' ? 'warning' : 'info';
            return [
              { type: 'system', subtype: 'informational', ...envelope(), content: message.content, level },
            ];
          }
          if (message.type === 'attachment') {
            const { attachment } = message;
            if (attachment.kind === 'hook_stopped_continuation') return stopped(attachment);
            if (!replays || attachment.kind !== 'queued_command') return [];
            return [replayLine(attachment.prompt, { uuid: attachment.commandId, session_id: sessionId })];
          }
          if (message.isMeta) return [];
          return [
            {
              type: 'user',
              message: { role: 'user', content: message.content },
              parent_tool_use_id: null,
              uuid: message.uuid,
              session_id: sessionId,
              ...toolResultField(message, event.outcome),
            },
          ];
        }
        case 'stream_request_start':
          requestedAt = now();
          return [];
        case 'retry': {
          const waited = now() - requestedAt;
          requestedAt = now() + event.delayMs;
          return [
            {
              type: 'system',
              subtype: 'api_retry',
              ...envelope(),
              attempt: event.attempt - 1,
              max_retries: event.maxAttempts - 1,
              retry_delay_ms: event.delayMs,
              error_status: event.error.status ?? null,
              error: ERROR_WORDS[event.error.class],
              ...(event.error.class === 'stall'
                ? { no_response: { waited_ms: waited, retry_wait_ms: event.delayMs } }
                : {}),
            },
          ];
        }
        case 'rate_limits': {
          const limits = JSON.stringify(event.limits);
          if (limits === reportedLimits) return [];
          reportedLimits = limits;
          return [{ type: 'rate_limit_event', ...envelope(), rate_limit_info: event.limits }];
        }
        case 'tombstone':
          superseded.push(...event.uuids);
          return [];
        case 'tool_intent':
          calls.set(event.toolUseId, {
            id: event.toolUseId,
            tool: event.tool,
            input: event.input,
            startedAt: now(),
          });
          return [];
        case 'progress': {
          const line = lineInProgress(event.data);
          if (line) return [line];
          const elapsed = (now() - (calls.get(event.toolUseId)?.startedAt ?? now())) / 1_000;
          const { toolUseId: tool_use_id, tool: tool_name } = event;
          const about = { tool_use_id, tool_name, parent_tool_use_id: null, elapsed_time_seconds: elapsed };
          return [{ type: 'tool_progress', ...envelope(), ...about }];
        }
        case 'tool_use_summary':
          return [
            {
              type: 'tool_use_summary',
              ...envelope(),
              summary: event.summary,
              preceding_tool_use_ids: event.toolUseIds,
            },
          ];
        case 'stream_event':
          return [
            { type: 'stream_event', ...envelope(), event: event.event, parent_tool_use_id: null },
            ...thinking.lines(event.event, envelope),
          ];
        case 'compacting':
          compactingSince = now();
          return [{ type: 'system', subtype: 'status', ...envelope(), status: 'compacting' }];
        case 'context':
          return COMPACTION_LEVELS.has(event.report.level) ? compactionLines(event) : [];
        case 'command':
          return [
            { type: 'command_lifecycle', ...envelope(), command_uuid: event.commandId, state: event.state },
          ];
        default:
          return [];
      }
    },
  };
}

/** Estimates how much a model has thought while it still thinks. */
class ThinkingTokens {
  #characters = 0;
  #reported = 0;

  lines(event: ApiEvent, envelope: () => { uuid: string; session_id: string }): SdkMessage[] {
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

type HookStop = Extract<Attachment, { kind: 'hook_stopped_continuation' }>;

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
