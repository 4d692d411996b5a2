/** Opens a connection: transport, handshake and revision of the protocol. The library is loaded with the first one. */
import type * as Library from '@modelcontextprotocol/client';
import type {
  Client,
  ListChangedHandlers,
  SSEClientTransport,
  StreamableHTTPClientTransport,
  StreamableHTTPClientTransportOptions,
  Transport,
} from '@modelcontextprotocol/client';
import { errorCode, errorMessage } from '@heddle/core';
import type { ConfiguredServer, RemoteConfig } from '../config/server-config.ts';
import type { StoredOAuth } from '../oauth/stored-oauth.ts';
import { cleanLine } from '../server-text.ts';
import { capabilitiesOf, type ClientServices, registerServices } from './client-services.ts';
import { HostTransport, type SendToHost } from './host-transport.ts';
import { orderMessages } from './ordered-messages.ts';
import { type StdioDeps, StdioTransport } from './stdio-transport.ts';

export interface ConnectDeps extends StdioDeps {
  readonly version: string;
  readonly services: ClientServices;
  readonly sendToHost?: SendToHost | undefined;
  /** The folder in which a server and its helper start in place of `cwd`. Asked before each start. */
  readonly startsElsewhere?: ((server: ConfiguredServer) => OtherFolder | undefined) | undefined;
  /** Runs a `headersHelper` in a folder, and returns the headers it printed. */
  readonly runHeadersHelper?: (command: string, cwd: string) => Promise<Readonly<Record<string, string>>>;
  readonly oauth?: (server: ConfiguredServer) => StoredOAuth | undefined;
}

interface OtherFolder {
  readonly cwd: string;
  /** A sentence that follows the report of a failed start. */
  readonly reason: string;
}

export interface ConnectHandlers {
  readonly onClosed: (reason: string | undefined) => void;
  readonly onMessage?: (text: string) => void;
  readonly listChanged: ListChangedHandlers;
  readonly whileAsking: <T>(question: () => Promise<T>) => Promise<T>;
}

export interface OpenConnection {
  readonly client: Client;
  readonly transport: Transport;
  /** Undefined if the connection has no login. */
  readonly oauth?: StoredOAuth | undefined;
}

export type Connecting =
  | { readonly ok: true; readonly connection: OpenConnection }
  | {
      readonly ok: false;
      readonly why: 'failed' | 'needs-auth';
      readonly message: string;
      readonly stderr?: string;
    };

/** A child process that does not know the newer revision may never answer the probe for it. */
const STDIO_PROBE_MS = 5_000;

/** Never throws. `signal` aborts the attempt, and ends a process that it started. */
export async function connectClient(
  server: ConfiguredServer,
  deps: ConnectDeps,
  handlers: ConnectHandlers,
  { signal, timeoutMs }: { readonly signal: AbortSignal; readonly timeoutMs: number },
): Promise<Connecting> {
  const library = await import('@modelcontextprotocol/client');
  const attempt = async (transport: Transport, mode: 'auto' | 'legacy'): Promise<OpenConnection> => {
    const client = new library.Client(
      { name: 'heddle', title: 'Heddle', version: deps.version },
      {
        capabilities: capabilitiesOf(deps.services),
        listChanged: handlers.listChanged,
        versionNegotiation: {
          mode,
          probe: {
            timeoutMs: server.config.type === 'stdio' ? Math.min(STDIO_PROBE_MS, timeoutMs) : timeoutMs,
          },
        },
      },
    );
    registerServices(client, server.name, deps.services, handlers.whileAsking);
    const stop = (): void => void transport.close().catch(() => undefined);
    signal.addEventListener('abort', stop, { once: true });
    try {
      signal.throwIfAborted();
      await client.connect(transport, { timeout: timeoutMs, signal });
      return { client, transport };
    } catch (thrown) {
      stop();
      throw thrown;
    } finally {
      signal.removeEventListener('abort', stop);
    }
  };
  let transport: Transport | undefined;
  const elsewhere = deps.startsElsewhere?.(server);
  const { cwd } = elsewhere ?? deps;
  try {
    const connection = await (async () => {
      const { config } = server;
      switch (config.type) {
        case 'sdk':
          if (!deps.sendToHost) throw new Error('Only a host has servers of the type sdk.');
          transport = new HostTransport(server.name, deps.sendToHost);
          return attempt(transport, 'legacy');
        case 'stdio': {
          const first = new StdioTransport(config, { ...deps, cwd });
          transport = first;
          return attempt(first, 'auto').catch((thrown: unknown) => {
            // Some servers end when they receive a request before `initialize`.
            if (signal.aborted || !hasEndedEarly(thrown)) throw thrown;
            transport = new StdioTransport(config, { ...deps, cwd });
            return attempt(transport, 'legacy');
          });
        }
        case 'sse':
        case 'http': {
          const { provider, options } = await remoteOptions(server, config, { ...deps, cwd });
          const open = () => openRemote(library, config, options);
          const mode = config.type === 'sse' ? 'legacy' : 'auto';
          const first = open();
          transport = first;
          const connection = await attempt(first, mode).catch(async (thrown: unknown) => {
            if (!isUnauthorized(thrown) || !(await provider?.finish(first, signal))) throw thrown;
            transport = open();
            return attempt(transport, mode);
          });
          return { ...connection, oauth: provider };
        }
      }
    })();
    // oxlint-disable-next-line unicorn/prefer-add-event-listener -- the library has no other way
    connection.client.onclose = () => handlers.onClosed(endingOf(connection.transport));
    return { ok: true, connection };
  } catch (thrown) {
    return failure(server, thrown, transport, elsewhere?.reason);
  }
}

function hasEndedEarly(thrown: unknown): boolean {
  return errorCode(thrown) === 'ERA_NEGOTIATION_FAILED' || errorCode(thrown) === 'CONNECTION_CLOSED';
}

async function remoteOptions(
  server: ConfiguredServer,
  config: RemoteConfig,
  { oauth, runHeadersHelper, cwd }: ConnectDeps,
): Promise<{ provider: StoredOAuth | undefined; options: StreamableHTTPClientTransportOptions }> {
  const { headersHelper } = config;
  const helped = headersHelper === undefined ? {} : await runHeadersHelper?.(headersHelper, cwd);
  const headers = { ...config.headers, ...helped };
  const hasOwn = Object.keys(headers).some((name) => name.toLowerCase() === 'authorization');
  const provider = hasOwn ? undefined : oauth?.(server);
  return { provider, options: { requestInit: { headers }, ...(provider ? { authProvider: provider } : {}) } };
}

function openRemote(
  library: Pick<typeof Library, 'SSEClientTransport' | 'StreamableHTTPClientTransport'>,
  { type, url }: RemoteConfig,
  options: StreamableHTTPClientTransportOptions,
): SSEClientTransport | StreamableHTTPClientTransport {
  const opened =
    type === 'sse'
      ? new library.SSEClientTransport(new URL(url), options)
      : new library.StreamableHTTPClientTransport(new URL(url), options);
  orderMessages(opened);
  return opened;
}

export function canFinishAuth(
  transport: Transport,
): transport is SSEClientTransport | StreamableHTTPClientTransport {
  return 'finishAuth' in transport;
}

/** The server wants a login, or one with more rights. */
export function isUnauthorized(thrown: unknown): boolean {
  if (!(thrown instanceof Error)) return false;
  return thrown.name === 'UnauthorizedError' || ('status' in thrown && thrown.status === 401);
}

/** The server does not have the session any more, or cannot be reached. Only a new connection helps. */
export function isSessionLost(thrown: unknown, transport: Transport): boolean {
  if (!(thrown instanceof Error) || !canFinishAuth(transport)) return false;
  const hasSession = 'sessionId' in transport && transport.sessionId !== undefined;
  const isForgotten = hasSession && 'status' in thrown && thrown.status === 404;
  return isForgotten || (thrown instanceof TypeError && thrown.message === 'fetch failed');
}

/** `folderNote`: the reason why the program started in another folder, which may be why it failed. */
function failure(
  { name, config }: ConfiguredServer,
  thrown: unknown,
  transport: Transport | undefined,
  folderNote: string | undefined,
): Extract<Connecting, { ok: false }> {
  const needsLogin = isUnauthorized(thrown);
  const stderr = transport instanceof StdioTransport ? transport.stderr.trim() : '';
  const ending = transport === undefined ? undefined : endingOf(transport);
  const why = needsLogin ? 'needs-auth' : 'failed';
  const message = needsLogin
    ? `The server requires a login: heddle mcp login ${name}`
    : (ending ?? cleanLine(errorMessage(thrown)));
  // A helper that fails ends the attempt before there is a transport.
  const isProgram = config.type !== 'sdk' && (transport === undefined || transport instanceof StdioTransport);
  const note = isProgram && folderNote !== undefined ? ` ${folderNote}` : '';
  return { ok: false, why, message: message + note, ...(stderr === '' ? {} : { stderr }) };
}

function endingOf(transport: Transport): string | undefined {
  return transport instanceof StdioTransport ? transport.ending : undefined;
}
