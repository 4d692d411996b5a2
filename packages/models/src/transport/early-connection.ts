/**
 * A connection that is opened before there is anything to say. The first request takes it over in whatever state it is; if
 * it has failed or waited too long, the request opens one of its own and reports what it meets.
 */
import type { Agent, AgentOptions } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { type Environment, variable } from '../secrets/environment.ts';

export class EarlyConnection {
  #socket: Socket | undefined;
  #connect: ((options: Place) => Duplex | null | undefined) | undefined;
  readonly #drop = (): void => {
    this.#socket = undefined;
  };

  /** Makes the agent ask here first. */
  serve<T extends Agent>(agent: T, options: AgentOptions): T {
    const connect = agent.createConnection.bind(agent);
    this.#connect = (given) => connect({ ...options, ...given });
    agent.createConnection = (options, callback) => this.#take() ?? connect(options, callback);
    return agent;
  }

  open(url: URL, environment: Environment): void {
    const isSecure = url.protocol === 'https:';
    // A tunnel is built in several steps that only the agent itself can see through.
    if (this.#socket || (isSecure && proxyFor(environment) !== undefined)) return;
    const host = url.hostname.replace(/^\[(.*)\]$/, '$1');
    const port = Number(url.port === '' ? (isSecure ? 443 : 80) : url.port);
    const secured = isSecure && !/^[\d.:]+$/.test(host) ? { servername: host } : {};
    const socket = this.#connect?.({ ...secured, host, port });
    if (!isSocket(socket)) return;
    socket.on('error', this.#drop).on('close', this.#drop);
    // Nothing is lost when the program ends before it has asked anything.
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
  return variable(environment, 'https_proxy') ?? variable(environment, 'HTTPS_PROXY');
}

function isSocket(value: Duplex | null | undefined): value is Socket {
  return value !== null && value !== undefined && 'unref' in value;
}
