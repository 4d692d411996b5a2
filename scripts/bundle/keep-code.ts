/**
 * Starts a new bundle once in each way that should be fast, against its own server, and stores the code
 * that V8 has compiled by the end. Each start begins with the code of the previous one.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import path from 'node:path';

/** A file of servers. Also those that cannot start load the code of servers and of their library. */
const SERVERS_FILE = 'servers.json';
const SERVERS = {
  program: { command: '/no/such/program', args: ['--flag'], env: { NAME: 'value' } },
  address: { type: 'http', url: 'http://127.0.0.1:9/mcp', headers: { name: 'value' } },
};

interface Start {
  readonly argv: readonly string[];
  readonly input?: string;
  /** The program finds a terminal (`write-code.ts`). Its input ends when the output contains this text. */
  readonly terminalUntil?: string;
}

const HOST = ['-p', '--input-format', 'stream-json', '--output-format', 'stream-json', '--verbose'];
const HOST_INPUT = [
  { type: 'control_request', request_id: '1', request: { subtype: 'initialize' } },
  { type: 'user', message: { role: 'user', content: 'Hello' }, parent_tool_use_id: null, session_id: '' },
];

const STARTS: readonly Start[] = [
  { argv: ['--plain', '--model', 'anthropic/any'] },
  { argv: ['-p', 'Hello', '--model', 'anthropic/any'] },
  // The rehearsal model calls tools: their schemas and the permission policy are compiled, too.
  { argv: ['-p', 'Hello', '--model', 'rehearsal'] },
  { argv: ['-p', 'Hello', '--model', 'rehearsal', '--mcp-config', SERVERS_FILE] },
];

/** These load the files of other surfaces. */
const LATER_STARTS: readonly Start[] = [
  {
    argv: [...HOST, '--model', 'rehearsal'],
    input: HOST_INPUT.map((line) => `${JSON.stringify(line)}\n`).join(''),
  },
  { argv: ['--model', 'rehearsal'], input: 'Hello\r', terminalUntil: ' answers · ' },
  { argv: ['permissions', 'explain', 'git log --oneline | head -n 5 > list.txt'] },
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
  const url = `http://127.0.0.1:${port}`;
  for (const start of STARTS) await run(dist, start, home, url);
  // More code in the files of the first request would make every start slower.
  const files = globSync(['program.js.*.code', 'chunks/print-*.code'], { cwd: dist });
  const codes = files.map((file) => [path.join(dist, file), readFileSync(path.join(dist, file))] as const);
  for (const start of LATER_STARTS) await run(dist, start, home, url);
  for (const [file, code] of codes) writeFileSync(file, code);
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

async function run(dist: string, start: Start, home: string, server: string): Promise<void> {
  const { argv, input = 'Hello\n', terminalUntil } = start;
  const writer = path.join(import.meta.dirname, 'write-code.ts');
  const program = path.join(dist, 'main.js');
  const child = spawn(process.execPath, ['--import', writer, program, ...argv], {
    cwd: home,
    env: {
      HOME: home,
      HEDDLE_CONFIG_DIR: path.join(home, 'config'),
      ANTHROPIC_BASE_URL: server,
      ANTHROPIC_API_KEY: 'none',
      ...(terminalUntil === undefined ? {} : { TERM: 'xterm' }),
    },
    stdio: ['pipe', 'pipe', 'ignore'],
    timeout: DEADLINE_MS,
  });
  // The process may end before it has read anything.
  child.stdin.on('error', () => undefined).write(input);
  if (terminalUntil === undefined) child.stdin.end();
  let output = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output += text;
    if (terminalUntil !== undefined && output.includes(terminalUntil)) child.stdin.end();
  });
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
