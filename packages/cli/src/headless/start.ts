/** An agent as the command line asks for it: the session it means, with its tools. Every surface starts here. */
import { randomUUID } from 'node:crypto';
import {
  type Agent,
  type AgentOptions,
  createAgent,
  isHostNamed,
  LivePermissions,
  NO_RULES,
  type Rules,
  type Session,
  sessionContext,
  type SessionContext,
} from '@heddle/agent';
import type { RunOptions, SessionChoice } from '../arguments.ts';
import { harmless } from '../terminal/harmless.ts';
import { type AgentSetup, offered } from './agent-options.ts';
import { openSandbox } from './sandbox.ts';
import { openChosen } from './session.ts';
import { type SessionTools, sessionTools, type ToolChoices } from './tools.ts';

export interface Started extends Pick<SessionTools, 'tasks' | 'checkpoints' | 'todos'> {
  readonly agent: Agent;
  readonly session: Session;
  /** What a user should know about the session. */
  readonly notices: readonly string[];
  /** Ends what still runs, and lets go of the session. */
  readonly close: () => Promise<void>;
}

export type Starting =
  | { readonly ok: true; readonly started: Started }
  | { readonly ok: false; readonly message: string; readonly sessionId: string };

export interface Surface {
  readonly choice?: SessionChoice;
  readonly tools?: ToolChoices;
  /** Shows the user a line while a turn runs; by default on standard error. */
  readonly tell?: (text: string) => void;
  /** What this surface adds: who is asked, who listens. */
  readonly agent?: Partial<AgentOptions>;
}

export async function startAgent(
  command: RunOptions,
  { sandboxSettings, ...options }: AgentSetup,
  { choice = command.session, tools: choices = {}, tell = warn, agent: more = {} }: Surface = {},
): Promise<Starting> {
  const ask = more.canUseTool ?? options.canUseTool;
  const wanted = await openSandbox(sandboxSettings, options, { ask, tell });
  if (!wanted.ok) return { ...wanted, sessionId: choice.id ?? randomUUID() };
  const { sandbox } = wanted;
  const opened = await openChosen(choice);
  if (!opened.ok) return opened;
  const { session } = opened;
  const tools = await sessionTools(session, {
    isOffered: (name) => offered(name, command, options.rules),
    named: command.tools ?? [],
    model: { port: options.model, name: options.modelName },
    allowsPrivate: (host) => isHostNamed(host, rulesNow(options.rules)),
    // Whoever permits a plan has seen it.
    permissionApproves: more.canUseTool !== undefined,
    ...choices,
    sandbox,
  });
  const { options: own, ended, dispose, ...parts } = tools;
  const debug = command.debug && (await import('./debug.ts')).debugLog(command.debug);
  const name = choice.title === undefined ? undefined : naming(session, choice.title);
  const agent = createAgent({
    ...options,
    ...(sandbox ? { sandbox } : {}),
    ...(session.snapshot ? {} : contextOf(command, options)),
    ...own,
    ...more,
    session,
    onAccepted: async (messageId) => {
      await own.onAccepted?.(messageId);
      name?.();
    },
    onEvent: (event) => {
      debug?.(event);
      own.onEvent?.(event);
      more.onEvent?.(event);
    },
  });
  const left = ended.map(({ command }) => `ended what an earlier run had left running: ${command}`);
  return {
    ok: true,
    started: {
      agent,
      session,
      ...parts,
      notices: [...session.notices, ...left],
      close: async () => {
        await dispose();
        await sandbox?.dispose();
        session.journal.close();
      },
    },
  };
}

/** With the first prompt: a session without one is not stored. */
function naming({ journal }: Session, title: string): () => void {
  let isNamed = false;
  return () => {
    if (!isNamed) journal.append({ type: 'title', title });
    isNamed = true;
  };
}

/** Answers may have added some since the start. */
function rulesNow(rules: AgentOptions['rules']): Rules {
  return rules instanceof LivePermissions ? rules.rules : (rules ?? NO_RULES);
}

function warn(text: string): void {
  process.stderr.write(`heddle: ${harmless(text)}\n`);
}

/** Looked at when a session begins; one that is resumed has its own. */
function contextOf(
  { settingSources: sources, bare }: RunOptions,
  { cwd, configDirs = [], rules }: Pick<AgentOptions, 'cwd' | 'configDirs' | 'rules'>,
): SessionContext {
  const directories = rules instanceof LivePermissions ? rules.directories : [];
  return sessionContext({ cwd, env: process.env, configDirs, directories, now: Date.now(), sources, bare });
}
