/**
 * One server over its whole life: state, connection, lists, calls, and the reconnection after a loss.
 *
 * Contract:
 * - `start` returns at once. The state is `pending` until the connection is open or has failed.
 * - A lost connection is opened again with growing delays. Calls wait for it as long as the state is `pending`.
 * - Each call ends exactly once: with its result, with an error of the server, at its time limit, or with its signal.
 */
import type { Tool as ToolDefinition } from '@modelcontextprotocol/client';
import { errorCode, errorMessage, untilAborted, omitUndefined } from '@heddle/core';
import type { ConfiguredServer } from '../config/server-config.ts';
import { cleanLine, cleanParagraph, cleanText } from '../server-text.ts';
import { CallLimit, type CallLimits } from './call-limit.ts';
import {
  canFinishAuth,
  connectClient,
  type ConnectDeps,
  isSessionLost,
  isUnauthorized,
  type OpenConnection,
} from './connect-client.ts';
import { HostTransport } from './host-transport.ts';
import { ANYTHING, listItems, LISTS, listTools } from './listing.ts';
import { StdioTransport } from './stdio-transport.ts';

export type ServerStatus = 'connected' | 'failed' | 'needs-auth' | 'pending' | 'disabled';

export interface ServerState {
  readonly status: ServerStatus;
  /** The reason, if the server is not connected. */
  readonly error?: string;
  /** The end of what a process wrote to standard error. */
  readonly stderr?: string;
}

export interface ServerTimes {
  readonly connectMs: number;
  readonly limits: CallLimits;
  /** The delays before attempts to reconnect. After the last one, the server has failed. */
  readonly retryDelaysMs: readonly number[];
}

export interface ServerDeps extends ConnectDeps {
  readonly times: ServerTimes;
  /** Returns why the programs of a server must not start now. Asked before each start, except one that is requested. */
  readonly whyWaiting?: ((server: ConfiguredServer) => string | undefined) | undefined;
  /** The state or a list has changed. */
  readonly onChange: (server: McpServer) => void;
  /** The span of a call, as `traceparent` in `_meta`. Undefined: telemetry is off. */
  readonly traceparentOf?: ((toolUseId: string) => string | undefined) | undefined;
}

export interface ServerCall {
  readonly tool: string;
  readonly input: Readonly<Record<string, unknown>>;
  /** The definition that the server gave. Some transports copy fields of the input to headers. */
  readonly definition?: unknown;
  readonly toolUseId?: string;
  readonly signal: AbortSignal;
  readonly onProgress?: (progress: CallProgress) => void;
}

export interface CallProgress {
  readonly progress: number;
  readonly total?: number | undefined;
  readonly message?: string | undefined;
}

type Items = readonly Readonly<Record<string, unknown>>[];

/** Long instructions would fill the window. */
const INSTRUCTIONS_LIMIT = 2_000;

const LOG_LINES_KEPT = 50;

export class McpServer {
  readonly configured: ConfiguredServer;
  readonly #deps: ServerDeps;
  #state: ServerState;
  #connection: OpenConnection | undefined;
  /** Ends the current attempt, connection and waits. */
  #life = new AbortController();
  #settled = Promise.withResolvers<void>();
  #attempt = 0;
  /** It has not started because of `whyWaiting`. */
  #isWaiting = false;
  #tools: Items = [];
  #prompts: Items = [];
  readonly #open = new Set<CallLimit>();
  #asking = 0;
  readonly #log: string[] = [];

  constructor(configured: ConfiguredServer, deps: ServerDeps) {
    this.configured = configured;
    this.#deps = deps;
    const { disabled } = configured;
    this.#state = disabled === undefined ? { status: 'pending' } : { status: 'disabled', error: disabled };
    if (disabled !== undefined) this.#settled.resolve();
  }

  get name(): string {
    return this.configured.name;
  }

  get state(): ServerState {
    const stderr =
      this.#connection?.transport instanceof StdioTransport ? this.#connection.transport.stderr : '';
    return stderr.trim() === '' ? this.#state : { ...this.#state, stderr: cleanText(stderr.trim()) };
  }

  /** The tools and prompts as the server describes them. They are kept while it reconnects. */
  get tools(): Items {
    return this.#tools;
  }

  get prompts(): Items {
    return this.#prompts;
  }

  get hasResources(): boolean {
    return this.#connection?.client.getServerCapabilities()?.resources !== undefined;
  }

  get instructions(): string | undefined {
    const text = this.#connection?.client.getInstructions();
    return text === undefined || text === '' ? undefined : cleanParagraph(text, INSTRUCTIONS_LIMIT);
  }

  get serverInfo(): { readonly name: string; readonly version: string } | undefined {
    const info = this.#connection?.client.getServerVersion();
    return info && { name: cleanLine(info.name), version: cleanLine(info.version) };
  }

  get protocolVersion(): string | undefined {
    return this.#connection?.client.getNegotiatedProtocolVersion();
  }

  /** The last log messages of the server. */
  get log(): readonly string[] {
    return this.#log;
  }

  start(): void {
    if (this.#state.status === 'pending' && this.#attempt === 0) void this.#connect();
  }

  /** Resolves when the state is no longer `pending`. */
  get settled(): Promise<void> {
    return this.#settled.promise;
  }

  /** Connects again. A server that trust, the administrator or the user forbids stays disabled. */
  async reconnect(): Promise<ServerState> {
    if (this.configured.disabled !== undefined) return this.state;
    await this.#drop();
    this.#life = new AbortController();
    [this.#tools, this.#prompts] = [[], []];
    this.#setPending();
    await this.#openConnection();
    return this.state;
  }

  /** Starts a server that was not allowed to start before. */
  async startWaiting(): Promise<void> {
    if (this.#isWaiting) await this.reconnect();
  }

  async disable(reason: string): Promise<void> {
    await this.#drop();
    [this.#tools, this.#prompts] = [[], []];
    this.#settle({ status: 'disabled', error: reason });
  }

  /** Ends the connection and its process. */
  async close(): Promise<void> {
    await this.#drop();
    this.#state = { status: 'failed', error: 'The connection was closed.' };
    this.#settled.resolve();
  }

  /** Ends processes at once, when the program ends. */
  kill(): void {
    const transport = this.#connection?.transport;
    if (transport instanceof StdioTransport) transport.kill();
  }

  /** Takes a message that a server of the host sent by itself. */
  receive(message: unknown): void {
    const transport = this.#connection?.transport;
    if (transport instanceof HostTransport) transport.receive(message);
  }

  /** Tells the server that the folders of the session changed. */
  announceRoots(): void {
    void this.#connection?.client.sendRootsListChanged().catch(() => undefined);
  }

  #metaOf(toolUseId: string): Record<string, string> {
    const traceparent = this.#deps.traceparentOf?.(toolUseId);
    return { 'heddle/toolUseId': toolUseId, ...omitUndefined({ traceparent }) };
  }

  /** Returns the result as the server gave it. Throws an error with a message for the model. */
  async call({ tool, input, definition, toolUseId, signal, onProgress }: ServerCall): Promise<unknown> {
    const connection = await this.#connected(signal);
    const controller = new AbortController();
    let limitReached: string | undefined;
    const limit = new CallLimit(this.#deps.times.limits, (message) => {
      limitReached = message;
      controller.abort(`The call was cancelled: ${message}.`);
    });
    const stop = (): void => controller.abort('The user cancelled the call.');
    if (signal.aborted) stop();
    signal.addEventListener('abort', stop, { once: true });
    this.#open.add(limit);
    try {
      const meta = toolUseId === undefined ? {} : { _meta: this.#metaOf(toolUseId) };
      return await this.#authorized(connection, controller.signal, () =>
        connection.client.callTool(
          { name: tool, arguments: input, ...meta },
          {
            signal: controller.signal,
            timeout: MAX_TIMER_MS,
            onprogress: (progress) => {
              limit.progress();
              onProgress?.(progress);
            },
            ...(isDefinition(definition) ? { toolDefinition: definition } : {}),
          },
        ),
      );
    } catch (thrown) {
      throw new Error(this.#callFailure(tool, thrown, limitReached, signal), { cause: thrown });
    } finally {
      limit.end();
      this.#open.delete(limit);
      signal.removeEventListener('abort', stop);
    }
  }

  /** Sends any other request, with the time limit of a connection. */
  async request(
    method: string,
    params: Readonly<Record<string, unknown>>,
    signal: AbortSignal,
  ): Promise<unknown> {
    const connection = await this.#connected(signal);
    const options = { signal, timeout: this.#deps.times.connectMs };
    return this.#authorized(connection, signal, () =>
      connection.client.request({ method, params }, ANYTHING, options),
    );
  }

  /** Lists the resources or the templates of resources. */
  async list(kind: 'resources' | 'templates', signal: AbortSignal): Promise<Items> {
    const connection = await this.#connected(signal);
    const options = { signal, timeout: this.#deps.times.connectMs };
    return this.#authorized(connection, signal, () => listItems(connection.client, LISTS[kind], options));
  }

  /**
   * A server may want another login at any time, with more rights. Without one, its state is `needs-auth`. A server that
   * has forgotten the session is connected again, and the request has failed.
   */
  async #authorized<T>(connection: OpenConnection, signal: AbortSignal, work: () => Promise<T>): Promise<T> {
    const { transport, oauth } = connection;
    try {
      return await work();
    } catch (thrown) {
      if (isSessionLost(thrown, transport)) this.#forgotten(connection);
      if (!isUnauthorized(thrown)) throw thrown;
      if (canFinishAuth(transport) && (await oauth?.finish(transport, signal))) return work();
      this.#settle({
        status: 'needs-auth',
        error: `The server requires a login: heddle mcp login ${this.name}`,
      });
      throw thrown;
    }
  }

  async #connected(signal: AbortSignal): Promise<OpenConnection> {
    this.start();
    await untilAborted(this.#settled.promise, signal, () => undefined);
    if (this.#connection) return this.#connection;
    throw new Error(`The server ${this.name} is not connected: ${this.#state.error ?? this.#state.status}`);
  }

  async #connect(): Promise<void> {
    const error = this.#deps.whyWaiting?.(this.configured);
    if (error === undefined) return this.#openConnection();
    this.#isWaiting = true;
    [this.#tools, this.#prompts] = [[], []];
    this.#settle({ status: 'failed', error });
  }

  async #openConnection(): Promise<void> {
    this.#isWaiting = false;
    this.#attempt++;
    const life = this.#life;
    const { signal } = life;
    const { times } = this.#deps;
    const result = await connectClient(
      this.configured,
      this.#deps,
      {
        onClosed: (reason) => this.#lost(life, reason),
        listChanged: {
          tools: { autoRefresh: false, onChanged: () => void this.#refresh(life) },
          prompts: { autoRefresh: false, onChanged: () => void this.#refresh(life) },
        },
        whileAsking: (question) => this.#whileAsking(question),
      },
      { signal, timeoutMs: times.connectMs },
    );
    if (life !== this.#life || signal.aborted) {
      if (result.ok) await result.connection.client.close().catch(() => undefined);
      return;
    }
    if (!result.ok) {
      const { why, message, stderr } = result;
      return this.#failed({
        status: why,
        error: message,
        ...(stderr === undefined ? {} : { stderr: cleanText(stderr) }),
      });
    }
    const { connection } = result;
    connection.client.setNotificationHandler('notifications/message', ({ params }) =>
      this.#noteLog(params.level, params.data),
    );
    try {
      const lists = () => this.#lists(connection, signal);
      const [tools, prompts] = await this.#authorized(connection, signal, lists);
      if (life !== this.#life) return;
      [this.#tools, this.#prompts] = [tools, prompts];
      this.#connection = connection;
      this.#attempt = 1;
      this.#settle({ status: 'connected' });
    } catch (thrown) {
      await connection.client.close().catch(() => undefined);
      // A server that requires a login has that state already.
      if (life === this.#life && !isUnauthorized(thrown))
        this.#failed({
          status: 'failed',
          error: `It does not list its tools: ${cleanLine(errorMessage(thrown))}`,
        });
    }
  }

  #lists({ client, transport }: OpenConnection, signal: AbortSignal): Promise<[Items, Items]> {
    const options = { signal, timeout: this.#deps.times.connectMs };
    return Promise.all([
      listTools(client, canFinishAuth(transport), options),
      listItems(client, LISTS.prompts, options).catch((): Items => []),
    ]);
  }

  /** A list that cannot be read again stays as it was. */
  async #refresh(life: AbortController): Promise<void> {
    const connection = this.#connection;
    if (!connection || life !== this.#life) return;
    try {
      const [tools, prompts] = await this.#lists(connection, life.signal);
      if (life !== this.#life) return;
      [this.#tools, this.#prompts] = [tools, prompts];
      this.#deps.onChange(this);
    } catch {
      // The next change, or the next connection, reads them again.
    }
  }

  #lost(life: AbortController, reason: string | undefined): void {
    if (life !== this.#life || !this.#connection) return;
    this.#connection = undefined;
    this.#setPending();
    this.#retry(reason ?? 'The connection was closed.');
  }

  #forgotten(connection: OpenConnection): void {
    if (this.#connection !== connection) return;
    this.#lost(this.#life, 'The server does not have the session any more.');
    void connection.client.close().catch(() => undefined);
  }

  /** A server that was connected before is tried again. One that never was needs a change by the user. */
  #failed(state: ServerState): void {
    if (this.#tools.length > 0 && state.status === 'failed')
      return this.#retry(state.error ?? 'failed', state);
    this.#settle(state);
  }

  #retry(reason: string, state: ServerState = { status: 'failed', error: reason }): void {
    const delay = this.#deps.times.retryDelaysMs[this.#attempt - 1];
    if (delay === undefined) {
      [this.#tools, this.#prompts] = [[], []];
      return this.#settle(state);
    }
    const { signal } = this.#life;
    const timer = setTimeout(() => void this.#connect(), delay);
    timer.unref();
    signal.addEventListener('abort', () => clearTimeout(timer), { once: true });
  }

  #setPending(): void {
    this.#attempt = 1;
    this.#state = { status: 'pending' };
    this.#settled = Promise.withResolvers<void>();
    this.#deps.onChange(this);
  }

  #settle(state: ServerState): void {
    this.#state = state;
    this.#settled.resolve();
    this.#deps.onChange(this);
  }

  async #drop(): Promise<void> {
    const connection = this.#connection;
    this.#connection = undefined;
    this.#life.abort();
    if (connection) await connection.client.close().catch(() => undefined);
  }

  /** The limits of open calls stop while the user thinks. */
  async #whileAsking<T>(question: () => Promise<T>): Promise<T> {
    this.#asking++;
    for (const limit of this.#open) limit.pause();
    try {
      return await question();
    } finally {
      this.#asking--;
      if (this.#asking === 0) for (const limit of this.#open) limit.resume();
    }
  }

  #noteLog(level: string, data: unknown): void {
    const text = typeof data === 'string' ? data : JSON.stringify(data);
    this.#log.push(`${level}: ${cleanLine(text)}`);
    if (this.#log.length > LOG_LINES_KEPT) this.#log.shift();
  }

  #callFailure(tool: string, thrown: unknown, limit: string | undefined, signal: AbortSignal): string {
    if (limit !== undefined) return `${tool} was cancelled: ${limit}. ${UNCERTAIN}`;
    if (signal.aborted) return `${tool} was cancelled. ${UNCERTAIN}`;
    if (errorCode(thrown) === 'CONNECTION_CLOSED')
      return `The server ${this.name} ended the connection during the call. ${UNCERTAIN}`;
    return cleanParagraph(errorMessage(thrown), 10_000);
  }
}

const UNCERTAIN = 'It may or may not have taken effect: check before you repeat it.';

/** The longest delay of a timer. Heddle's own limits end a call. */
const MAX_TIMER_MS = 2 ** 31 - 1;

function isDefinition(value: unknown): value is ToolDefinition {
  return typeof value === 'object' && value !== null && 'inputSchema' in value && 'name' in value;
}
