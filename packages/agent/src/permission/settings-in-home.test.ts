/** Edits of files that settings in the home folder name as programs, on a real disk. */
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { authorize } from './authorize.ts';
import { observeWorld } from './observe-world.ts';

const base = realpathSync(mkdtempSync(path.join(os.tmpdir(), 'heddle-settings-in-home-')));
afterAll(() => rmSync(base, { recursive: true, force: true }));

let homes = 0;

function homeWith(files: Readonly<Record<string, string>>): string {
  const home = path.join(base, `home${homes++}`);
  for (const [name, text] of Object.entries({ 'ws/src/a.ts': '', 'ws/tools/x': '', ...files })) {
    mkdirSync(path.dirname(path.join(home, name)), { recursive: true });
    writeFileSync(path.join(home, name), text.replaceAll('HERE', path.join(home, 'ws')));
  }
  return home;
}

function decisionOn(file: string, home: string): string {
  const root = path.join(home, 'ws');
  const environment = { HOME: home, GIT_CONFIG_NOSYSTEM: '1', PATH: '/usr/bin:/bin' };
  const world = observeWorld({ root, cwd: root, directories: [], home, configDirs: [], environment });
  const input = { file_path: path.join(root, file), content: 'x' };
  const request = { tool: 'Write', input, readOnly: false, hookDecision: undefined };
  return authorize(request, { deny: [], ask: [], allow: [] }, 'acceptEdits', world).decision;
}

const CODE = '.config/Code/User/settings.json';

describe('a program that settings in the home folder name', () => {
  it.each([
    [CODE, '{"python.defaultInterpreterPath": "HERE/new"}'],
    [CODE, '{"eslint.runtime": "~/ws/new"}'],
    [CODE, '{"rust-analyzer.server.path": "${userHome}/ws/new"}'],
    [CODE, '{"go.alternateTools": {"go": "x"}, "clangd.path": "${workspaceFolder}/new"}'],
    [CODE, '{"terminal.integrated.profiles.linux": {"a": {"path": "/bin/sh", "args": ["HERE/new"]}}}'],
    [CODE, '{ // Commands.\n "emeraldwalk.runonsave": {"commands": [{"cmd": "python3 HERE/new"}]},\n}'],
    ['.config/Cursor/User/mcp.json', '{"mcpServers": {"a": {"command": "node", "args": ["HERE/new"]}}}'],
    ['Library/Application Support/Code/User/tasks.json', '{"tasks": [{"command": "HERE/new"}]}'],
    ['.claude.json', '{"projects": {"HERE": {"mcpServers": {"a": {"command": "HERE/new"}}}}}'],
    ['.codex/config.toml', '[mcp_servers.a]\ncommand = "HERE/new"'],
    ['.codex/config.toml', 'notify = ["python3", "HERE/new"]'],
    ['.gemini/settings.json', '{"hooks": {"x": [{"hooks": [{"command": "$HOME/ws/new"}]}]}}'],
    ['.cargo/config.toml', '[build]\nrustc-wrapper = "HERE/new"'],
    ['.npmrc', 'script-shell=HERE/new'],
    ['.npmrc', 'node-options=--require ~/ws/new'],
    ['.aws/config', '[default]\ncredential_process = HERE/new --x'],
    ['.kube/config', 'users:\n- user:\n    exec:\n      command: HERE/new\n'],
    ['.yarnrc.yml', 'yarnPath: HERE/new'],
    ['.config/starship.toml', '[custom.a]\ncommand = "HERE/new"\nwhen = true'],
    ['.config/direnv/direnv.toml', '[global]\nbash_path = "HERE/new"'],
    ['.config/mise/config.toml', '[env]\n_.source = "~/ws/new"'],
    ['.config/helix/languages.toml', '[language-server.a]\ncommand = "HERE/new"'],
    ['.config/lazygit/config.yml', 'customCommands:\n  - key: x\n    command: "sh HERE/new"'],
    ['.config/direnv/direnvrc', 'source ~/ws/new'],
    ['.config/direnv/lib/a.sh', '. ~/ws/new'],
    ['.config/sway/config', 'exec ~/ws/new'],
  ])('is protected: %s %s', (file, text) => {
    const home = homeWith({ [file]: text });
    expect(decisionOn('new', home)).toBe('ask');
    for (const other of ['src/a.ts', 'tools/x', 'src/new']) expect(decisionOn(other, home)).toBe('allow');
  });

  it.each([
    [CODE, '{"files.watcherExclude": {"HERE/src/a.ts": true}, "typescript.tsdk": "HERE/src"}'],
    [CODE, '{"git.scanRepositories": ["HERE/src"], "x.path": "HERE/src"}'],
    ['.claude.json', '{"projects": {"HERE/src": {"history": [{"display": "HERE/src/a.ts"}]}}}'],
    ['.codex/config.toml', '[projects."HERE/src"]\ntrust_level = "trusted"'],
    ['.config/direnv/direnv.toml', '[whitelist]\nprefix = ["HERE/src"]'],
    ['.npmrc', 'cache=HERE/src/a.ts'],
  ])('is not a file or folder that is data: %s %s', (file, text) => {
    const home = homeWith({ [file]: text });
    for (const other of ['src/a.ts', 'src/b.ts', 'tools/x']) expect(decisionOn(other, home)).toBe('allow');
  });
});
