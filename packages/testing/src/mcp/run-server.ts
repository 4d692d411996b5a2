/** A well-behaved test server. Arguments: its name, and `--extra=N` for N more tools. */
import { setTimeout as delayed } from 'node:timers/promises';
import { omitUndefined } from '@heddle/core/json';
import {
  ANY_OBJECT,
  type Fields,
  fieldsOf,
  initializeResult,
  serveLines,
  textResult,
  write,
} from './rpc-server.ts';

const [name = 'test', ...flags] = process.argv.slice(2);
const extra = Number(flags.find((flag) => flag.startsWith('--extra='))?.slice(8) ?? 0);
const delay = Number(flags.find((flag) => flag.startsWith('--delay='))?.slice(8) ?? 0);

const cancelled = new Set<unknown>();
const waiting = new Map<string, (reply: Fields) => void>();
let grown = false;
let requests = 0;

const TOOLS: readonly Fields[] = [
  tool('echo', 'Returns its text.', { text: { type: 'string' } }, ['text']),
  tool('add', 'Adds two numbers.', { a: { type: 'number' }, b: { type: 'number' } }, ['a', 'b']),
  tool('fail', 'Fails.'),
  tool('slow', 'Reports progress until it is cancelled.'),
  tool('picture', 'Returns an image, audio and a link.'),
  tool('structured', 'Returns structured content.'),
  tool('steps', 'Reports three steps, and ends.'),
  tool('log', 'Writes to the log of the client.', { text: { type: 'string' } }, ['text']),
  tool('ask', 'Asks the user for a color.'),
  tool('visit', 'Asks the user to visit an address.'),
  tool('sample', 'Asks the model.'),
  tool('roots', 'Returns the folders of the client.'),
  tool('grow', 'Adds a tool to the list.'),
  tool('environment', 'Returns a variable.', { name: { type: 'string' } }, ['name']),
  tool('metadata', 'Returns the metadata of the call.'),
  tool('die', 'Ends the process.'),
];

function tool(
  toolName: string,
  description: string,
  properties: Fields = {},
  required: string[] = [],
): Fields {
  return {
    name: toolName,
    description,
    inputSchema: { type: 'object', properties, required },
    annotations: { readOnlyHint: true },
  };
}

const PAGE = 10;

/** Clients drop progress that arrives together with the result. */
const STEP_MS = 5;

function page(items: readonly Fields[], field: string, cursor: unknown): Fields {
  const from = Number(cursor ?? 0);
  const next = from + PAGE < items.length ? { nextCursor: String(from + PAGE) } : {};
  return { [field]: items.slice(from, from + PAGE), ...next };
}

function request(method: string, params: Fields): Promise<Fields> {
  const id = `s${++requests}`;
  write({ id, method, params });
  return new Promise((resolve) => {
    waiting.set(id, resolve);
  });
}

const PIXEL =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

async function call(params: Fields, id: unknown): Promise<Fields | undefined> {
  const { name: wanted, arguments: given, _meta } = params;
  const input = fieldsOf(given);
  switch (wanted) {
    case 'echo':
      return textResult(String(input['text']));
    case 'add':
      return textResult(String(Number(input['a']) + Number(input['b'])));
    case 'fail':
      return { ...textResult('It failed on purpose.'), isError: true };
    case 'slow':
      return slow(id, _meta);
    case 'picture':
      return {
        content: [
          { type: 'image', data: PIXEL, mimeType: 'image/png' },
          { type: 'audio', data: 'UklGRg==', mimeType: 'audio/wav' },
          { type: 'resource_link', uri: 'test://notes/1', name: 'notes' },
        ],
      };
    case 'structured':
      return { content: [], structuredContent: { answer: 42 } };
    case 'steps':
      for (const step of [1, 2, 3]) {
        reportProgress(_meta, step, 3);
        await delayed(STEP_MS);
      }
      return textResult('three steps');
    case 'log':
      write({ method: 'notifications/message', params: { level: 'warning', data: input['text'] } });
      return textResult('logged');
    case 'visit': {
      const page = {
        mode: 'url',
        message: 'Please log in.',
        url: 'https://example.com/login',
        elicitationId: 'e1',
      };
      return textResult(JSON.stringify((await request('elicitation/create', page))['result']));
    }
    case 'ask':
      return textResult(JSON.stringify((await request('elicitation/create', QUESTION))['result']));
    case 'sample': {
      const messages = [{ role: 'user', content: { type: 'text', text: 'Say hello.' } }];
      return textResult(JSON.stringify(await request('sampling/createMessage', { messages, maxTokens: 50 })));
    }
    case 'roots':
      return textResult(JSON.stringify((await request('roots/list', {}))['result']));
    case 'grow':
      grown = true;
      write({ method: 'notifications/tools/list_changed' });
      return textResult('There is a new tool.');
    case 'environment':
      return textResult(process.env[String(input['name'])] ?? 'unset');
    case 'metadata':
      return textResult(JSON.stringify(_meta));
    case 'die':
      process.stderr.write('The process ends on purpose.\n');
      return process.exit(3);
    default:
      return textResult(`${String(wanted)} was called`);
  }
}

const QUESTION: Fields = {
  message: 'Which color?',
  requestedSchema: {
    type: 'object',
    properties: { color: { type: 'string', enum: ['red', 'blue'] } },
    required: ['color'],
  },
};

function reportProgress(meta: unknown, progress: number, total?: number): void {
  const { progressToken } = fieldsOf(meta);
  const params = {
    progressToken,
    progress,
    message: `step ${progress}`,
    ...omitUndefined({ total }),
  };
  write({ method: 'notifications/progress', params });
}

/** Reports progress every 20 ms, and ends when it is cancelled. */
function slow(id: unknown, meta: unknown): Promise<undefined> {
  return new Promise((resolve) => {
    let progress = 0;
    const timer = setInterval(() => {
      if (cancelled.has(id)) {
        clearInterval(timer);
        process.stderr.write('slow was cancelled\n');
        return resolve(undefined);
      }
      reportProgress(meta, ++progress);
    }, 20);
  });
}

const more = Array.from({ length: extra }, (_, at) =>
  tool(`extra_${at}`, `Number ${at}. ${'Text. '.repeat(40)}`),
);

setTimeout(
  () =>
    serveLines(
      {
        initialize: () =>
          initializeResult(name, {
            tools: { listChanged: true },
            resources: {},
            prompts: {},
            logging: {},
          }),
        'tools/list': ({ cursor }) =>
          page(
            [...TOOLS, ...more, ...(grown ? [{ name: 'grown', inputSchema: ANY_OBJECT }] : [])],
            'tools',
            cursor,
          ),
        'tools/call': (params, { id }) => call(params, id),
        'resources/list': () => ({
          resources: [
            { uri: 'test://notes/1', name: 'notes', description: 'Some notes', mimeType: 'text/plain' },
          ],
        }),
        'resources/templates/list': () => ({
          resourceTemplates: [{ uriTemplate: 'test://notes/{number}', name: 'any notes' }],
        }),
        'resources/read': ({ uri }) => ({
          contents: [{ uri, mimeType: 'text/plain', text: `The notes of ${name}.` }],
        }),
        'prompts/list': () => ({
          prompts: [
            { name: 'review', description: 'Reviews a file.', arguments: [{ name: 'file', required: true }] },
          ],
        }),
        'prompts/get': ({ arguments: given }) => ({
          messages: [
            {
              role: 'user',
              content: {
                type: 'text',
                text: `Review ${String(fieldsOf(given)['file'])} please.`,
              },
            },
          ],
        }),
        'notifications/cancelled': ({ requestId }) => void cancelled.add(requestId),
      },
      (reply) => waiting.get(String(reply['id']))?.(reply),
    ),
  delay,
);
