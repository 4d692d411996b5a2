/**
 * `SdkMessage`: the output for a headless consumer, one JSON object per line. The field names are those of the SDK
 * protocol.
 */
import type { ApiEvent, ContentBlock, Json, JsonObject, Usage } from '@heddle/core';

interface Envelope {
  readonly uuid: string;
  readonly session_id: string;
}

export interface SdkInit extends Envelope {
  readonly type: 'system';
  readonly subtype: 'init';
  readonly cwd: string;
  readonly model: string;
  readonly permissionMode: string;
  readonly apiKeySource: string;
  readonly claude_code_version: string;
  readonly tools: readonly string[];
  readonly mcp_servers: readonly { name: string; status: string }[];
  readonly slash_commands: readonly string[];
  readonly output_style: string;
  readonly skills: readonly string[];
  readonly plugins: readonly { name: string; path: string }[];
}

export interface SdkAssistant extends Envelope {
  readonly type: 'assistant';
  readonly message: {
    readonly id: string;
    readonly type: 'message';
    readonly role: 'assistant';
    readonly model: string;
    readonly content: readonly ContentBlock[];
    readonly stop_reason: null;
    readonly stop_sequence: null;
    readonly usage: SdkUsage;
  };
  readonly parent_tool_use_id: string | null;
  readonly error?: string;
  readonly request_id?: string;
  /** The message reports a failed API call, with its HTTP status if there was one. */
  readonly is_api_error_message?: true;
  readonly api_error_status?: number;
  /** An interrupt cut off the text. */
  readonly aborted?: true;
  /** Messages that this one replaces. */
  readonly supersedes?: readonly string[];
}

export interface SdkUser extends Envelope {
  readonly type: 'user';
  readonly message: { readonly role: 'user'; readonly content: string | readonly ContentBlock[] };
  readonly parent_tool_use_id: string | null;
  readonly tool_use_result?: unknown;
  readonly isSynthetic?: true;
  /** A prompt of the host, sent back to it. */
  readonly isReplay?: true;
}

export interface SdkApiRetry extends Envelope {
  readonly type: 'system';
  readonly subtype: 'api_retry';
  readonly attempt: number;
  readonly max_retries: number;
  readonly retry_delay_ms: number;
  readonly error_status: number | null;
  readonly error: string;
  /** The server did not respond at all. */
  readonly no_response?: true;
}

/** A call was denied without a question. */
export interface SdkPermissionDenied extends Envelope {
  readonly type: 'system';
  readonly subtype: 'permission_denied';
  readonly tool_name: string;
  readonly tool_use_id: string;
  readonly message: string;
  readonly decision_reason_type: 'rule' | 'other';
  readonly decision_reason: string;
}

export interface SdkInformational extends Envelope {
  readonly type: 'system';
  readonly subtype: 'informational';
  readonly content: string;
  readonly level: 'info' | 'warning';
  /** The call of this message. */
  readonly tool_use_id?: string;
  /** The message was rejected. */
  readonly prevent_continuation?: true;
}

export interface SdkStatus extends Envelope {
  readonly type: 'system';
  readonly subtype: 'status';
  readonly status: 'compacting' | null;
  readonly permissionMode?: string;
  readonly compact_result?: 'success' | 'failed';
  readonly compact_error?: string;
}

/** A summary replaced the messages before it. */
export interface SdkCompactBoundary extends Envelope {
  readonly type: 'system';
  readonly subtype: 'compact_boundary';
  readonly compact_metadata: {
    readonly trigger: 'manual' | 'auto';
    readonly pre_tokens: number;
    readonly post_tokens: number;
    readonly duration_ms?: number;
  };
}

/** A command continues in the background. */
export interface SdkTaskStarted extends Envelope {
  readonly type: 'system';
  readonly subtype: 'task_started';
  readonly task_id: string;
  readonly tool_use_id?: string;
  readonly description: string;
  readonly task_type: 'local_bash';
  readonly is_backgrounded: true;
}

export interface SdkTaskNotification extends Envelope {
  readonly type: 'system';
  readonly subtype: 'task_notification';
  readonly task_id: string;
  readonly tool_use_id?: string;
  readonly status: 'completed' | 'failed' | 'stopped';
  /** The path of its whole output. Empty if there is none. */
  readonly output_file: string;
  readonly summary: string;
}

export interface SdkToolProgress extends Envelope {
  readonly type: 'tool_progress';
  readonly tool_use_id: string;
  readonly tool_name: string;
  readonly parent_tool_use_id: string | null;
  readonly elapsed_time_seconds: number;
}

export interface SdkToolUseSummary extends Envelope {
  readonly type: 'tool_use_summary';
  readonly summary: string;
  readonly preceding_tool_use_ids: readonly string[];
}

export interface SdkStreamEvent extends Envelope {
  readonly type: 'stream_event';
  readonly event: ApiEvent;
  readonly parent_tool_use_id: string | null;
}

export interface SdkCommandLifecycle extends Envelope {
  readonly type: 'command_lifecycle';
  readonly command_uuid: string;
  readonly state: 'started' | 'completed';
}

export type ResultSubtype =
  | 'success'
  | 'error_max_turns'
  | 'error_max_budget_usd'
  | 'error_during_execution'
  | 'error_max_structured_output_retries';

export interface SdkResult extends Envelope {
  readonly type: 'result';
  readonly subtype: ResultSubtype;
  readonly is_error: boolean;
  readonly duration_ms: number;
  readonly duration_api_ms: number;
  readonly num_turns: number;
  readonly stop_reason: string | null;
  /** Null if the price of a model is unknown. */
  readonly total_cost_usd: number | null;
  readonly usage: SdkUsage;
  readonly modelUsage: Readonly<Record<string, ModelUsage>>;
  readonly permission_denials: readonly PermissionDenial[];
  /** Absent for a command that was typed as a prompt, because there was no run. */
  readonly terminal_reason?: string;
  /** The command that was typed as a prompt. */
  readonly local_command?: string;
  /**
   * Present on `success`: the whole response, or the text of the error if there are no `errors`. Also present on an
   * interrupted run if its response had begun.
   */
  readonly result?: string;
  readonly structured_output?: unknown;
  readonly api_error_status?: number | null;
  /** Present on the other subtypes, for a truncated response, and if the end could not be stored. */
  readonly errors?: readonly string[];
}

export interface ModelUsage {
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly cacheReadInputTokens: number;
  readonly cacheCreationInputTokens: number;
  readonly webSearchRequests: number;
  /** Null if the price is unknown. */
  readonly costUSD: number | null;
  /** Absent if the provider reported the cost. */
  readonly costBasis?: 'list' | 'unknown';
  /** The number of tokens in one request, if known. */
  readonly contextWindow: number;
  /** The number of tokens that is requested for one response. */
  readonly maxOutputTokens: number;
}

export interface PermissionDenial {
  readonly tool_name: string;
  readonly tool_use_id: string;
  readonly tool_input: JsonObject;
}

export type SdkMessage =
  | SdkInit
  | SdkAssistant
  | SdkUser
  | SdkApiRetry
  | SdkPermissionDenied
  | SdkInformational
  | SdkStatus
  | SdkCompactBoundary
  | SdkTaskStarted
  | SdkTaskNotification
  | SdkToolProgress
  | SdkToolUseSummary
  | SdkStreamEvent
  | SdkCommandLifecycle
  | SdkResult;

export interface SdkUsage extends Omit<Usage, 'more'> {
  readonly cache_creation: {
    readonly ephemeral_5m_input_tokens: number;
    readonly ephemeral_1h_input_tokens: number;
  };
  readonly server_tool_use: { readonly web_search_requests: number; readonly web_fetch_requests: number };
  readonly service_tier: string;
  /** Additional values of the server. */
  readonly [field: string]: Json | undefined;
}

/** Values of the server take precedence over assumed ones: cache marks of five minutes, and the standard tier. */
export function sdkUsage({ more = {}, ...counters }: Usage, webSearches = 0): SdkUsage {
  return {
    cache_creation: {
      ephemeral_5m_input_tokens: counters.cache_creation_input_tokens,
      ephemeral_1h_input_tokens: 0,
    },
    server_tool_use: { web_search_requests: webSearches, web_fetch_requests: 0 },
    service_tier: 'standard',
    ...more,
    ...counters,
  };
}

/** Returns the cost of a session. Null if a part has no known price, because the sum would be too low. */
export function totalCost({
  costUsd,
  models,
}: {
  readonly costUsd: number;
  readonly models: Readonly<Record<string, { readonly costUSD: number | null }>>;
}): number | null {
  return Object.values(models).some(({ costUSD }) => costUSD === null) ? null : costUsd;
}
