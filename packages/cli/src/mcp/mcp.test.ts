/** MCP servers through the shipped program: configuration, trust, permission, search, and a host's own servers. */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { call, say, type ScriptStep, startFakeApi } from '@heddle/testing';
import { misbehavingServer, testServer } from '@heddle/testing/mcp';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  closeAtResult,
  control,
  type Conversation,
  converse,
  type Held,
  prompt,
  replyTo,
} from '../headless/host/test/conversation.ts';
import { answerWith } from '../headless/host/test/hooked.ts';
import { homeFor } from '../test/home.ts';
import { install, type Installed, linesOf, type OutputLine } from '../test/program.ts';

let installed: Installed;

beforeAll(async () => {
  installed = await install();
});
afterAll(() => installed.remove());

const config = (servers: object): string => JSON.stringify({ mcpServers: servers });

async function print(
  script: readonly ScriptStep[],
  flags: readonly string[],
  prepare?: (folder: string) => void,
  typed = 'go',
) {
  const home = homeFor(installed.program);
  prepare?.(home.folder);
  const json = ['--output-format', 'stream-json', '--verbose', '--model', home.script(script)];
  const ended = await home.run(['-p', typed, ...json, ...flags]);
  return { ...ended, ...home, lines: linesOf(ended.stdout) };
}

/** The stored conversation. */
function journalOf(folder: string): string {
  const projects = path.join(folder, 'config/projects');
  const files = readdirSync(projects, { recursive: true, encoding: 'utf8' }).filter((file) =>
    file.endsWith('.jsonl'),
  );
  return files.map((file) => readFileSync(path.join(projects, file), 'utf8')).join('\n');
}

/** The contents of all tool results. */
function results(lines: readonly OutputLine[]): string {
  return JSON.stringify(lines.filter(({ type }) => type === 'user').map((line) => line['message']));
}

const host = (conversation: Conversation): Promise<Held> => converse(installed.program, conversation);

it('a hook of the type mcp_tool calls a server, and its text is the output of the hook', async () => {
  const output = {
    hookSpecificOutput: {
      hookEventName: 'PreToolUse',
      permissionDecision: 'deny',
      permissionDecisionReason: 'not with ${tool_input.command}',
    },
  };
  const hook = { type: 'mcp_tool', server: 's', tool: 'echo', input: { text: JSON.stringify(output) } };
  const settings = JSON.stringify({ hooks: { PreToolUse: [{ matcher: 'Bash', hooks: [hook] }] } });
  const { lines } = await print(
    [call('Bash', { command: 'ls' }, 'c1'), say('Done.')],
    ['--mcp-config', config({ s: testServer() }), '--settings', settings],
  );
  expect(results(lines)).toContain('not with ls');
});

describe('a server of --mcp-config', () => {
  it('answers a call in the first answer, although it is still connecting', async () => {
    const { lines, stderr } = await print(
      [call('mcp__s__echo', { text: 'hello from afar' }, 'c1'), say('Done.')],
      ['--mcp-config', config({ s: testServer('s', '--delay=200') }), '--allowed-tools', 'mcp__s__*'],
    );
    expect(lines[0]).toMatchObject({ subtype: 'init', mcp_servers: [{ name: 's', status: 'pending' }] });
    expect(results(lines)).toContain('hello from afar');
    expect(stderr).toBe('');
  });

  it('is found by a search, which waits for it, and its tool is then part of requests', async () => {
    const { lines } = await print(
      [
        call('ToolSearch', { query: 'select:mcp__s__add' }, 'c1'),
        call('mcp__s__add', { a: 1, b: 2 }, 'c2'),
        say('3'),
      ],
      ['--mcp-config', config({ s: testServer() }), '--allowed-tools', 'mcp__s', '--tools', 'Read'],
    );
    expect(results(lines)).toMatch(/These tools can be called now[^]*"text":"3"/);
  });

  it('needs a rule, whatever it claims about its tools', async () => {
    const { lines } = await print(
      [call('mcp__s__echo', { text: 'hi' }, 'c1'), say('Denied.')],
      ['--mcp-config', config({ s: testServer() }), '--allowed-tools', 'mcp__other'],
    );
    expect(results(lines)).toContain('No rule allows mcp__s__echo');
  });

  it('is not even offered if a rule denies it', async () => {
    const { lines } = await print(
      [call('mcp__s__echo', { text: 'hi' }, 'c1'), say('None.')],
      ['--mcp-config', config({ s: testServer() }), '--disallowed-tools', 'mcp__s'],
    );
    expect(results(lines)).toContain('There is no tool named mcp__s__echo');
  });
});

it('the start of requests stays the same, byte for byte, while servers connect and change', async () => {
  const model = 'claude-sonnet-4-5';
  const script = [
    call('mcp__s__echo', { text: 'a' }, 'c1'),
    call('mcp__s__grow', {}, 'c2'),
    call('mcp__s__echo', { text: 'b' }, 'c3'),
  ];
  const api = await startFakeApi(
    [...script, say('Done.')].map((step) => [step]),
    { models: [model] },
  );
  const home = homeFor(installed.program);
  const flags = ['--mcp-config', config({ s: testServer() }), '--allowed-tools', 'mcp__s'];
  await home.run(['-p', 'go', '--model', `anthropic/${model}`, ...flags], {
    env: { ANTHROPIC_BASE_URL: api.url, ANTHROPIC_API_KEY: 'key' },
  });
  await api.close();
  const bodies = api.requests.filter(({ path: place }) => place === '/v1/messages').map(({ body }) => body);
  expect(bodies).toHaveLength(4);
  // The marks of cached parts move with the conversation.
  const plain = (value: unknown): string =>
    JSON.stringify(value, (key, inner: unknown) => (key === 'cache_control' ? undefined : inner));
  const parts = bodies.map((body) => body as { tools: unknown; system: unknown; messages: unknown[] });
  for (const [at, { tools, system, messages }] of parts.entries()) {
    expect(plain([tools, system])).toBe(plain([parts[0]?.tools, parts[0]?.system]));
    const next = parts[at + 1]?.messages ?? messages;
    expect(plain(next.slice(0, messages.length))).toBe(plain(messages));
  }
  expect(plain(parts.at(-1)?.messages)).toMatch(/The MCP server s has these tools: mcp__s__echo/);
});

describe('prompts and resources', () => {
  const flags = ['--mcp-config', config({ s: testServer('s') })];
  it('of a server join a prompt: /mcp__server__prompt and @server:uri', async () => {
    const asked = await print(
      [say('Reviewed.')],
      [...flags, '--replay-user-messages'],
      undefined,
      '/mcp__s__review a.ts',
    );
    expect(journalOf(asked.folder)).toContain('Review a.ts please.');
    const read = await print([say('Read.')], flags, undefined, 'Look at @s:test://notes/1.');
    expect(journalOf(read.folder)).toContain('The notes of s.');
  });

  it('are listed and read by the model, with permission', async () => {
    const { lines } = await print(
      [
        call('ToolSearch', { query: 'select:ListMcpResourcesTool,ReadMcpResourceTool' }, 'c0'),
        call('ListMcpResourcesTool', {}, 'c1'),
        call('ReadMcpResourceTool', { server: 's', uri: 'test://notes/1' }, 'c2'),
        say('Done.'),
      ],
      [...flags, '--allowed-tools', 'ReadMcpResourceTool'],
    );
    expect(results(lines)).toMatch(/s test:\/\/notes\/1 \(notes\): Some notes[^]*The notes of s\./);
  });
});

describe('a call that the end of its server or of the program cut off', () => {
  it('is reported as interrupted when the session is resumed, and is not repeated', async () => {
    const home = homeFor(installed.program);
    const flags = ['--mcp-config', config({ s: testServer('s') }), '--allowed-tools', 'mcp__s'];
    const json = ['--output-format', 'stream-json', '--verbose'];
    const first = await home.run(
      [
        '-p',
        'go',
        '--model',
        home.script([call('mcp__s__die', {}, 'c0'), call('mcp__s__slow', {}, 'c1'), say('Never.')]),
        ...json,
        ...flags,
      ],
      {
        onOutput: (stdout, child) => {
          if (stdout.includes('tool_progress')) child.kill('SIGKILL');
        },
      },
    );
    expect(first.signal ?? first.code).not.toBe(0);
    const ended = 'The server s ended the connection during the call.';
    expect(results(linesOf(first.stdout))).toContain(ended);
    const resumed = await home.run([
      '-p',
      'and?',
      '--continue',
      '--model',
      home.script([say('I checked.')]),
      ...json,
      ...flags,
    ]);
    expect(results(linesOf(resumed.stdout))).toContain(
      'It may or may not have taken effect: check before you repeat it.',
    );
    expect(resumed.stdout).not.toContain('tool_progress');
    const journal = journalOf(home.folder);
    expect(journal.split(ended)).toHaveLength(2);
    expect(journal.match(/"type":"intent"/g)).toHaveLength(2);
  });
});

describe('a server of .mcp.json', () => {
  const write = (folder: string): void =>
    writeFileSync(path.join(folder, '.mcp.json'), config({ s: testServer() }));
  const script = [call('mcp__s__echo', { text: 'project' }, 'c1'), say('Done.')];

  it('does not start in a folder that is not trusted', async () => {
    const { lines, stderr } = await print(script, ['--allowed-tools', 'mcp__s'], write);
    expect(lines[0]).toMatchObject({ mcp_servers: [{ name: 's', status: 'disabled' }] });
    expect(stderr).toMatch(/Left out, because the folder is not trusted: .*\.mcp\.json: s\./);
    expect(results(lines)).toContain('There is no tool named mcp__s__echo');
  });

  it('starts in a trusted folder, and not with --strict-mcp-config', async () => {
    const trusted = (folder: string): void => {
      write(folder);
      mkdirSync(path.join(folder, 'config'));
      const projects = { [folder]: { hasTrustDialogAccepted: true } };
      writeFileSync(path.join(folder, 'config/.claude.json'), JSON.stringify({ projects }));
    };
    const { lines } = await print(script, ['--allowed-tools', 'mcp__s'], trusted);
    expect(results(lines)).toContain('project');
    const strict = await print([say('Hm.')], ['--strict-mcp-config'], trusted);
    expect(strict.lines[0]).toMatchObject({ mcp_servers: [] });
  });
});

describe('a server of a host', () => {
  /** Answers messages to the server `calc` like the library of a host does. */
  function reply(line: OutputLine): object | 'close' | undefined {
    const { request, request_id } = line as { request?: { message?: Message }; request_id?: string };
    const message = request?.message;
    if (line['type'] !== 'control_request' || !message) return closeAtResult(line);
    const mcp_response = { jsonrpc: '2.0', id: message.id ?? 0, result: resultOf(message) };
    return {
      type: 'control_response',
      response: { subtype: 'success', request_id, response: { mcp_response } },
    };
  }
  interface Message {
    readonly id?: number;
    readonly method: string;
    readonly params?: { readonly arguments?: { readonly a: number } };
  }
  function resultOf({ method, params }: Message): object {
    switch (method) {
      case 'initialize':
        return {
          protocolVersion: '2025-06-18',
          capabilities: { tools: {} },
          serverInfo: { name: 'c', version: '1' },
        };
      case 'tools/list':
        return {
          tools: [{ name: 'double', inputSchema: { type: 'object', properties: { a: { type: 'number' } } } }],
        };
      case 'tools/call':
        return { content: [{ type: 'text', text: String((params?.arguments?.a ?? 0) * 2) }] };
      default:
        return {};
    }
  }

  // The TypeScript client names its servers in `initialize`, and the Python client in `--mcp-config`.
  it.each([
    ['initialize', [], { sdkMcpServers: ['calc'] }],
    ['--mcp-config', ['--mcp-config', config({ calc: { type: 'sdk', name: 'calc' } })], {}],
  ])('named by %s is connected before the first request, with its tools', async (_way, flags, names) => {
    const held = await host({
      script: [call('mcp__calc__double', { a: 21 }, 'c1'), say('42')],
      flags: [...flags, '--allowed-tools', 'mcp__calc'],
      first: [control('i1', { subtype: 'initialize', ...names }), prompt('go')],
      reply,
    });
    const init = held.lines.find(({ subtype }) => subtype === 'init');
    expect(init).toMatchObject({ mcp_servers: [{ name: 'calc', status: 'connected' }] });
    expect(init?.['tools']).toContain('mcp__calc__double');
    expect(results(held.lines)).toContain('"text":"42"');
  });

  it('needs permission in bypassPermissions if the host sets a mode for it', async () => {
    const asked: unknown[] = [];
    const override = { subtype: 'set_mcp_permission_mode_override', serverName: 'calc' };
    const held = await host({
      script: [
        call('mcp__calc__double', { a: 21 }, 'c1'),
        say('One.'),
        call('mcp__calc__double', { a: 4 }, 'c2'),
        say('Two.'),
      ],
      flags: ['--permission-mode', 'bypassPermissions', '--permission-prompt-tool', 'stdio'],
      first: [
        control('i1', { subtype: 'initialize', sdkMcpServers: ['calc'] }),
        control('o1', { ...override, mode: 'default' }),
        prompt('one'),
      ],
      reply: (line) => {
        const { subtype, tool_use_id } = (line['request'] ?? {}) as {
          subtype?: string;
          tool_use_id?: string;
        };
        if (line['result'] === 'One.') return [control('o2', { ...override, mode: null }), prompt('two')];
        if (subtype !== 'can_use_tool') return reply(line);
        asked.push(tool_use_id);
        return answerWith(line, { behavior: 'deny', message: 'Not now.' });
      },
    });
    expect(asked).toEqual(['c1']);
    expect(replyTo('o1', held)).toMatchObject({ subtype: 'success', response: {} });
    expect(results(held.lines)).toMatch(/Not now\.[^]*"text":"8"/);
  });

  it('can be replaced, switched off and on, and connected again', async () => {
    const servers = { s: testServer(), bad: misbehavingServer('exits') };
    const held = await host({
      script: [],
      first: [
        control('i1', { subtype: 'initialize' }),
        control('a', { subtype: 'mcp_set_servers', servers }),
      ],
      reply: (line) => {
        const id = (line['response'] as { request_id?: string } | undefined)?.request_id;
        if (id === 'a') return control('b', { subtype: 'mcp_toggle', serverName: 's', enabled: false });
        if (id === 'b') return control('c', { subtype: 'mcp_status' });
        if (id === 'c') return control('d', { subtype: 'mcp_reconnect', serverName: 's' });
        if (id === 'd')
          return control('e', {
            subtype: 'mcp_call',
            serverName: 's',
            tool: 'add',
            arguments: { a: 1, b: 1 },
          });
        return id === 'e' ? 'close' : undefined;
      },
    });
    expect(replyTo('a', held)).toMatchObject({
      response: { added: ['s', 'bad'], removed: [], errors: { bad: 'The process ended with exit code 7.' } },
    });
    expect(replyTo('c', held)).toMatchObject({
      response: {
        mcpServers: [
          { name: 's', status: 'disabled' },
          { name: 'bad', status: 'failed' },
        ],
      },
    });
    expect(replyTo('d', held)).toMatchObject({ subtype: 'success' });
    expect(replyTo('e', held)).toMatchObject({ response: { content: [{ text: '2' }] } });
  });
});

it('a host is asked by servers, and sees their prompts when they connect', async () => {
  const asked: unknown[] = [];
  let turns = 0;
  const held = await host({
    script: [
      call('mcp__s__ask', {}, 'c1'),
      call('mcp__s__visit', {}, 'c2'),
      call('mcp__s__sample', {}, 'c3'),
      say('The small model answers.'),
      say('Done.'),
      say('Again.'),
    ],
    flags: ['--mcp-config', config({ s: testServer() }), '--allowed-tools', 'mcp__s'],
    first: [control('i1', { subtype: 'initialize' }), prompt('go')],
    reply: (line) => {
      const { request, request_id } = line as { request?: { subtype?: string }; request_id?: string };
      if (request?.subtype === 'elicitation') {
        asked.push(request);
        const response = { action: 'accept', content: { color: 'blue' } };
        return { type: 'control_response', response: { subtype: 'success', request_id, response } };
      }
      if (line['type'] !== 'result') return undefined;
      return ++turns === 2 ? 'close' : prompt('again');
    },
  });
  expect(asked).toMatchObject([
    { mcp_server_name: 's', mode: 'form', message: 'Which color?', requested_schema: { type: 'object' } },
    { mcp_server_name: 's', mode: 'url', url: 'https://example.com/login', elicitation_id: 'e1' },
    { mcp_server_name: 's', message: expect.stringContaining('asks your model, at your cost') },
  ]);
  expect(results(held.lines)).toMatch(/color.{1,6}blue[^]*The small model answers\./);
  const changes = held.lines.filter(({ subtype }) => subtype === 'commands_changed');
  expect(changes).toHaveLength(1);
  expect(changes[0]?.['commands']).toContainEqual({
    name: 'mcp__s__review',
    description: 'Reviews a file.',
    argumentHint: '<file>',
  });
  const inits = held.lines.filter(({ subtype }) => subtype === 'init');
  expect(inits[0]?.['slash_commands']).not.toContain('mcp__s__review');
  expect(inits[1]?.['slash_commands']).toContain('mcp__s__review');
});

describe('heddle mcp', () => {
  it('adds, lists, shows, tests and removes servers', async () => {
    const { run, folder } = homeFor(installed.program);
    const { command, args } = testServer('notes');
    const added = await run(['mcp', 'add', 'notes', '-e', 'TOKEN=secret', '--', command, ...args]);
    expect(added.stdout).toContain(`Added notes to ${folder}/config/.claude.json (local)`);
    await run(['mcp', 'add', 'web', 'http://127.0.0.1:9/mcp', '--scope', 'user', '-H', 'X-Key: hidden']);
    await run(['mcp', 'add-json', 'dead', '{"command":"/no/such/program"}', '-s', 'project']);
    const listed = await run(['mcp', 'list']);
    expect(listed.stdout).toMatch(
      /^notes: .*\(local\)\ndead: .* Not started: The folder is not trusted.*\nweb: http /,
    );
    const shown = await run(['mcp', 'get', 'notes']);
    expect(shown.stdout).toContain('variables: TOKEN');
    expect(shown.stdout).not.toContain('secret');
    const tested = await run(['mcp', 'test', 'notes']);
    expect(tested.stdout).toMatch(
      /^notes: connected, 16 tools\n[^]*tool echo \(claims to only read\): Returns its text\./,
    );
    expect(tested.code).toBe(0);
    expect((await run(['mcp', 'test', 'web'])).code).toBe(1);
    expect((await run(['mcp', 'remove', 'notes'])).stdout).toContain('Removed notes');
    expect((await run(['mcp', 'get', 'notes'])).stderr).toContain(
      'There is no server notes. There are dead, web.',
    );
  });
});
