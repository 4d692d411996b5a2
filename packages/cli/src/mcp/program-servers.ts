/**
 * The MCP servers of the program. They outlive a session: `/clear` does not restart them. The first request needs only
 * their names. Their entries are examined, and the code of their connections loads, with the first use of a server.
 */
import type { LivePermissions } from '@heddle/agent';
import type { ConfiguredServers, FoundServers } from '@heddle/agent/mcp';
import type { UserMessage } from '@heddle/core';
import type { BrowserLogin, McpServers, ServerState } from '@heddle/mcp';
import type { ServerPolicy } from '@heddle/mcp/config';
import { namesServer, type TypedPrompt } from '@heddle/mcp/mentions';
import { type ServersView, unstartedServers } from '@heddle/mcp/session';
import type { ServerServices, ServerSession } from './connect-servers.ts';

/** Servers that connect need the processor. If no answer begins in this time, the request is on its way. */
const AFTER_REQUEST_MS = 1_000;

/** A host, or a user at a terminal, that sends no prompt in this time is not delayed by servers. */
const WITHOUT_PROMPT_MS = 2_000;

type ServerSource = Pick<FoundServers, 'names' | 'policy' | 'files' | 'examine'>;

interface ProgramServersSetup {
  readonly rules: LivePermissions | undefined;
  readonly cwd: string;
  /** Shows problems of entries that are examined after the start. */
  readonly notify: (note: string) => void;
}

export class ProgramServers {
  readonly #found: ServerSource;
  readonly #setup: ProgramServersSetup;
  readonly #unstarted: ServersView = unstartedServers(() => this.#examine());
  #loaded: McpServers | undefined;
  #loading: Promise<McpServers> | undefined;
  #session: ServerSession = { services: {}, folder: undefined };
  #timer: NodeJS.Timeout | undefined;
  #hasStarted = false;
  #isClosed = false;
  readonly #listeners = new Set<() => void>();
  readonly #kill = (): void => this.#loaded?.kill();

  constructor(found: ServerSource, setup: ProgramServersSetup) {
    this.#found = found;
    this.#setup = setup;
  }

  /** The names of all servers, while none has been examined. Each of them is expected to start. */
  get unexamined(): readonly string[] | undefined {
    return this.#found.names;
  }

  /** The servers as they are now. Reading its list examines their entries. */
  get view(): ServersView {
    return this.#loaded ?? this.#unstarted;
  }

  /** The policy of now, also for servers that are not part of the program's. */
  get policy(): ServerPolicy {
    return this.#loaded?.policy ?? this.#found.policy;
  }

  /** The state of each file of servers when it was read. */
  get files(): ServerSource['files'] {
    return this.#found.files;
  }

  /** Problems and warnings of the configuration at the start. */
  get notes(): readonly string[] {
    return this.#examine().notes;
  }

  #examine(): ConfiguredServers {
    const isLate = this.#found.names !== undefined;
    const read = this.#found.examine();
    if (isLate) read.notes.forEach(this.#setup.notify);
    return read;
  }

  /** Loads the code of connections. It starts no server. */
  load(): Promise<McpServers> {
    return (this.#loading ??= this.#load());
  }

  async #load(): Promise<McpServers> {
    const { connectServers } = await import('./connect-servers.ts');
    const { rules, cwd } = this.#setup;
    const servers = connectServers({ read: this.#examine(), rules, cwd, session: () => this.#session });
    servers.listen(() => {
      for (const listener of this.#listeners) listener();
    });
    this.#loaded = servers;
    process.once('exit', this.#kill);
    return servers;
  }

  /** Calls `listener` after each change of a state or a list. Returns a function that removes it. */
  listen(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Adds the prompts and resources of servers that the user names. */
  async expand(prompt: TypedPrompt, signal: AbortSignal): Promise<UserMessage['content']> {
    return namesServer(prompt.typed) ? (await this.load()).expand(prompt, signal) : prompt.content;
  }

  /** A session starts. `folder` is for its files; undefined for a session that leaves nothing behind. */
  attach(services: ServerServices, folder: string | undefined): void {
    this.#session = { services, folder };
    // The prompt of a script follows at once.
    const waitMs = this.unexamined ? AFTER_REQUEST_MS : WITHOUT_PROMPT_MS;
    this.#timer ??= setTimeout(() => this.start(), waitMs).unref();
  }

  /** A request is being prepared. */
  startAfterRequest(): void {
    if (this.#hasStarted) return;
    if (this.unexamined) return void this.#timer?.refresh();
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.start(), AFTER_REQUEST_MS).unref();
  }

  /** The answer to the first request has begun, or the program is idle. */
  start(): void {
    if (this.#hasStarted || this.#isClosed) return;
    this.#hasStarted = true;
    clearTimeout(this.#timer);
    // Code that cannot be loaded is reported by each use of a server.
    this.load().then(
      (servers) => (this.#isClosed ? undefined : servers.start()),
      () => undefined,
    );
  }

  /** Starts the servers that waited for a prompt of the user. */
  startWaiting(): void {
    void this.#loaded?.startWaiting();
  }

  /** Connects to a server, with a login in the browser if it needs one. */
  async login(name: string, login: BrowserLogin): Promise<ServerState | undefined> {
    this.#session = { ...this.#session, login };
    return (await this.load()).get(name)?.reconnect();
  }

  /** Removes the stored tokens of a server. Returns false if there are none. */
  async logout(name: string): Promise<boolean> {
    const config = this.view.all.find((server) => server.name === name)?.configured.config;
    if (config === undefined || !('url' in config)) return false;
    const { removeTokens } = await import('./connect-servers.ts');
    return removeTokens(name, config.url);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    // A run that ends early reports bad entries, too.
    this.#examine();
    await this.#loading?.then(
      (servers) => servers.close(),
      () => undefined,
    );
    process.off('exit', this.#kill);
  }
}
