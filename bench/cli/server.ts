// The server of `bench:cli`, in its own process. `short` responds at once, and `pause` after a pause. `turns` asks for
// this many Reads. Prints one JSON line per event: its port, and for each request the times of its head and of the
// end of the last answer.
import { createServer, type ServerResponse } from 'node:http';

const TURNS = 200;

/** Long enough to read how much processor time the program has used. */
const PAUSE_MS = 100;

let calls = 0;
let endedAt = 0;

const server = createServer((request, response) => {
  const arrivedAt = now();
  const pieces: Buffer[] = [];
  request.on('data', (piece: Buffer) => pieces.push(piece));
  request.on('end', () => {
    const body: unknown = JSON.parse(Buffer.concat(pieces).toString());
    const model = String(typeof body === 'object' && body !== null && 'model' in body ? body.model : '');
    say({ arrivedAt, bytes: Buffer.concat(pieces).length, gapMs: calls > 0 && model === 'claude-turns' ? arrivedAt - endedAt : null });
    if (model === 'claude-pause') return void setTimeout(() => answer(startStream(response), false), PAUSE_MS);
    startStream(response);
    calls = model === 'claude-turns' ? calls + 1 : 0;
    answer(response, model === 'claude-turns' && calls <= TURNS);
    if (calls > TURNS) calls = 0;
    endedAt = now();
  });
});
server.keepAliveTimeout = 60_000;
server.listen(0, '127.0.0.1', () => {
  const address = server.address();
  say({ port: typeof address === 'object' && address !== null ? address.port : 0 });
});
process.stdin.resume().on('end', () => process.exit());

function startStream(response: ServerResponse): ServerResponse {
  return response.writeHead(200, { 'content-type': 'text/event-stream' });
}

function answer(response: ServerResponse, call: boolean): void {
  const usage = { input_tokens: 10, output_tokens: 5, cache_creation_input_tokens: 0, cache_read_input_tokens: 0 };
  const block = call
    ? { type: 'tool_use', id: `toolu_${calls}`, name: 'Read', input: {} }
    : { type: 'text', text: '' };
  const delta = call
    ? { type: 'input_json_delta', partial_json: JSON.stringify({ file_path: 'notes.txt', offset: calls }) }
    : { type: 'text_delta', text: 'Done.' };
  const events = [
    { type: 'message_start', message: { id: `msg_${calls}`, type: 'message', role: 'assistant', model: 'bench', content: [], usage } },
    { type: 'content_block_start', index: 0, content_block: block },
    { type: 'content_block_delta', index: 0, delta },
    { type: 'content_block_stop', index: 0 },
    { type: 'message_delta', delta: { stop_reason: call ? 'tool_use' : 'end_turn' }, usage },
    { type: 'message_stop' },
  ];
  response.end(events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join(''));
}

/** Milliseconds since the epoch with fractions, the same in every process of the machine. */
function now(): number {
  return performance.timeOrigin + performance.now();
}

function say(line: object): void {
  process.stdout.write(`${JSON.stringify(line)}\n`);
}
