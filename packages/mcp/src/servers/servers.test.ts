/** Servers as child processes: the real library, pipes and processes. */
import { afterEach, describe, expect, it, vi } from 'vitest';
import { type ClientServices, McpServers, type ServerConfig, type ServersDeps } from '../index.ts';
import { readConfig } from '../config/server-config.ts';
import { misbehavingServer, testServer } from '@heddle/testing/mcp';

const opened: McpServers[] = [];
afterEach(async () => {
  await Promise.all(opened.splice(0).map((servers) => servers.close()));
});

interface Setup {
  readonly services?: ClientServices;
  readonly times?: ServersDeps['times'];
}

function open(configs: Readonly<Record<string, object>>, { services = {}, times }: Setup = {}): McpServers {
  const servers = new McpServers(
    Object.entries(configs).map(([name, entry]) => ({ name, config: configOf(entry), scope: 'user' })),
    {
      version: '0',
      environment: { PATH: process.env['PATH'] ?? '' },
      variables: {},
      cwd: import.meta.dirname,
      services,
      admitImages: (content) => Promise.resolve(content),
      storeFile: (data, extension) => Promise.resolve(`/files/${data.length}.${extension}`),
      ...(times ? { times } : {}),
    },
  );
  opened.push(servers);
  return servers;
}

function configOf(entry: object): ServerConfig {
  const config = readConfig(entry);
  if (typeof config === 'string') throw new Error(config);
  return config;
}

async function connected(configs: Readonly<Record<string, object>>, setup?: Setup): Promise<McpServers> {
  const servers = open(configs, setup);
  await servers.settle(30_000);
  return servers;
}

const signal = (): AbortSignal => new AbortController().signal;

/** Calls a tool like the loop does, and returns its text or its error. */
async function call(
  servers: McpServers,
  name: string,
  input: object = {},
  given = signal(),
): Promise<string> {
  const tool = await servers.find(name, given);
  if (!tool) return `no tool ${name}`;
  const context = { signal: given, toolUseId: 'c1' };
  try {
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the tool uses these fields only
    const { data } = await tool.call(
      { ...input },
      context as unknown as Parameters<typeof tool.call>[1],
      () => undefined,
    );
    return data.map((part) => (part.type === 'text' ? part.text : String(part.type))).join('\n');
  } catch (thrown) {
    return `error: ${thrown instanceof Error ? thrown.message : String(thrown)}`;
  }
}

describe('a server', () => {
  it('lists its tools over several pages, with names for the model', async () => {
    const servers = await connected({ 'my server': testServer() });
    expect(servers.all[0]?.state).toEqual({ status: 'connected' });
    expect(servers.tools).toHaveLength(12);
    expect(servers.tools[0]).toMatchObject({
      name: 'mcp__my_server__echo',
      description: 'Returns its text.',
      annotations: { readOnly: true },
    });
    expect(servers.tools[0]?.isReadOnly({}, {} as never)).toBe(false);
  });

  it('answers calls with text, errors, images, files and structured content', async () => {
    const servers = await connected({ s: testServer() });
    expect(await call(servers, 'mcp__s__add', { a: 2, b: 40 })).toBe('42');
    expect(await call(servers, 'mcp__s__fail')).toBe('error: It failed on purpose.');
    expect(await call(servers, 'mcp__s__structured')).toBe('{\n  "answer": 42\n}');
    expect(await call(servers, 'mcp__s__picture')).toBe(
      'image\n[Audio, audio/wav, 4 bytes, stored in /files/4.wav]\n[Resource of the server s: notes, test://notes/1]',
    );
  });

  it('is waited for by a call of a tool that is not listed yet', async () => {
    const servers = open({ s: testServer('s', '--delay=300') });
    expect(await call(servers, 'mcp__s__echo', { text: 'hi' })).toBe('hi');
  });

  it('asks the client for folders, answers of the user and answers of the model', async () => {
    const servers = await connected(
      { s: testServer() },
      {
        services: {
          roots: () => ['/a b'],
          elicit: ({ message, schema }) => {
            expect({ message, type: schema?.['type'] }).toEqual({ message: 'Which color?', type: 'object' });
            return Promise.resolve({ action: 'accept', content: { color: 'blue' } });
          },
          sample: ({ messages }) => Promise.resolve({ model: 'm', text: `You said: ${messages[0]?.text}` }),
        },
      },
    );
    expect(await call(servers, 'mcp__s__roots')).toContain('file:///a%20b');
    expect(await call(servers, 'mcp__s__ask')).toContain('"color":"blue"');
    expect(await call(servers, 'mcp__s__sample')).toContain('You said: Say hello.');
  });

  it('announces a changed list of tools', async () => {
    const servers = await connected({ s: testServer() });
    await call(servers, 'mcp__s__grow');
    await vi.waitFor(() => expect(servers.tools.map(({ name }) => name)).toContain('mcp__s__grown'));
  });

  it('is told when a call is cancelled', async () => {
    const servers = await connected({ s: testServer() });
    const controller = new AbortController();
    const calling = call(servers, 'mcp__s__slow', {}, controller.signal);
    setTimeout(() => controller.abort('cancel'), 200);
    expect(await calling).toMatch(/^error: slow was cancelled\./);
    await vi.waitFor(() => expect(servers.all[0]?.state.stderr).toBe('slow was cancelled'));
  });

  it('is limited in the whole time of a call, but not in its idle time while it reports progress', async () => {
    const times = { limits: { idleMs: 300, totalMs: 1_500 } };
    const servers = await connected({ s: testServer(), m: misbehavingServer() }, { times });
    const start = Date.now();
    expect(await call(servers, 'mcp__s__slow')).toMatch(/it took longer than 1\.5 s/);
    expect(Date.now() - start).toBeGreaterThanOrEqual(1_400);
    expect(await call(servers, 'mcp__m__never_answers')).toMatch(/no answer and no progress for 0\.3 s/);
  });

  it('is started again after its process ended, and the interrupted call has one result', async () => {
    const servers = await connected({ s: testServer() }, { times: { retryDelaysMs: [10, 10] } });
    expect(await call(servers, 'mcp__s__die')).toMatch(
      /^error: The server s ended the connection during the call\. It may/,
    );
    expect(await call(servers, 'mcp__s__echo', { text: 'back' })).toBe('back');
  });

  it('gets the configured variables', async () => {
    const servers = await connected({ s: { ...testServer(), env: { COLOR: 'green' } } });
    expect(await call(servers, 'mcp__s__environment', { name: 'COLOR' })).toBe('green');
  });
});

describe('a server that cannot start', () => {
  it.each([
    ['does not exist', { command: '/no/such/program' }, /ENOENT/],
    ['exits at once', misbehavingServer('exits'), /exit code 7/],
    ['rejects the handshake', misbehavingServer('rejects'), /No clients today/],
  ])('%s: it has failed, with a reason', async (_how, entry, reason) => {
    const servers = await connected({ s: entry });
    expect(servers.all[0]?.state.status).toBe('failed');
    expect(servers.all[0]?.state.error).toMatch(reason);
  });

  it('never answers: it has failed at the time limit', async () => {
    const servers = await connected({ s: misbehavingServer('silent') }, { times: { connectMs: 500 } });
    expect(servers.all[0]?.state.status).toBe('failed');
  });

  it('ends at the probe for the newer revision: it is started again with the older one', async () => {
    const servers = await connected({ s: misbehavingServer('exits on probe') });
    expect(servers.all[0]?.state.status).toBe('connected');
  });
});
