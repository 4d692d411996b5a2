// A fake Messages API in its own process: streams 2,000 deltas a second, then a call with 10,000 lines of output, then
// deltas again. Prints its port.
import { createServer, type ServerResponse } from 'node:http';

const DELTAS_PER_TICK = 20;
const TICK_MS = 10;
const SECONDS = 5;
let requests = 0;

const server = createServer((request, response) => {
  request.resume().on('end', () => {
    response.writeHead(200, { 'content-type': 'text/event-stream', 'request-id': 'req_1' });
    void answer(response, ++requests);
  });
});
server.listen(0, '127.0.0.1', () => {
  const address = server.address();
  process.stdout.write(`${typeof address === 'object' && address !== null ? address.port : ''}\n`);
});
// The benchmark ends when the pipe closes.
process.stdin.resume().on('end', () => process.exit());

function frame(event: { readonly type: string } & Record<string, unknown>): string {
  return `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`;
}

async function answer(response: ServerResponse, turn: number): Promise<void> {
  const usage = { input_tokens: 10, output_tokens: 1, cache_creation_input_tokens: 0, cache_read_input_tokens: 0 };
  const message = { id: `msg_${turn}`, type: 'message', role: 'assistant', model: 'bench', content: [], usage };
  response.write(frame({ type: 'message_start', message }));
  response.write(frame({ type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } }));
  const startedAt = performance.now();
  let sent = 0;
  while (sent < (SECONDS * 1_000 * DELTAS_PER_TICK) / TICK_MS) {
    const due = Math.floor((performance.now() - startedAt) / TICK_MS) * DELTAS_PER_TICK;
    let text = '';
    for (; sent < due; sent++) {
      const end = sent % 40 === 39 ? '\n' : ' ';
      text += frame({ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: `W${sent}${end}` } });
    }
    response.write(text);
    await new Promise((resolve) => setTimeout(resolve, TICK_MS));
  }
  response.write(frame({ type: 'content_block_stop', index: 0 }));
  if (turn === 1) call(response, { command: 'seq 10000' });
  const stop_reason = turn === 1 ? 'tool_use' : 'end_turn';
  response.write(frame({ type: 'message_delta', delta: { stop_reason }, usage: { output_tokens: sent } }));
  response.end(frame({ type: 'message_stop' }));
}

function call(response: ServerResponse, input: object): void {
  const block = { type: 'tool_use', id: 'toolu_1', name: 'Bash', input: {} };
  response.write(frame({ type: 'content_block_start', index: 1, content_block: block }));
  const partial_json = JSON.stringify(input);
  response.write(frame({ type: 'content_block_delta', index: 1, delta: { type: 'input_json_delta', partial_json } }));
  response.write(frame({ type: 'content_block_stop', index: 1 }));
}
