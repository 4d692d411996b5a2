/** MCP servers that an agent describes in its header, in the real program: their life, trust and the lists of servers. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { call, type FakeApi, say, startFakeApi } from '@heddle/testing';
import { testServer } from '@heddle/testing/mcp';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { homeFor } from '../test/home.ts';
import { install, type Installed } from '../test/program.ts';

const MODEL = 'claude-sonnet-4-5';

let installed: Installed;
let api: FakeApi;
beforeAll(async () => {
  installed = await install();
});
afterAll(() => installed.remove());
afterEach(() => api.close());

/** The header is YAML, and JSON is YAML. */
const agentFile = (servers: unknown): string =>
  `---\nname: keeper\ndescription: Keeps data\ntools: Read\nmcpServers: ${JSON.stringify(servers)}\n---\nYou are a keeper.\n`;

function isRunning(label: string): boolean {
  return execFileSync('ps', ['-eo', 'args'], { encoding: 'utf8' }).includes(label);
}

interface Seen {
  /** The first request of the subagent, or of the agent itself. */
  readonly keeper: string;
  readonly stdout: string;
  /** Whether the server ran during the work of the subagent, and after it. */
  readonly during: boolean;
  readonly after: boolean;
}

/** The model starts the agent `keeper`, which calls the tool `echo` of its server if it has it. */
async function runWith(
  files: (folder: string, label: string) => Readonly<Record<string, string>>,
  flags: readonly string[] = [],
): Promise<Seen> {
  const home = homeFor(installed.program);
  const label = path.basename(home.folder);
  const seen = { keeper: '', during: false, after: false };
  api = await startFakeApi(
    (body) => {
      const text = JSON.stringify(body);
      if (text.includes('You are a keeper.')) {
        if (seen.keeper !== '') return say(text.includes('kept well') ? 'It echoed.' : 'It failed.');
        seen.keeper = text;
        seen.during = isRunning(label);
        return text.includes('mcp__own__echo')
          ? call('mcp__own__echo', { text: 'kept well' }, 'e1')
          : say('I have no server.');
      }
      if (!text.includes('"tool_result"'))
        return call('Agent', { description: 'keep', prompt: 'Keep.', subagent_type: 'keeper' }, 't1');
      seen.after = isRunning(label);
      return say(/It echoed|I have no server|It failed/.exec(text)?.[0] ?? 'Nothing.');
    },
    { models: [MODEL] },
  );
  for (const [name, text] of Object.entries(files(home.folder, label))) {
    mkdirSync(path.dirname(path.join(home.folder, name)), { recursive: true });
    writeFileSync(path.join(home.folder, name), text);
  }
  const argv = ['-p', 'go', '--model', `anthropic/${MODEL}`, '--allowed-tools=mcp__own__*', ...flags];
  const env = { ANTHROPIC_API_KEY: 'key', ANTHROPIC_BASE_URL: api.url };
  const { stdout } = await home.run(argv, { env });
  return { ...seen, stdout };
}

const described = (label: string) => [{ own: testServer(label) }, 'configured'];

it('a server of a header starts with the subagent, serves it alone, and ends with it', async () => {
  const seen = await runWith((_folder, label) => ({
    'config/agents/keeper.md': agentFile(described(label)),
  }));
  expect(seen).toMatchObject({ stdout: 'It echoed\n', during: true, after: false });
  const others = api.requests
    .map(({ body }) => JSON.stringify(body))
    .filter((text) => !text.includes('You are a keeper.'));
  expect(others.some((text) => text.includes('"name":"mcp__own__echo"'))).toBe(false);
  api.assertNoViolations();
});

it.each([
  ['the file of a folder that is not trusted', '.heddle/agents/keeper.md', {}, []],
  ['a file, with --strict-mcp-config', 'config/agents/keeper.md', {}, ['--strict-mcp-config']],
  ['a file, against the list', 'config/agents/keeper.md', { deniedMcpServers: [{ serverName: 'own' }] }, []],
])('a server of %s does not start', async (_name, file, settings, flags) => {
  const seen = await runWith(
    (_folder, label) => ({
      [file]: agentFile(described(label)),
      'config/settings.json': JSON.stringify(settings),
    }),
    flags,
  );
  expect(seen).toMatchObject({ stdout: 'I have no server\n', during: false, after: false });
  expect(seen.keeper.includes('is not available: deniedMcpServers forbids it.')).toBe(
    'deniedMcpServers' in settings,
  );
});

const KEEPER = { description: 'Keeps', prompt: 'You are a keeper.', mcpServers: [{ own: testServer() }] };

it.each([
  ['of a file', []],
  [
    'of --agents, also with --strict-mcp-config',
    ['--agents', JSON.stringify({ keeper: KEEPER }), '--strict-mcp-config'],
  ],
])('a conversation that runs as the agent %s has its servers', async (_name, flags) => {
  const home = homeFor(installed.program);
  api = await startFakeApi(
    (body) => {
      const text = JSON.stringify(body);
      if (!text.includes('"tool_result"')) return call('mcp__own__echo', { text: 'kept well' }, 'e1');
      return say(/"tool_result"[^}]*kept well/.test(text) ? 'It echoed.' : 'It failed.');
    },
    { models: [MODEL] },
  );
  mkdirSync(path.join(home.folder, 'config/agents'), { recursive: true });
  if (flags.length === 0)
    writeFileSync(path.join(home.folder, 'config/agents/keeper.md'), agentFile({ own: testServer() }));
  const model = ['--model', `anthropic/${MODEL}`];
  const argv = ['-p', 'go', '--agent', 'keeper', ...model, '--allowed-tools=mcp__own__*', ...flags];
  const env = { ANTHROPIC_API_KEY: 'key', ANTHROPIC_BASE_URL: api.url };
  expect(await home.run(argv, { env })).toMatchObject({ code: 0, stdout: 'It echoed.\n' });
});
