// A fake Messages API in its own process. The first word of the prompt selects the answer:
// - `go`: 2,000 deltas a second, then a call with 10,000 lines of output, then deltas again
// - `lines`: numbered lines, for some seconds
// - `wait`: one word, and no end
// - others: a short answer at once
// Prints its port.
import { createServer, type ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';

const DELTAS_PER_TICK = 20;
const TICK_MS = 10;
const SECONDS = 5;
const LINES = 600;

const server = createServer((request, response) => {
  let body = '';
  request.setEncoding('utf8').on('data', (text: string) => (body += text));
  request.on('end', () => {
    response.writeHead(200, { 'content-type': 'text/event-stream', 'request-id': 'req_1' });
    void answer(response, body);
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

function delta(text: string): string {
  return frame({ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text } });
}

async function answer(response: ServerResponse, body: string): Promise<void> {
  const prompt = [...body.matchAll(/"text":"(go|lines|wait)\b/g)].at(-1)?.[1];
  const isAfterCall = body.includes('"tool_result"');
  const usage = { input_tokens: 10, output_tokens: 1, cache_creation_input_tokens: 0, cache_read_input_tokens: 0 };
  const message = { id: `msg_${performance.now()}`, type: 'message', role: 'assistant', model: 'bench', content: [], usage };
  response.write(frame({ type: 'message_start', message }));
  response.write(frame({ type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } }));
  if (prompt === 'wait') return void response.write(delta('Waiting. '));
  if (prompt === 'go') await streamWords(response);
  else if (prompt === 'lines') await streamLines(response);
  else response.write(delta('A short answer.'));
  response.write(frame({ type: 'content_block_stop', index: 0 }));
  const calls = prompt === 'go' && !isAfterCall;
  if (calls) call(response, { command: 'seq 10000' });
  const stop_reason = calls ? 'tool_use' : 'end_turn';
  response.write(frame({ type: 'message_delta', delta: { stop_reason }, usage: { output_tokens: 10 } }));
  response.end(frame({ type: 'message_stop' }));
}

async function streamWords(response: ServerResponse): Promise<void> {
  const startedAt = performance.now();
  let sent = 0;
  while (sent < (SECONDS * 1_000 * DELTAS_PER_TICK) / TICK_MS) {
    const due = Math.floor((performance.now() - startedAt) / TICK_MS) * DELTAS_PER_TICK;
    let text = '';
    for (; sent < due; sent++) text += delta(`W${sent}${sent % 40 === 39 ? '\n' : ' '}`);
    response.write(text);
    await sleep(TICK_MS);
  }
}

async function streamLines(response: ServerResponse): Promise<void> {
  for (let line = 0; line < LINES; line++) {
    response.write(delta(`L${line} is one of the lines.\n\n`));
    if (line % 2 === 1) await sleep(TICK_MS);
  }
}

function call(response: ServerResponse, input: object): void {
  const block = { type: 'tool_use', id: 'toolu_1', name: 'Bash', input: {} };
  response.write(frame({ type: 'content_block_start', index: 1, content_block: block }));
  const partial_json = JSON.stringify(input);
  response.write(frame({ type: 'content_block_delta', index: 1, delta: { type: 'input_json_delta', partial_json } }));
  response.write(frame({ type: 'content_block_stop', index: 1 }));
}
