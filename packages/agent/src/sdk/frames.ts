/**
 * The messages that a headless consumer reads, one JSON object per line, as schemas. The types of `message.ts` and
 * docs/protocol.md come from here. Field names are those of the SDK protocol. Loads the schema library: import it for
 * types, for tests, or in a host that checks what it reads.
 */
import type { ApiEvent, Json, JsonObject } from '@heddle/core';
import * as z from 'zod';
import { answered, blocks, envelope, origin, parent, strings } from './frame-fields.ts';
import {
  backgroundTasksChanged,
  taskNotification,
  taskProgress,
  taskStarted,
  taskUpdated,
} from './task-frames.ts';

export const usage = z
  .object({
    input_tokens: z.number(),
    output_tokens: z.number(),
    cache_creation_input_tokens: z.number(),
    cache_read_input_tokens: z.number(),
    cache_creation: z.object({
      ephemeral_5m_input_tokens: z.number(),
      ephemeral_1h_input_tokens: z.number(),
    }),
    server_tool_use: z.object({ web_search_requests: z.number(), web_fetch_requests: z.number() }),
    service_tier: z.string(),
  })
  .catchall(z.custom<Json | undefined>());

export const modelUsage = z.object({
  inputTokens: z.number(),
  outputTokens: z.number(),
  cacheReadInputTokens: z.number(),
  cacheCreationInputTokens: z.number(),
  webSearchRequests: z.number(),
  costUSD: z.number().nullable().describe('null if the price is unknown'),
  costBasis: z.enum(['list', 'unknown']).exactOptional().describe('absent if the provider reported the cost'),
  contextWindow: z.number().describe('tokens in one request, 0 if unknown'),
  maxOutputTokens: z.number().describe('tokens that are requested for one answer'),
});

export const permissionDenial = z.object({
  tool_name: z.string(),
  tool_use_id: z.string(),
  tool_input: z.custom<JsonObject>(),
});

export const init = z
  .strictObject({
    ...envelope,
    type: z.literal('system'),
    subtype: z.literal('init'),
    cwd: z.string(),
    model: z.string(),
    permissionMode: z.string(),
    apiKeySource: z.string(),
    claude_code_version: z.string(),
    tools: strings,
    mcp_servers: z.array(z.object({ name: z.string(), status: z.string() })).readonly(),
    slash_commands: strings,
    output_style: z.string(),
    skills: strings,
    /** Absent if there are no subagents. */
    agents: strings.optional(),
    plugins: z
      .array(z.object({ name: z.string(), path: z.string(), version: z.string().optional() }))
      .readonly(),
  })
  .describe('The first message of every turn.');

export const assistant = z
  .strictObject({
    ...envelope,
    type: z.literal('assistant'),
    message: z.object({
      id: z.string(),
      type: z.literal('message'),
      role: z.literal('assistant'),
      model: z.string(),
      content: blocks,
      stop_reason: z.null(),
      stop_sequence: z.null(),
      usage,
    }),
    parent_tool_use_id: parent,
    ...origin,
    error: z.string().exactOptional(),
    request_id: z.string().exactOptional(),
    is_api_error_message: z.literal(true).exactOptional().describe('the message reports a failed API call'),
    api_error_status: z.number().exactOptional().describe('its HTTP status'),
    aborted: z.literal(true).exactOptional().describe('an interrupt cut off the text'),
    supersedes: strings.exactOptional().describe('messages that this one replaces'),
    ...answered,
  })
  .describe('One finished block of an answer. Blocks of one answer share `message.id`.');

export const user = z
  .strictObject({
    ...envelope,
    type: z.literal('user'),
    message: z.object({ role: z.literal('user'), content: z.union([z.string(), blocks]) }),
    parent_tool_use_id: parent,
    ...origin,
    tool_use_result: z.unknown().optional().describe('the output of the tool as data; a string for an error'),
    isSynthetic: z.literal(true).exactOptional(),
    isReplay: z.literal(true).exactOptional().describe('a prompt of the host, sent back to it'),
  })
  .describe('One tool result, or a prompt that is repeated.');

export const apiRetry = z
  .strictObject({
    ...envelope,
    type: z.literal('system'),
    subtype: z.literal('api_retry'),
    attempt: z.number(),
    max_retries: z.number(),
    retry_delay_ms: z.number(),
    error_status: z.number().nullable(),
    error: z.string(),
    no_response: z
      .object({ waited_ms: z.number(), retry_wait_ms: z.number() })
      .exactOptional()
      .describe('the server sent nothing in time'),
  })
  .describe('A request failed and is repeated after a delay.');

const limitStatus = z.enum(['allowed', 'allowed_warning', 'rejected']);

export const rateLimitEvent = z
  .strictObject({
    ...envelope,
    type: z.literal('rate_limit_event'),
    rate_limit_info: z.strictObject({
      status: limitStatus,
      resetsAt: z.number().exactOptional().describe('seconds since the epoch'),
      rateLimitType: z
        .string()
        .exactOptional()
        .describe('the limit that is reached first, such as `five_hour`'),
      utilization: z.number().exactOptional().describe('the used part of that limit, from 0 to 1'),
      surpassedThreshold: z.number().exactOptional(),
      overageStatus: limitStatus.exactOptional(),
      overageResetsAt: z.number().exactOptional(),
      overageDisabledReason: z.string().exactOptional(),
      isUsingOverage: z.boolean(),
    }),
  })
  .describe(
    'The limits of a subscription: with the first response of a turn that reports them, and when they change.',
  );

export const permissionDenied = z
  .strictObject({
    ...envelope,
    type: z.literal('system'),
    subtype: z.literal('permission_denied'),
    tool_name: z.string(),
    tool_use_id: z.string(),
    message: z.string(),
    decision_reason_type: z.enum(['rule', 'other']),
    decision_reason: z.string(),
    agent_id: z.string().exactOptional(),
  })
  .describe('A call was denied without a question.');

export const informational = z
  .strictObject({
    ...envelope,
    type: z.literal('system'),
    subtype: z.literal('informational'),
    content: z.string(),
    level: z.enum(['info', 'warning']),
    tool_use_id: z.string().exactOptional(),
    prevent_continuation: z.literal(true).exactOptional().describe('the prompt or the turn was stopped'),
  })
  .describe('A text for the user.');

const hookFields = {
  ...envelope,
  type: z.literal('system'),
  hook_id: z.string(),
  hook_name: z.string().describe('the event, and what its matcher was compared with: `PreToolUse:Bash`'),
  hook_event: z.string(),
};
const hookOutput = { stdout: z.string(), stderr: z.string(), output: z.string() };

export const hookStarted = z
  .strictObject({ ...hookFields, subtype: z.literal('hook_started') })
  .describe('A hook starts. For SessionStart; for other events with `--include-hook-events`.');

export const hookProgress = z
  .strictObject({ ...hookFields, subtype: z.literal('hook_progress'), ...hookOutput })
  .describe('A hook printed something.');

export const hookResponse = z
  .strictObject({
    ...hookFields,
    subtype: z.literal('hook_response'),
    ...hookOutput,
    exit_code: z.number().exactOptional(),
    outcome: z.enum(['success', 'error', 'cancelled']),
  })
  .describe('A hook ended.');

export const status = z
  .strictObject({
    ...envelope,
    type: z.literal('system'),
    subtype: z.literal('status'),
    status: z.literal('compacting').nullable(),
    permissionMode: z.string().exactOptional(),
    compact_result: z.enum(['success', 'failed']).exactOptional(),
    compact_error: z.string().exactOptional(),
  })
  .describe('A compaction starts or ends, or the permission mode changed.');

export const sessionState = z
  .strictObject({
    ...envelope,
    type: z.literal('system'),
    subtype: z.literal('session_state_changed'),
    state: z.enum(['idle', 'running', 'requires_action']),
    sdk_host_only: z.literal(true),
  })
  .describe(
    'Only with `CLAUDE_CODE_SDK_READS_SESSION_STATE=1`: the session runs, waits for the host, or is idle.',
  );

export const commandsChanged = z
  .strictObject({
    ...envelope,
    type: z.literal('system'),
    subtype: z.literal('commands_changed'),
    commands: z
      .array(
        z.object({
          name: z.string(),
          description: z.string(),
          argumentHint: z.string(),
          builtin: z.boolean().exactOptional(),
        }),
      )
      .readonly(),
  })
  .describe(
    'The list of commands changed: an MCP server with prompts connected or ended. It replaces the list.',
  );

export const compactBoundary = z
  .strictObject({
    ...envelope,
    type: z.literal('system'),
    subtype: z.literal('compact_boundary'),
    compact_metadata: z.object({
      trigger: z.enum(['manual', 'auto']),
      pre_tokens: z.number(),
      post_tokens: z.number(),
      duration_ms: z.number().exactOptional(),
    }),
  })
  .describe('A summary replaced the messages before it.');

export const modelRefusal = z
  .strictObject({
    ...envelope,
    type: z.literal('system'),
    subtype: z.literal('model_refusal_no_fallback'),
    original_model: z.string(),
    request_id: z.string().nullable(),
    content: z.string(),
  })
  .describe('The model refused to answer. The result follows.');

export const thinkingTokens = z
  .strictObject({
    ...envelope,
    type: z.literal('system'),
    subtype: z.literal('thinking_tokens'),
    estimated_tokens: z.number().describe('of the thinking of this answer so far'),
    estimated_tokens_delta: z.number().describe('since the last such message'),
    user_message_uuid: answered.user_message_uuid,
  })
  .describe('The model is thinking. Only with `--include-partial-messages`.');

export const toolProgress = z
  .strictObject({
    ...envelope,
    type: z.literal('tool_progress'),
    tool_use_id: z.string(),
    tool_name: z.string(),
    parent_tool_use_id: parent,
    elapsed_time_seconds: z.number(),
  })
  .describe('A call is still running.');

export const toolUseSummary = z
  .strictObject({
    ...envelope,
    type: z.literal('tool_use_summary'),
    summary: z.string(),
    preceding_tool_use_ids: strings,
  })
  .describe('One sentence about the last calls.');

export const streamEvent = z
  .strictObject({
    ...envelope,
    type: z.literal('stream_event'),
    event: z.custom<ApiEvent>(),
    parent_tool_use_id: parent,
  })
  .describe('An event of the stream of the Messages API. Only with `--include-partial-messages`.');

export const promptSuggestion = z
  .strictObject({ ...envelope, type: z.literal('prompt_suggestion'), suggestion: z.string() })
  .describe('A suggestion for the next prompt. It follows the result.');

export const conversationReset = z
  .strictObject({
    ...envelope,
    type: z.literal('conversation_reset'),
    new_conversation_id: z.string().describe('the session that continues, with an empty conversation'),
    trigger: z.enum(['clear']).exactOptional(),
  })
  .describe('The conversation was emptied, such as by `/clear`. It precedes the result.');

export const commandLifecycle = z
  .strictObject({
    ...envelope,
    type: z.literal('command_lifecycle'),
    command_uuid: z.string(),
    state: z.enum(['queued', 'started', 'completed', 'cancelled']),
  })
  .describe(
    'A prompt that arrived during a turn: it waits, joins or starts a turn, and ends, or is cancelled.',
  );

export const result = z
  .strictObject({
    ...envelope,
    type: z.literal('result'),
    subtype: z.enum([
      'success',
      'error_max_turns',
      'error_max_budget_usd',
      'error_during_execution',
      'error_max_structured_output_retries',
    ]),
    is_error: z.boolean(),
    duration_ms: z.number(),
    duration_api_ms: z.number(),
    num_turns: z.number().describe('round trips to the model'),
    stop_reason: z.string().nullable(),
    total_cost_usd: z.number().nullable().describe('of the session; null if the price of a model is unknown'),
    usage: usage.describe('of this turn'),
    modelUsage: z.record(z.string(), modelUsage).describe('of the session, by model'),
    permission_denials: z.array(permissionDenial).readonly(),
    terminal_reason: z.string().exactOptional().describe('absent for a command that was typed as a prompt'),
    local_command: z.string().exactOptional().describe('the command that was typed as a prompt'),
    result: z.string().exactOptional().describe('the whole answer, or the text of the error'),
    structured_output: z.unknown().optional(),
    api_error_status: z.number().nullable().exactOptional(),
    errors: strings.exactOptional().describe('why there is no answer, or why it is incomplete'),
    ...answered,
    result_index: z.number().exactOptional().describe('the number of the result in this process, from 0'),
    queued_turn_count: z.number().exactOptional().describe('prompts that wait for a turn'),
  })
  .describe('The last message of every turn. Exactly one.');

/** Every message, in the order of docs/protocol.md. */
export const FRAMES = {
  init,
  assistant,
  user,
  result,
  streamEvent,
  apiRetry,
  rateLimitEvent,
  permissionDenied,
  informational,
  hookStarted,
  hookProgress,
  hookResponse,
  status,
  sessionState,
  commandsChanged,
  compactBoundary,
  taskStarted,
  taskProgress,
  taskUpdated,
  taskNotification,
  modelRefusal,
  thinkingTokens,
  backgroundTasksChanged,
  toolProgress,
  toolUseSummary,
  promptSuggestion,
  conversationReset,
  commandLifecycle,
} as const;

export { HOST_REQUESTS, PROGRAM_REQUESTS } from './control-frames.ts';
