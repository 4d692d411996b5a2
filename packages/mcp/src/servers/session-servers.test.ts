/** The tools of servers in a session: few are part of every request, many are loaded on demand, changes are announced. */
import { testServer } from '@heddle/testing/mcp';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { McpServers } from '../index.ts';
import { SessionServers } from './session-servers.ts';
import { callTool, closeServers, connectServers } from './test/open-servers.ts';

let servers: McpServers;

beforeAll(async () => {
  servers = await connectServers({ s: testServer('s'), always: { ...testServer('a'), alwaysLoad: true } });
});
afterAll(closeServers);

/** The size of all schemas, in tokens as the session estimates them. */
function schemaTokens(): number {
  const texts = servers.tools.map(
    ({ name, description, inputJSONSchema }) => name + description + JSON.stringify(inputJSONSchema),
  );
  return texts.join('').length / 4;
}

function sessionWith(window: number): SessionServers {
  const session = new SessionServers(() => servers);
  session.freeze(() => window);
  return session;
}

describe('the tools of a session', () => {
  it('are part of every request if they take up to a tenth of the window', () => {
    const session = sessionWith(schemaTokens() * 10);
    expect(session.active).toEqual(servers.tools);
    expect(session.takeNews()).toEqual([]);
    expect(session.deferred.map(({ name }) => name)).toEqual(['ListMcpResourcesTool', 'ReadMcpResourceTool']);
  });

  it('are loaded on demand beyond that, except those of servers that are always loaded', () => {
    const session = sessionWith(schemaTokens() * 10 - 10);
    expect(session.active.every(({ name }) => name.startsWith('mcp__always__'))).toBe(true);
    expect(session.active).toHaveLength(16);
    expect(session.deferred.map(({ name }) => name)).toContain('mcp__s__echo');
    const [news = '', ...others] = session.takeNews();
    expect(news).toContain('The MCP server s has these tools: mcp__s__echo');
    expect(others).toEqual([]);
  });

  it('are announced when their servers connect, also if the context of the session names the servers', () => {
    const session = new SessionServers(() => servers);
    expect(session.takeOpening(['s', 'always', 'wrong'])).toContain(
      'connecting: s, always, wrong. ToolSearch',
    );
    expect(session.hasOpening).toBe(true);
    const news = session.takeNews();
    expect(news[0]).toBe('The MCP server wrong is not available: its entry is not valid.');
    expect(news.join('\n')).toMatch(
      /The MCP server s has these tools[^]*The MCP server always has these tools/,
    );
    expect(news.join('\n')).not.toContain('connecting');
    expect(session.takeNews()).toEqual([]);
  });

  it('change by messages only: what requests contain stays the same', async () => {
    const session = sessionWith(1_000_000);
    const before = session.active;
    await callTool(servers, 'mcp__s__grow');
    await expect.poll(() => servers.tools.map(({ name }) => name)).toContain('mcp__s__grown');
    session.freeze(() => 1_000_000);
    expect(session.active).toBe(before);
    expect(session.takeNews().join()).toContain('mcp__s__grown');
    expect(session.takeNews()).toEqual([]);
    expect(session.deferred.map(({ name }) => name)).toContain('mcp__s__grown');
    await servers.get('s')?.disable('The test switched it off.');
    expect(session.takeNews().join()).toContain('These tools are not available any more: mcp__s__echo');
  });
});
