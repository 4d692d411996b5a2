/**
 * Decides which configured servers are started: precedence of scopes, lists of the administrator, choices of the user.
 * Every server of every scope passes through `selectServers`, also those that a host adds later. Pure.
 */
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

/** The settings that concern servers. */
export interface ServerPolicy {
  /** Undefined allows every server. An empty list allows none. */
  readonly allowed?: readonly unknown[];
  readonly denied: readonly unknown[];
  /** Names of servers in `.mcp.json` that the user rejected. */
  readonly rejected: readonly string[];
  /** Names of servers that the user switched off. */
  readonly switchedOff: readonly string[];
  /** The administrator has a list of servers, and no others may start. */
  readonly managedOnly: boolean;
}

export const OPEN_POLICY: ServerPolicy = { denied: [], rejected: [], switchedOff: [], managedOnly: false };

/**
 * `merged`: the settings of all scopes. `managed`: those of the administrator. `hasManagedFile`: the administrator has a
 * file of servers.
 */
export function serverPolicyOf(
  merged: JsonObject,
  managed: JsonObject,
  hasManagedFile: boolean,
): ServerPolicy {
  const isLocked = managed['allowManagedMcpServersOnly'] === true;
  // Without a list of the administrator, a locked list allows none.
  const allowed: unknown = isLocked ? (managed['allowedMcpServers'] ?? []) : merged['allowedMcpServers'];
  return {
    ...(Array.isArray(allowed) ? { allowed } : {}),
    denied: listOf(merged['deniedMcpServers']),
    rejected: textsIn(merged['disabledMcpjsonServers']),
    switchedOff: textsIn(merged['disabledMcpServers']),
    managedOnly: hasManagedFile,
  };
}

/** Returns true if the policy allows every server. */
export function isOpenPolicy({ allowed, denied, rejected, switchedOff, managedOnly }: ServerPolicy): boolean {
  return (
    allowed === undefined &&
    !managedOnly &&
    [denied, rejected, switchedOff].every((list) => list.length === 0)
  );
}

/**
 * Returns one server for each name: the highest entry that may start. An entry that may not start hides no other. If none
 * may start, the highest entry is returned with the reason.
 */
export function selectServers(
  configured: readonly ConfiguredServer[],
  policy: ServerPolicy,
): readonly ConfiguredServer[] {
  const chosen = new Map<string, ConfiguredServer>();
  const present = new Set(configured.map(({ scope }) => scope));
  for (const scope of PRECEDENCE.filter((one) => present.has(one)))
    for (const server of configured) {
      if (server.scope !== scope) continue;
      const earlier = chosen.get(server.name);
      if (earlier && earlier.disabled === undefined) continue;
      const disabled = server.disabled ?? objection(server, policy);
      if (earlier && disabled !== undefined) continue;
      chosen.set(server.name, disabled === undefined ? server : { ...server, disabled });
    }
  return [...chosen.values()];
}

function objection(server: ConfiguredServer, policy: ServerPolicy): string | undefined {
  const { config, scope, name } = server;
  if (policy.denied.some((entry) => isDeniedBy(entry, server))) return 'deniedMcpServers forbids it.';
  // Heddle opens no connection to a server in the process of the host.
  const isForeign = config.type !== 'sdk';
  if (isForeign && policy.managedOnly && scope !== 'managed')
    return 'managed-mcp.json allows only its own servers.';
  if (isForeign && policy.allowed && !isAllowedBy(policy.allowed, server))
    return 'allowedMcpServers does not contain it.';
  if (scope === 'project' && policy.rejected.includes(name)) return 'disabledMcpjsonServers contains it.';
  if (policy.switchedOff.includes(name)) return 'The user switched it off.';
  return undefined;
}

/**
 * A list with commands decides about programs by their commands, and one with addresses decides about addresses. A name is
 * enough only if the list has no entry of that kind: the user chooses names freely.
 */
function isAllowedBy(allowed: readonly unknown[], { name, config }: ConfiguredServer): boolean {
  const entries = allowed.map(readEntry);
  const kind = config.type === 'stdio' ? 'command' : 'url';
  if (!entries.some((entry) => entry.kind === kind))
    return entries.some((entry) => entry.kind === 'name' && entry.name === name);
  return entries.some((entry) => {
    switch (entry.kind) {
      case 'command':
        return isSameCommand(entry.command, config);
      case 'url':
        return 'url' in config && isAddressIn(entry.pattern, config.url);
      case 'name':
      case 'unknown':
        return false;
    }
  });
}

function isDeniedBy(denied: unknown, { name, config }: ConfiguredServer): boolean {
  const entry = readEntry(denied);
  switch (entry.kind) {
    case 'name':
      return entry.name === name;
    case 'command':
      return isSameCommand(entry.command, config);
    case 'url':
      return 'url' in config && isAddressIn(entry.pattern, config.url);
    case 'unknown':
      return false;
  }
}

type PolicyEntry =
  | { readonly kind: 'name'; readonly name: string }
  | { readonly kind: 'command'; readonly command: unknown }
  | { readonly kind: 'url'; readonly pattern: string }
  | { readonly kind: 'unknown' };

/** An entry names a server, its whole command line, or a pattern of its address. */
function readEntry(entry: unknown): PolicyEntry {
  if (typeof entry === 'string') return { kind: 'name', name: entry };
  if (!isRecord(entry)) return { kind: 'unknown' };
  const { serverName, serverCommand, serverUrl } = entry;
  if (typeof serverName === 'string') return { kind: 'name', name: serverName };
  if (serverCommand !== undefined) return { kind: 'command', command: serverCommand };
  return typeof serverUrl === 'string' ? { kind: 'url', pattern: serverUrl } : { kind: 'unknown' };
}

function isSameCommand(listed: unknown, config: ServerConfig): boolean {
  return (
    config.type === 'stdio' && JSON.stringify(listed) === JSON.stringify([config.command, ...config.args])
  );
}

/**
 * `*` matches any text inside the host or inside the path. So `https://*.example.com/*` does not match another host with
 * `.example.com/` in its path. A pattern without a path covers the whole host.
 */
function isAddressIn(pattern: string, address: string): boolean {
  const [, scheme = '*', host = '', path = '*'] = /^(?:([^:/]+):\/\/)?([^/?#]*)(.+)?$/.exec(pattern) ?? [];
  const url = new URL(address);
  return (
    wildcard(scheme).test(url.protocol.slice(0, -1)) &&
    (wildcard(host).test(url.host) || wildcard(host).test(withPort(url))) &&
    wildcard(path).test(url.pathname + url.search)
  );
}

/** The host with its port, also if the port is the usual one of the scheme. */
function withPort({ hostname, port, protocol }: URL): string {
  return `${hostname}:${port === '' ? (protocol === 'https:' ? 443 : 80) : port}`;
}

function wildcard(pattern: string): RegExp {
  const escaped = pattern.replaceAll(/[.+?^${}()|[\]\\]/g, String.raw`\$&`);
  return new RegExp(`^${escaped.replaceAll(/\*+/g, '.*')}$`, 'i');
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function textsIn(value: unknown): readonly string[] {
  return listOf(value).filter((item) => typeof item === 'string');
}
