/** `heddle mcp serve` through the shipped program: a client of the public library, and Heddle as a client of itself. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { McpServers } from '@heddle/mcp';
import { call, say } from '@heddle/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Home, homeFor } from '../test/home.ts';
import { install, type Installed } from '../test/program.ts';

let installed: Installed;
let home: Home;
let servers: McpServers;

const FLAGS = [
  '--allowed-tools',
  'Bash(touch *)',
  'Edit',
  'Bash(sleep *)',
  '--disallowed-tools',
  'Grep',
  'Read(secret)',
];

/** Hooks that need a model or a server. */
const JUDGES = [
  { type: 'prompt', prompt: 'Is this fine?' },
  { type: 'agent', prompt: 'Is this fine?' },
  { type: 'mcp_tool', server: 'guard', tool: 'check', input: {} },
];

beforeAll(async () => {
  installed = await install();
  home = homeFor(installed.program);
  writeFileSync(path.join(home.folder, 'a.txt'), 'one\n');
  writeFileSync(path.join(home.folder, 'secret'), 'hidden\n');
  const hooks = {
    PreToolUse: [
      { matcher: 'Bash', hooks: [{ type: 'command', command: `node ${hookFile()}` }] },
      ...JUDGES.map((hook) => ({ matcher: 'Bash', hooks: [{ ...hook, if: `Bash(touch by-${hook.type})` }] })),
    ],
  };
  servers = new McpServers([{ name: 'heddle', config: serverOf(hooks), scope: 'user' }], {
    version: '0',
    environment: environment(),
    variables: {},
    cwd: home.folder,
    services: {},
    admitImages: (content) => Promise.resolve(content),
    storeFile: () => Promise.reject(new Error('A file was not expected.')),
  });
  await servers.settle(60_000);
});
afterAll(async () => {
  await servers.close();
  installed.remove();
});

/** A hook that denies commands with the word forbidden. */
function hookFile(): string {
  const file = path.join(home.folder, 'hook.cjs');
  const source = `let text = '';
process.stdin.on('data', (chunk) => (text += chunk)).on('end', () => {
  if (text.includes('forbidden')) { console.error('The hook says no.'); process.exit(2); }
});`;
  writeFileSync(file, source);
  return file;
}

function serverOf(hooks: object) {
  const args = ['mcp', 'serve', ...FLAGS, '--settings', JSON.stringify({ hooks })];
  return { type: 'stdio', command: installed.program, args, env: {} } as const;
}

function environment(): Record<string, string> {
  const config = path.join(home.folder, 'config');
  return { PATH: process.env['PATH'] ?? '', HOME: home.folder, HEDDLE_CONFIG_DIR: config };
}

interface Answer {
  readonly isError: boolean;
  readonly text: string;
}

async function use(tool: string, input: object, signal = AbortSignal.timeout(60_000)): Promise<Answer> {
  const result = (await servers.get('heddle')?.call({ tool, input: { ...input }, signal })) as {
    isError?: boolean;
    content: { text?: string }[];
  };
  return { isError: result.isError === true, text: result.content.map(({ text }) => text).join('\n') };
}

describe('heddle mcp serve', () => {
  it('offers tools for files and commands in both revisions, without the denied ones', () => {
    const server = servers.get('heddle');
    expect(server?.state.status).toBe('connected');
    expect(server?.protocolVersion).toBe('2026-07-28');
    expect(server?.tools.map(({ name }) => name).sort()).toEqual([
      'Bash',
      'Edit',
      'Glob',
      'NotebookEdit',
      'Read',
      'TaskOutput',
      'TaskStop',
      'WebFetch',
      'Write',
    ]);
    expect(servers.tools.find(({ ownName }) => ownName === 'Read')?.annotations.readOnly).toBe(true);
    expect(server?.instructions).toContain(home.folder);
  });

  it('runs calls under the rules: allowed, denied, and refused because there is no user to ask', async () => {
    const file = path.join(home.folder, 'a.txt');
    expect(await use('Bash', { command: 'touch made' })).toMatchObject({ isError: false });
    expect(existsSync(path.join(home.folder, 'made'))).toBe(true);
    expect(await use('Bash', { command: 'rm made' })).toEqual({
      isError: true,
      text: expect.stringContaining('There is no user to ask.'),
    });
    expect(await use('Read', { file_path: path.join(home.folder, 'secret') })).toEqual({
      isError: true,
      text: expect.stringContaining('Permission denied.'),
    });
    expect((await use('Edit', { file_path: file, old_string: 'one', new_string: 'two' })).isError).toBe(true);
    expect((await use('Read', { file_path: file })).text).toContain('one');
    expect((await use('Edit', { file_path: file, old_string: 'one', new_string: 'two' })).isError).toBe(
      false,
    );
    expect(readFileSync(file, 'utf8')).toBe('two\n');
  });

  it('runs hooks of the settings, and reports wrong calls as errors of the call', async () => {
    expect(await use('Bash', { command: 'touch forbidden' })).toEqual({
      isError: true,
      text: expect.stringContaining('The hook says no.'),
    });
    expect(existsSync(path.join(home.folder, 'forbidden'))).toBe(false);
    expect((await use('Read', { path: 1 })).isError).toBe(true);
    expect((await use('AskUserQuestion', { questions: [] })).text).toContain('There is no tool named');
  });

  it.each(JUDGES)('refuses a call if a hook of the type $type would judge it', async ({ type }) => {
    expect(await use('Bash', { command: `touch by-${type}` })).toMatchObject({ isError: true });
    expect(existsSync(path.join(home.folder, `by-${type}`))).toBe(false);
  });

  it('ends a command that the client cancels, and serves the next call', async () => {
    const controller = new AbortController();
    const running = use('Bash', { command: 'touch started && sleep 300' }, controller.signal);
    await expect.poll(() => existsSync(path.join(home.folder, 'started'))).toBe(true);
    controller.abort();
    await expect(running).rejects.toThrow('was cancelled');
    expect(await use('Bash', { command: 'touch after' })).toMatchObject({ isError: false });
  });
});

it('heddle uses the tools of heddle mcp serve, under the rules of both', async () => {
  const own = homeFor(installed.program);
  const { command, args } = serverOf({});
  const script = own.script([
    call('mcp__h__Bash', { command: 'touch made' }, 'c1'),
    call('mcp__h__Bash', { command: 'rm made' }, 'c2'),
    say('Done.'),
  ]);
  const flags = [
    '--allowed-tools',
    'mcp__h',
    '--mcp-config',
    JSON.stringify({ mcpServers: { h: { command, args } } }),
  ];
  const ended = await own.run([
    '-p',
    'go',
    '--model',
    script,
    '--output-format',
    'stream-json',
    '--verbose',
    ...flags,
  ]);
  expect(existsSync(path.join(own.folder, 'made'))).toBe(true);
  expect(ended.stdout).toContain('No rule allows the command rm made');
});
