/** Opens what gives the model its tools: MCP servers, the team, skills, schedules and the built-in tools. */
import path from 'node:path';
import {
  type AgentDefinition,
  agentHasTool,
  type AgentServers,
  isPrivateHostNamed,
  isToolDenied,
  type LivePermissions,
  type Rules,
  serverToolNames,
} from '@heddle/agent';
import type { SessionExtensions } from '@heddle/agent/extensions';
import type { PermissionMode } from '@heddle/core';
import type { SkillDeps } from '@heddle/tools';
import { mayDescribeServers } from '../mcp/open-servers.ts';
import type { ServerServices } from '../mcp/connect-servers.ts';
import { serverCommands } from '../permissions/named-files.ts';
import type { ProgramServers } from '../mcp/program-servers.ts';
import { joinSession, type SessionParts } from '../mcp/session-parts.ts';
import type { RunOptions } from '../arguments/arguments.ts';
import { FLAGS, type ValuesFor } from '../arguments/flags.ts';
import { offered } from './named-tools.ts';
import { USUAL_WINDOW } from './model-options.ts';
import { ruleNamesOf } from './open-extensions.ts';
import { cronTools } from './schedule-runner.ts';
import { elicitWithHooks } from './session-events.ts';
import { MEMBER_TOOLS, SessionTeam } from './session-team.ts';
import { type SessionTools, sessionTools } from './session-tools.ts';
import { type StartContext, traceparentsOf } from './start-context.ts';

/** Joins the MCP servers of the program to this session. Their connections load later. */
export function openServers(context: StartContext): SessionParts | undefined {
  const { options, agent } = context;
  const { mcp, rules, modelName, mainAgent } = options;
  if (mcp === undefined) return undefined;
  return joinSession(mcp, {
    services: servicesOf(context),
    ask: (question) => agent().askSmall(question),
    modelName,
    folder: serverFolder(context),
    isDenied: (name) =>
      isToolDenied(name, rules.rules) || (mainAgent !== undefined && !agentHasTool(mainAgent, name)),
    window: () => options.context?.windowOf?.(modelName) ?? USUAL_WINDOW,
  });
}

/** Waits for the configured servers that the definition of an agent names, and starts those that it describes. */
export async function openServersOf(
  definition: AgentDefinition,
  context: StartContext,
  signal: AbortSignal,
): Promise<AgentServers | undefined> {
  const { mcp, mcpPolicy, rules, cwd } = context.options;
  const policy = mcp?.policy ?? mcpPolicy;
  const named = serverToolNames(definition);
  // The subagent has no other way to wait for them if it cannot search for tools.
  if (mcp && named.length > 0) {
    const servers = await mcp.load();
    await Promise.all(named.map((name) => servers.find(`${name}__`, signal)));
  }
  if (!definition.serverEntries) return undefined;
  if (policy === undefined || !mayDescribeServers(definition, context.command)) return undefined;
  const { openAgentServers } = await import('../mcp/agent-servers.ts');
  const folder = serverFolder(context);
  return openAgentServers(definition, { policy, rules, cwd, services: servicesOf(context), folder }, signal);
}

function servicesOf(context: StartContext): ServerServices {
  const { services = {} } = context.surface;
  return {
    ...services,
    elicit: services.elicit && elicitWithHooks(context.hooks, services.elicit),
    traceparentOf: traceparentsOf(context),
    whyWaiting: ({ config }) => {
      const { commandFiles, notify } = context;
      return serverCommands(config).map((command) => commandFiles.whyWaiting(command, notify))[0];
    },
  };
}

/** For the files of results. Undefined for a session that leaves nothing behind. */
function serverFolder({ session: { journal, id } }: StartContext): string | undefined {
  return journal.path && path.join(path.dirname(journal.path), id, 'mcp');
}

export async function openTeam(context: StartContext): Promise<SessionTeam> {
  const { options, session, surface, hooks } = context;
  const team = new SessionTeam({
    sessionId: session.id,
    messages: session.projection.messages,
    cwd: options.cwd,
    flags: () => flagsOfStarted(context),
    runHooks: async (event, input, signal) => {
      const { block, stop } = await hooks().report(event, input, signal);
      return block ?? stop;
    },
  });
  await team.open(surface.team);
  return team;
}

export interface ToolSources {
  readonly servers: SessionParts | undefined;
  readonly extensions: SessionExtensions;
  readonly team: SessionTeam;
}

export function openTools(
  context: StartContext,
  { servers, extensions, team }: ToolSources,
): Promise<SessionTools> {
  const { command, options, session, surface, confinement, agent } = context;
  const { rules } = options;
  const isMember = surface.team !== undefined;
  const mayStart = (surface.startsRuns ?? true) && mayStartRuns(command);
  const flags = () => flagsOfStarted(context);
  return sessionTools(session, {
    skills: extensions.hasSkills ? skillsOf(extensions) : undefined,
    isOffered: (name) => {
      const isNeeded = isServerSearch(name, options.mcp) || (isMember && MEMBER_TOOLS.includes(name));
      return offered(name, isNeeded ? { ...command, tools: undefined } : command, rules);
    },
    named: [...(command.tools ?? []), ...(isMember ? MEMBER_TOOLS : [])],
    model: { port: options.model, name: options.modelName },
    allowsPrivate: (host) => isPrivateHostNamed(host, rules.rules),
    // A user or host that permits a plan has seen it.
    permissionApproves: surface.agent?.canUseTool !== undefined,
    chosenMode: () => modeAfterPlan(rules),
    currentMode: () => rules.mode,
    planStart: () => rules.planStart,
    changeMode: (mode) => agent().setPermissionMode(mode),
    ...surface.tools,
    ...confinement,
    servers: servers?.search,
    more: mayStart ? [...cronTools(options.cwd, flags), ...team.tools] : [],
    taskTools: team.withTasks,
    traceparentOf: traceparentsOf(context),
  });
}

function skillsOf(extensions: SessionExtensions): SkillDeps {
  return {
    load: (name, words, { signal, toolUseId, tools, agentId }, onProgress) => {
      const byModel = { toolUseId, tools, onProgress };
      return extensions.loadSkill(name, words, { signal, byModel, agentId });
    },
    ruleNames: (name) => ruleNamesOf(extensions.skillNamed(name)),
    names: () => extensions.files.filter(({ isForModel }) => isForModel).map(({ name }) => name),
  };
}

/** `--tools` selects built-in tools. Tools of servers are found by a search. */
function isServerSearch(tool: string, mcp: ProgramServers | undefined): boolean {
  return tool === 'ToolSearch' && mcp !== undefined && (mcp.unexamined ?? mcp.view.all).length > 0;
}

/** The mode that an answer to a question has set while the model was planning. */
function modeAfterPlan({ mode }: LivePermissions): PermissionMode | undefined {
  return mode === 'plan' ? undefined : mode;
}

/**
 * The flags that a run passes on to the runs that its model starts: members of a team, and scheduled jobs.
 * Each flag of a run has a row, so that a new flag needs a decision. A flag that restricts the run is passed on. A flag that
 * permits more is not: `--allowed-tools`, `--add-dir`, `--mcp-config`.
 */
const IS_INHERITED: Readonly<Record<keyof ValuesFor<'every'>, boolean>> = {
  model: true,
  agent: true,
  agents: true,
  bare: true,
  maxTurns: true,
  // A run with a limit on money starts no other runs.
  maxBudgetUsd: false,
  taskBudget: true,
  tools: true,
  disallowedTools: true,
  strictMcpConfig: true,
  // Plugins may have hooks that deny calls.
  pluginDirs: true,
  pluginDirsNoMcp: true,
  settings: true,
  settingSources: true,
  projectConfigRoot: true,
  managedSettings: true,
  allowedTools: false,
  addDirs: false,
  mcpConfig: false,
  fallbackModel: false,
  effort: false,
  betas: false,
  record: false,
  jsonSchema: false,
  partialMessages: false,
  forwardSubagentText: false,
  promptSuggestions: false,
  init: false,
  initOnly: false,
  maintenance: false,
};

/** A limit on money holds for one process. Other runs would spend beside it. */
export function mayStartRuns({ maxBudgetUsd }: Pick<RunOptions, 'maxBudgetUsd'>): boolean {
  return maxBudgetUsd === undefined;
}

/** Throws if hooks limit the run that another process would not have. */
function flagsOfStarted({ command, options, agent, hooks }: StartContext): readonly string[] {
  if (hooks().decidesAlone)
    throw new Error(
      'Hooks of the host or of a skill decide about calls here. Other runs would not have them.',
    );
  return inheritedFlags(withLiveRules(command.given, options.rules.rules), agent().permissionMode);
}

/** Adds the deny and ask rules that no settings file contains. The other run has no user to ask, so it denies both. */
export function withLiveRules(given: RunOptions, { deny, ask }: Pick<Rules, 'deny' | 'ask'>): RunOptions {
  const isLive = ({ source, file }: Rules['deny'][number]): boolean =>
    source === 'session' || source === 'command line' || (source !== 'managed' && file === undefined);
  const texts = [...deny, ...ask].filter(isLive).map(({ text }) => text);
  return { ...given, disallowedTools: [...new Set([...given.disallowedTools, ...texts])] };
}

/** `mode`: the mode of the conversation now. The mode bypassPermissions is not passed on. */
export function inheritedFlags(given: RunOptions, mode: PermissionMode): readonly string[] {
  const flags = Object.entries(FLAGS).flatMap(([name, { surface, to, takes }]) => {
    if (surface !== 'every' || !IS_INHERITED[to]) return [];
    const value = given[to];
    if (value === undefined || value === false) return [];
    if (takes === 'nothing') return [name];
    if (takes === 'value') return [name, valueText(value)];
    const items = Array.isArray(value) ? value : [];
    // `--tools ""` is a list, too: no tools.
    if (items.length === 0) return to === 'tools' ? [`${name}=`] : [];
    return items.map((item) => `${name}=${item}`);
  });
  return mode === 'bypassPermissions' ? flags : [...flags, '--permission-mode', mode];
}

function valueText(value: unknown): string {
  if (Array.isArray(value)) return value.join(',');
  return typeof value === 'string' ? value : JSON.stringify(value);
}
