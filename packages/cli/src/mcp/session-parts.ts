/** The part of the MCP servers in one session: tools, news for the model, and the moment at which servers start. */
import type { AgentOptions, ForkAnswer, SmallQuestion } from '@heddle/agent';
import type { Attachment, LoopEvent, Tool } from '@heddle/core';
import { SessionServers } from '@heddle/mcp';
import type { ServerTools } from '@heddle/tools';
import { sampleWithConsent } from './ask-for-servers.ts';
import type { ProgramServers, ServerServices } from './program-servers.ts';

export interface SessionParts {
  readonly liveTools: NonNullable<AgentOptions['liveTools']>;
  /** The tools that a search can load. */
  readonly search: ServerTools;
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
  /** The window of the model, in tokens. */
  readonly window: number;
}

/** A search without a match waits this long for servers that are still connecting. */
const SEARCH_WAIT_MS = 10_000;

export function joinSession(mcp: ProgramServers, setup: SessionSetup): SessionParts {
  const { services, folder, isDenied, window, ask, modelName } = setup;
  const { elicit } = services;
  mcp.attach(elicit ? { ...services, sample: sampleWithConsent(elicit, ask, modelName) } : services, folder);
  const { servers } = mcp;
  const session = new SessionServers(servers);
  const offered = (tools: readonly Tool[]): readonly Tool[] => tools.filter(({ name }) => !isDenied(name));
  return {
    liveTools: {
      active: () => offered(session.active),
      names: () => offered([...servers.tools, ...servers.resourceTools]).map(({ name }) => name),
      find: async (name, signal) => (isDenied(name) ? undefined : servers.find(name, signal)),
      servers: () => servers.all.map(({ name, state }) => ({ name, status: state.status })),
    },
    search: {
      tools: () => offered(session.deferred),
      settle: (signal) => servers.settle(SEARCH_WAIT_MS, signal),
    },
    news: () => {
      session.freeze(window);
      return session.takeNews().map((text) => ({ kind: 'reminder', about: 'other', text }));
    },
    onEvent: (event) => {
      if (event.type === 'stream_request_start') mcp.startAfterRequest();
      else if (isPartOfAnswer(event)) mcp.start();
    },
  };
}

/** The server of the model has answered, so it has the whole request. */
function isPartOfAnswer(event: LoopEvent): boolean {
  if (event.type === 'message') return event.message.type === 'assistant';
  return event.type === 'stream_event' || event.type === 'answer_end' || event.type === 'retry';
}
