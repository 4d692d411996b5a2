/** The part of the MCP servers in one session: tools, news for the model, and the moment at which servers start. */
import type { AgentOptions, ForkAnswer, SmallQuestion } from '@heddle/agent';
import type { Attachment, LoopEvent, Tool } from '@heddle/core';
import { SessionServers } from '@heddle/mcp/session';
import type { ServerTools } from '@heddle/tools';
import type { ServerServices } from './connect-servers.ts';
import type { ProgramServers } from './program-servers.ts';

export interface SessionParts {
  readonly liveTools: NonNullable<AgentOptions['liveTools']>;
  /** The tools that a search can load. */
  readonly search: ServerTools;
  /** Names the servers for the context of a new session. Undefined if the news do it: the servers have been examined. */
  readonly opening: () => string | undefined;
  readonly news: () => readonly Attachment[];
  readonly onEvent: (event: LoopEvent) => void;
}

interface SessionSetup {
  readonly services: ServerServices;
  /** Asks a model for a server, after the user agreed. */
  readonly ask: (question: SmallQuestion) => Promise<ForkAnswer>;
  readonly modelName: string;
  /** A folder for the files of results. Undefined for a session that leaves nothing behind. */
  readonly folder: string | undefined;
  /** A tool that is denied as a whole is not shown to the model. */
  readonly isDenied: (name: string) => boolean;
  /** Returns the window of the model, in tokens. */
  readonly window: () => number;
}

/** A search without a match waits this long for servers that are still connecting. */
const SEARCH_WAIT_MS = 10_000;

export function joinSession(mcp: ProgramServers, setup: SessionSetup): SessionParts {
  const { folder, isDenied, window } = setup;
  mcp.attach(withSampling(setup), folder);
  const session = new SessionServers(() => mcp.view);
  const offered = (tools: readonly Tool[]): readonly Tool[] => tools.filter(({ name }) => !isDenied(name));
  return {
    liveTools: {
      active: () => offered(session.active),
      names: () => offered([...mcp.view.tools, ...mcp.view.resourceTools]).map(({ name }) => name),
      find: async (name, signal) => (isDenied(name) ? undefined : (await mcp.load()).find(name, signal)),
      servers: () =>
        mcp.unexamined?.map((name) => ({ name, status: 'pending' })) ??
        mcp.view.all.map(({ name, state }) => ({ name, status: state.status })),
    },
    search: {
      tools: () => offered(session.deferred),
      settle: async (signal) => (await mcp.load()).settle(SEARCH_WAIT_MS, signal),
    },
    opening: () => mcp.unexamined && session.takeOpening(mcp.unexamined),
    news: () => {
      session.freeze(window);
      // Nothing else is known about servers in the context of the session.
      if (session.hasOpening && mcp.unexamined) return [];
      return session.takeNews().map((text) => ({ kind: 'reminder', about: 'other', text }));
    },
    onEvent: (event) => {
      if (event.type === 'stream_request_start') mcp.startAfterRequest();
      else if (isPartOfAnswer(event)) mcp.start();
    },
  };
}

/** A server may ask the model if there is a user who can agree. */
function withSampling({ services, ask, modelName }: SessionSetup): ServerServices {
  const { elicit } = services;
  if (!elicit) return services;
  return {
    ...services,
    sample: async (question, signal) => {
      const { sampleWithConsent } = await import('./ask-for-servers.ts');
      return sampleWithConsent(elicit, ask, modelName)(question, signal);
    },
  };
}

/** The server of the model has answered, so it has the whole request. */
export function isPartOfAnswer(event: LoopEvent): boolean {
  if (event.type === 'message') return event.message.type === 'assistant';
  return event.type === 'stream_event' || event.type === 'answer_end' || event.type === 'retry';
}
