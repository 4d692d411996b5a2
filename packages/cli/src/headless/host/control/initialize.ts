/** Reads the `initialize` request of a host and builds the response. Pure. */
import type { HookDefinition } from '@heddle/agent/hooks';
import { type AgentDefinition, type Changes, type SdkCommandsChanged, VERSION } from '@heddle/agent';
import type { PromptFile } from '@heddle/agent/extensions';
import path from 'node:path';
import { isJsonObject, type PermissionMode } from '@heddle/core';
import type { ServerPrompt } from '@heddle/mcp';
import { fullModelName } from '@heddle/models';
import { modelEnvironment } from '../../../keys.ts';
import type { ModelOptions } from '../../../start/model-options.ts';
import { HEADLESS_COMMANDS } from '../../../slash/slash-commands.ts';
import { readHostHooks } from '../hooks/registered.ts';
import { pluginFolders } from '../initial-request.ts';
import { type HostLine, lineIn, textIn } from '../json.ts';

interface InitializeRequest {
  readonly changes: Changes;
  readonly hooks: readonly HookDefinition[];
  /** The title of the session. */
  readonly title: string | undefined;
  /** Servers in the host's own process. */
  readonly servers: readonly string[];
  /** The folders of plugins. They were loaded at the start if the program waited for this request. */
  readonly plugins: readonly string[] | undefined;
  /** The only skills that the model may use. Undefined for all. */
  readonly skills: readonly string[] | undefined;
  /** Notes about requested features that are missing. */
  readonly notes: readonly string[];
  /** The text and thinking of subagents are part of the output. */
  readonly forwardsSubagentText: boolean;
}

export function readInitialize(request: HostLine): InitializeRequest {
  const { jsonSchema } = request;
  const { hooks, unknown } = readHostHooks(request['hooks']);
  const servers = namesIn(request['sdkMcpServers']);
  return {
    changes: {
      systemPrompt: promptOf(request['systemPrompt']),
      appendSystemPrompt: textIn(request['appendSystemPrompt']),
      outputSchema: isJsonObject(jsonSchema) ? jsonSchema : undefined,
      promptSuggestions: request['promptSuggestions'] === true ? true : undefined,
      planInstructions: textIn(request['planModeInstructions']),
      isPromptShared: request['excludeDynamicSections'] === true ? true : undefined,
      toolAliases: aliasesIn(request['toolAliases']),
    },
    hooks,
    title: textIn(request['title']),
    servers,
    plugins: Array.isArray(request['plugins']) ? foldersIn(request['plugins']) : undefined,
    skills: Array.isArray(request['skills']) ? namesIn(request['skills']) : undefined,
    notes: unknown.map((event) => `hooks for ${event} are never called yet`),
    forwardsSubagentText: request['forwardSubagentText'] === true,
  };
}

function foldersIn(plugins: unknown): readonly string[] {
  const { complete, withoutServers } = pluginFolders(plugins);
  return [...complete, ...withoutServers].map((folder) => path.resolve(folder));
}

/** Undefined if there are none. */
function aliasesIn(value: unknown): ReadonlyMap<string, string> | undefined {
  const aliases = Object.entries(lineIn(value) ?? {}).flatMap(([name, tool]): [string, string][] =>
    typeof tool === 'string' ? [[name, tool]] : [],
  );
  return aliases.length === 0 ? undefined : new Map(aliases);
}

function namesIn(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter((name) => typeof name === 'string') : [];
}

/** A client whose host says nothing about it sends an empty one, and means: no instructions beyond a name. */
const MINIMAL = 'You are Heddle, a coding agent.';

/** A marker of some clients before the part that may change. Heddle keeps the whole prompt unchanged. */
const DYNAMIC_BOUNDARY = '__SYSTEM_PROMPT_DYNAMIC_BOUNDARY__';

function promptOf(value: unknown): readonly string[] | undefined {
  if (!Array.isArray(value)) return undefined;
  const layers = value.filter((layer): layer is string => typeof layer === 'string' && layer.trim() !== '');
  return layers.length === 0 ? [MINIMAL] : layers.filter((layer) => layer !== DYNAMIC_BOUNDARY);
}

export function introduction(
  model: ModelOptions,
  permissionMode: PermissionMode,
  { agents, ...commands }: HostCommands & { readonly agents: readonly AgentDefinition[] },
): object {
  const { apiKeySource = 'none' } = model;
  return {
    commands: allCommands(commands),
    agents: agentList(agents),
    models: modelList(model),
    account: { apiKeySource },
    output_style: 'default',
    available_output_styles: OUTPUT_STYLES,
    hooks_applied: true,
    hook_on_failure_supported: true,
    claude_code_version: VERSION,
    pid: process.pid,
    current_permission_mode: permissionMode,
  };
}

export const OUTPUT_STYLES: readonly string[] = ['default'];

const BUILT_IN_COMMANDS: readonly HostCommand[] = HEADLESS_COMMANDS.map(({ name, hint = '', help }) => ({
  name,
  description: help,
  argumentHint: hint,
  builtin: true,
}));

export interface HostCommands {
  readonly files: readonly PromptFile[];
  /** The prompts of MCP servers. */
  readonly prompts: readonly Pick<ServerPrompt, 'command' | 'description' | 'argumentNames'>[];
}

type HostCommand = SdkCommandsChanged['commands'][number];

/** All commands as hosts list them: built in, from files, and of MCP servers. */
export function allCommands({ files, prompts }: HostCommands): readonly HostCommand[] {
  const ofServers = prompts.map(({ command, description, argumentNames }) => ({
    name: command,
    description,
    argumentHint: argumentNames.map((name) => `<${name}>`).join(' '),
  }));
  return [...BUILT_IN_COMMANDS, ...commandList(files), ...ofServers];
}

/** The commands from files, as hosts list them. */
export function commandList(files: readonly PromptFile[]): readonly HostCommand[] {
  return files
    .filter(({ isForUser }) => isForUser)
    .map(({ name, description, argumentHint = '' }) => ({ name, description, argumentHint }));
}

export function agentList(agents: readonly AgentDefinition[]): readonly object[] {
  return agents.map(({ name, description, model }) => ({ name, description, model }));
}

/** The models that a host can choose by name. */
export function modelList({ modelName }: ModelOptions): readonly object[] {
  const first = {
    value: 'default',
    displayName: modelName,
    description: 'The model that the program was started with',
  };
  return [first, ...(hasKey() ? ALIASES.map(aliasOf) : [])];
}

/** Names that are always the newest of their kind. */
const ALIASES = ['opus', 'sonnet', 'haiku'] as const;

function aliasOf(value: string): object {
  const resolvedModel = fullModelName(value, process.env);
  return { value, resolvedModel, displayName: value, description: resolvedModel };
}

function hasKey(): boolean {
  const environment = modelEnvironment();
  return ['ANTHROPIC_API_KEY', 'ANTHROPIC_AUTH_TOKEN'].some((name) => (environment[name] ?? '') !== '');
}
