/** The MCP servers of the program. They outlive a session: `/clear` does not restart them. */
import { admitMedia, isToolDenied, type LivePermissions, VERSION, newUuid } from '@heddle/agent';
import type { ConfiguredServers } from '@heddle/agent/mcp';
import { type ResultContent, text } from '@heddle/core';
import {
  type BrowserLogin,
  type ClientServices,
  McpServers,
  type SendToHost,
  type ServerState,
  StoredOAuth,
  TokenStore,
} from '@heddle/mcp';
import { mkdir, mkdtemp, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { configDir } from '../config-dir.ts';
import { commandEnvironment } from '../keys.ts';
import { runHeadersHelper } from './headers-helper.ts';

/** The features of a surface that servers may use. */
export interface ServerServices extends Pick<ClientServices, 'elicit' | 'sample'> {
  readonly sendToHost?: SendToHost | undefined;
  /** The span of a call. Undefined: telemetry is off. */
  readonly traceparentOf?: ((toolUseId: string | undefined) => string | undefined) | undefined;
}

/** Servers that connect need the processor. If no answer begins in this time, the request is on its way. */
const AFTER_REQUEST_MS = 1_000;

/** A host, or a user at a terminal, that sends no prompt in this time is not delayed by servers. */
const WITHOUT_PROMPT_MS = 2_000;

export class ProgramServers {
  readonly servers: McpServers;
  /** Problems and warnings of the configuration at the start. */
  readonly notes: readonly string[];
  #services: ServerServices = {};
  #folder: string | undefined;
  #timer: NodeJS.Timeout | undefined;
  #hasStarted = false;
  #login: BrowserLogin | undefined;
  readonly #kill = (): void => this.servers.kill();
  readonly #tokens = new TokenStore(path.join(configDir(process.env), 'mcp-auth.json'));

  constructor(
    { servers, policy, notes }: ConfiguredServers,
    rules: LivePermissions | undefined,
    cwd: string,
  ) {
    this.notes = notes;
    const services = servicesOf(
      () => this.#services,
      () => [cwd, ...(rules?.directories ?? [])],
    );
    this.servers = new McpServers(servers, {
      version: VERSION,
      environment: commandEnvironment(),
      variables: process.env,
      cwd,
      services,
      policy,
      isDenied: (tool) => rules !== undefined && isToolDenied(tool, rules.rules),
      sendToHost: (server, message, signal) => this.#sendToHost(server, message, signal),
      traceparentOf: (toolUseId) => this.#services.traceparentOf?.(toolUseId),
      runHeadersHelper,
      oauth: (server) =>
        server.config.type === 'http' || server.config.type === 'sse'
          ? new StoredOAuth(server, server.config, this.#tokens, this.#login)
          : undefined,
      admitImages: (content, signal) => admitImages(content, signal),
      storeFile: (data, extension) => this.#store(data, extension),
    });
    process.once('exit', this.#kill);
  }

  /** A session starts. `folder` is for its files; undefined for a session that leaves nothing behind. */
  attach(services: ServerServices, folder: string | undefined): void {
    this.#services = services;
    this.#folder = folder;
    this.#timer ??= setTimeout(() => this.start(), WITHOUT_PROMPT_MS).unref();
  }

  /** A request is being prepared. */
  startAfterRequest(): void {
    if (this.#hasStarted) return;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.start(), AFTER_REQUEST_MS).unref();
  }

  /** The answer to the first request has begun, or the program is idle. */
  start(): void {
    if (this.#hasStarted) return;
    this.#hasStarted = true;
    clearTimeout(this.#timer);
    this.servers.start();
  }

  /** Connects to a server, with a login in the browser if it needs one. */
  async login(name: string, login: BrowserLogin): Promise<ServerState | undefined> {
    this.#login = login;
    return this.servers.get(name)?.reconnect();
  }

  /** Removes the stored tokens of a server. Returns false if there are none. */
  logout(name: string): boolean {
    const config = this.servers.get(name)?.configured.config;
    return config !== undefined && 'url' in config && this.#tokens.remove(TokenStore.keyOf(name, config.url));
  }

  async close(): Promise<void> {
    clearTimeout(this.#timer);
    await this.servers.close();
    process.off('exit', this.#kill);
  }

  async #sendToHost(server: string, message: unknown, signal: AbortSignal): Promise<unknown> {
    const { sendToHost } = this.#services;
    if (!sendToHost) throw new Error('There is no host.');
    return sendToHost(server, message, signal);
  }

  async #store(data: Buffer, extension: string): Promise<string> {
    this.#folder ??= await mkdtemp(path.join(os.tmpdir(), 'heddle-mcp-'));
    await mkdir(this.#folder, { recursive: true });
    const file = path.join(this.#folder, `${newUuid()}.${extension}`);
    await writeFile(file, data, { mode: 0o600 });
    return file;
  }
}

/** Advertised are the features of the surface at the time of the connection. */
function servicesOf(current: () => ServerServices, roots: () => readonly string[]): ClientServices {
  return {
    roots,
    get elicit() {
      return current().elicit;
    },
    get sample() {
      return current().sample;
    },
  };
}

async function admitImages(
  content: readonly ResultContent[],
  signal: AbortSignal,
): Promise<readonly ResultContent[]> {
  const admitted = await admitMedia(content, signal);
  if (typeof admitted === 'string') return [text(admitted)];
  // Blocks are kept, scaled, or replaced by text.
  return admitted.filter(
    (block) => block.type === 'text' || block.type === 'image' || block.type === 'document',
  );
}
