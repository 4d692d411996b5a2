/** Builds the options of the agent from the command line, the environment and the settings. */
import {
  type AgentDefinition,
  type AgentOptions,
  compactionOverrides,
  definedModel,
  ENGINE_TOOLS,
  LivePermissions,
  ownMemoryFolder,
} from '@heddle/agent';
import type { DeclaredHook, InactiveReason } from '@heddle/agent/hooks';
import {
  type AppliedSettings,
  appliedSettings,
  isSwitchedOn,
  type LoadedSettings,
  loopOverrides,
  readSetting,
  type SandboxSettings,
  sandboxSettings,
  splitUntrustedNotes,
} from '@heddle/agent/settings';
import { type GivenOptions, type JsonObject, omitUndefined, type Thinking } from '@heddle/core';
import { findModel, namedSmallModel } from '@heddle/models';
import { builtinTools } from '@heddle/tools';
import os from 'node:os';
import type { Plugin } from '@heddle/agent/plugins';
import type { ServerPolicy } from '@heddle/mcp/config';
import type { RunOptions } from '../arguments/arguments.ts';
import { sessionPlace } from '../config-dir.ts';
import { modelEnvironment, setVariables } from '../keys.ts';
import { knownSecrets, learnSecrets } from '../known-secrets.ts';
import { NO_MODEL_MESSAGE } from '../models/no-model.ts';
import { namedTools } from './named-tools.ts';
import { storedModel } from './continued-session.ts';
import { flagsFromPipes, promptTexts, wrongPlace, wrongRule } from './flag-problems.ts';
import { mayDescribeServers, openProgramServers, readAgentServers } from '../mcp/open-servers.ts';
import type { ProgramServers } from '../mcp/program-servers.ts';
import type { AgentHookPolicy, AgentTypes } from './agent-types.ts';
import { hookFolderParts } from './hook-ports.ts';
import { type ModelOptions, modelSetup, type ModelSetupOptions, readFallbacks } from './model-options.ts';
import { readSessionSettings } from './session-settings.ts';
import { warn } from '../terminal/write-message.ts';

/** The options that an agent is started with. */
export interface AgentSetup extends Omit<AgentOptions, 'tools' | 'sandbox' | 'rules'> {
  readonly rules: LivePermissions;
  /** The settings files of all scopes. */
  readonly loadedSettings?: LoadedSettings;
  readonly sandboxSettings?: SandboxSettings;
  /** The hooks of the settings, also those that do not run. */
  readonly declaredHooks?: readonly DeclaredHook[];
  /** The parts of settings and servers that do not count until the folder is trusted. The session reports them. */
  readonly untrusted?: readonly string[] | undefined;
  /** Why hooks outside of settings files do not run. */
  readonly hooksInactive?: InactiveReason | undefined;
  readonly plugins?: readonly Plugin[];
  /** Patterns of instruction files that are not read. */
  readonly instructionExcludes?: readonly string[];
  readonly mcp?: ProgramServers | undefined;
  /** Decides which MCP servers may start. */
  readonly mcpPolicy?: ServerPolicy | undefined;
  readonly terminal?: TerminalSettings;
  readonly plays?: ModelOptions['plays'];
  /** The agent that the main conversation runs as. */
  readonly mainAgent?: AgentDefinition | undefined;
  /** The types of subagents, if they were read to find the main one. */
  readonly agentTypes?: AgentTypes | undefined;
  /** The setting `maxSubagentDepth`. */
  readonly maxSubagentDepth?: number | undefined;
  /** The definitions of agents whose hooks may run. */
  readonly agentHooks?: AgentHookPolicy | undefined;
  /** The settings about models. A model that is chosen later needs them, too. */
  readonly stated?: ModelSetupOptions['stated'];
  /** No model is configured, so the model is that of a stored session. */
  readonly isStoredModel?: boolean;
}

/** The settings that concern only a conversation in the terminal. */
interface TerminalSettings {
  readonly theme: string | undefined;
  readonly editorMode: 'normal' | 'vim' | undefined;
  /** The user's own command for the status line. Undefined if the folder with the setting is not trusted. */
  readonly statusCommand: string | undefined;
}

/**
 * A command with the choices of the agent that it runs as. Only `agentOptions` returns one. An agent starts with nothing
 * else, so that the limits of its definition always apply.
 */
export type ResolvedCommand<Command extends RunOptions = RunOptions> = Command & {
  /** The flags as the user gave them, and the agent that the run uses because of its settings or its session. */
  readonly given: RunOptions;
};

export type OptionsRead<Command extends RunOptions> =
  | {
      readonly ok: true;
      readonly command: ResolvedCommand<Command>;
      readonly options: AgentSetup;
      /** The part of the options that concerns the model. */
      readonly model: ModelOptions;
    }
  /** `needsModel`: no model is configured, and nothing else is wrong so far. */
  | { readonly ok: false; readonly message: string; readonly needsModel?: true };

export async function agentOptions<Command extends RunOptions & { readonly inputFormat?: string }>(
  flags: Command,
): Promise<OptionsRead<Command>> {
  const piped = flagsFromPipes(flags);
  if (!piped.ok) return piped;
  const given: Command = { ...flags, ...piped.texts };
  const wrong = wrongPlace(given) ?? wrongRule(given);
  if (wrong !== undefined) return { ok: false, message: wrong };
  const read = await readSessionSettings(given);
  if (!read.ok) return read;
  const { command, mainAgent, agentTypes, permission, settings, plugins, hooks } = read;
  // Before a model is looked for: keys and addresses may stand there.
  setVariables(given.folder === undefined ? settings.env : sharedVariables(permission.loaded));
  learnSecrets();
  const models = await chooseModels(command, mainAgent, settings);
  if (!models.ok) return models;
  const { model } = models;
  const tools = builtinTools({
    web: { search: { model: model.model, modelName: model.modelName } },
  });
  const named = namedTools(given.tools ?? [], [...tools.map(({ name }) => name), ...ENGINE_TOOLS]);
  if (!named.ok) return named;
  const prompts = promptTexts(command);
  if (!prompts.ok) return prompts;
  const ownPrompt = prompts.own ?? mainAgent?.prompt;
  const { problems, ...loop } = loopOptions(settings);
  const rules = new LivePermissions(permission.rules, permission.directories, {
    mayBypass: command.mayBypass && !permission.forbidsBypass,
  });
  const described = serversOfAgent(mainAgent, command);
  const mcp = openProgramServers(command, permission.loaded, rules, {
    plugins: plugins.servers,
    described: described.servers,
  });
  if (mcp.wrongFlag !== undefined) return { ok: false, message: mcp.wrongFlag };
  const firstNotes = [read, named, hooks].flatMap(({ notes }) => notes);
  const notes = [...firstNotes, ...problems, ...described.notes, ...mcp.notes];
  const { untrusted, others } = splitUntrustedNotes(notes);
  const cwd = command.folder ?? process.cwd();
  for (const note of others) warn(note);
  return {
    ok: true,
    command: { ...command, given: mainAgent ? { ...given, agent: mainAgent.name } : given },
    model,
    options: {
      ...model,
      stated: settings.models,
      isStoredModel: models.isStored,
      ...loop,
      cwd,
      redact: (value) => knownSecrets.redactValue(value),
      defaultPermissionMode: permission.mode,
      rules,
      mcp: mcp.servers,
      mcpPolicy: mcp.policy,
      configDirs: permission.configDirs,
      configFiles: read.configFiles,
      loadedSettings: permission.loaded,
      sandboxSettings: sandboxSettings(permission.loaded, os.homedir()),
      declaredHooks: hooks.declared,
      hooksInactive: hooks.othersInactive,
      untrusted: [...untrusted, ...hookFolderParts(hooks.declared, cwd)],
      mainAgent,
      agentName: mainAgent?.name,
      agentTypes,
      agentHooks: read.agentHooks,
      plugins: plugins.plugins,
      ...plainOptions(command, settings),
      smallModel: models.small,
      memory: read.memory ?? projectMemory(command, settings.merged),
      fallbackModel: models.fallbacks,
      permissionMode: command.permissionMode === undefined ? undefined : permission.mode,
      systemPrompt: ownPrompt === undefined ? undefined : [ownPrompt],
      appendSystemPrompt: prompts.appended,
    },
  };
}

/** The variables for a run beside others in this process: those of one project would hold for all of them. */
function sharedVariables({ files, problems }: LoadedSettings): AppliedSettings['env'] {
  const shared = files.filter(({ source }) => source !== 'project' && source !== 'local');
  return appliedSettings({ files: shared, problems }).env;
}

/** The servers that the file of the main agent describes, if it may. */
function serversOfAgent(
  mainAgent: AgentDefinition | undefined,
  command: RunOptions,
): ReturnType<typeof readAgentServers> {
  if (mainAgent && mayDescribeServers(mainAgent, command)) return readAgentServers(mainAgent);
  return { servers: [], notes: [] };
}

type PlainOptions = Pick<
  AgentSetup,
  | 'maxSubagentDepth'
  | 'instructionExcludes'
  | 'terminal'
  | 'includePartialMessages'
  | 'bare'
  | 'requestOptions'
  | 'maxOutputTokens'
  | 'promptSuggestions'
  | 'maxTurns'
  | 'maxBudgetUsd'
  | 'taskBudget'
  | 'outputSchema'
>;

/** The options that need nothing but the flags, the settings and the environment. */
function plainOptions(command: RunOptions, settings: AppliedSettings): PlainOptions {
  const answerCap = capOfAnswers(process.env);
  return {
    maxSubagentDepth: settings.maxSubagentDepth,
    instructionExcludes: settings.claudeMdExcludes,
    terminal: terminalSettings(settings.merged),
    includePartialMessages: command.partialMessages,
    bare: command.bare,
    requestOptions: requestOptions({
      ...command,
      thinking: thinkingWanted(command.thinking, settings.alwaysThinkingEnabled, process.env),
      effort: command.effort ?? settings.effort,
      answerCap,
    }),
    maxOutputTokens: answerCap,
    promptSuggestions:
      command.promptSuggestions || isSwitchedOn(settings.merged, 'promptSuggestionEnabled', process.env),
    maxTurns: command.maxTurns,
    maxBudgetUsd: command.maxBudgetUsd,
    taskBudget: command.taskBudget === undefined ? undefined : { total: command.taskBudget },
    outputSchema: command.jsonSchema,
  };
}

type Models =
  | {
      readonly ok: true;
      readonly model: ModelOptions;
      /** No model is configured, so it is that of a stored session. */
      readonly isStored: boolean;
      /** Undefined if there are none. */
      readonly fallbacks: AgentOptions['fallbackModel'];
      readonly small: AgentOptions['smallModel'];
    }
  | { readonly ok: false; readonly message: string; readonly needsModel?: true };

/** A flag comes first, then the agent, the environment and the settings, and last the session that is continued. */
async function chooseModels(
  command: RunOptions,
  mainAgent: AgentDefinition | undefined,
  settings: AppliedSettings,
): Promise<Models> {
  const usual = async (): Promise<string | undefined> => findModel(modelEnvironment(), settings.model);
  const stored = async (): Promise<string | undefined> => storedModel(command.session);
  const agentModel = mainAgent && (await modelOfAgent(mainAgent, async () => (await usual()) ?? stored()));
  const configured = command.model ?? agentModel ?? (await usual());
  const wanted = configured ?? (await stored());
  if (wanted === undefined) return { ok: false, message: NO_MODEL_MESSAGE, needsModel: true };
  const model = await modelSetup(wanted, { record: command.record, stated: settings.models });
  if (!model.ok) return model;
  const fallbacks = await readFallbacks(command.fallbackModel ?? settings.fallbackModel, {
    first: wanted,
    from: command.fallbackModel === undefined ? 'fallbackModel in the settings' : '--fallback-model',
  });
  if (!fallbacks.ok) return fallbacks;
  const named = namedSmallModel(modelEnvironment(), settings.smallModel);
  const small = named && (await readFallbacks([named.model], { first: wanted, from: named.from }));
  if (small?.ok === false) return small;
  return {
    ok: true,
    model: model.options,
    isStored: configured === undefined,
    fallbacks: fallbacks.models.length === 0 ? undefined : fallbacks.models,
    small: small?.models[0],
  };
}

/** The model of a definition that the user did not choose must belong to the provider that the conversation has without it. */
async function modelOfAgent(
  agent: AgentDefinition,
  usual: () => Promise<string | undefined>,
): Promise<string | undefined> {
  if (agent.model === undefined || agent.model === 'inherit') return undefined;
  if (agent.isUntrusted !== true) return agent.model;
  return definedModel(agent, (await usual()) ?? '', process.env);
}

interface LoopOptions extends Pick<AgentOptions, 'config' | 'compaction'> {
  readonly problems: readonly string[];
}

/** The switches and limits of the loop, from the settings and the environment. */
function loopOptions({ merged, autoCompactWindow }: AppliedSettings): LoopOptions {
  const { gates, limits, problems } = loopOverrides(merged, process.env);
  const { config, compaction } = compactionOverrides(
    {
      autoCompactEnabled: gates.autoCompact,
      reactiveCompactEnabled: gates.reactiveCompact,
      autoCompactWindow,
    },
    process.env,
  );
  return { config: { gates: { ...gates, ...config.gates }, limits }, compaction, problems };
}

/** The memory folder of the project. Undefined if memory is off. */
function projectMemory({ bare, folder = process.cwd() }: RunOptions, merged: JsonObject): string | undefined {
  if (bare || !isSwitchedOn(merged, 'autoMemoryEnabled', process.env)) return undefined;
  return ownMemoryFolder(sessionPlace(process.env, folder));
}

function terminalSettings(merged: JsonObject): TerminalSettings {
  const command = readSetting(merged, 'statusLine')?.['command'];
  return {
    theme: readSetting(merged, 'theme'),
    editorMode: readSetting(merged, 'editorMode'),
    statusCommand: typeof command === 'string' && command.trim() !== '' ? command : undefined,
  };
}

function requestOptions({
  thinking,
  effort,
  betas,
  answerCap,
}: RunOptions & { readonly answerCap: number | undefined }): GivenOptions {
  const capsThinking = answerCap === undefined ? undefined : true;
  return omitUndefined({ thinking, effort, capsThinking, betas: betas.length === 0 ? undefined : betas });
}

/** The cap of other tools for thinking and text together. Undefined if there is none. */
function capOfAnswers(env: Readonly<Record<string, string | undefined>>): number | undefined {
  const cap = Number(env['CLAUDE_CODE_MAX_OUTPUT_TOKENS']);
  return Number.isInteger(cap) && cap > 0 ? cap : undefined;
}

/**
 * Returns the thinking option of the flag, else of the environment, else of the settings. If it is undefined, a model that
 * can think does. A number of tokens is a budget, and 0 switches thinking off.
 */
function thinkingWanted(
  flag: Thinking | undefined,
  isEnabled: boolean | undefined,
  env: Readonly<Record<string, string | undefined>>,
): Thinking | undefined {
  if (flag !== undefined) return flag;
  const text = env['MAX_THINKING_TOKENS'];
  const tokens = text === undefined || text.trim() === '' ? Number.NaN : Number(text);
  if (Number.isInteger(tokens) && tokens >= 0)
    return tokens === 0 ? { type: 'disabled' } : { type: 'enabled', budget_tokens: tokens };
  return isEnabled === false ? { type: 'disabled' } : undefined;
}
