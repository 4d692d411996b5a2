/** Servers as child processes: the real library, pipes and processes. */
import { afterEach, describe, expect, it, vi } from 'vitest';
import { callTool, closeServers, connectServers, openServers } from './test/open-servers.ts';
import { misbehavingServer, testServer } from '@heddle/testing/mcp';

afterEach(closeServers);

describe('a server', () => {
  it('lists its tools over several pages, with names for the model', async () => {
    const servers = await connectServers({ 'my server': testServer() });
    expect(servers.all[0]?.state).toEqual({ status: 'connected' });
    expect(servers.tools).toHaveLength(16);
    expect(servers.tools[0]).toMatchObject({
      name: 'mcp__my_server__echo',
      description: 'Returns its text.',
      annotations: { readOnly: true },
    });
    expect(servers.tools[0]?.isReadOnly({}, {} as never)).toBe(false);
  });

  it('answers calls with text, errors, images, files and structured content', async () => {
    const servers = await connectServers({ s: testServer() });
    expect(await callTool(servers, 'mcp__s__add', { a: 2, b: 40 })).toBe('42');
    expect(await callTool(servers, 'mcp__s__fail')).toBe('error: It failed on purpose.');
    expect(await callTool(servers, 'mcp__s__structured')).toBe('{\n  "answer": 42\n}');
    expect(await callTool(servers, 'mcp__s__picture')).toBe(
      'image\n[Audio, audio/wav, 4 bytes, stored in /files/4.wav]\n[Resource of the server s: notes, test://notes/1]',
    );
  });

  it('is waited for by a call of a tool that is not listed yet', async () => {
    const servers = openServers({ s: testServer('s', '--delay=300') });
    expect(await callTool(servers, 'mcp__s__echo', { text: 'hi' })).toBe('hi');
  });

  it('asks the client for folders, answers of the user and answers of the model', async () => {
    const servers = await connectServers(
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
    expect(await callTool(servers, 'mcp__s__roots')).toContain('file:///a%20b');
    expect(await callTool(servers, 'mcp__s__ask')).toContain('"color":"blue"');
    expect(await callTool(servers, 'mcp__s__sample')).toContain('You said: Say hello.');
  });

  it('announces a changed list of tools', async () => {
    const servers = await connectServers({ s: testServer() });
    await callTool(servers, 'mcp__s__grow');
    await vi.waitFor(() => expect(servers.tools.map(({ name }) => name)).toContain('mcp__s__grown'));
  });

  it('is told when a call is cancelled', async () => {
    const servers = await connectServers({ s: testServer() });
    const controller = new AbortController();
    const calling = callTool(servers, 'mcp__s__slow', {}, controller.signal);
    setTimeout(() => controller.abort('cancel'), 200);
    expect(await calling).toMatch(/^error: slow was cancelled\./);
    await vi.waitFor(() => expect(servers.all[0]?.state.stderr).toBe('slow was cancelled'));
  });

  it('is limited in the whole time of a call, but not in its idle time while it reports progress', async () => {
    const times = { limits: { idleMs: 300, totalMs: 1_500 } };
    const servers = await connectServers({ s: testServer(), m: misbehavingServer() }, { times });
    const start = Date.now();
    expect(await callTool(servers, 'mcp__s__slow')).toMatch(/it took longer than 1\.5 s/);
    expect(Date.now() - start).toBeGreaterThanOrEqual(1_400);
    expect(await callTool(servers, 'mcp__m__never_answers')).toMatch(/no answer and no progress for 0\.3 s/);
  });

  it('is started again after its process ended, and the interrupted call has one result', async () => {
    const servers = await connectServers({ s: testServer() }, { times: { retryDelaysMs: [10, 10] } });
    expect(await callTool(servers, 'mcp__s__die')).toMatch(
      /^error: The server s ended the connection during the call\. It may/,
    );
    expect(await callTool(servers, 'mcp__s__echo', { text: 'back' })).toBe('back');
  });

  it('does not start while its program waits, also after its process ended, and starts when it may', async () => {
    let why: string | undefined = 'x.sh changed.';
    const servers = openServers(
      { s: testServer() },
      { whyWaiting: () => why, times: { retryDelaysMs: [10] } },
    );
    await servers.settle(10_000);
    expect(servers.all[0]?.state).toEqual({ status: 'failed', error: 'x.sh changed.' });
    why = undefined;
    await servers.startWaiting();
    expect(servers.all[0]?.state).toEqual({ status: 'connected' });
    why = 'x.sh changed again.';
    await callTool(servers, 'mcp__s__die');
    await vi.waitFor(() => expect(servers.all[0]?.state).toEqual({ status: 'failed', error: why }));
    expect(servers.tools).toEqual([]);
  });

  it.each(['mcp__notes__', 'ReadMcpResourceTool'])(
    'shows neither resources nor prompts if a rule denies %s',
    async (rule) => {
      const { signal } = new AbortController();
      const prompt = 'see @notes:test://text';
      const open = await connectServers({ notes: testServer('notes') });
      expect(JSON.stringify(await open.expand({ content: prompt, typed: prompt }, signal))).toContain(
        'The notes of notes.',
      );
      expect(open.resourceTools).toHaveLength(2);
      const denied = await connectServers(
        { notes: testServer('notes') },
        { isDenied: (tool) => tool === rule },
      );
      expect(await denied.expand({ content: prompt, typed: prompt }, signal)).toBe(prompt);
      expect(denied.resourceTools).toEqual([]);
    },
  );

  it('has resources under its name for rules', async () => {
    const { resourceTools } = await connectServers({ a: testServer('a'), 'b.c': testServer('b') });
    const namesOf = (input: object) =>
      resourceTools.map((tool) => tool.ruleNames?.(input).map(({ tool: name }) => name));
    expect(namesOf({ server: 'b.c', uri: 'test://text' })).toEqual([['mcp__b_c__'], ['mcp__b_c__']]);
    expect(namesOf({})[0]).toEqual(['mcp__a__', 'mcp__b_c__']);
  });

  it('gets the configured variables', async () => {
    const servers = await connectServers({ s: { ...testServer(), env: { COLOR: 'green' } } });
    expect(await callTool(servers, 'mcp__s__environment', { name: 'COLOR' })).toBe('green');
  });
});

describe('a server that cannot start', () => {
  it.each([
    ['does not exist', { command: '/no/such/program' }, /ENOENT/],
    ['exits at once', misbehavingServer('exits'), /exit code 7/],
    [
      'closes its input, then exits',
      { command: 'sh', args: ['-c', 'exec 0<&-; sleep 0.1; exit 7'] },
      /exit code 7/,
    ],
    ['rejects the handshake', misbehavingServer('rejects'), /No clients today/],
  ])('%s: it has failed, with a reason', async (_how, entry, reason) => {
    const servers = await connectServers({ s: entry });
    expect(servers.all[0]?.state.status).toBe('failed');
    expect(servers.all[0]?.state.error).toMatch(reason);
  });

  it('never answers: it has failed at the time limit', async () => {
    const servers = await connectServers({ s: misbehavingServer('silent') }, { times: { connectMs: 500 } });
    expect(servers.all[0]?.state.status).toBe('failed');
  });

  it('ends at the probe for the newer revision: it is started again with the older one', async () => {
    const servers = await connectServers({ s: misbehavingServer('exits on probe') });
    expect(servers.all[0]?.state.status).toBe('connected');
  });
});
