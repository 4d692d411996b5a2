/**
 * Sends requests over node:http(s) on persistent connections. `fetch` would be shorter, but needs twice
 * the memory and several times the CPU for a body of half a megabyte per turn.
 */
import type {
  Agent,
  AgentOptions,
  ClientRequest,
  IncomingMessage,
  OutgoingHttpHeaders,
  RequestOptions,
} from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { type Environment, readVariable } from '../secrets/environment.ts';

interface TransportOptions {
  readonly url: URL;
  readonly environment: Environment;
  readonly extraCaFile: string | undefined;
}

interface Outgoing {
  readonly path: string;
  readonly headers: OutgoingHttpHeaders;
  /** Written one after another, never joined. */
  readonly pieces: readonly Uint8Array[];
}

interface Listener {
  onResponse(response: IncomingMessage): void;
  /** Called before any response. */
  onError(error: Error): void;
}

type Request = (options: RequestOptions, onResponse: (response: IncomingMessage) => void) => ClientRequest;

interface HttpClient {
  readonly request: Request;
  readonly agent: Agent;
}

export class Transport {
  readonly #options: TransportOptions;
  readonly #early = new EarlyConnection();
  #client: Promise<HttpClient> | undefined;

  constructor(options: TransportOptions) {
    this.#options = options;
  }

  /** Opens a connection for the first request. Errors are left to that request. */
  async preconnect(): Promise<void> {
    try {
      await this.#opened();
      this.#early.open(this.#options.url, this.#options.environment);
    } catch {
      // The request reports the error to its listener.
    }
  }

  /**
   * Rejects if the settings themselves are wrong. Later errors go to the listener. Sends nothing if the
   * call was aborted in the meantime.
   */
  async send(
    { path, headers, pieces }: Outgoing,
    listener: Listener,
    isWanted: () => boolean,
  ): Promise<ClientRequest | undefined> {
    const { url } = this.#options;
    const { request, agent } = await this.#opened();
    if (!isWanted()) return undefined;
    const outgoing = request(
      {
        method: 'POST',
        protocol: url.protocol,
        host: hostOf(url),
        port: url.port,
        path: pathOf(url, path),
        headers,
        agent,
      },
      (response) => listener.onResponse(response),
    );
    outgoing.on('error', (error) => listener.onError(error));
    outgoing.cork();
    for (const piece of pieces) outgoing.write(piece);
    outgoing.uncork();
    outgoing.end();
    return outgoing;
  }

  close(): void {
    this.#early.close();
    void this.#client?.then(
      ({ agent }) => agent.destroy(),
      () => undefined,
    );
    this.#client = undefined;
  }

  #opened(): Promise<HttpClient> {
    this.#client ??= open(this.#options, this.#early);
    return this.#client;
  }
}

async function open(
  { url, environment, extraCaFile }: TransportOptions,
  early: EarlyConnection,
): Promise<HttpClient> {
  const options = { keepAlive: true, proxyEnv: { ...environment } };
  // An `import` would load every export of node:http, including a second HTTP client. That costs 30 ms.
  if (url.protocol === 'http:') {
    const { Agent, request } = process.getBuiltinModule('node:http');
    return { request, agent: early.serve(new Agent(options), options) };
  }
  const { Agent, request } = process.getBuiltinModule('node:https');
  const { readExtraCertificates } = await import('./certificates.ts');
  const ca = await readExtraCertificates(extraCaFile);
  const secure = ca === undefined ? options : { ...options, ca };
  return { request, agent: early.serve(new Agent(secure), secure) };
}

function hostOf(url: URL): string {
  return url.hostname.replace(/^\[(.*)\]$/, '$1');
}

/** The address of a gateway may contain a path. */
function pathOf(url: URL, path: string): string {
  return url.pathname.replace(/(?<!\/)\/+$/, '') + path;
}

// A connection that is opened before the first request. That request uses it in any state. If it has failed
// or waited too long, the request opens its own connection and reports its errors.

class EarlyConnection {
  #socket: Socket | undefined;
  #connect: ((options: Place) => Duplex | null | undefined) | undefined;
  readonly #drop = (): void => {
    this.#socket = undefined;
  };

  /** Makes the agent use this connection first. */
  serve<T extends Agent>(agent: T, options: AgentOptions): T {
    const connect = agent.createConnection.bind(agent);
    this.#connect = (given) => connect({ ...options, ...given });
    agent.createConnection = (options, callback) => this.#take() ?? connect(options, callback);
    return agent;
  }

  open(url: URL, environment: Environment): void {
    const isSecure = url.protocol === 'https:';
    // Only the agent itself can set up a tunnel.
    if (this.#socket || (isSecure && proxyFor(environment) !== undefined)) return;
    const host = url.hostname.replace(/^\[(.*)\]$/, '$1');
    const port = Number(url.port === '' ? (isSecure ? 443 : 80) : url.port);
    const secured = isSecure && !/^[\d.:]+$/.test(host) ? { servername: host } : {};
    const socket = this.#connect?.({ ...secured, host, port });
    if (!isSocket(socket)) return;
    socket.on('error', this.#drop).on('close', this.#drop);
    // The connection must not keep the process alive.
    socket.unref();
    this.#socket = socket;
  }

  close(): void {
    this.#socket?.destroy();
  }

  #take(): Socket | undefined {
    const socket = this.#socket;
    this.#socket = undefined;
    if (!socket || socket.destroyed || socket.readableEnded) return undefined;
    socket.off('error', this.#drop).off('close', this.#drop);
    return socket.ref();
  }
}

interface Place {
  readonly host: string;
  readonly port: number;
  readonly servername?: string;
}

function proxyFor(environment: Environment): string | undefined {
  return readVariable(environment, 'https_proxy') ?? readVariable(environment, 'HTTPS_PROXY');
}

function isSocket(value: Duplex | null | undefined): value is Socket {
  return value !== null && value !== undefined && 'unref' in value;
}
