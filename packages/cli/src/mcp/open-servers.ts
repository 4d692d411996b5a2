/** Reads the configuration of MCP servers, and opens those of the program. */
import type { AgentDefinition, LivePermissions } from '@heddle/agent';
import { type ConfiguredServers, findServers, type FoundServers } from '@heddle/agent/mcp';
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
import { warn } from '../terminal/write-message.ts';
import { ProgramServers } from './program-servers.ts';

export type ServerFlags = Pick<
  RunOptions,
  'mcpConfig' | 'strictMcpConfig' | 'settingSources' | 'bare' | 'projectConfigRoot' | 'folder'
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
  /** A sentence about a `--mcp-config` that cannot be read. */
  readonly wrongFlag: string | undefined;
}

/** The servers are undefined if none is configured, and none can be added later by a host or a user at a terminal. */
export function openProgramServers(
  command: ServerFlags,
  loaded: LoadedSettings,
  rules: LivePermissions | undefined,
  others: OtherServers,
): OpenedServers {
  const found = findConfiguredServers(command, loaded, others);
  const { policy, wrongFlag } = found;
  const isScript = command.name === 'print' && command.inputFormat !== 'stream-json';
  // The first request of a script does not wait until entries are examined.
  const notes = isScript && found.names ? [] : found.examine().notes;
  const isEmpty = (found.names ?? found.examine().servers).length === 0;
  if (isEmpty && command.inputFormat !== 'stream-json' && command.name !== 'chat')
    return { servers: undefined, policy, notes, wrongFlag };
  const servers = new ProgramServers(found, {
    rules,
    cwd: command.folder ?? process.cwd(),
    notify: warn,
  });
  return { servers, policy, notes, wrongFlag };
}

/** Reads the servers of all files under these flags and settings. Never throws. */
export function readConfiguredServers(...given: Parameters<typeof findConfiguredServers>): ConfiguredServers {
  return findConfiguredServers(...given).examine();
}

function findConfiguredServers(
  { mcpConfig, strictMcpConfig, settingSources, bare, projectConfigRoot, folder }: ServerFlags,
  loaded: LoadedSettings,
  { plugins, described }: OtherServers,
): FoundServers {
  return findServers({
    cwd: folder ?? process.cwd(),
    home: os.homedir(),
    env: process.env,
    loaded,
    sources: settingSources,
    projectRoot: projectConfigRoot,
    configs: mcpConfig,
    strict: strictMcpConfig || bare,
    variables: commandEnvironment,
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
