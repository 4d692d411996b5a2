/** Names of configured servers, which lists and questions contain. */
import { expect, it } from 'vitest';
import { namesOfUsable, readServers } from './server-config.ts';

const ENTRY = { command: 'x' };

it.each([
  'a\nb',
  'a\rb',
  'a\u001b[2J',
  'a\u202eb',
  'a\u2066b',
  'a\u2028b',
  'a\tb',
  'a\u0085b',
  'a\u0000',
  '\u007f',
])('a server with the name %j is reported without its name, and left out', (name) => {
  const entries = { [name]: { command: '${UNSET}' }, good: ENTRY };
  expect(namesOfUsable(entries)).toBeUndefined();
  expect(readServers(entries, { scope: 'project', source: '.mcp.json' }, {})).toEqual({
    servers: [{ name: 'good', config: expect.anything(), scope: 'project', source: '.mcp.json' }],
    notes: ['.mcp.json: a server has control characters in its name.'],
  });
});

it.each(['a b', 'größe', '服务', 'a.b:c', '🧵'])('a server may have the name %j', (name) => {
  expect(namesOfUsable({ [name]: ENTRY })).toEqual([name]);
  expect(readServers({ [name]: ENTRY }, { scope: 'user' }, {}).servers).toHaveLength(1);
});
