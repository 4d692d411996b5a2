/**
 * Starts a new bundle once in each way that should be fast, against its own server, and stores the code
 * that V8 has compiled by the end. Each start begins with the code of the previous one.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import path from 'node:path';

/** A file of servers. Also those that cannot start load the code of servers and of their library. */
const SERVERS_FILE = 'servers.json';
const SERVERS = {
  program: { command: '/no/such/program', args: ['--flag'], env: { NAME: 'value' } },
  address: { type: 'http', url: 'http://127.0.0.1:9/mcp', headers: { name: 'value' } },
};

const STARTS = [
  ['--plain', '--model', 'anthropic/any'],
  ['-p', 'Hello', '--model', 'anthropic/any'],
  // The rehearsal model calls tools: their schemas and the permission policy are compiled, too.
  ['-p', 'Hello', '--model', 'rehearsal'],
  ['-p', 'Hello', '--model', 'rehearsal', '--mcp-config', SERVERS_FILE],
];
const DEADLINE_MS = 20_000;

/** A failure only costs speed: the bundle runs without it. */
export async function keepCode(dist: string): Promise<void> {
  const home = mkdtempSync(path.join(tmpdir(), 'heddle-bundle-'));
  writeExtensions(path.join(home, 'config'));
  writeFileSync(path.join(home, SERVERS_FILE), JSON.stringify({ mcpServers: SERVERS }));
  const server = createServer((request, response) => {
    request.resume().on('end', () => {
      response.writeHead(200, { 'content-type': 'text/event-stream' }).end(ANSWER);
    });
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : undefined;
  for (const start of STARTS) await run(dist, start, home, `http://127.0.0.1:${port}`);
  server.close();
  server.closeAllConnections();
  rmSync(home, { recursive: true, force: true });
}

/** Most users have some. The code that reads them is compiled, too. */
function writeExtensions(config: string): void {
  const header = '---\nname: example\ndescription: An example\nallowed-tools: [Read]\n---\n';
  for (const file of ['skills/example/SKILL.md', 'commands/example.md', 'agents/example.md']) {
    mkdirSync(path.dirname(path.join(config, file)), { recursive: true });
    writeFileSync(path.join(config, file), `${header}\nDo it.\n`);
  }
  writeFileSync(path.join(config, 'CLAUDE.md'), 'Be brief.\n');
  const hooks = { PostToolUse: [{ matcher: 'Edit', hooks: [{ type: 'command', command: 'true' }] }] };
  const permissions = { allow: ['Bash(git log *)'], deny: ['Read(./secrets/**)'] };
  writeFileSync(path.join(config, 'settings.json'), JSON.stringify({ hooks, permissions }));
}

async function run(dist: string, start: readonly string[], home: string, server: string): Promise<void> {
  const writer = path.join(import.meta.dirname, 'write-code.ts');
  const program = path.join(dist, 'main.js');
  const child = spawn(process.execPath, ['--import', writer, program, ...start], {
    cwd: home,
    env: {
      HOME: home,
      HEDDLE_CONFIG_DIR: path.join(home, 'config'),
      ANTHROPIC_BASE_URL: server,
      ANTHROPIC_API_KEY: 'none',
    },
    stdio: ['pipe', 'ignore', 'ignore'],
    timeout: DEADLINE_MS,
  });
  // The process may end before it has read anything.
  child.stdin.on('error', () => undefined).end('Hello\n');
  await once(child, 'close').catch(() => undefined);
}

const USAGE = {
  input_tokens: 1,
  output_tokens: 1,
  cache_creation_input_tokens: 0,
  cache_read_input_tokens: 0,
};

const ANSWER = [
  {
    type: 'message_start',
    message: { id: 'msg_1', type: 'message', role: 'assistant', model: 'any', content: [], usage: USAGE },
  },
  { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
  { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'Hello.' } },
  { type: 'content_block_stop', index: 0 },
  { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: USAGE },
  { type: 'message_stop' },
]
  .map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`)
  .join('');
