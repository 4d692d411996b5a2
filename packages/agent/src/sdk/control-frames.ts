/** The control requests between a host and the program, as schemas. See `frames.ts`. */
import type { Json, JsonObject } from '@heddle/core';
import * as z from 'zod';

const json = z.custom<JsonObject>();
const strings = z.array(z.string()).readonly();
const mode = z.enum(['default', 'acceptEdits', 'plan', 'dontAsk', 'bypassPermissions']);
const nothing = z.strictObject({});

interface ControlFrame {
  readonly request: z.ZodObject;
  /** Of a successful reply. Undefined if the reply has no payload. */
  readonly response?: z.ZodType;
  readonly effect: string;
}

/** Sent by a host. */
export const HOST_REQUESTS = {
  initialize: {
    request: z.object({
      systemPrompt: strings.optional(),
      appendSystemPrompt: z.string().optional(),
      jsonSchema: json.optional(),
      title: z.string().optional(),
      promptSuggestions: z.boolean().optional(),
      planModeInstructions: z.string().optional(),
      excludeDynamicSections: z.boolean().optional(),
      forwardSubagentText: z.boolean().optional(),
      toolAliases: z.record(z.string(), z.string()).optional(),
      agents: json.optional(),
      skills: strings.optional(),
      hooks: json.optional(),
      sdkMcpServers: strings.optional(),
    }),
    response: z.object({
      commands: z.array(z.object({ name: z.string(), description: z.string(), argumentHint: z.string() })),
      agents: z.array(z.object({ name: z.string(), description: z.string() })),
      models: z.array(z.object({ value: z.string(), displayName: z.string(), description: z.string() })),
      account: json,
      output_style: z.string(),
      available_output_styles: strings,
      pid: z.number(),
      current_permission_mode: mode,
    }),
    effect: 'configures the session before its first turn, and tells the commands and models',
  },
  interrupt: {
    request: z.object({ cancel_queued: z.boolean().optional() }),
    response: z.object({ still_queued: strings, cancelled: strings.optional() }),
    effect: 'ends the running turn; `cancel_queued` also drops waiting prompts',
  },
  cancel_async_message: {
    request: z.object({ message_uuid: z.string() }),
    response: z.strictObject({ cancelled: z.boolean() }),
    effect: 'removes a waiting prompt',
  },
  side_question: {
    request: z.object({ question: z.string() }),
    response: z.strictObject({ response: z.string() }),
    effect: 'asks the model beside the conversation, also during a turn; the conversation does not change',
  },
  set_permission_mode: {
    request: z.object({ mode }),
    response: z.strictObject({ mode }),
    effect: 'changes the mode from the next call on',
  },
  set_model: {
    request: z.object({ model: z.string().nullish() }),
    response: z.strictObject({ model: z.string() }),
    effect: 'changes the model from the next turn on; without a name, back to the first one',
  },
  set_max_thinking_tokens: {
    request: z.object({ max_thinking_tokens: z.number().nullish() }),
    effect: 'changes thinking; 0 switches it off, null restores the first value',
  },
  apply_flag_settings: {
    request: z.object({ settings: json }),
    effect: 'changes `model`, `effortLevel` or `permissions` for this session: all of them, or nothing',
  },
  update_settings: {
    request: z.object({ source: z.enum(['userSettings', 'localSettings']), settings: json }),
    effect: 'writes keys to a settings file, for the next start',
  },
  rename_session: {
    request: z.object({ title: z.string(), session_id: z.string().optional() }),
    effect: 'names the session',
  },
  rewind_files: {
    request: z.object({ user_message_id: z.string(), dry_run: z.boolean().optional() }),
    response: z.object({ canRewind: z.boolean(), error: z.string().optional() }),
    effect: 'restores files to their state at a prompt',
  },
  stop_task: {
    request: z.object({ task_id: z.string() }),
    response: nothing,
    effect: 'ends a background task or a subagent',
  },
  background_tasks: {
    request: z.object({ tool_use_id: z.string().nullish() }),
    response: z.strictObject({ backgrounded: z.boolean() }),
    effect:
      'lets commands and subagents that a call waits for continue in the background: those of one call, or all',
  },
  get_task_output: {
    request: z.object({ task_id: z.string() }),
    response: z.strictObject({ output: z.string(), total_bytes: z.number(), truncated: z.boolean() }),
    effect: 'returns the end of the output of a background task or a subagent',
  },
  reload_skills: {
    request: nothing,
    response: z.strictObject({ skills: z.array(json) }),
    effect: 'reads the files of skills and commands again',
  },
  reload_plugins: {
    request: z.object({
      add_plugins: z
        .array(
          z.object({ type: z.literal('local'), path: z.string(), skipMcpDiscovery: z.boolean().optional() }),
        )
        .optional(),
    }),
    response: z.strictObject({
      commands: z.array(json),
      agents: z.array(json),
      plugins: z.array(z.strictObject({ name: z.string(), path: z.string() })),
      mcpServers: z.array(json),
      error_count: z.number(),
    }),
    effect: 'reads the files of plugins again, and adds plugins by their absolute paths',
  },
  reload_output_styles: {
    request: nothing,
    response: z.strictObject({ available_output_styles: strings }),
    effect: 'returns the output styles',
  },
  get_context_usage: {
    request: nothing,
    response: z.object({
      categories: z.array(z.object({ name: z.string(), tokens: z.number() })),
      totalTokens: z.number(),
      maxTokens: z.number(),
      percentage: z.number(),
      model: z.string(),
    }),
    effect: 'returns what fills the window',
  },
  get_session_cost: {
    request: nothing,
    response: z.strictObject({ total_cost_usd: z.number().nullable(), model_usage: json }),
    effect: 'returns the cost of the session',
  },
  get_usage: {
    request: nothing,
    response: z.object({ session: json, rate_limits_available: z.boolean() }),
    effect: 'returns the cost of the session and the limits of the plan',
  },
  get_settings: {
    request: nothing,
    response: z.object({ effective: json, sources: z.array(json) }),
    effect: 'returns the settings that count, and those of each file; secrets are redacted',
  },
  list_models: {
    request: nothing,
    response: z.strictObject({ models: z.array(json) }),
    effect: 'returns the models that a host can choose',
  },
  list_permission_rules: {
    request: nothing,
    response: z.strictObject({ state: json }),
    effect: 'returns the rules in force',
  },
  get_binary_version: {
    request: nothing,
    response: z.strictObject({ version: z.string() }),
    effect: 'returns the version of the program',
  },
  read_file: {
    request: z.object({
      path: z.string(),
      max_bytes: z.number().optional(),
      encoding: z.enum(['utf-8', 'base64']).optional(),
    }),
    response: z.object({ contents: z.string(), absPath: z.string(), truncated: z.boolean().optional() }),
    effect: 'returns a file that the Read tool may read',
  },
  seed_read_state: {
    request: z.object({ path: z.string(), mtime: z.number() }),
    effect: 'marks a file as read by the model, unless it changed since then',
  },
  file_suggestions: {
    request: z.object({ query: z.string() }),
    response: z.strictObject({
      suggestions: z.array(z.strictObject({ path: z.string(), isDirectory: z.boolean() })),
    }),
    effect: 'returns the files that match a few letters, as after an `@`',
  },
  register_repo_root: {
    request: z.object({ directory: z.string() }),
    effect: 'adds a working directory inside the others',
  },
  get_hooks_listing: {
    request: nothing,
    response: z.strictObject({
      events: z.array(json),
      hooks: z.array(json),
      eventCatalog: z.array(json),
      policy: json,
    }),
    effect: 'returns the hooks of the settings',
  },
  set_has_subscribers: {
    request: z.object({ has_subscribers: z.boolean().nullable() }),
    effect: 'is accepted, and changes nothing',
  },
  mcp_status: {
    request: nothing,
    response: z.object({ mcpServers: z.array(json) }),
    effect:
      'returns the state and the tools of the MCP servers. Waits a few seconds for those that are connecting',
  },
  mcp_set_servers: {
    request: z.object({ servers: json }),
    response: z.object({ added: strings, removed: strings, errors: z.record(z.string(), z.string()) }),
    effect: 'replaces the MCP servers that the host has given. Those of files stay',
  },
  mcp_reconnect: {
    request: z.object({ serverName: z.string() }),
    effect: 'connects to an MCP server again',
  },
  mcp_toggle: {
    request: z.object({ serverName: z.string(), enabled: z.boolean() }),
    effect: 'switches an MCP server off or on',
  },
  set_mcp_permission_mode_override: {
    request: z.object({ serverName: z.string(), mode: z.enum(['default', 'auto']).nullable() }),
    response: z.strictObject({ warning: z.string().optional() }),
    effect:
      'makes calls of an MCP server need permission although the mode is bypassPermissions, also if it connects later; null ends this',
  },
  mcp_message: {
    request: z.object({ server_name: z.string(), message: json }),
    response: nothing,
    effect: 'delivers a message of an MCP server in the process of the host',
  },
  mcp_call: {
    request: z.object({ serverName: z.string(), tool: z.string(), arguments: json.optional() }),
    response: json,
    effect: 'calls a tool of an MCP server, and returns its result',
  },
  mcp_read_resource: {
    request: z.object({ serverName: z.string(), uri: z.string() }),
    response: json,
    effect: 'reads a resource of an MCP server',
  },
} as const satisfies Readonly<Record<string, ControlFrame>>;

/** Sent by the program. */
export const PROGRAM_REQUESTS = {
  can_use_tool: {
    request: z.object({
      tool_name: z.string(),
      input: json.describe('has whole paths if `cwd` is present'),
      cwd: z.string().optional().describe('the folder of the call, if it is not the one of the project'),
      tool_use_id: z.string(),
      decision_reason: z.string().optional(),
      blocked_path: z
        .string()
        .optional()
        .describe('the first file that may not be used without an answer, with links resolved'),
      permission_suggestions: z.array(json).readonly().optional(),
      matched_ask_rule: z.custom<Json>().optional(),
      agent_id: z.string().optional(),
    }),
    response: z.union([
      z.object({
        behavior: z.literal('allow'),
        updatedInput: json.optional(),
        updatedPermissions: z.array(json).optional(),
      }),
      z.object({ behavior: z.literal('deny'), message: z.string(), interrupt: z.boolean().optional() }),
    ]),
    effect: 'asks whether a call may run',
  },
  hook_callback: {
    request: z.object({ callback_id: z.string(), input: json, tool_use_id: z.string().optional() }),
    response: json,
    effect: 'calls a hook of the host',
  },
  mcp_message: {
    request: z.object({ server_name: z.string(), message: json }),
    response: z.object({ mcp_response: json }),
    effect: 'delivers a message to an MCP server in the process of the host, and returns its reply',
  },
  elicitation: {
    request: z.object({
      mcp_server_name: z.string(),
      message: z.string(),
      mode: z.enum(['form', 'url']).optional(),
      url: z.string().optional(),
      elicitation_id: z.string().optional(),
      requested_schema: json.optional(),
    }),
    response: z.object({ action: z.enum(['accept', 'decline', 'cancel']), content: json.optional() }),
    effect: 'passes on a question of an MCP server to the user',
  },
} as const satisfies Readonly<Record<string, ControlFrame>>;
