// The server of the benchmark, in its own process, so that its work is not included. Prints its port.
// Responds to the model `deltas-N` with a text of N deltas, each in its own chunk, and to any other with a
// call that adds to the conversation.
import { createServer, type ServerResponse } from 'node:http';

const TEXT_OF_A_TURN = 'x'.repeat(2_350);

const server = createServer((request, response) => {
  const pieces: Buffer[] = [];
  request.on('data', (piece: Buffer) => pieces.push(piece));
  request.on('end', () => {
    const deltas = Number(/"deltas-(\d+)"/.exec(pieces[0]?.toString('latin1', 0, 4_000) ?? '')?.[1] ?? 0);
    response.writeHead(200, { 'content-type': 'text/event-stream', 'request-id': 'req_1' });
    void (deltas > 0 ? sendDeltas(response, deltas) : sendTurn(response, Buffer.concat(pieces).length));
  });
});
server.keepAliveTimeout = 60_000;
server.listen(0, '127.0.0.1', () => {
  const address = server.address();
  process.stdout.write(`${typeof address === 'object' && address !== null ? address.port : ''}\n`);
});
// The benchmark ends when the pipe closes.
process.stdin.resume().on('end', () => process.exit());

function frame(event: { readonly type: string } & Record<string, unknown>): string {
  return `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`;
}

function opening(id: string): string {
  const usage = { input_tokens: 10, output_tokens: 1, cache_creation_input_tokens: 0, cache_read_input_tokens: 0 };
  return frame({ type: 'message_start', message: { id, type: 'message', role: 'assistant', model: 'bench', content: [], usage } });
}

async function sendDeltas(response: ServerResponse, deltas: number): Promise<void> {
  response.write(opening('msg_1'));
  response.write(frame({ type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } }));
  for (let sent = 0; sent < deltas; sent++) {
    const more = response.write(
      frame({ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: ` word ${sent}` } }),
    );
    if (!more) await new Promise((resolve) => response.once('drain', resolve));
  }
  response.write(frame({ type: 'content_block_stop', index: 0 }));
  response.write(frame({ type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: { output_tokens: deltas } }));
  response.end(frame({ type: 'message_stop' }));
}

let turns = 0;

function sendTurn(response: ServerResponse, bodyBytes: number): void {
  turns++;
  const id = `toolu_${turns}`;
  response.write(opening(`msg_${turns}`));
  response.write(frame({ type: 'content_block_start', index: 0, content_block: { type: 'tool_use', id, name: 'Look', input: {} } }));
  const input = JSON.stringify({ turn: turns, bodyBytes, text: TEXT_OF_A_TURN });
  for (let at = 0; at < input.length; at += 200) {
    response.write(
      frame({ type: 'content_block_delta', index: 0, delta: { type: 'input_json_delta', partial_json: input.slice(at, at + 200) } }),
    );
  }
  response.write(frame({ type: 'content_block_stop', index: 0 }));
  response.write(frame({ type: 'message_delta', delta: { stop_reason: 'tool_use' }, usage: { output_tokens: 600 } }));
  response.end(frame({ type: 'message_stop' }));
}
