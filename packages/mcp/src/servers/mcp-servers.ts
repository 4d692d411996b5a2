/** All servers of a program: they start in parallel, change at any time, and never delay the caller. */
import { type Tool, untilAborted, type UserMessage, omitUndefined } from '@heddle/core';
import type { ConfiguredServer, ServerScope } from '../config/server-config.ts';
import { OPEN_POLICY, selectServers, type ServerPolicy } from '../config/server-policy.ts';
import { McpServer, type ServerDeps, type ServerState, type ServerTimes } from '../connection/server.ts';
import {
  createServerTool,
  type ServerTool,
  type ServerToolDeps,
  type ToolAnnotations,
} from '../tools/server-tool.ts';
import { createResourceTools } from '../tools/resource-tools.ts';
import { expandServerText, promptsOf, type ServerPrompt } from './expand-prompt.ts';
import { namesServer, promptIn, type TypedPrompt } from './server-mentions.ts';
import { prefixOf, toolName, uniqueName } from '../tools/tool-names.ts';

export interface ServersDeps
  extends Omit<ServerDeps, 'onChange' | 'times'>,
    Omit<ServerToolDeps, 'maxResultSize'> {
  /** `MCP_TIMEOUT`, `MCP_TOOL_TIMEOUT` and `MAX_MCP_OUTPUT_TOKENS` are read from it. */
  readonly variables: Readonly<Record<string, string | undefined>>;
  readonly times?: Partial<ServerTimes>;
  /** Applies to every server, also to those that a host adds later. By default, every server may start. */
  readonly policy?: ServerPolicy | undefined;
  /** Whether a rule denies a tool as a whole. */
  readonly isDenied?: ((tool: string) => boolean) | undefined;
}

export interface ServerReport extends ServerState {
  readonly name: string;
  readonly scope: ServerScope;
  readonly source?: string;
  readonly serverInfo?: { readonly name: string; readonly version: string };
  readonly config: ConfiguredServer['config'];
  readonly tools: readonly {
    readonly name: string;
    readonly description: string;
    readonly annotations: ToolAnnotations;
  }[];
}

interface ServerChanges {
  readonly added: string[];
  /** Servers that no entry names any more. */
  readonly removed: string[];
}

const CONNECT_MS = 30_000;
const IDLE_MS = 10 * 60_000;
const TOTAL_MS = 60 * 60_000;
const RETRY_DELAYS_MS = [1_000, 2_000, 4_000, 8_000, 16_000];
const OUTPUT_TOKENS = 25_000;
const CHARACTERS_PER_TOKEN = 4;

export class McpServers {
  readonly #deps: ServersDeps;
  /** The entries of all scopes, also those that another entry replaces. */
  #entries: readonly ConfiguredServer[];
  #policy: ServerPolicy;
  #servers = new Map<string, McpServer>();
  #serverDeps: ServerDeps | undefined;
  #isStarted = false;
  #tools: readonly ServerTool[] | undefined;
  #resourceTools: readonly Tool[] | undefined;
  readonly #listeners = new Set<() => void>();

  constructor(configured: readonly ConfiguredServer[], deps: ServersDeps) {
    this.#deps = deps;
    this.#entries = configured;
    this.#policy = deps.policy ?? OPEN_POLICY;
    this.#select();
  }

  get all(): readonly McpServer[] {
    return [...this.#servers.values()];
  }

  get(name: string): McpServer | undefined {
    return this.#servers.get(name);
  }

  /** Starts all servers. Returns at once. */
  start(): void {
    this.#isStarted = true;
    for (const server of this.#servers.values()) server.start();
  }

  /** Starts the servers that were not allowed to start before. Resolves when each is connected or has failed. */
  async startWaiting(): Promise<void> {
    await Promise.all(this.all.map((server) => server.startWaiting()));
  }

  /** The tools of all servers that are connected, or are about to be again. The same list until something changes. */
  get tools(): readonly ServerTool[] {
    return (this.#tools ??= this.#buildTools());
  }

  /** Tools for resources. None if no server has resources. */
  get resourceTools(): readonly Tool[] {
    const servers = (): readonly McpServer[] =>
      this.all.filter(({ name, hasResources }) => hasResources && !this.deniesResources(name));
    if (servers().length === 0) return [];
    const maxResultSize = resultSize(this.#deps.variables);
    return (this.#resourceTools ??= createResourceTools({ ...this.#deps, maxResultSize, servers }));
  }

  /** Prompts of servers, as commands. */
  get prompts(): readonly ServerPrompt[] {
    const servers = this.all.filter(({ name, prompts }) => prompts.length > 0 && !this.deniesResources(name));
    return promptsOf(servers).filter(({ command }) => !this.denies(command));
  }

  /** Adds the prompts and resources of servers that the user names. */
  async expand(prompt: TypedPrompt, signal: AbortSignal): Promise<UserMessage['content']> {
    const { content, typed } = prompt;
    if (!namesServer(typed)) return content;
    const command = promptIn(typed)?.command;
    if (command !== undefined && this.denies(command)) return content;
    if (command !== undefined) await this.#settleFor(command, signal);
    const servers = this.all.filter(({ name }) => !this.deniesResources(name));
    return expandServerText(prompt, servers, this.#deps, signal);
  }

  denies(tool: string): boolean {
    return this.#deps.isDenied?.(tool) === true;
  }

  /** A rule for all tools of a server, or for the tool that reads resources, covers the resources of the server. */
  deniesResources(server: string): boolean {
    return this.denies(prefixOf(server)) || this.denies('ReadMcpResourceTool');
  }

  /** Finds a tool by name. Waits for the server if it is still connecting. */
  async find(name: string, signal: AbortSignal): Promise<Tool | undefined> {
    const known = [...this.tools, ...this.resourceTools].find((tool) => tool.name === name);
    if (known) return known;
    await this.#settleFor(name, signal);
    return this.tools.find((tool) => tool.name === name);
  }

  /** Waits for the servers that a name of a tool or prompt can belong to. */
  async #settleFor(name: string, signal: AbortSignal): Promise<void> {
    const waiting = this.all.filter(
      ({ name: server, state }) => state.status === 'pending' && name.startsWith(prefixOf(server)),
    );
    for (const server of waiting) server.start();
    await untilAborted(Promise.all(waiting.map(({ settled }) => settled)), signal, () => undefined);
  }

  /** Waits until no server is pending, at most this long. */
  async settle(limitMs: number, signal?: AbortSignal): Promise<void> {
    this.start();
    const late = new AbortController();
    const timer = setTimeout(() => late.abort(), limitMs);
    const given = signal ? AbortSignal.any([signal, late.signal]) : late.signal;
    try {
      await untilAborted(Promise.all(this.all.map(({ settled }) => settled)), given, () => undefined);
    } finally {
      clearTimeout(timer);
    }
  }

  /** The policy of now, for servers that are not part of this list. */
  get policy(): ServerPolicy {
    return this.#policy;
  }

  /** Replaces the entries of one scope. Servers whose configuration is the same stay connected. */
  replace(scope: ServerScope, wanted: readonly ConfiguredServer[]): Promise<ServerChanges> {
    return this.#exchange((entry) => entry.scope !== scope, wanted);
  }

  /** Replaces the entries for which `stays` returns false, and the policy for all of them. */
  reconfigure(
    { servers, policy }: { readonly servers: readonly ConfiguredServer[]; readonly policy: ServerPolicy },
    stays: (entry: ConfiguredServer) => boolean,
  ): Promise<ServerChanges> {
    this.#policy = policy;
    return this.#exchange(stays, servers);
  }

  async #exchange(
    stays: (entry: ConfiguredServer) => boolean,
    wanted: readonly ConfiguredServer[],
  ): Promise<ServerChanges> {
    this.#entries = [...this.#entries.filter(stays), ...wanted];
    const { added, removed } = this.#select();
    if (this.#isStarted) for (const server of added) server.start();
    this.#changed();
    await Promise.all(removed.map((server) => server.close()));
    return {
      added: added.map(({ name }) => name),
      removed: removed.map(({ name }) => name).filter((name) => !this.#servers.has(name)),
    };
  }

  /** Makes the servers those that the policy selects. */
  #select(): { readonly added: readonly McpServer[]; readonly removed: readonly McpServer[] } {
    const before = this.#servers;
    const added: McpServer[] = [];
    this.#servers = new Map(
      selectServers(this.#entries, this.#policy).map((entry) => {
        const known = before.get(entry.name);
        if (known && isSameEntry(known.configured, entry)) return [entry.name, known];
        const server = this.#create(entry);
        added.push(server);
        return [entry.name, server];
      }),
    );
    this.#tools = undefined;
    const removed = [...before.values()].filter((server) => this.#servers.get(server.name) !== server);
    return { added, removed };
  }

  report(): readonly ServerReport[] {
    return this.all.map((server) => {
      const { configured, state, serverInfo } = server;
      const tools = this.tools.filter((tool) => tool.server === server.name);
      return {
        ...state,
        name: server.name,
        scope: configured.scope,
        ...omitUndefined({ source: configured.source }),
        ...(serverInfo ? { serverInfo } : {}),
        config: configured.config,
        tools: tools.map(({ ownName, description, annotations }) => ({
          name: ownName,
          description,
          annotations,
        })),
      };
    });
  }

  /** Calls `listener` after each change of a state or a list. Returns a function that removes it. */
  listen(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  async close(): Promise<void> {
    await Promise.all(this.all.map((server) => server.close()));
  }

  /** Ends all processes at once. */
  kill(): void {
    for (const server of this.#servers.values()) server.kill();
  }

  #create(configured: ConfiguredServer): McpServer {
    const { timeout } = configured.config;
    // Most servers have no time limit of their own, and share one object.
    const shared = (this.#serverDeps ??= {
      ...this.#deps,
      times: timesOf(this.#deps, undefined),
      onChange: () => this.#changed(),
    });
    const own = timeout === undefined ? shared : { ...shared, times: timesOf(this.#deps, timeout) };
    return new McpServer(configured, own);
  }

  #changed(): void {
    this.#tools = undefined;
    for (const listener of this.#listeners) listener();
  }

  #buildTools(): readonly ServerTool[] {
    const taken = new Set<string>();
    const deps = {
      ...this.#deps,
      maxResultSize: resultSize(this.#deps.variables),
      currentServer: (name: string) => this.#servers.get(name),
    };
    return this.all.flatMap((server) =>
      server.tools.flatMap((definition) => {
        const own = String(definition['name']);
        const name = uniqueName(toolName(server.name, own), server.name, own, taken);
        const tool = taken.has(name) ? undefined : createServerTool(server, definition, name, deps);
        if (!tool) return [];
        taken.add(name);
        return [tool];
      }),
    );
  }
}

function isSameEntry(left: ConfiguredServer, right: ConfiguredServer): boolean {
  return JSON.stringify(left) === JSON.stringify(right);
}

function timesOf({ variables, times }: ServersDeps, timeout: number | undefined): ServerTimes {
  const totalMs = timeout ?? positive(variables['MCP_TOOL_TIMEOUT']) ?? TOTAL_MS;
  return {
    connectMs: positive(variables['MCP_TIMEOUT']) ?? CONNECT_MS,
    limits: { totalMs, idleMs: Math.min(IDLE_MS, totalMs) },
    retryDelaysMs: RETRY_DELAYS_MS,
    ...times,
  };
}

function resultSize(variables: ServersDeps['variables']): number {
  return (positive(variables['MAX_MCP_OUTPUT_TOKENS']) ?? OUTPUT_TOKENS) * CHARACTERS_PER_TOKEN;
}

function positive(text: string | undefined): number | undefined {
  const value = Number(text);
  return text !== undefined && value > 0 && Number.isFinite(value) ? value : undefined;
}
