/** Tools that are loaded during a session, through the shipped program: the API reads everything before them from its cache. */
import { cacheBlocksOf, call, type RequestBody, say, startFakeApi } from '@heddle/testing';
import { testServer } from '@heddle/testing/mcp';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { homeFor } from '../test/home.ts';
import { install, type Installed } from '../test/program.ts';

let installed: Installed;

beforeAll(async () => {
  installed = await install();
});
afterAll(() => installed.remove());

const MODEL = 'claude-sonnet-4-5';
const OLD_MODEL = 'claude-3-5-haiku';
const servers = (s: object) => ['--mcp-config', JSON.stringify({ mcpServers: { s } })];
const DEAD = servers({ command: process.execPath, args: ['-e', ''] });
const load = (tool: string, id: string) => call('ToolSearch', { query: `select:${tool}` }, id);
const handoff = say('## Intent\nAdd numbers.');

/** The whole prefix of a request, as the cache of the API identifies it. */
const prefixesOf = (body: RequestBody) => cacheBlocksOf(body).map(({ prefix }) => prefix);

function startsWith(later: RequestBody | undefined, earlier: RequestBody | undefined): boolean {
  if (!later || !earlier) return false;
  const all = prefixesOf(later);
  return prefixesOf(earlier).every((prefix, index) => all[index] === prefix);
}

function toolsOf(body: RequestBody | undefined): Record<string, boolean> {
  const tools = (body?.['tools'] ?? []) as { name: string; defer_loading?: true }[];
  return Object.fromEntries(tools.map(({ name, defer_loading }) => [name, defer_loading === true]));
}

it('a loaded tool leaves the cached prefix as it is, after a resume with a dead server and a compaction, too', async () => {
  const script = [
    load('mcp__s__add', 'c1'),
    call('mcp__s__add', { a: 1, b: 2 }, 'c2'),
    say('3'),
    // The session continues, and the server fails.
    call('mcp__s__add', { a: 3, b: 4 }, 'c3'),
    say('It is gone.'),
    // An older model of the API.
    say('Hello.'),
    handoff,
    load('WebFetch', 'c4'),
    say('Loaded.'),
  ];
  const api = await startFakeApi(
    script.map((step) => [step]),
    { models: [MODEL, OLD_MODEL] },
  );
  const home = homeFor(installed.program);
  const bodies = (): RequestBody[] =>
    api.requests.filter(({ path: place }) => place === '/v1/messages').map(({ body }) => body as RequestBody);
  const run = async (prompt: string, ...flags: readonly string[]) => {
    const before = bodies().length;
    const { stdout, stderr } = await home.run(['-p', prompt, '--allowed-tools', 'mcp__s', ...flags], {
      env: {
        ANTHROPIC_BASE_URL: api.url,
        ANTHROPIC_API_KEY: 'key',
        HEDDLE_TOOL_REFERENCES: '1',
        // The scripted answers contain no thinking.
        MAX_THINKING_TOKENS: '0',
      },
    });
    return { stdout, stderr, sent: bodies().slice(before) };
  };
  const model = ['--model', `anthropic/${MODEL}`];

  const first = await run('add', ...model, ...servers(testServer()));
  expect(first.stdout.trim()).toBe('3');
  expect(toolsOf(first.sent[0])).not.toHaveProperty('mcp__s__add');
  expect(toolsOf(first.sent[1])).toMatchObject({ ToolSearch: false, mcp__s__add: true });

  const resumed = await run('again', ...model, ...DEAD, '--continue');
  expect(resumed.stdout.trim()).toBe('It is gone.');
  expect(toolsOf(resumed.sent[0])).toMatchObject({ mcp__s__add: true });
  const sent = [...first.sent, ...resumed.sent];
  expect(sent).toHaveLength(5);
  for (const [index, body] of sent.entries())
    if (index > 0) expect([index, startsWith(body, sent[index - 1])]).toEqual([index, true]);

  const old = await run('hello', '--model', `anthropic/${OLD_MODEL}`, ...DEAD, '--continue');
  expect(old.stdout.trim()).toBe('Hello.');
  expect(JSON.stringify(old.sent[0])).not.toMatch(/defer_loading|"tool_reference"/);
  expect(JSON.stringify(old.sent[0])).toContain('These tools can be called now: mcp__s__add.');

  const compacted = await run('/compact', ...model, ...DEAD, '--continue');
  expect(startsWith(compacted.sent[0], resumed.sent.at(-1))).toBe(true);
  const after = await run('fetch', ...model, ...DEAD, '--continue');
  expect(after.stdout.trim()).toBe('Loaded.');
  expect(toolsOf(after.sent[1])).toMatchObject({ WebFetch: true });
  expect(startsWith(after.sent[1], after.sent[0])).toBe(true);
  await api.close();
});
