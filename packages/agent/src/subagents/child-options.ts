/** The options of a subagent, from those of its parent and its definition. */
import type { RequestOptions, Tool } from '@heddle/core';
import { aliasesIn, isAnthropicModel, plainModelName, providerOf } from '@heddle/models';
import { type AgentDefinition, agentHasTool, agentNamesTool } from '../agents/definition.ts';
import type {
  AgentHooks,
  AgentOptions,
  AgentServers,
  SubagentIdentity,
  SubagentSettings,
} from '../engine/options.ts';
import type { ParentAgent } from '../engine/parent.ts';
import type { Session } from '../session/open/open.ts';
import { ChildPermissions } from './child-permissions.ts';
import type { Worktree } from './record.ts';

export interface ChildSpec {
  readonly definition: AgentDefinition;
  readonly identity: SubagentIdentity;
  readonly session: Session;
  /** The tools of the parent at the time of the call. */
  readonly tools: readonly Tool[];
  readonly model: string;
  readonly cwd: string;
  /** Lets it start subagents itself. */
  readonly subagents?: SubagentSettings | undefined;
  /** The worktree that it works in. */
  readonly worktree?: Worktree | undefined;
}

/** Rounds of tools after which a subagent without a limit of its own is stopped. */
const DEFAULT_MAX_TURNS = 200;

/** A subagent must end before its parent stops to wait for it. */
const GRACE_SHARE = 0.6;
const DEFAULT_GRACE_MS = 400;

/** The options that only the main conversation has are left out: its prompt, its queue, its output and its callbacks. */
export function childOptions(parent: ParentAgent, spec: ChildSpec): AgentOptions {
  const { definition, identity, session, model } = spec;
  const { options, head } = parent;
  const { limits } = options.config ?? {};
  return {
    model: options.model,
    modelName: model,
    fallbackModel: options.fallbackModel,
    smallModel: options.smallModel,
    requestOptions: requestOptionsOf(options.requestOptions, definition),
    price: options.price,
    loadPrice: options.loadPrice,
    loadFacts: options.loadFacts,
    context: options.context,
    compaction: options.compaction,
    tools: childTools(spec.tools, options.deferredTools?.() ?? [], definition),
    memory: options.subagents?.memoryFolder?.(definition),
    deferredTools: options.deferredTools && (() => ownTools(options.deferredTools?.() ?? [], definition)),
    toolAliases: options.toolAliases,
    hooks: childHooks(options.hooks, identity),
    redact: options.redact,
    systemPrompt: [definition.prompt],
    userContext: head.userContext,
    systemContext: { ...head.systemContext, 'Working directory': spec.cwd },
    rules: new ChildPermissions(parent.permissions, parent.permissionMode, definition.permissionMode, {
      cwd: spec.cwd,
      parentCwd: options.cwd,
      worktree: spec.worktree,
    }),
    configDirs: options.configDirs,
    configFiles: options.configFiles,
    commandEnvironment: options.commandEnvironment,
    canUseTool: options.canUseTool,
    sandbox: options.sandbox,
    view: options.view,
    identity,
    subagents: spec.subagents,
    parentCosts: parent.costs,
    maxOutputTokens: options.maxOutputTokens,
    maxTurns: definition.maxTurns ?? DEFAULT_MAX_TURNS,
    maxBudgetUsd: definition.maxBudgetUsd,
    config: {
      ...options.config,
      limits: {
        ...limits,
        abortGraceMs: Math.floor((limits?.abortGraceMs ?? DEFAULT_GRACE_MS) * GRACE_SHARE),
      },
    },
    bare: options.bare,
    cwd: spec.cwd,
    session,
    clock: options.clock,
    uuid: options.uuid,
    random: options.random,
  };
}

function requestOptionsOf(
  given: RequestOptions | undefined,
  { effort }: AgentDefinition,
): RequestOptions | undefined {
  return effort === undefined ? given : { ...given, effort };
}

/** Tools that need the user, or belong to one conversation. A subagent that may start others has its own `Agent`. */
const MAIN_ONLY: ReadonlySet<string> = new Set([
  'Agent',
  'SendMessage',
  'AskUserQuestion',
  'EnterPlanMode',
  'ExitPlanMode',
  'StructuredOutput',
  'TeamCreate',
  'TeamDelete',
  'CronCreate',
  'CronList',
  'CronDelete',
]);

export function isForChildren({ name }: Pick<Tool, 'name'>): boolean {
  return !MAIN_ONLY.has(name);
}

/** The tools of the parent that the definition permits. A tool that the parent loads on demand is loaded if it is named. */
function childTools(
  active: readonly Tool[],
  deferred: readonly Tool[],
  definition: AgentDefinition,
): readonly Tool[] {
  const names = new Set(active.map(({ name }) => name));
  const loaded = deferred.filter(({ name }) => !names.has(name) && agentNamesTool(definition, name));
  return ownTools([...active, ...loaded], definition);
}

/** A tool that loads other tools finds only those that the definition permits. */
function ownTools(tools: readonly Tool[], definition: AgentDefinition): readonly Tool[] {
  const isOwn = (name: string): boolean => isForChildren({ name }) && agentHasTool(definition, name);
  return tools.filter(({ name }) => isOwn(name)).map((tool) => tool.restrictTo?.(isOwn) ?? tool);
}

/** A server of the definition hides one of the session that has the same name. */
export function withServerTools(tools: readonly Tool[], servers: AgentServers | undefined): readonly Tool[] {
  if (!servers) return tools;
  const own = new Set(servers.tools.map(({ name }) => name));
  return [...tools.filter(({ name }) => !own.has(name)), ...servers.tools];
}

function childHooks(hooks: AgentHooks | undefined, identity: SubagentIdentity): AgentHooks | undefined {
  if (!hooks) return undefined;
  if (hooks.forSubagent) {
    // Its prompt is not one of the user.
    const { prompt: _prompt, ...own } = hooks.forSubagent(identity);
    return own;
  }
  const { tools, permission, compaction, subagentStart } = hooks;
  return {
    ...(tools && { tools }),
    ...(permission && { permission }),
    ...(compaction && { compaction }),
    ...(subagentStart && { subagentStart }),
  };
}

/**
 * Returns the provider of the model of a call, if the user chose it neither for the conversation nor for an agent.
 * Undefined if it would receive nothing, for example because its key is missing.
 */
export async function addedProvider(
  model: string,
  { modelName, fallbackModel = [], smallModel, model: port }: AgentOptions,
  chosen: { readonly mainModel: string; readonly definitions: readonly AgentDefinition[] },
): Promise<string | undefined> {
  const nameOf = (wanted: string | undefined): string => childModel([wanted], modelName, process.env);
  const provider = await providerOf(nameOf(model), process.env);
  if (provider === undefined) return undefined;
  const ofUser = chosen.definitions.filter((one) => isChosenByUser(one));
  const others = [smallModel ?? modelName, ...ofUser.map((one) => nameOf(one.model)), fallbackModel].flat();
  const names = [modelName, chosen.mainModel, ...others];
  const known = await Promise.all(names.map((name) => providerOf(name, process.env)));
  // Models with names of their own are behind an address for the Messages API.
  const [own = 'anthropic', main = 'anthropic'] = known;
  if ([own, main, ...known].includes(provider)) return undefined;
  return (await port.sendsElsewhere?.(nameOf(model))) === false ? undefined : provider;
}

/**
 * Returns the model that a definition names. If the user did not choose it, it is a Claude model, and must belong to the
 * provider of the conversation. Undefined if it does not.
 */
export function definedModel(
  definition: Pick<AgentDefinition, 'source' | 'model' | 'isUntrusted'>,
  parentModel: string,
  env: Readonly<Record<string, string | undefined>>,
): string | undefined {
  const counts = isChosenByUser(definition) || isAnthropicModel(parentModel, env);
  return counts ? definition.model : undefined;
}

/** The user chose neither the models of built-in types nor those of a project without trust. */
function isChosenByUser({ source, isUntrusted }: Pick<AgentDefinition, 'source' | 'isUntrusted'>): boolean {
  return source !== 'built-in' && isUntrusted !== true;
}

/**
 * Returns the model of a subagent: of the settings, else of the call, else of its definition, else of the parent. An alias
 * of a Claude model applies only if the parent is a Claude model, because another provider does not have it.
 */
export function childModel(
  wanted: readonly (string | undefined)[],
  parentModel: string,
  env: Readonly<Record<string, string | undefined>>,
): string {
  const name = wanted.find((one) => one !== undefined && one !== '');
  if (name === undefined || name === 'inherit') return parentModel;
  const isAlias = aliasesIn(env).some(({ alias }) => alias === name.toLowerCase());
  if (isAlias && !parentModel.includes('claude')) return parentModel;
  return plainModelName(name, env);
}
