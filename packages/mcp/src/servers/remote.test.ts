/** Servers with an address: streamable HTTP and the older SSE, with the same abilities as a process. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import { json } from 'node:stream/consumers';
import { isRecord } from '@heddle/core';
import { EVENT_DEADLINE_MS } from '@heddle/testing';
import { misbehavingServer, type RemoteServer, startRemoteServer } from '@heddle/testing/mcp';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ElicitationQuestion, McpServers } from '../index.ts';
import { callTool, closeServers, connectServers } from './test/open-servers.ts';

describe.each(['http', 'sse'] as const)('a server over %s', (type) => {
  let remote: RemoteServer;
  let servers: McpServers;
  const asked: ElicitationQuestion[] = [];

  beforeAll(async () => {
    remote = await startRemoteServer(type);
    servers = await connectServers(
      { s: { type, url: remote.url } },
      {
        times: { retryDelaysMs: [10, 20, 40, 80, 160, 320] },
        services: {
          roots: () => ['/folder'],
          elicit: (question) => {
            asked.push(question);
            return Promise.resolve({ action: 'accept', content: { color: 'blue' } });
          },
          sample: ({ messages }) => Promise.resolve({ model: 'm', text: `You said: ${messages[0]?.text}` }),
        },
      },
    );
  });
  afterAll(async () => {
    await closeServers();
    await remote.close();
  });

  const signal = AbortSignal.timeout(60_000);

  it('has tools, resources, templates and prompts', async () => {
    expect(servers.get('s')?.state).toEqual({ status: 'connected' });
    expect(await callTool(servers, 'mcp__s__add', { a: 2, b: 3 })).toBe('5');
    const { resourceTools } = servers;
    expect(resourceTools.map(({ name }) => name)).toEqual(['ListMcpResourcesTool', 'ReadMcpResourceTool']);
    expect(await servers.get('s')?.list('templates', signal)).toMatchObject([
      { uriTemplate: 'test://notes/{number}' },
    ]);
    const expand = (typed: string) => servers.expand({ content: typed, typed }, signal);
    const expanded = JSON.stringify(await expand('see @s:test://notes/2'));
    expect(expanded).toContain('The notes of remote.');
    expect(servers.prompts.map(({ command }) => command)).toEqual(['mcp__s__review']);
    for (const typed of ['/mcp__s__review a.ts', '\n /mcp__s__review a.ts\n'])
      expect(JSON.stringify(await expand(typed))).toContain('Review a.ts please.');
    expect(await expand('review a.ts')).toBe('review a.ts');
  });

  it('asks for folders, a form, an address and the model', async () => {
    expect(await callTool(servers, 'mcp__s__roots')).toContain('file:///folder');
    expect(await callTool(servers, 'mcp__s__ask')).toBe('{"action":"accept","content":{"color":"blue"}}');
    expect(await callTool(servers, 'mcp__s__visit')).toBe('{"action":"accept"}');
    expect(asked).toMatchObject([
      { server: 's', message: 'Which color?', schema: { type: 'object' } },
      { server: 's', message: 'Please log in.', url: 'https://example.com/login', id: 'e1' },
    ]);
    expect(await callTool(servers, 'mcp__s__sample')).toContain('You said: Say hello.');
  });

  it('reports progress and log messages, and changes its list', async () => {
    const progress: unknown[] = [];
    await servers
      .get('s')
      ?.call({ tool: 'steps', input: {}, signal, onProgress: (one) => progress.push(one) });
    expect(progress).toMatchObject(
      [1, 2, 3].map((step) => ({ progress: step, total: 3, message: `step ${step}` })),
    );
    await callTool(servers, 'mcp__s__log', { text: '\u001b[31mred' });
    await expect.poll(() => servers.get('s')?.log).toEqual(['warning: red']);
    await callTool(servers, 'mcp__s__grow');
    await expect.poll(() => servers.tools.map(({ ownName }) => ownName)).toContain('grown');
  });

  it('gives a cancelled call one result, and works afterwards', async () => {
    const controller = new AbortController();
    const call = { tool: 'slow', input: {}, signal: controller.signal, onProgress: () => controller.abort() };
    await expect(servers.get('s')?.call(call)).rejects.toThrow('slow was cancelled.');
    expect(await callTool(servers, 'mcp__s__echo', { text: 'still here' })).toBe('still here');
  });

  it('is connected again after a loss', async () => {
    const before = remote.connections;
    remote.drop();
    await expect
      .poll(() => callTool(servers, 'mcp__s__echo', { text: 'back' }), { interval: 100 })
      .toBe('back');
    expect(remote.connections).toBeGreaterThan(before);
  });
});

it.each(['http', 'sse'] as const)(
  'a server over %s that sends progress and the result at once loses no progress',
  async (type) => {
    const remote = await startRemoteServer(type, misbehavingServer());
    const servers = await connectServers({ m: { type, url: remote.url } });
    const seen: number[] = [];
    const result = await servers.get('m')?.call({
      tool: 'at_once',
      input: {},
      signal: AbortSignal.timeout(EVENT_DEADLINE_MS),
      onProgress: ({ progress }) => seen.push(progress),
    });
    expect(result).toMatchObject({ content: [{ text: 'done' }] });
    expect(seen).toEqual([1, 2]);
    await closeServers();
    await remote.close();
  },
);

it('a server that requires a login only for its lists needs one, and has not failed', async () => {
  const http = createServer((request, response) => {
    void json(request)
      .catch(() => undefined)
      .then((body) => {
        const { id, method } = isRecord(body) ? body : {};
        if (id === undefined) return response.writeHead(request.method === 'POST' ? 202 : 404).end();
        if (method === 'tools/list') return response.writeHead(401).end();
        const answer =
          method === 'initialize'
            ? {
                result: {
                  protocolVersion: '2025-11-25',
                  capabilities: { tools: {} },
                  serverInfo: { name: 'guarded', version: '1' },
                },
              }
            : { error: { code: -32_601, message: 'Method not found' } };
        response.writeHead(200, { 'content-type': 'application/json' });
        return response.end(JSON.stringify({ jsonrpc: '2.0', id, ...answer }));
      });
  });
  await once(http.listen(0, '127.0.0.1'), 'listening');
  const address = http.address();
  const port = typeof address === 'object' && address ? address.port : 0;
  const servers = await connectServers({ guarded: { type: 'http', url: `http://127.0.0.1:${port}/mcp` } });
  expect(servers.get('guarded')?.state).toEqual({
    status: 'needs-auth',
    error: 'The server requires a login: heddle mcp login guarded',
  });
  await closeServers();
  http.closeAllConnections();
  http.close();
});
