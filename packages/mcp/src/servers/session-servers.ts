/**
 * The tools of servers in one session. The first request contains the tools that are there by then, if they are few. Later
 * changes are announced by messages, and the tools are loaded by a search. So the cached start of requests never changes.
 */
import type { Tool } from '@heddle/core';
import type { ConfiguredServer } from '../config/server-config.ts';
import { selectServers, type ServerPolicy } from '../config/server-policy.ts';
import type { McpServer } from '../connection/server.ts';
import { cleanLine, cleanNames } from '../server-text.ts';
import type { McpServers } from './mcp-servers.ts';
import type { ServerTool } from '../tools/server-tool.ts';

/** The servers as a session sees them. Reading it needs no code of connections. */
export interface ServersView extends Pick<McpServers, 'tools' | 'resourceTools' | 'prompts'> {
  readonly all: readonly Pick<McpServer, 'name' | 'state' | 'configured' | 'instructions'>[];
}

/** The view of servers that have not been started. They have no tools yet. `read` is called with the first use of the list. */
export function unstartedServers(
  read: () => { readonly servers: readonly ConfiguredServer[]; readonly policy: ServerPolicy },
): ServersView {
  let all: ServersView['all'] | undefined;
  return {
    get all() {
      return (all ??= unstarted(read()));
    },
    tools: [],
    resourceTools: [],
    prompts: [],
  };
}

function unstarted({
  servers,
  policy,
}: ReturnType<Parameters<typeof unstartedServers>[0]>): ServersView['all'] {
  return selectServers(servers, policy).map((configured) => {
    const { name, disabled } = configured;
    const state =
      disabled === undefined
        ? ({ status: 'pending' } as const)
        : ({ status: 'disabled', error: disabled } as const);
    return { name, configured, state, instructions: undefined };
  });
}

/** Schemas may take this part of the window. Beyond it, all of them are loaded on demand. */
const WINDOW_PART = 0.1;
const CHARACTERS_PER_TOKEN = 4;

/** A server with more tools is announced by its number of tools. */
const NAMES_LISTED = 30;

export class SessionServers {
  readonly #current: () => ServersView;
  #active: readonly ServerTool[] = [];
  #isFrozen = false;
  /** Tools that the model was told about, by name. */
  #announced = new Set<string>();
  readonly #reported = new Map<string, string>();

  /** Servers that the context of the session names as connecting. */
  #opening: readonly string[] = [];

  /** `current`: the servers of now. The view is another one when their code is loaded. */
  constructor(current: () => ServersView) {
    this.#current = current;
  }

  /**
   * Fixes the tools that are part of every request of this session. Later calls have no effect. `windowTokens` returns the
   * window of the model. It is called if there are tools.
   */
  freeze(windowTokens: () => number): void {
    if (this.#isFrozen) return;
    this.#isFrozen = true;
    const { tools } = this.#current();
    if (tools.length === 0) return;
    const size = tools.reduce((sum, tool) => sum + sizeOf(tool), 0);
    const fits = size / CHARACTERS_PER_TOKEN <= windowTokens() * WINDOW_PART;
    this.#active = fits ? tools : tools.filter(({ alwaysLoad }) => alwaysLoad);
    this.#announced = new Set(this.#active.map(({ name }) => name));
  }

  /** The tools that are part of every request. */
  get active(): readonly Tool[] {
    return this.#active;
  }

  /** The tools that a search can load. */
  get deferred(): readonly Tool[] {
    const active = new Set(this.#active.map(({ name }) => name));
    const { tools, resourceTools } = this.#current();
    return [...tools.filter(({ name }) => !active.has(name)), ...resourceTools];
  }

  /** Returns a text about servers that are connecting, for the context of a new session. It is not repeated by the news. */
  takeOpening(names: readonly string[]): string {
    this.#opening = names;
    return connectingNews(names);
  }

  /** True if the context of the session names servers, and no news have followed. */
  get hasOpening(): boolean {
    return this.#opening.length > 0;
  }

  /** Returns what changed since the last call, as texts for the model. */
  takeNews(): readonly string[] {
    const { tools, all } = this.#current();
    const unusable = this.#opening.filter((opened) => !all.some(({ name }) => name === opened));
    for (const name of this.#opening) this.#reported.set(name, 'pending');
    this.#opening = [];
    const present = new Set(tools.map(({ name }) => name));
    const gone = [...this.#announced].filter((name) => !present.has(name));
    const fresh = tools.filter(({ name }) => !this.#announced.has(name));
    this.#announced = present;
    const connecting = all.filter(
      ({ name, state }) => state.status === 'pending' && !this.#reported.has(name),
    );
    return [
      ...unusable.map(
        (name) => `The MCP server ${cleanLine(name)} is not available: its entry is not valid.`,
      ),
      ...(connecting.length === 0 ? [] : [connectingNews(connecting.map(({ name }) => name))]),
      ...all.flatMap((server) => this.#stateNews(server)),
      ...grouped(fresh).map(([server, names]) =>
        addedNews(server, names, all.find(({ name }) => name === server)?.instructions),
      ),
      ...(gone.length === 0 ? [] : [`These tools are not available any more: ${listed(gone)}.`]),
    ];
  }

  #stateNews({ name, state }: ServersView['all'][number]): string[] {
    const { status, error } = state;
    const before = this.#reported.get(name);
    if (before === status) return [];
    this.#reported.set(name, status);
    switch (status) {
      case 'failed':
      case 'needs-auth':
        return [`The MCP server ${cleanLine(name)} is not available: ${cleanLine(error ?? status)}`];
      case 'pending':
      case 'connected':
      case 'disabled':
        return [];
    }
  }
}

function connectingNews(names: readonly string[]): string {
  return `These MCP servers are connecting: ${listed(names)}. ToolSearch waits for their tools.`;
}

function addedNews(server: string, names: readonly string[], instructions: string | undefined): string {
  const about = instructions === undefined ? '' : ` The server describes itself: ${instructions}`;
  return `The MCP server ${cleanLine(server)} has these tools: ${listed(names)}. Load them with ToolSearch before you call them.${about}`;
}

function sizeOf({ name, description, inputJSONSchema }: ServerTool): number {
  return name.length + description.length + JSON.stringify(inputJSONSchema).length;
}

function grouped(tools: readonly ServerTool[]): [server: string, names: string[]][] {
  const groups = Map.groupBy(tools, ({ server }) => server);
  return Array.from(groups, ([server, group]) => [server, group.map(({ name }) => name)]);
}

function listed(names: readonly string[]): string {
  const shown = cleanNames(names.slice(0, NAMES_LISTED));
  const more = names.length - NAMES_LISTED;
  return more > 0 ? `${shown}, and ${more} more` : shown;
}
