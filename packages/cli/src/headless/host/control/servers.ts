/** Control requests of a host about MCP servers, and the servers in the process of the host. */
import type { LivePermissions } from '@heddle/agent';
import { errorMessage, isRecord } from '@heddle/core';
import {
  type ClientServices,
  type ConfiguredServer,
  type McpServer,
  readElicitation,
  readServers,
  type SendToHost,
  sharedPrefixOf,
  toolName,
} from '@heddle/mcp';
import { commandEnvironment } from '../../../keys.ts';
import type { ProgramServers } from '../../../mcp/program-servers.ts';
import { type HostLine, lineIn, textIn } from '../json.ts';
import type { HostRequests } from '../requests.ts';
import { controlFailure, type ControlHandlers, type ControlReply, controlSuccess } from './reply.ts';

/** A host that asks for the state of servers gets it after this time, even if some are still connecting. */
const STATUS_WAIT_MS = 3_000;

/** The first prompt waits this long for servers in the process of the host. They answer at once, or never. */
const HOST_SERVERS_WAIT_MS = 5_000;

const CALL_LIMIT_MS = 10 * 60_000;

const DENIED = 'A rule denies it.';

/** Requests that may take long. Prompts and other requests do not wait for their replies. */
export const LONG_REQUESTS: ReadonlySet<string> = new Set([
  'mcp_status',
  'mcp_set_servers',
  'mcp_reconnect',
  'mcp_toggle',
  'mcp_call',
  'mcp_read_resource',
]);

/** Sends messages to the servers of a host. */
export function hostSender(requests: HostRequests): SendToHost {
  return async (server, message, signal) => {
    const request = { subtype: 'mcp_message', server_name: server, message };
    const reply = await requests.ask(request, { signal });
    if (!reply.ok) throw new Error(reply.message);
    return reply.response['mcp_response'];
  };
}

/** Passes questions of servers on to the host. A host that does not answer has declined. */
export function hostElicitation(requests: HostRequests): NonNullable<ClientServices['elicit']> {
  return async ({ server, message, schema, url, id }, signal) => {
    const reply = await requests.ask(
      {
        subtype: 'elicitation',
        mcp_server_name: server,
        message,
        mode: url === undefined ? 'form' : 'url',
        url,
        elicitation_id: id,
        requested_schema: schema,
      },
      { signal },
    );
    return reply.ok ? readElicitation(reply.response) : { action: 'decline' };
  };
}

type ServerSet = Pick<ProgramServers, 'view' | 'load'>;

/** Adds the servers that `initialize` names, and starts all servers of the host. Some clients name them in `--mcp-config`. */
export async function addHostServers(mcp: ServerSet, names: readonly string[]): Promise<void> {
  if (names.length > 0) await (await mcp.load()).replace('host', names.map(hostServer));
  for (const server of await hostServersOf(mcp)) server.start();
}

/** Most hosts have none. Then the code of servers is not loaded before the first request. */
async function hostServersOf(mcp: ServerSet): Promise<readonly McpServer[]> {
  const isOfHost = ({ configured }: Pick<McpServer, 'configured'>): boolean =>
    configured.config.type === 'sdk';
  return mcp.view.all.some(isOfHost) ? (await mcp.load()).all.filter(isOfHost) : [];
}

/** Waits until the servers of the host are connected, a limited time. */
export async function hostServersReady(mcp: ServerSet): Promise<void> {
  const servers = await hostServersOf(mcp);
  // A host may send no `initialize`.
  for (const server of servers) server.start();
  if (servers.every(({ state }) => state.status !== 'pending')) return;
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, HOST_SERVERS_WAIT_MS);
  });
  await Promise.race([late, Promise.all(servers.map(({ settled }) => settled))]);
  clearTimeout(timer);
}

/** Calls `onChange` when servers with prompts connect, change or end. Returns a function that ends this. */
export function watchPrompts(mcp: ProgramServers, onChange: () => void): () => void {
  const listed = (): string => JSON.stringify(mcp.view.prompts.map(({ command }) => command));
  let before = listed();
  return mcp.listen(() => {
    const now = listed();
    if (now === before) return;
    before = now;
    onChange();
  });
}

function hostServer(name: string): ConfiguredServer {
  return { name, config: { type: 'sdk' }, scope: 'host' };
}

export function serverHandlers(
  mcp: ProgramServers | undefined,
  permissions: LivePermissions,
  refresh: () => Promise<void>,
): ControlHandlers {
  const named = async (name: unknown): Promise<McpServer | undefined> =>
    (await mcp?.load())?.get(textIn(name) ?? '');
  const missing = (name: unknown): ControlReply => controlFailure(`There is no MCP server ${String(name)}.`);
  return {
    mcp_status: async () => {
      await refresh();
      const servers = await mcp?.load();
      await servers?.settle(STATUS_WAIT_MS);
      return controlSuccess({ mcpServers: servers?.report() ?? [] });
    },
    mcp_set_servers: ({ servers }) => (mcp ? setServers(mcp, servers) : controlFailure('There is no host.')),
    mcp_reconnect: async ({ serverName }) => {
      const server = await named(serverName);
      if (!server) return missing(serverName);
      const { status, error = status } = await server.reconnect();
      return status === 'connected' ? controlSuccess() : controlFailure(error);
    },
    mcp_toggle: async ({ serverName, enabled }) => {
      const server = await named(serverName);
      if (!server) return missing(serverName);
      if (enabled !== true) await server.disable('The host switched it off.');
      else {
        const { status, error = status } = await server.reconnect();
        if (status === 'disabled') return controlFailure(error);
      }
      return controlSuccess();
    },
    set_mcp_permission_mode_override: ({ serverName, mode }) => {
      const name = textIn(serverName);
      if (name === undefined) return missing(serverName);
      if (mode !== null && mode !== 'default' && mode !== 'auto')
        return controlFailure('The mode of a server is default, auto or null.');
      permissions.setBypassed(sharedPrefixOf(name), mode === null);
      const warnings = [
        ...(mcp?.view.all.some((server) => server.name === name)
          ? []
          : [`There is no MCP server ${name} yet.`]),
        ...(mode === 'auto' ? ['There is no mode auto. Calls of the server are asked about.'] : []),
      ];
      return controlSuccess(warnings.length === 0 ? {} : { warning: warnings.join(' ') });
    },
    mcp_message: async ({ server_name, message }) => {
      (await named(server_name))?.receive(message);
      return controlSuccess({});
    },
    mcp_call: async ({ serverName, server_name = serverName, tool, arguments: input }) => {
      const server = await named(server_name);
      if (!server) return missing(server_name);
      if ((await mcp?.load())?.denies(toolName(server.name, textIn(tool) ?? '')) === true)
        return controlFailure(DENIED);
      const given = { tool: textIn(tool) ?? '', input: lineIn(input) ?? {} };
      return answered(server.call({ ...given, signal: AbortSignal.timeout(CALL_LIMIT_MS) }));
    },
    mcp_read_resource: async ({ serverName, uri }) => {
      const server = await named(serverName);
      if (!server) return missing(serverName);
      if ((await mcp?.load())?.deniesResources(server.name) === true) return controlFailure(DENIED);
      return answered(server.request('resources/read', { uri }, AbortSignal.timeout(CALL_LIMIT_MS)));
    },
  };
}

async function answered(work: Promise<unknown>): Promise<ControlReply> {
  try {
    const result = await work;
    return controlSuccess(isRecord(result) ? result : {});
  } catch (thrown) {
    return controlFailure(errorMessage(thrown));
  }
}

/** Replaces the servers that the host has given. Those of files stay. */
async function setServers(mcp: ProgramServers, given: unknown): Promise<ControlReply> {
  const wanted = lineIn(given);
  if (!wanted) return controlFailure('mcp_set_servers needs an object of servers.');
  const errors: Record<string, string> = {};
  const servers = Object.entries(wanted).flatMap(
    ([name, entry]: [string, HostLine[string]]): ConfiguredServer[] => {
      const read = readServers({ [name]: entry }, { scope: 'host' }, commandEnvironment());
      if (read.servers.length === 0) errors[name] = read.notes.join(' ');
      return read.servers.slice();
    },
  );
  const connections = await mcp.load();
  const { added, removed } = await connections.replace('host', servers);
  const current = servers.map(({ name }) => ({ name, server: connections.get(name) }));
  for (const { server } of current) server?.start();
  for (const { name, server } of current) {
    await server?.settled;
    if (server?.configured.scope !== 'host') errors[name] = 'Another server of this name has precedence.';
    else if (server.state.status !== 'connected') errors[name] = server.state.error ?? server.state.status;
  }
  const isHosts = (name: string): boolean => connections.get(name)?.configured.scope === 'host';
  return controlSuccess({ added: added.filter(isHosts), removed, errors });
}
