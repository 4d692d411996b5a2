/** An agent as the command line asks for it: the session it means, with its tools. Every surface starts here. */
import {
  type Agent,
  agentHasTool,
  type AgentOptions,
  createAgent,
  isHostNamed,
  isToolDenied,
  LivePermissions,
  NO_RULES,
  type Rules,
  type SdkMessage,
  type Session,
  sessionContext,
  type SessionContext,
  newUuid,
} from '@heddle/agent';
import type { SessionExtensions } from '@heddle/agent/extensions';
import type { Plugin } from '@heddle/agent/plugins';
import { SessionInstructions } from '@heddle/agent/instructions';
import { mcpToolHandler } from '@heddle/agent/hooks';
import type { Attachment, LoopEvent, PermissionMode } from '@heddle/core';
import path from 'node:path';
import type { RunOptions, SessionChoice } from '../arguments/arguments.ts';
import type { ProgramServers, ServerServices } from '../mcp/program-servers.ts';
import type { SessionParts } from '../mcp/session-parts.ts';
import { pluralize } from '../terminal/amounts.ts';
import { escapeControls } from '../terminal/escape-controls.ts';
import { type AgentSetup, offered, type ResolvedCommand } from './agent-options.ts';
import { agentMemoryFolder, type AgentTypes, readAgentTypes } from './agent-types.ts';
import { openSandbox, openView } from './open-sandbox.ts';
import { LiveSettings } from './live-settings.ts';
import { serverToolPort } from './hook-ports.ts';
import { type SessionEndReason, SessionHooks, type SessionSource } from './session-hooks.ts';
import { AddedDirectories, beforeExpansion, elicitWithHooks } from './session-events.ts';
import { type ExtensionSetup, modelForPrompt, openExtensions } from './open-extensions.ts';
import { extensionNames, extensionNotices } from './loaded-extensions.ts';
import { instructionPlaces } from './instruction-places.ts';
import { openChosen } from './open-session.ts';
import type { ProgramTelemetry } from '../telemetry/open-telemetry.ts';
import { inheritedFlags, mayStartRuns } from './inherited-flags.ts';
import { cronTools } from './schedule-runner.ts';
import { MEMBER_TOOLS, SessionTeam, type TeamPlace } from './session-team.ts';
import { type SessionTools, sessionTools, type ToolChoices } from './session-tools.ts';

export interface Started extends Pick<SessionTools, 'tasks' | 'checkpoints' | 'todos'> {
  readonly agent: Agent;
  readonly session: Session;
  /** The context about user and project that the model received when the session began. */
  readonly userContext: SessionContext['userContext'];
  readonly instructions: SessionInstructions;
  readonly extensions: SessionExtensions;
  readonly plugins: readonly Plugin[];
  /** Notices about the session for the user. */
  readonly notices: readonly string[];
  /** Names the session, from its first prompt on. */
  readonly entitle: (title: string) => void;
  /** Adds a listener, which receives every event after it was stored. */
  readonly listen: (listener: (event: LoopEvent) => void) => void;
  /** Tells the model something with the next prompt, or between two calls. */
  readonly remark: (remark: Attachment) => void;
  readonly hooks: SessionHooks;
  readonly mcp: ProgramServers | undefined;
  readonly team: SessionTeam;
  /** The types of subagents. A host may add its own before the first prompt. */
  readonly agentTypes: AgentTypes;
  /** From now on, the text and thinking of subagents are part of the output. */
  readonly forwardSubagentText: () => void;
  /** Adds a listener for the lines of subagents in the background. */
  readonly listenToSubagents: (listener: (line: SdkMessage) => void) => void;
  /** Ends what still runs, and lets go of the session. */
  readonly close: (reason?: SessionEndReason) => Promise<void>;
}

export type Starting =
  | { readonly ok: true; readonly started: Started }
  | { readonly ok: false; readonly message: string; readonly sessionId: string };

export interface Surface {
  readonly choice?: SessionChoice;
  readonly tools?: ToolChoices;
  /** How a new session came about, for hooks. */
  readonly source?: SessionSource;
  /** Shows the user a line while a turn runs; by default on standard error. */
  readonly tell?: (text: string) => void;
  /** A session that is already open, in place of the chosen one. */
  readonly session?: Session;
  /** The conversation is a member of a team. */
  readonly team?: TeamPlace;
  /** The model may start other runs: members of a team, and scheduled jobs. True by default. */
  readonly startsRuns?: boolean;
  /** The features of this surface that MCP servers may use. */
  readonly services?: ServerServices;
  /** The options that this surface adds, such as handlers for questions and events. */
  readonly agent?: Partial<AgentOptions>;
}

export async function startAgent(
  command: ResolvedCommand,
  {
    sandboxSettings,
    declaredHooks = [],
    hooksInactive,
    untrusted = [],
    instructionExcludes,
    mcp,
    plugins = [],
    ...options
  }: AgentSetup,
  {
    choice = command.session,
    source = 'startup',
    tools: choices = {},
    tell = warn,
    services = {},
    session: given,
    team: place,
    startsRuns = true,
    agent: more = {},
  }: Surface = {},
): Promise<Starting> {
  const ask = more.canUseTool ?? options.canUseTool;
  const wanted = await openSandbox(sandboxSettings, options, { ask, tell });
  if (!wanted.ok) return { ...wanted, sessionId: choice.id ?? newUuid() };
  const { sandbox } = wanted;
  const view = openView(sandboxSettings);
  const opened = given ? { ok: true as const, session: given } : await openChosen(choice);
  if (!opened.ok) return opened;
  const { session } = opened;
  const telemetry = hasTelemetryVariables() ? await loadTelemetry(options.modelName, tell) : undefined;
  const traceparentOf = telemetry && ((id: string | undefined) => telemetry.agent.traceparentOf(id));
  const elicit = services.elicit && elicitWithHooks(() => hooks, services.elicit);
  const forServers = { ...services, elicit, traceparentOf };
  const servers =
    mcp && (await serverParts(mcp, session, options, forServers, (question) => agent.askSmall(question)));
  const extensionSetup: ExtensionSetup = {
    options: { ...options, plugins },
    session,
    agent: () => agent,
    agentOptions: () => agentOptions,
    hooks: () => hooks,
    tell,
  };
  const extensions = await openExtensions(command, extensionSetup);
  const team = new SessionTeam({
    sessionId: session.id,
    cwd: options.cwd,
    flags: () => inheritedFlags(command.given, agent.permissionMode),
    runHooks: async (event, input, signal) => {
      const { block, stop } = await hooks.report(event, input, signal);
      return block ?? stop;
    },
  });
  await team.open(place);
  const tools = await sessionTools(session, {
    skills: extensions.hasSkills
      ? {
          load: (name, words, { signal, toolUseId, tools }, onProgress) =>
            extensions.loadSkill(name, words, { signal, byModel: { toolUseId, tools, onProgress } }),
          names: () => extensions.files.filter(({ isForModel }) => isForModel).map(({ name }) => name),
        }
      : undefined,
    isOffered: (name) => {
      const isNeeded = searching(name, mcp) || (place !== undefined && MEMBER_TOOLS.includes(name));
      return offered(name, isNeeded ? { ...command, tools: undefined } : command, options.rules);
    },
    named: [...(command.tools ?? []), ...(place ? MEMBER_TOOLS : [])],
    model: { port: options.model, name: options.modelName },
    allowsPrivate: (host) => isHostNamed(host, rulesNow(options.rules)),
    // A user or host that permits a plan has seen it.
    permissionApproves: more.canUseTool !== undefined,
    chosenMode: () => modeAfterPlan(options.rules),
    ...choices,
    sandbox,
    view,
    servers: servers?.search,
    more:
      startsRuns && mayStartRuns(command)
        ? [
            ...cronTools(options.cwd, () => inheritedFlags(command.given, agent.permissionMode)),
            ...team.tools,
          ]
        : [],
    taskTools: team.withTasks,
    traceparentOf,
  });
  const { options: own, ended, dispose, ...parts } = tools;
  const listsSkills = own.tools.some(({ name }) => name === 'Skill');
  const debug = command.debug && (await import('./debug-log.ts')).debugLog(command.debug);
  const naming = new Naming(session, choice.title);
  const instructions = new SessionInstructions({
    places: await instructionPlaces(command, options, instructionExcludes),
    userContext: () => userContext,
    messages: () => agent.messages,
  });
  const context = session.snapshot ? {} : contextOf(command, options, instructions);
  const { userContext = {} } = { ...session.snapshot, ...context };
  const remarks: Attachment[] = [];
  const listeners: ((event: LoopEvent) => void)[] = [];
  let { forwardSubagentText: forwardsSubagentText } = command;
  const agentTypes = options.agentTypes ?? (await readAgentTypes(command, { ...options, plugins }));
  const lineListeners: ((line: SdkMessage) => void)[] = [];
  const hooks = new SessionHooks({
    declared: declaredHooks,
    othersInactive: hooksInactive,
    cwd: options.cwd,
    source: session.snapshot ? (choice.fork ? 'fork' : 'resume') : source,
    commonInput: () => ({
      session_id: session.id,
      transcript_path: session.journal.path ?? '',
      permission_mode: agent.permissionMode,
    }),
    instructionFiles: () => instructions.applied.map(({ file }) => file),
    messages: () => agent.messages,
    tell,
    remark: (remark) => void remarks.push(remark),
    askModel: (question) => agent.askSmall({ ...question, maxTokens: HOOK_ANSWER_TOKENS }),
    askAgent: async (question) => {
      const { agentJudge } = await import('./agent-hook.ts');
      return agentJudge({
        options: { ...options, ...own, sandbox, view },
        charge: (spent) => agent.charge(spent),
      })(question);
    },
    entitle: (title) => naming.entitle(title),
    team: (question) => team.atTurnEnd(question),
    beforePrompt: async () => {
      await settings?.refreshForPrompt();
      directories.report(hooks);
    },
    setupTrigger: command.init ? 'init' : command.maintenance ? 'maintenance' : undefined,
    reloadSkills: () => extensions.load(),
  });
  const directories = new AddedDirectories(options.rules);
  if (mcp) hooks.runner.connectHandler('mcp_tool', mcpToolHandler(serverToolPort(mcp)));
  const settings =
    options.rules instanceof LivePermissions && !command.bare
      ? new LiveSettings({ flags: command, rules: options.rules, hooks, tell })
      : undefined;
  if (telemetry) hooks.onProgress(telemetry.agent.onHook);
  const agentOptions: AgentOptions = {
    ...options,
    hooks: hooks.forAgent(),
    sandbox,
    view,
    ...context,
    ...own,
    ...more,
    liveTools: servers?.liveTools,
    subagents: offered('Agent', command, options.rules)
      ? {
          definitions: () => agentTypes.list,
          get forwardsText() {
            return forwardsSubagentText;
          },
          teammates: team,
          model: process.env['HEDDLE_SUBAGENT_MODEL'] || process.env['CLAUDE_CODE_SUBAGENT_MODEL'],
          loadSkill: async (name, signal) => (await extensions.loadSkill(name, '', { signal }))?.text,
          memoryFolder: (definition) => agentMemoryFolder(definition, options),
          onLine: (line) => {
            for (const listener of lineListeners) listener(line);
          },
        }
      : undefined,
    session,
    takeQueued: (agentId) => [...(more.takeQueued?.(agentId) ?? []), ...team.takeQueued(agentId)],
    onAccepted: async (messageId) => {
      await own.onAccepted?.(messageId);
      naming.write();
    },
    expandPrompt: async (content, signal, current) => {
      const isKnown = (name: string): boolean => extensions.commandNamed(name) !== undefined;
      const hooked = await beforeExpansion(hooks, content, isKnown, signal);
      if (hooked.block !== undefined) return { ...hooked, content };
      const expanded = await extensions.expand(content, signal, modelForPrompt(current, extensionSetup));
      const prompt = mcp ? await mcp.servers.expand(expanded, signal) : expanded;
      const { mainAgent } = options;
      if (mainAgent?.initialPrompt === undefined || agent.messages.length > 0)
        return { ...hooked, content: prompt };
      const { withInitialPrompt } = await import('./main-agent.ts');
      return { ...hooked, content: withInitialPrompt(prompt, mainAgent) };
    },
    onPromptEnd: () => extensions.release(),
    extensions: () => extensionNames({ extensions, plugins }, mcp?.servers.prompts ?? []),
    news: () => [
      ...(own.news?.() ?? []),
      ...(more.news?.() ?? []),
      ...(servers?.news() ?? []),
      ...remarks.splice(0),
      ...(listsSkills ? extensions.news() : []),
    ],
    gather: async (toolContext) => {
      await settings?.refresh();
      hooks.reportWatched();
      directories.report(hooks);
      const parts = await Promise.all([
        more.gather?.(toolContext),
        instructions.gather(toolContext),
        listsSkills ? extensions.discover(toolContext) : [],
      ]);
      return parts.flatMap((part) => part ?? []);
    },
    standing: async () => [
      ...instructions.joined,
      ...extensions.standing,
      ...((await more.standing?.()) ?? []),
    ],
    onEvent: (event) => {
      debug?.(event);
      telemetry?.agent.onEvent(event);
      hooks.hear(event);
      own.onEvent?.(event);
      servers?.onEvent(event);
      team.hear(event);
      more.onEvent?.(event);
      if (event.type === 'context' && event.messages !== undefined) extensions.forgetList();
      for (const listener of listeners) listener(event);
    },
  };
  const agent: Agent = createAgent(agentOptions);
  for (const name of session.snapshot ? [] : (options.mainAgent?.skills ?? [])) {
    const skill = await extensions.loadSkill(name, '', { signal: AbortSignal.timeout(SKILL_MS) });
    if (skill) remarks.push({ kind: 'skills', text: skill.text });
  }
  telemetry?.agent.watch(agent);
  const left = ended.map(({ command }) => `ended what an earlier run had left running: ${command}`);
  return {
    ok: true,
    started: {
      agent,
      session,
      team,
      ...parts,
      userContext,
      instructions,
      extensions,
      plugins,
      notices: [
        ...session.notices,
        ...queuedNotice(agent),
        ...left,
        ...extensionNotices(extensions, untrusted),
      ],
      entitle: (title) => naming.entitle(title),
      listen: (listener) => void listeners.push(listener),
      remark: (remark) => void remarks.push(remark),
      hooks,
      mcp,
      agentTypes,
      forwardSubagentText: () => {
        forwardsSubagentText = true;
      },
      listenToSubagents: (listener) => void lineListeners.push(listener),
      close: async (reason = 'other') => {
        await agent.endSubagents();
        await agent.settle(0);
        await hooks.end(reason);
        await dispose();
        await sandbox?.dispose();
        session.journal.close();
        await telemetry?.close();
      },
    },
  };
}

/** The mode that an answer to a question has set while the model was planning. */
function modeAfterPlan(rules: AgentOptions['rules']): PermissionMode | undefined {
  const mode = rules instanceof LivePermissions ? rules.mode : undefined;
  return mode === 'plan' ? undefined : mode;
}

/** Without these, nothing of telemetry is loaded. */
function hasTelemetryVariables(): boolean {
  return OPENTELEMETRY in globalThis || Object.keys(process.env).some((name) => name.startsWith('OTEL_'));
}

/** The providers that are registered in this process. */
const OPENTELEMETRY = Symbol.for('opentelemetry.js.api.1');

async function loadTelemetry(
  modelName: string,
  tell: (text: string) => void,
): Promise<ProgramTelemetry | undefined> {
  const { openTelemetry } = await import('../telemetry/open-telemetry.ts');
  return openTelemetry(modelName, tell);
}

/** The window of a model about which nothing is known yet, in tokens. */
const USUAL_WINDOW = 200_000;

/** `--tools` selects built-in tools. Tools of servers are found by a search. */
function searching(tool: string, mcp: ProgramServers | undefined): boolean {
  return tool === 'ToolSearch' && mcp !== undefined && mcp.servers.all.length > 0;
}

async function serverParts(
  mcp: ProgramServers,
  { id, journal }: Session,
  { rules, context, modelName, mainAgent }: Pick<AgentSetup, 'rules' | 'context' | 'modelName' | 'mainAgent'>,
  services: ServerServices,
  ask: Agent['askSmall'],
): Promise<SessionParts> {
  const { joinSession } = await import('../mcp/session-parts.ts');
  return joinSession(mcp, {
    services,
    ask,
    modelName,
    folder: journal.path && path.join(path.dirname(journal.path), id, 'mcp'),
    isDenied: (name) =>
      isToolDenied(name, rulesNow(rules)) || (mainAgent !== undefined && !agentHasTool(mainAgent, name)),
    window: context?.windowOf?.(modelName) ?? USUAL_WINDOW,
  });
}

/** A skill may run commands for its text. */
const SKILL_MS = 30_000;

/** A verdict of a hook is short. */
const HOOK_ANSWER_TOKENS = 1_000;

/** Prompts that were typed during a turn, before the program was killed. */
function queuedNotice({ queue }: Agent): readonly string[] {
  const { length } = queue.restored;
  return length === 0
    ? []
    : [`${pluralize(length, 'queued prompt')} of the last run will join the next prompt`];
}

/** A title is written with the first prompt: a session without one is not stored. */
class Naming {
  readonly #journal: Session['journal'];
  #title: string | undefined;

  constructor({ journal }: Session, title: string | undefined) {
    this.#journal = journal;
    this.#title = title;
  }

  entitle(title: string): void {
    this.#title = title;
  }

  write(): void {
    if (this.#title !== undefined) this.#journal.append({ type: 'title', title: this.#title });
    this.#title = undefined;
  }
}

/** Answers may have added some since the start. */
function rulesNow(rules: AgentOptions['rules']): Rules {
  return rules instanceof LivePermissions ? rules.rules : (rules ?? NO_RULES);
}

function warn(text: string): void {
  process.stderr.write(`heddle: ${escapeControls(text)}\n`);
}

/** Looked at when a session begins; one that is resumed has its own. */
function contextOf(
  { bare }: RunOptions,
  { cwd, rules, redact = (value) => value }: Pick<AgentOptions, 'cwd' | 'rules' | 'redact'>,
  instructions: SessionInstructions,
): SessionContext {
  const directories = rules instanceof LivePermissions ? rules.directories : [];
  const { files } = instructions.found;
  const given = { cwd, env: process.env, directories, now: Date.now(), instructions: files, bare };
  // An instruction file may contain or import a key.
  return redact(sessionContext(given));
}
