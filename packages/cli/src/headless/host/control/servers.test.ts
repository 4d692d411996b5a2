/** Tests when the servers in the process of a host are started. */
import { isRecord } from '@heddle/core';
import { McpServers } from '@heddle/mcp';
import { describe, expect, it } from 'vitest';
import { addHostServers, hostServersReady } from './servers.ts';

/** Enough for a server in this process. */
const LIMIT_MS = 10_000;

const CONNECTED = {
  protocolVersion: '2025-06-18',
  capabilities: {},
  serverInfo: { name: 'calc', version: '1' },
};

/** Servers with an entry of `--mcp-config`, which the program starts after the first request. */
function createServers(): McpServers {
  return new McpServers([{ name: 'calc', config: { type: 'sdk' }, scope: 'command line' }], {
    variables: {},
    environment: {},
    version: '0',
    services: {},
    cwd: '/',
    admitImages: async (content) => content,
    storeFile: async () => '/file',
    sendToHost: async (_server, message) =>
      isRecord(message) && { jsonrpc: '2.0', id: message['id'], result: CONNECTED },
  });
}

describe('a server of the host in --mcp-config', () => {
  it('starts with `initialize`, also if that names no server', async () => {
    const servers = createServers();
    await addHostServers({ view: servers, load: async () => servers }, []);
    const status = (): string | undefined => servers.get('calc')?.state.status;
    await expect.poll(status, { timeout: LIMIT_MS }).toBe('connected');
    await servers.close();
  });

  it('starts with the first prompt of a host that sends no `initialize`', async () => {
    const servers = createServers();
    await hostServersReady({ view: servers, load: async () => servers });
    expect(servers.report()).toMatchObject([{ name: 'calc', status: 'connected' }]);
    await servers.close();
  });
});
