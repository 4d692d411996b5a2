/**
 * The client for the public conformance suite. The suite starts it with the address of a test server. It does what a
 * session does: connect, list, call every tool once. A login is made by following the redirect instead of a browser.
 */
import { mkdtempSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { isRecord } from '@heddle/core';
import { McpServers, openCallback, type ServerConfig, StoredOAuth, TokenStore } from '../index.ts';

const url = process.argv.at(-1) ?? '';
const context: unknown = JSON.parse(process.env['MCP_CONFORMANCE_CONTEXT'] ?? '{}');

/** Some scenarios state the registration of the client. */
function oauthOf(): { clientId: string; clientSecret?: string } | undefined {
  if (!isRecord(context) || typeof context['client_id'] !== 'string') return undefined;
  const secret = context['client_secret'];
  return {
    clientId: context['client_id'],
    ...(typeof secret === 'string' ? { clientSecret: secret } : {}),
  };
}

/** The address that the suite expects of a client with a metadata document. */
const METADATA_URL = 'https://conformance-test.local/client-metadata.json';

const oauth = oauthOf();
const config: ServerConfig = { type: 'http', url, headers: {}, ...(oauth ? { oauth } : {}) };
const store = new TokenStore(
  path.join(mkdtempSync(path.join(os.tmpdir(), 'heddle-conformance-')), 'auth.json'),
);
const callback = await openCallback();
const follow = async (address: string): Promise<void> => {
  await fetch(address);
};

const servers = new McpServers([{ name: 'conformance', config, scope: 'command line' }], {
  version: '0.1.0',
  environment: {},
  variables: { MCP_TIMEOUT: '20000' },
  cwd: process.cwd(),
  services: {
    roots: () => [process.cwd()],
    elicit: () => Promise.resolve({ action: 'accept', content: {} }),
    sample: () => Promise.resolve({ model: 'test', text: 'An answer.' }),
  },
  oauth: (server) =>
    server.config.type === 'http'
      ? new StoredOAuth(server, server.config, store, { callback, open: follow }, METADATA_URL)
      : undefined,
  admitImages: (content) => Promise.resolve(content),
  storeFile: () => Promise.resolve('/dev/null'),
});

const { signal } = new AbortController();
await servers.settle(25_000);
const [server] = servers.all;
console.error(JSON.stringify(server?.state), server?.protocolVersion);
const isConnected = server?.state.status === 'connected';
for (const tool of server?.tools ?? []) {
  try {
    // One scenario wants to see the schema of another tool, as the client has it.
    const other = server?.tools.find(({ name }) => name !== tool['name'])?.['inputSchema'];
    const input =
      tool['name'] === 'json_schema_echo'
        ? { schema: other }
        : (statedInput(tool['name']) ?? inputFor(tool['inputSchema']));
    const result = await server?.call({ tool: String(tool['name']), input, definition: tool, signal });
    console.error(String(tool['name']), JSON.stringify(result));
  } catch (thrown) {
    console.error(String(tool['name']), thrown);
  }
}
await servers.close();
callback.close();
// Calls may fail on purpose. The suite has seen the messages.
process.exit(isConnected ? 0 : 1);

/** The input that the scenario states for a tool, if it does. */
function statedInput(name: unknown): Record<string, unknown> | undefined {
  const calls: unknown = isRecord(context) ? context['toolCalls'] : undefined;
  const found: unknown = Array.isArray(calls)
    ? calls.find((one) => isRecord(one) && one['name'] === name)
    : undefined;
  const input: unknown = isRecord(found) ? found['arguments'] : undefined;
  return isRecord(input) ? { ...input } : undefined;
}

/** A value for each required property. */
function inputFor(schema: unknown): Record<string, unknown> {
  const properties = isRecord(schema) && isRecord(schema['properties']) ? schema['properties'] : {};
  return Object.fromEntries(
    Object.entries(properties).map(([name, property]) => {
      const type = isRecord(property) ? property['type'] : 'string';
      return [name, type === 'number' || type === 'integer' ? 1 : type === 'boolean' ? true : 'text'];
    }),
  );
}
