/** Which servers may start: precedence, and the lists of the administrator and the user, for every scope. */
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '@heddle/core';
import { type ConfiguredServer, readServers, type ServerScope } from './server-config.ts';
import { selectServers, serverPolicyOf } from './server-policy.ts';

const SCOPES = ['managed', 'host', 'command line', 'local', 'project', 'user', 'plugin'] as const;

function server(entry: object, scope: ServerScope = 'user', name = 's'): ConfiguredServer {
  const [read] = readServers({ [name]: entry }, { scope }, {}).servers;
  if (!read) throw new Error('The entry is not valid.');
  return read;
}

const PROGRAM = { command: 'run', args: ['-x'] };
const WEB = { type: 'http', url: 'https://mcp.example.com/mcp' };

/** The reason why a server does not start, or undefined. */
function reason(entry: ConfiguredServer, merged: JsonObject, managed: JsonObject = {}, hasFile = false) {
  return selectServers([entry], serverPolicyOf(merged, managed, hasFile))[0]?.disabled;
}

describe('an entry that may not start', () => {
  it('does not hide an entry of the same name below it', () => {
    const untrusted = { ...server({ command: 'evil' }, 'project'), disabled: 'The folder is not trusted.' };
    const own = server({ command: 'own' }, 'user');
    const policy = serverPolicyOf({}, {}, false);
    expect(selectServers([untrusted, own], policy)).toEqual([own]);
    expect(selectServers([untrusted], policy)).toEqual([untrusted]);
    const denied = serverPolicyOf({ deniedMcpServers: [{ serverCommand: ['evil'] }] }, {}, false);
    expect(selectServers([server({ command: 'evil' }, 'host'), own], denied)).toEqual([own]);
  });

  it('is hidden by no other: a host cannot replace a server of the administrator', () => {
    const managed = server({ command: 'managed' }, 'managed');
    const host = server({ type: 'sdk' }, 'host');
    expect(selectServers([host, managed], serverPolicyOf({}, {}, false))).toEqual([managed]);
  });
});

describe('the lists', () => {
  it.each(SCOPES)('apply to servers of the scope %s by name, command and address', (scope) => {
    const denied = 'deniedMcpServers forbids it.';
    const unlisted = 'allowedMcpServers does not contain it.';
    expect(reason(server(PROGRAM, scope), { deniedMcpServers: [{ serverName: 's' }] })).toBe(denied);
    expect(reason(server(PROGRAM, scope), { deniedMcpServers: [{ serverCommand: ['run', '-x'] }] })).toBe(
      denied,
    );
    expect(reason(server(WEB, scope), { deniedMcpServers: [{ serverUrl: 'https://*.example.com/*' }] })).toBe(
      denied,
    );
    expect(reason(server(PROGRAM, scope), { allowedMcpServers: [{ serverName: 'other' }] })).toBe(unlisted);
    expect(reason(server(PROGRAM, scope), { allowedMcpServers: [{ serverName: 's' }] })).toBeUndefined();
    expect(reason(server(WEB, scope), { allowedMcpServers: [] })).toBe(unlisted);
  });

  it('deny also what they allow, and servers in the process of a host', () => {
    const lists = { allowedMcpServers: [{ serverName: 's' }], deniedMcpServers: [{ serverName: 's' }] };
    expect(reason(server(PROGRAM), lists)).toContain('denied');
    expect(reason(server({ type: 'sdk' }, 'host'), lists)).toContain('denied');
    expect(reason(server({ type: 'sdk' }, 'host'), { allowedMcpServers: [] })).toBeUndefined();
  });

  it('do not accept a name if they contain commands or addresses', () => {
    const commands = { allowedMcpServers: [{ serverName: 's' }, { serverCommand: ['run', '-x'] }] };
    expect(reason(server({ command: 'evil' }), commands)).toContain('allowedMcpServers');
    expect(reason(server(PROGRAM), commands)).toBeUndefined();
    expect(reason(server(WEB), commands)).toBeUndefined();
    const addresses = {
      allowedMcpServers: [{ serverName: 's' }, { serverUrl: 'https://mcp.example.com/*' }],
    };
    expect(reason(server({ type: 'http', url: 'https://evil.example/' }), addresses)).toContain('allowed');
    expect(reason(server(WEB), addresses)).toBeUndefined();
  });

  it.each([
    ['https://mcp.example.com/*', 'https://mcp.example.com/a/b?c', true],
    ['https://mcp.example.com', 'https://mcp.example.com/mcp', true],
    ['https://*.example.com/*', 'https://mcp.example.com/', true],
    ['http://localhost:*/*', 'http://localhost:8080/mcp', true],
    ['http://localhost:*/*', 'http://localhost/mcp', true],
    ['https://MCP.example.com/*', 'https://mcp.EXAMPLE.com/mcp', true],
    ['https://mcp.example.com/*', 'https://user:word@mcp.example.com/mcp', true],
    ['https://mcp.example.com/*', 'https://mcp.example.com:443/mcp', true],
    ['*', 'https://any.example/', true],
    ['https://*.example.com/*', 'https://evil.example/x.example.com/', false],
    ['https://*.example.com/*', 'https://evil.example?x.example.com/', false],
    ['https://*.example.com/*', 'https://mcp.example.com@evil.example/', false],
    ['https://mcp.example.com*', 'https://mcp.example.com.evil.example/', true],
    ['https://mcp.example.com/*', 'http://mcp.example.com/', false],
    ['https://mcp.example.com/safe/*', 'https://mcp.example.com/safe/../evil', false],
    ['https://mcpXexample.com/*', 'https://mcp.example.com/', false],
  ])('with the pattern %s about %s: %s', (serverUrl, url, matches) => {
    const entry = server({ type: 'http', url });
    expect(reason(entry, { deniedMcpServers: [{ serverUrl }] }) !== undefined).toBe(matches);
    expect(reason(entry, { allowedMcpServers: [{ serverUrl }] }) === undefined).toBe(matches);
  });
});

describe('the administrator', () => {
  it('can lock the list of allowed servers', () => {
    const merged = { allowedMcpServers: [{ serverName: 's' }, { serverName: 'own' }] };
    const managed = { allowedMcpServers: [{ serverName: 'own' }], allowManagedMcpServersOnly: true };
    expect(reason(server(PROGRAM), merged)).toBeUndefined();
    expect(reason(server(PROGRAM), merged, managed)).toContain('allowedMcpServers');
    expect(reason(server(PROGRAM, 'user', 'own'), merged, managed)).toBeUndefined();
    expect(reason(server(PROGRAM), merged, { allowManagedMcpServersOnly: true })).toContain('allowed');
  });

  it('has the only servers if there is a file of them', () => {
    expect(reason(server(PROGRAM), {}, {}, true)).toContain('managed-mcp.json');
    expect(reason(server(PROGRAM, 'host'), {}, {}, true)).toContain('managed-mcp.json');
    expect(reason(server({ type: 'sdk' }, 'host'), {}, {}, true)).toBeUndefined();
    expect(reason(server(PROGRAM, 'managed'), {}, {}, true)).toBeUndefined();
  });
});
