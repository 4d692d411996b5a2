/** An agent as the command line asks for it: the session it means, with its tools. Every surface starts here. */
import {
  type Agent,
  createAgent,
  newUuid,
  type SdkMessage,
  type Session,
  sessionContext,
  type SessionContext,
  unaskedFilesOf,
} from '@heddle/agent';
import type { SessionExtensions } from '@heddle/agent/extensions';
import type { Plugin } from '@heddle/agent/plugins';
import { SessionInstructions } from '@heddle/agent/instructions';
import type { Attachment, LoopEvent } from '@heddle/core';
import type { RunOptions } from '../arguments/arguments.ts';
import type { ProgramServers } from '../mcp/program-servers.ts';
import type { ProgramTelemetry } from '../telemetry/open-telemetry.ts';
import { pluralize } from '../terminal/amounts.ts';
import type { AgentSetup, ResolvedCommand } from './agent-options.ts';
import { type AgentTypes, readAgentTypes } from './agent-types.ts';
import { closeInOrder } from './close-in-order.ts';
import { instructionPlaces } from './instruction-places.ts';
import { extensionNotices } from './loaded-extensions.ts';
import { openExtensions, skillOfAgent } from './open-extensions.ts';
import { openHooks } from './open-hooks.ts';
import { openSandbox, openView } from './open-sandbox.ts';
import { openChosen } from './open-session.ts';
import { openServers, openTeam, openTools } from './open-tools.ts';
import { sessionCommandFiles, sessionFiles } from './session-files.ts';
import { joinParts, type OpenedParts } from './session-agent.ts';
import type { SessionEndReason, SessionHooks } from './session-hooks.ts';
import type { SessionTeam } from './session-team.ts';
import type { SessionTools } from './session-tools.ts';
import { SessionListeners, SessionTitle, type StartContext, type Surface } from './start-context.ts';
import { warn } from '../terminal/write-message.ts';

export interface StartedSession extends Pick<SessionTools, 'tasks' | 'checkpoints' | 'todos'> {
  readonly agent: Agent;
  readonly session: Session;
  /** The context about user and project that the model received when the session began. */
  readonly userContext: SessionContext['userContext'];
  readonly instructions: SessionInstructions;
  readonly extensions: SessionExtensions;
  /** A host may add some later. */
  readonly plugins: Plugin[];
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
  /** Applies changes of settings and server files now, and not only before the next prompt. */
  readonly refresh: () => Promise<void>;
  readonly team: SessionTeam;
  /** The types of subagents. A host may add its own before the first prompt. */
  readonly agentTypes: AgentTypes;
  /** From now on, the text and thinking of subagents are part of the output. */
  readonly forwardSubagentText: () => void;
  /** Adds a listener for the lines of subagents in the background. */
  readonly listenToSubagents: (listener: (line: SdkMessage) => unknown) => void;
  /** Ends what still runs, and lets go of the session. */
  readonly close: (reason?: SessionEndReason) => Promise<void>;
}

export type Starting =
  | { readonly ok: true; readonly started: StartedSession }
  | { readonly ok: false; readonly message: string; readonly sessionId: string };

export async function startAgent(
  command: ResolvedCommand,
  given: AgentSetup,
  surface: Surface = {},
): Promise<Starting> {
  const live: { parts?: OpenedParts } = {};
  const options = { ...given, configFiles: sessionFiles(given, command, () => live.parts) };
  const { choice = command.session, notify = warn } = surface;
  const ask = surface.agent?.canUseTool ?? options.canUseTool;
  const nextTurn = surface.promptFollows ? runEventLoop : () => undefined;
  await nextTurn();
  const wanted = await openSandbox(options.sandboxSettings, options, { ask, notify });
  if (!wanted.ok) return { ...wanted, sessionId: choice.id ?? newUuid() };
  const opened = surface.session
    ? { ok: true as const, session: surface.session }
    : await openChosen(choice, surface);
  if (!opened.ok) return opened;
  await nextTurn();
  const { session } = opened;
  const context: StartContext = {
    command,
    options,
    surface,
    choice,
    session,
    notify,
    confinement: { sandbox: wanted.sandbox, view: openView(options.sandboxSettings) },
    telemetry: hasTelemetryVariables() ? await loadTelemetry(options.modelName, notify) : undefined,
    listeners: new SessionListeners(command.forwardSubagentText),
    plugins: [...(options.plugins ?? [])],
    title: new SessionTitle(session, choice.title),
    commandFiles: sessionCommandFiles(given, command, () => live.parts),
    agent: () => agent,
    agentOptions: () => agentOptions,
    hooks: () => parts.hooks,
  };
  const parts = await openParts(context);
  live.parts = parts;
  const agentOptions = joinParts(context, parts);
  const agent: Agent = createAgent(agentOptions);
  await loadSkillsOfAgent(context, parts);
  context.telemetry?.agent.watch(agent);
  await nextTurn();
  return { ok: true, started: startedOf(context, parts) };
}

/**
 * Lets the event loop run once. The connection to the model opens during the start, but only in such turns. Not used while the
 * parts are opened: a callback could run before the agent exists. A terminal shows its prompt first.
 */
function runEventLoop(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve);
  });
}

/**
 * Opens the parts in the order of their needs. `context.agent()` and `parts` are used only in callbacks, which run with the first prompt
 * or later: neither exists before this function returns.
 */
async function openParts(context: StartContext): Promise<OpenedParts> {
  const { command, options, session } = context;
  const servers = openServers(context);
  const extensionSetup = { ...context, options };
  const extensions = await openExtensions(command, extensionSetup);
  const team = await openTeam(context);
  const tools = await openTools(context, { servers, extensions, team });
  const instructions = new SessionInstructions({
    places: await instructionPlaces(command, options, options.instructionExcludes),
    userContext: () => userContextOf(session, parts),
    messages: () => context.agent().messages,
    deniedFiles: unaskedFilesOf(options, options.cwd),
  });
  const parts: OpenedParts = {
    servers,
    extensions,
    extensionSetup,
    team,
    tools,
    instructions,
    sessionContext: session.snapshot ? {} : contextOf(command, options, instructions, servers?.opening()),
    agentTypes: options.agentTypes ?? (await readAgentTypes(command, options)),
    debug: command.debug ? (await import('./debug-log.ts')).debugLog(command.debug) : undefined,
    ...openHooks(context, { tools, team, extensions, instructions }),
  };
  return parts;
}

/** The skills of the agent that the main conversation runs as are part of its first request. */
async function loadSkillsOfAgent(
  { options, session, listeners }: StartContext,
  { extensions }: OpenedParts,
): Promise<void> {
  for (const name of session.snapshot ? [] : (options.mainAgent?.skills ?? [])) {
    const text = await skillOfAgent(name, extensions, options, { signal: AbortSignal.timeout(SKILL_MS) });
    if (text !== undefined) listeners.addRemark({ kind: 'skills', text });
  }
}

function startedOf(context: StartContext, parts: OpenedParts): StartedSession {
  const { options, session, listeners, title } = context;
  const { tools, hooks, team, instructions, extensions, agentTypes } = parts;
  const agent = context.agent();
  const left = tools.ended.map(({ command }) => `ended what an earlier run had left running: ${command}`);
  return {
    agent,
    session,
    team,
    todos: tools.todos,
    tasks: tools.tasks,
    checkpoints: tools.checkpoints,
    userContext: userContextOf(session, parts),
    instructions,
    extensions,
    plugins: context.plugins,
    notices: [
      ...session.notices,
      ...queuedNotice(agent),
      ...left,
      ...extensionNotices(extensions, options.untrusted ?? [], {
        hidden: agentTypes.hidden,
        leftOut: [...new Set([...agentTypes.leftOut, ...agentTypes.withoutModel(options.modelName)])],
      }),
    ],
    entitle: (text) => title.set(text),
    listen: (listener) => listeners.onEvent(listener),
    remark: (remark) => listeners.addRemark(remark),
    hooks,
    mcp: options.mcp,
    refresh: parts.refresh,
    agentTypes,
    forwardSubagentText: () => {
      listeners.forwardsSubagentText = true;
    },
    listenToSubagents: (listener) => listeners.onSubagentLine(listener),
    close: (reason = 'other') =>
      closeInOrder([
        () => agent.endSubagents(),
        () => agent.settle(0),
        () => hooks.end(reason),
        () => tools.dispose(),
        () => context.confinement.sandbox?.dispose(),
        () => session.journal.close(),
        () => context.telemetry?.close(),
      ]),
  };
}

function userContextOf(
  { snapshot }: Session,
  { sessionContext: begun }: OpenedParts,
): SessionContext['userContext'] {
  return begun.userContext ?? snapshot?.userContext ?? {};
}

/** Without these, nothing of telemetry is loaded. */
function hasTelemetryVariables(): boolean {
  return OPENTELEMETRY in globalThis || Object.keys(process.env).some((name) => name.startsWith('OTEL_'));
}

/** The providers that are registered in this process. */
const OPENTELEMETRY = Symbol.for('opentelemetry.js.api.1');

async function loadTelemetry(
  modelName: string,
  notify: (text: string) => void,
): Promise<ProgramTelemetry | undefined> {
  const { openTelemetry } = await import('../telemetry/open-telemetry.ts');
  return openTelemetry(modelName, notify);
}

/** A skill may run commands for its text. */
const SKILL_MS = 30_000;

/** Prompts that were typed during a turn, before the program was killed. */
function queuedNotice({ queue }: Agent): readonly string[] {
  const { length } = queue.restored;
  return length === 0
    ? []
    : [`${pluralize(length, 'queued prompt')} of the last run will join the next prompt`];
}

/** Looked at when a session begins; one that is resumed has its own. */
function contextOf(
  { bare }: RunOptions,
  { cwd, rules, redact = (value) => value }: Pick<AgentSetup, 'cwd' | 'rules' | 'redact'>,
  instructions: SessionInstructions,
  servers: string | undefined,
): SessionContext {
  const { directories } = rules;
  const { files } = instructions.found;
  const given = { cwd, env: process.env, directories, now: Date.now(), instructions: files, servers, bare };
  // An instruction file may contain or import a key.
  return redact(sessionContext(given));
}
