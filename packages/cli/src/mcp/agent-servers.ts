/** The MCP servers that the definition of an agent describes. They start with the subagent, and end with it. */
import type { AgentDefinition, AgentServers, LivePermissions } from '@heddle/agent';
import { cleanLine, type ServerPolicy } from '@heddle/mcp';
import { readAgentServers } from './open-servers.ts';
import type { ServerServices } from './connect-servers.ts';
import { ProgramServers } from './program-servers.ts';

export interface AgentServersSetup {
  /** The lists of the administrator and the choices of the user. */
  readonly policy: ServerPolicy;
  readonly rules: LivePermissions;
  readonly cwd: string;
  readonly services: ServerServices;
  /** For the files of results. Undefined for a session that leaves nothing behind. */
  readonly folder: string | undefined;
}

/** A server has its own limit, `MCP_TIMEOUT`. This one applies to all of them together. */
const CONNECT_LIMIT_MS = 60_000;

/**
 * Starts the servers, and waits until each is connected or has failed.
 *
 * Contract: never rejects. A server that is not available becomes a note for the model.
 */
export async function openAgentServers(
  definition: AgentDefinition,
  { policy, rules, cwd, services, folder }: AgentServersSetup,
  signal: AbortSignal,
): Promise<AgentServers> {
  const read = readAgentServers(definition);
  const examined = { ...read, policy };
  const found = { names: undefined, policy, files: new Map(), examine: () => examined };
  const program = new ProgramServers(found, { rules, cwd, notify: () => undefined });
  program.attach(services, folder);
  const servers = await program.load();
  await servers.settle(CONNECT_LIMIT_MS, signal);
  const missing = servers.all.flatMap(({ name, state: { status, error = status } }) =>
    status === 'connected' ? [] : [`The MCP server ${cleanLine(name)} is not available: ${cleanLine(error)}`],
  );
  return {
    tools: servers.tools.filter(({ name }) => !servers.denies(name)),
    notes: [...read.notes, ...missing],
    close: () => program.close(),
  };
}
