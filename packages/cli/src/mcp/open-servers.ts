/** Reads the configuration of MCP servers, and opens those of the program. */
import type { AgentDefinition, LivePermissions } from '@heddle/agent';
import { configuredServers } from '@heddle/agent/mcp';
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
import type { ProgramServers } from './program-servers.ts';

type ServerFlags = Pick<
  RunOptions,
  'mcpConfig' | 'strictMcpConfig' | 'settingSources' | 'bare' | 'projectConfigRoot'
> & {
  readonly inputFormat?: string;
};

interface OpenedServers {
  readonly servers: ProgramServers | undefined;
  /** Decides about every server, also about those of agents. */
  readonly policy: ServerPolicy;
  readonly notes: readonly string[];
}

/** Undefined if no server is configured, and no host can add one. Then their code is not loaded. */
export async function openProgramServers(
  command: ServerFlags,
  loaded: LoadedSettings,
  rules: LivePermissions | undefined,
  plugins: readonly ConfiguredServer[] = [],
): Promise<OpenedServers> {
  const { mcpConfig, strictMcpConfig, settingSources, bare, projectConfigRoot } = command;
  const cwd = process.cwd();
  const read = configuredServers({
    cwd,
    home: os.homedir(),
    env: process.env,
    loaded,
    sources: settingSources,
    projectRoot: projectConfigRoot,
    configs: mcpConfig,
    strict: strictMcpConfig || bare,
    variables: commandEnvironment(),
    plugins,
  });
  const { notes, policy } = read;
  if (read.servers.length === 0 && command.inputFormat !== 'stream-json')
    return { servers: undefined, policy, notes };
  const { ProgramServers } = await import('./program-servers.ts');
  return { servers: new ProgramServers(read, rules, cwd), policy, notes };
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

/** `--strict-mcp-config`: only servers of the command line and of the administrator count. */
export function mayDescribeServers(
  { source }: Pick<AgentDefinition, 'source'>,
  { strictMcpConfig }: ServerFlags,
): boolean {
  return !strictMcpConfig || source === 'caller' || source === 'managed';
}
