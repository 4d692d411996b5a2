/** Decides which configured servers are started: lists of the administrator, approvals of the user, and precedence. Pure. */
import { isRecord, type JsonObject } from '@heddle/core';
import type { ConfiguredServer, ServerConfig, ServerScope } from './server-config.ts';

/** From the highest precedence to the lowest. An entry replaces all entries of the same name below it. */
const PRECEDENCE: readonly ServerScope[] = [
  'managed',
  'host',
  'command line',
  'local',
  'project',
  'user',
  'plugin',
];

/** The settings that concern servers, merged over all scopes. */
interface ServerPolicy {
  /** Undefined allows every server. An empty list allows none. */
  readonly allowed?: readonly unknown[];
  readonly denied: readonly unknown[];
  /** Names of servers in `.mcp.json` that the user rejected. */
  readonly rejected: readonly string[];
  /** Names of servers that the user switched off. */
  readonly switchedOff: readonly string[];
}

export function serverPolicyOf(settings: JsonObject): ServerPolicy {
  const { allowedMcpServers, deniedMcpServers, disabledMcpjsonServers, disabledMcpServers } = settings;
  const allowed: unknown = allowedMcpServers;
  return {
    ...(Array.isArray(allowed) ? { allowed } : {}),
    denied: listOf(deniedMcpServers),
    rejected: textsIn(disabledMcpjsonServers),
    switchedOff: textsIn(disabledMcpServers),
  };
}

/** Returns one server for each name, with the reason if it must not start. */
export function selectServers(
  configured: readonly ConfiguredServer[],
  policy: ServerPolicy,
): readonly ConfiguredServer[] {
  const chosen = new Map<string, ConfiguredServer>();
  for (const scope of PRECEDENCE)
    for (const server of configured)
      if (server.scope === scope && !chosen.has(server.name)) chosen.set(server.name, server);
  return [...chosen.values()].map((server) =>
    withObjection(server, server.disabled ?? objection(server, policy)),
  );
}

function withObjection(server: ConfiguredServer, disabled: string | undefined): ConfiguredServer {
  return disabled === undefined ? server : { ...server, disabled };
}

function objection(server: ConfiguredServer, policy: ServerPolicy): string | undefined {
  if (policy.denied.some((entry) => entryMatches(entry, server))) return 'deniedMcpServers forbids it.';
  const isListed = policy.allowed?.some((entry) => entryMatches(entry, server)) ?? true;
  if (!isListed && server.scope !== 'host') return 'allowedMcpServers does not contain it.';
  if (server.scope === 'project' && policy.rejected.includes(server.name))
    return 'disabledMcpjsonServers contains it.';
  if (policy.switchedOff.includes(server.name)) return 'The user switched it off.';
  return undefined;
}

/** An entry names a server, its whole command line, or a pattern of its address. */
function entryMatches(entry: unknown, { name, config }: ConfiguredServer): boolean {
  if (typeof entry === 'string') return entry === name;
  if (!isRecord(entry)) return false;
  const { serverName, serverCommand, serverUrl } = entry;
  if (serverName !== undefined) return serverName === name;
  if (serverCommand !== undefined) return isSameCommand(serverCommand, config);
  return typeof serverUrl === 'string' && 'url' in config && wildcard(serverUrl).test(config.url);
}

function isSameCommand(listed: unknown, config: ServerConfig): boolean {
  return (
    config.type === 'stdio' && JSON.stringify(listed) === JSON.stringify([config.command, ...config.args])
  );
}

function wildcard(pattern: string): RegExp {
  const escaped = pattern.replaceAll(/[.+?^${}()|[\]\\]/g, String.raw`\$&`);
  return new RegExp(`^${escaped.replaceAll('*', '.*')}$`, 'i');
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function textsIn(value: unknown): readonly string[] {
  return listOf(value).filter((item) => typeof item === 'string');
}
