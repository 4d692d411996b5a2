/** Reads the configuration of MCP servers, and opens those of the program. */
import type { LivePermissions } from '@heddle/agent';
import { configuredServers } from '@heddle/agent/mcp';
import type { LoadedSettings } from '@heddle/agent/settings';
import type { ConfiguredServer } from '@heddle/mcp/config';
import os from 'node:os';
import type { RunOptions } from '../arguments/arguments.ts';
import { commandEnvironment } from '../keys.ts';
import type { ProgramServers } from './program-servers.ts';

type ServerFlags = Pick<RunOptions, 'mcpConfig' | 'strictMcpConfig' | 'settingSources' | 'bare'> & {
  readonly inputFormat?: string;
};

/** Undefined if no server is configured, and no host can add one. Then their code is not loaded. */
export async function openProgramServers(
  command: ServerFlags,
  loaded: LoadedSettings,
  rules: LivePermissions | undefined,
  plugins: readonly ConfiguredServer[] = [],
): Promise<{ readonly servers: ProgramServers | undefined; readonly notes: readonly string[] }> {
  const { mcpConfig, strictMcpConfig, settingSources, bare } = command;
  const cwd = process.cwd();
  const read = configuredServers({
    cwd,
    home: os.homedir(),
    env: process.env,
    loaded,
    sources: settingSources,
    configs: mcpConfig,
    strict: strictMcpConfig || bare,
    variables: commandEnvironment(),
    plugins,
  });
  const { notes } = read;
  if (read.servers.length === 0 && command.inputFormat !== 'stream-json')
    return { servers: undefined, notes };
  const { ProgramServers } = await import('./program-servers.ts');
  return { servers: new ProgramServers(read, rules, cwd), notes };
}
