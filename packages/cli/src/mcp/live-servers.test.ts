/** MCP servers that are added, changed and removed while a session runs, through the shipped program. */
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { call, say } from '@heddle/testing';
import { testServer } from '@heddle/testing/mcp';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { homeFor } from '../test/home.ts';
import { install, type Installed, runProgram } from '../test/program.ts';

let installed: Installed;

beforeAll(async () => {
  installed = await install();
});
afterAll(() => installed.remove());

const ALLOWED = ['Bash', 'mcp__old', 'mcp__fresh', 'mcp__tools', 'mcp__late'];
const SWAP = 'cd "$HEDDLE_CONFIG_DIR/.." && [ -d next ] && cp -r next/. . && rm -r next; true';
const SETTINGS = {
  permissions: { allow: ALLOWED },
  hooks: { PostToolUse: [{ hooks: [{ type: 'command', command: SWAP }] }] },
};
const servers = (all: object) => ({ mcpServers: all });

/** After the first call, a hook copies the files of `next` over the others. The program runs in the folder `work`. */
function home(files: Readonly<Record<string, object>>, next: Readonly<Record<string, object>>) {
  const scene = homeFor(installed.program);
  const write = (folder: string, content: Readonly<Record<string, object>>): void => {
    for (const [name, value] of Object.entries(content)) {
      const file = path.join(scene.folder, folder, name);
      mkdirSync(path.dirname(file), { recursive: true });
      writeFileSync(file, JSON.stringify(value));
    }
  };
  write('.', { 'config/settings.json': SETTINGS, ...files });
  write('next', next);
  const cwd = path.join(scene.folder, 'work');
  mkdirSync(cwd, { recursive: true });
  const env = { HEDDLE_CONFIG_DIR: path.join(scene.folder, 'config') };
  return {
    script: scene.script,
    run: (argv: readonly string[], more: { readonly input?: string } = {}) =>
      runProgram(installed.program, argv, { cwd, env, ...more }),
    has: (name: string) => existsSync(path.join(scene.folder, name)),
  };
}

const touch = (name: string) => ({ command: 'touch', args: [name] });

it('a change of files applies to the next request, with trust and policy', async () => {
  const plugin = { 'config/kit/.claude-plugin/plugin.json': { name: 'kit' } };
  const scene = home(
    {
      ...plugin,
      'config/kit/.mcp.json': servers({ tools: testServer('one') }),
      'config/.claude.json': servers({ old: testServer('old') }),
    },
    {
      'config/kit/.mcp.json': servers({ tools: testServer('two') }),
      'config/.claude.json': servers({
        fresh: testServer('fresh'),
        banned: touch('${HEDDLE_CONFIG_DIR}/../banned-ran'),
      }),
      'config/settings.json': { ...SETTINGS, deniedMcpServers: [{ serverName: 'banned' }] },
      'work/.mcp.json': servers({ project: touch('${HEDDLE_CONFIG_DIR}/../project-ran') }),
    },
  );
  const script = scene.script([
    call('mcp__old__echo', { text: 'old answers' }, 'c1'),
    call('mcp__fresh__echo', { text: 'fresh answers' }, 'c2'),
    call('mcp__tools__echo', { text: 'tools answers' }, 'c3'),
    call('mcp__old__echo', { text: 'too late' }, 'c4'),
    say('Done.'),
  ]);
  const flags = [
    '--model',
    script,
    '--plugin-dir',
    '../config/kit',
    '--output-format',
    'stream-json',
    '--verbose',
  ];
  const { stdout, stderr } = await scene.run(['-p', 'go', ...flags]);
  const results = stdout.split('\n').filter((line) => line.includes('"tool_result"'));
  for (const text of ['old answers', 'fresh answers', 'tools answers'])
    expect(results.join('\n')).toContain(`"text":"${text}"`);
  expect(results.join('\n')).toContain('There is no tool named mcp__old__echo');
  expect(stderr).toMatch(
    /The configuration of MCP servers changed: added .*fresh.*; changed tools; removed old/,
  );
  expect(stderr).toMatch(/not trusted.*\.mcp\.json: project|\.mcp\.json: project/);
  expect([scene.has('banned-ran'), scene.has('project-ran')]).toEqual([false, false]);
});

it('a conversation without servers gets one, and /mcp shows it before the next prompt', async () => {
  const scene = home({}, { 'config/.claude.json': servers({ late: testServer('late') }) });
  const script = scene.script([
    call('Bash', { command: 'true' }, 'b1'),
    say('First.'),
    call('mcp__late__echo', { text: 'late answers' }, 'c1'),
    say('Second.'),
  ]);
  const { stdout } = await scene.run(['--plain', '--model', script], { input: 'go\n/mcp\nagain\n' });
  expect(stdout).toMatch(/First\.[^]*late: (?:pending|connected)[^]*Second\./);
  expect(stdout.match(/late answers/g)).toHaveLength(2);
});
