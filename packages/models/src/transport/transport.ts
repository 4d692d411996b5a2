/**
 * Requests over node:http(s) on connections that are kept. `fetch` would be shorter, and needs twice the memory and several
 * times the work for a body that is half a megabyte long at every turn.
 */
import type { Agent, ClientRequest, IncomingMessage, OutgoingHttpHeaders, RequestOptions } from 'node:http';
import type { Environment } from '../secrets/environment.ts';
import { EarlyConnection } from './early-connection.ts';

export interface TransportOptions {
  readonly url: URL;
  readonly environment: Environment;
  readonly extraCaFile: string | undefined;
}

export interface Outgoing {
  readonly path: string;
  readonly headers: OutgoingHttpHeaders;
  /** Written one after another, never joined. */
  readonly pieces: readonly Uint8Array[];
}

export interface Listener {
  onResponse(response: IncomingMessage): void;
  /** Before any response. */
  onError(error: Error): void;
}

type Request = (options: RequestOptions, onResponse: (response: IncomingMessage) => void) => ClientRequest;

interface Door {
  readonly request: Request;
  readonly agent: Agent;
}

export class Transport {
  readonly #options: TransportOptions;
  readonly #early = new EarlyConnection();
  #door: Promise<Door> | undefined;

  constructor(options: TransportOptions) {
    this.#options = options;
  }

  /** Opens a connection for the first request to use. Errors are left to that request. */
  async preconnect(): Promise<void> {
    try {
      await this.#opened();
      this.#early.open(this.#options.url, this.#options.environment);
    } catch {
      // The request will say it, to someone who listens.
    }
  }

  /**
   * Rejects when the settings themselves are wrong; whatever happens afterwards goes to the listener. Sends nothing if by
   * the time it could nobody wants it any more.
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
    void this.#door?.then(
      ({ agent }) => agent.destroy(),
      () => undefined,
    );
    this.#door = undefined;
  }

  #opened(): Promise<Door> {
    this.#door ??= open(this.#options, this.#early);
    return this.#door;
  }
}

async function open(
  { url, environment, extraCaFile }: TransportOptions,
  early: EarlyConnection,
): Promise<Door> {
  const options = { keepAlive: true, proxyEnv: { ...environment } };
  // An `import` would touch every export of node:http, and some of them load a second HTTP client: 30 ms for nothing.
  if (url.protocol === 'http:') {
    const { Agent, request } = process.getBuiltinModule('node:http');
    return { request, agent: early.serve(new Agent(options), options) };
  }
  const { Agent, request } = process.getBuiltinModule('node:https');
  const { trustedBeside } = await import('./certificates.ts');
  const ca = await trustedBeside(extraCaFile);
  const secure = ca === undefined ? options : { ...options, ca };
  return { request, agent: early.serve(new Agent(secure), secure) };
}

function hostOf(url: URL): string {
  return url.hostname.replace(/^\[(.*)\]$/, '$1');
}

/** A gateway may live below a path of its own. */
function pathOf(url: URL, path: string): string {
  return url.pathname.replace(/\/+$/, '') + path;
}
