/** The hooks that `heddle mcp serve` runs: all that a conversation in the same folder runs for calls of tools. */
import { existsSync, mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { trustFolder } from '@heddle/agent/settings';
import { McpServers } from '@heddle/mcp';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { install, type Installed, runProgram } from '../test/program.ts';

let installed: Installed;
const open: McpServers[] = [];
beforeAll(async () => {
  installed = await install();
});
afterEach(async () => {
  for (const servers of open.splice(0)) await servers.close();
});
afterAll(() => installed.remove());

const GUARD = {
  PreToolUse: [{ hooks: [{ type: 'command', command: 'echo "The guard blocks." >&2; exit 2' }] }],
};
const HOOKS = JSON.stringify({ hooks: GUARD });
const INSTALLED = '../config/plugins/cache/shop/guard/1.0.0/hooks/hooks.json';
const ENABLED = { enabledPlugins: { 'guard@shop': true } };
const AGENT = `---\nname: careful\ndescription: d\nhooks: ${JSON.stringify(GUARD)}\n---\nBe careful.`;

type Files = Readonly<Record<string, string>>;

interface Place {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
}

/** `files`: texts by path, relative to the working folder. The user's settings are in `../config`. */
function placeWith(files: Files): Place {
  const home = mkdtempSync(path.join(os.tmpdir(), 'heddle-serve-'));
  const cwd = path.join(home, 'project');
  for (const [name, text] of Object.entries({ '.keep': '', ...files })) {
    const file = path.join(cwd, name);
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, text);
  }
  const env = { PATH: process.env['PATH'] ?? '', HOME: home, HEDDLE_CONFIG_DIR: path.join(home, 'config') };
  return { cwd, env };
}

function trust({ cwd, env }: Place): void {
  const places = { cwd, home: env['HOME'] ?? '', configDir: env['HEDDLE_CONFIG_DIR'] ?? '', env };
  expect(trustFolder(places)).toMatchObject({ ok: true });
}

const FLAGS = ['mcp', 'serve', '--allowed-tools', 'Bash(touch *)'];

/** Calls `touch made` through the server, after `change`. Returns the text of the result. */
async function touchThrough(
  { cwd, env }: Place,
  flags: readonly string[],
  change?: () => void,
): Promise<string> {
  const config = { type: 'stdio', command: installed.program, args: [...FLAGS, ...flags], env: {} } as const;
  const servers = new McpServers([{ name: 'heddle', config, scope: 'user' }], {
    version: '0',
    environment: env,
    variables: {},
    cwd,
    services: {},
    admitImages: (content) => Promise.resolve(content),
    storeFile: () => Promise.reject(new Error('A file was not expected.')),
  });
  open.push(servers);
  await servers.settle(60_000);
  change?.();
  const signal = AbortSignal.timeout(60_000);
  const result = await servers
    .get('heddle')
    ?.call({ tool: 'Bash', input: { command: 'touch made' }, signal });
  return JSON.stringify(result);
}

const RUNNING: readonly [string, Files, readonly string[]][] = [
  [
    'a plugin of the settings',
    { [INSTALLED]: HOOKS, '../config/settings.json': JSON.stringify(ENABLED) },
    [],
  ],
  ['a plugin of a flag', { '../guard/hooks/hooks.json': HOOKS }, ['--plugin-dir', '../guard']],
  [
    'a plugin of a flag without its servers',
    { '../guard/hooks/hooks.json': HOOKS },
    ['--plugin-dir-no-mcp', '../guard'],
  ],
  [
    'the agent of the settings',
    { '../config/agents/careful.md': AGENT, '../config/settings.json': '{"agent":"careful"}' },
    [],
  ],
  ['the agent of a flag', { '../config/agents/careful.md': AGENT }, ['--agent', 'careful']],
];

const OFF: readonly [string, Files, readonly string[]][] = [
  ['disableAllHooks', { '../config/settings.json': '{"disableAllHooks":true}' }, []],
  ['--bare', {}, ['--bare']],
];

describe('heddle mcp serve', () => {
  it.each(RUNNING)('runs the hooks of %s', async (_, files, flags) => {
    const place = placeWith(files);
    expect(await touchThrough(place, flags)).toContain('The guard blocks.');
    expect(existsSync(path.join(place.cwd, 'made'))).toBe(false);
  });

  it('does not run the program of a hook that changed since its start, and permits no call of that hook', async () => {
    const hooks = { PreToolUse: [{ hooks: [{ type: 'command', command: 'sh tools/check.sh' }] }] };
    const place = placeWith({
      '../config/settings.json': JSON.stringify({ hooks }),
      'tools/check.sh': 'exit 2',
    });
    trust(place);
    const change = (): void => writeFileSync(path.join(place.cwd, 'tools/check.sh'), 'touch changed-ran');
    const result = await touchThrough(place, [], change);
    expect(result).toContain(
      'tools/check.sh changed. Configured commands use it when this server starts again.',
    );
    expect(['made', 'changed-ran'].map((name) => existsSync(path.join(place.cwd, name)))).toEqual([
      false,
      false,
    ]);
  });

  it('loads a plugin that the project enables only if the folder is trusted', async () => {
    const files = { [INSTALLED]: HOOKS, '.claude/settings.json': JSON.stringify(ENABLED) };
    const place = placeWith(files);
    expect(await touchThrough(place, [])).not.toContain('The guard blocks.');
    expect(existsSync(path.join(place.cwd, 'made'))).toBe(true);
    const trusted = placeWith(files);
    trust(trusted);
    expect(await touchThrough(trusted, [])).toContain('The guard blocks.');
    expect(existsSync(path.join(trusted.cwd, 'made'))).toBe(false);
  });

  it.each(OFF)('runs no hook of a plugin with %s', async (_, files, flags) => {
    const place = placeWith({ ...files, '../guard/hooks/hooks.json': HOOKS });
    await touchThrough(place, [...flags, '--plugin-dir', '../guard']);
    expect(existsSync(path.join(place.cwd, 'made'))).toBe(true);
  });

  it.each([
    ['hooks that are not JSON', { '../guard/hooks/hooks.json': '{' }, 'hooks.json: ignored'],
    [
      'a hook without a command',
      { '../guard/hooks/hooks.json': HOOKS.replace('"command":', '"cmd":') },
      'has no',
    ],
    ['a manifest that is not JSON', { '../guard/.claude-plugin/plugin.json': '{' }, 'plugin.json: ignored'],
    ['no folder', {}, 'there is no such folder'],
  ])('does not start with a plugin that has %s', async (_, files: Files, message) => {
    const { cwd, env } = placeWith(files);
    const ended = await runProgram(installed.program, [...FLAGS, '--plugin-dir', '../guard'], { cwd, env });
    expect(ended).toMatchObject({ code: 1, stdout: '' });
    expect(ended.stderr).toContain(message);
    expect(ended.stderr).toContain('No call runs without them.');
  });

  it('starts without a plugin that is enabled but not installed, and says so', async () => {
    const { cwd, env } = placeWith({ '../config/settings.json': JSON.stringify(ENABLED) });
    const ended = await runProgram(installed.program, FLAGS, { cwd, env, input: '' });
    expect(ended).toMatchObject({ code: 0 });
    expect(ended.stderr).toContain('The plugin guard@shop is enabled, but is not installed.');
  });
});
