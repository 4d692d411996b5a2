/** The test server behind an address: streamable HTTP, or the older SSE. Each connection has a process of its own. */
import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { startLoopback } from '../loopback.ts';
import { type Fields, fieldsOf } from './rpc-server.ts';
import { testServer } from './test-servers.ts';

export interface RemoteServer {
  /** The address for a client. */
  readonly url: string;
  /** The number of connections so far. */
  readonly connections: number;
  /** Ends all connections and their processes. A new connection is possible. */
  drop(): void;
  close(): Promise<void>;
}

interface RemoteSession {
  readonly child: ChildProcessWithoutNullStreams;
  /** Receives messages that answer no open request. */
  stream: ServerResponse | undefined;
  /** The open requests of streamable HTTP, by id. */
  readonly waiting: Map<string, ServerResponse>;
}

/** `program`: the server behind the address. */
export async function startRemoteServer(
  kind: 'http' | 'sse',
  { command, args }: Pick<ReturnType<typeof testServer>, 'command' | 'args'> = testServer('remote'),
): Promise<RemoteServer> {
  const sessions = new Map<string, RemoteSession>();
  let connections = 0;

  const open = (): string => {
    const child = spawn(command, args);
    const session: RemoteSession = { child, stream: undefined, waiting: new Map() };
    const id = randomUUID();
    sessions.set(id, session);
    connections++;
    createInterface({ input: child.stdout }).on('line', (line) => deliver(session, line));
    return id;
  };
  const end = (id: string): void => endSession(sessions, id);

  const answerSse = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    if (request.method === 'GET') {
      const id = open();
      const session = sessions.get(id);
      if (session) session.stream = startStream(response);
      // Clients connect again after this time.
      response.write('retry: 10\n\n');
      response.write(`event: endpoint\ndata: /messages?session=${id}\n\n`);
      response.once('close', () => end(id));
      return;
    }
    const id = new URL(request.url ?? '', 'http://localhost').searchParams.get('session') ?? '';
    sessions.get(id)?.child.stdin.write(`${await text(request)}\n`);
    response.writeHead(sessions.has(id) ? 202 : 404).end();
  };

  const answerHttp = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const known = String(request.headers['mcp-session-id'] ?? '');
    const session = sessions.get(known);
    if (request.method === 'DELETE') {
      end(known);
      return void response.writeHead(200).end();
    }
    if (request.method === 'GET') {
      if (!session) return void response.writeHead(404).end();
      session.stream = startStream(response);
      return undefined;
    }
    const body = await text(request);
    const message = fieldsOf(JSON.parse(body));
    if (message['method'] === 'server/discover') return void response.writeHead(400).end();
    const id = message['method'] === 'initialize' ? open() : known;
    const current = sessions.get(id);
    if (!current) return void response.writeHead(404).end();
    const isRequest = message['method'] !== undefined && message['id'] !== undefined;
    if (isRequest) {
      response.setHeader('mcp-session-id', id);
      current.waiting.set(String(message['id']), startStream(response));
    }
    current.child.stdin.write(`${body}\n`);
    if (!isRequest) response.writeHead(202).end();
    return undefined;
  };

  const loopback = await startLoopback(kind === 'sse' ? answerSse : answerHttp, (problem) => {
    throw new Error(problem);
  });
  const drop = (): void => {
    for (const id of sessions.keys()) end(id);
  };
  return {
    url: `${loopback.url}/${kind === 'sse' ? 'sse' : 'mcp'}`,
    get connections() {
      return connections;
    },
    drop,
    async close() {
      drop();
      await loopback.close();
    },
  };
}

function endSession(sessions: Map<string, RemoteSession>, id: string): void {
  const session = sessions.get(id);
  sessions.delete(id);
  session?.child.kill();
  session?.stream?.destroy();
  for (const response of session?.waiting.values() ?? []) response.destroy();
}

function startStream(response: ServerResponse): ServerResponse {
  response.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders();
  return response;
}

/** An answer ends the stream of its request. Other messages use any open stream. */
function deliver({ stream, waiting }: RemoteSession, line: string): void {
  const { id, method }: Fields = fieldsOf(JSON.parse(line));
  const asked = method === undefined ? waiting.get(String(id)) : undefined;
  const target = asked ?? waiting.values().next().value ?? stream;
  // Messages that the server wrote in one piece arrive in one piece.
  if (target && !target.writableCorked) {
    target.cork();
    setImmediate(() => target.uncork());
  }
  target?.write(`event: message\ndata: ${line}\n\n`);
  if (!asked) return;
  waiting.delete(String(id));
  asked.end();
}
