/** Reads the configuration of MCP servers, and opens those of the program. */
import type { AgentDefinition, LivePermissions } from '@heddle/agent';
import { type ConfiguredServers, configuredServers } from '@heddle/agent/mcp';
import type { LoadedSettings } from '@heddle/agent/settings';
import {
  type ConfiguredServer,
  readServers,
  type ServerPolicy,
  type ServerScope,
  type ServersRead,
} from '@heddle/mcp/config';
import os from 'node:os';
import type { RunOptions } from '../arguments/arguments.ts';
import { commandEnvironment } from '../keys.ts';
import { ProgramServers } from './program-servers.ts';

export type ServerFlags = Pick<
  RunOptions,
  'mcpConfig' | 'strictMcpConfig' | 'settingSources' | 'bare' | 'projectConfigRoot'
> & {
  readonly name?: string;
  readonly inputFormat?: string;
};

/** Servers that no file of servers contains. */
interface OtherServers {
  readonly plugins: readonly ConfiguredServer[];
  /** Those that the agent of the main conversation describes. */
  readonly described: readonly ConfiguredServer[];
}

interface OpenedServers {
  readonly servers: ProgramServers | undefined;
  /** Decides about every server, also about those of agents. */
  readonly policy: ServerPolicy;
  readonly notes: readonly string[];
}

/** The servers are undefined if none is configured, and none can be added later by a host or a user at a terminal. */
export function openProgramServers(
  command: ServerFlags,
  loaded: LoadedSettings,
  rules: LivePermissions | undefined,
  others: OtherServers,
): OpenedServers {
  const read = readConfiguredServers(command, loaded, others);
  const { notes, policy } = read;
  if (read.servers.length === 0 && command.inputFormat !== 'stream-json' && command.name !== 'chat')
    return { servers: undefined, policy, notes };
  return { servers: new ProgramServers(read, rules, process.cwd()), policy, notes };
}

/** Reads the servers of all files under these flags and settings. Never throws. */
export function readConfiguredServers(
  { mcpConfig, strictMcpConfig, settingSources, bare, projectConfigRoot }: ServerFlags,
  loaded: LoadedSettings,
  { plugins, described }: OtherServers,
): ConfiguredServers {
  return configuredServers({
    cwd: process.cwd(),
    home: os.homedir(),
    env: process.env,
    loaded,
    sources: settingSources,
    projectRoot: projectConfigRoot,
    configs: mcpConfig,
    strict: strictMcpConfig || bare,
    variables: commandEnvironment(),
    plugins,
    described,
  });
}

/** The servers that the definition of an agent describes. */
export function readAgentServers({
  serverEntries,
  source,
  file,
}: Pick<AgentDefinition, 'serverEntries' | 'source' | 'file'>): ServersRead {
  if (!serverEntries) return { servers: [], notes: [] };
  return readServers(serverEntries, { scope: SCOPES[source], source: file }, commandEnvironment());
}

const SCOPES: Readonly<Record<AgentDefinition['source'], ServerScope>> = {
  managed: 'managed',
  caller: 'command line',
  project: 'project',
  user: 'user',
  plugin: 'plugin',
  'built-in': 'user',
};

/** `--strict-mcp-config` and `--bare`: only servers of the command line and of the administrator count. */
export function mayDescribeServers(
  { source }: Pick<AgentDefinition, 'source'>,
  { strictMcpConfig, bare }: Pick<ServerFlags, 'strictMcpConfig' | 'bare'>,
): boolean {
  return !(strictMcpConfig || bare) || source === 'caller' || source === 'managed';
}
