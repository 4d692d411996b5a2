// The server of `bench:peers`: the Messages API and the Responses API. A prompt that contains a number gets this many calls
// that read a file, then a text. Prints one JSON line per event: its port, and the size of each first request.
import { createServer } from 'node:http';

interface Tool {
  readonly name: string;
}

interface Body {
  readonly messages?: readonly unknown[];
  readonly input?: readonly { readonly type?: string }[];
  readonly tools?: readonly Tool[];
}

/** The tool of each program that reads lines of a file, with its input. No two calls are the same. */
const READERS: Readonly<Record<string, (line: number) => object>> = {
  Read: (offset) => ({ file_path: 'notes.txt', offset, limit: 20 }),
  read: (offset) => ({ path: 'notes.txt', offset, limit: 20 }),
  exec_command: (line) => ({ cmd: `sed -n ${line},+19p notes.txt` }),
  shell_command: (line) => ({ command: `sed -n ${line},+19p notes.txt` }),
  shell: (line) => ({ command: ['sed', '-n', `${line},+19p`, 'notes.txt'] }),
};

const USAGE = { input_tokens: 10, output_tokens: 5 };

const server = createServer((request, response) => {
  const pieces: Buffer[] = [];
  request.on('data', (piece: Buffer) => pieces.push(piece));
  request.on('end', () => {
    const isMessages = request.url?.includes('/messages') === true;
    const isResponses = request.url?.endsWith('/responses') === true;
    if (request.method !== 'POST' || (!isMessages && !isResponses)) {
      response.writeHead(404).end();
      return;
    }
    const bytes = Buffer.concat(pieces);
    const body: Body = JSON.parse(bytes.toString());
    const text = JSON.stringify(body.messages ?? body.input);
    const wanted = Number(/Read the notes (\d+) times/.exec(text)?.[1] ?? 0);
    const done = text.match(/"(?:tool_result|function_call_output)"/g)?.length ?? 0;
    if (done === 0) print({ bytes: bytes.length });
    const tool = body.tools?.find(({ name }) => name in READERS);
    const call = done < wanted ? tool : undefined;
    if (wanted > 0 && !tool) print({ problem: `no known tool: ${body.tools?.map(({ name }) => name).join()}` });
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    const events = isMessages ? messagesEvents(call, done) : responsesEvents(call, done);
    response.end(
      events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join(''),
    );
  });
});
server.keepAliveTimeout = 60_000;
server.listen(0, '127.0.0.1', () => {
  const address = server.address();
  print({ port: typeof address === 'object' && address !== null ? address.port : 0 });
});
process.stdin.resume().on('end', () => process.exit());

function messagesEvents(call: Tool | undefined, at: number): readonly { type: string }[] {
  const usage = { ...USAGE, cache_creation_input_tokens: 0, cache_read_input_tokens: 0 };
  const block = call
    ? { type: 'tool_use', id: `toolu_${at}`, name: call.name, input: {} }
    : { type: 'text', text: '' };
  const delta = call
    ? { type: 'input_json_delta', partial_json: JSON.stringify(READERS[call.name]?.(at + 1)) }
    : { type: 'text_delta', text: 'Done.' };
  const message = { id: `msg_${at}`, type: 'message', role: 'assistant', model: 'bench', content: [], usage };
  return [
    { type: 'message_start', ...{ message } },
    { type: 'content_block_start', ...{ index: 0, content_block: block } },
    { type: 'content_block_delta', ...{ index: 0, delta } },
    { type: 'content_block_stop', ...{ index: 0 } },
    { type: 'message_delta', ...{ delta: { stop_reason: call ? 'tool_use' : 'end_turn' }, usage } },
    { type: 'message_stop' },
  ];
}

function responsesEvents(call: Tool | undefined, at: number): readonly { type: string }[] {
  const usage = { ...USAGE, total_tokens: 15 };
  const item = call
    ? {
        type: 'function_call',
        id: `fc_${at}`,
        call_id: `call_${at}`,
        name: call.name,
        arguments: JSON.stringify(READERS[call.name]?.(at + 1)),
      }
    : {
        type: 'message',
        id: `msg_${at}`,
        role: 'assistant',
        content: [{ type: 'output_text', text: 'Done.', annotations: [] }],
      };
  const id = `resp_${at}`;
  return [
    { type: 'response.created', ...{ response: { id, status: 'in_progress' } } },
    { type: 'response.output_item.added', ...{ output_index: 0, item } },
    { type: 'response.output_item.done', ...{ output_index: 0, item } },
    { type: 'response.completed', ...{ response: { id, status: 'completed', output: [item], usage } } },
  ];
}

function print(line: object): void {
  process.stdout.write(`${JSON.stringify(line)}\n`);
}
