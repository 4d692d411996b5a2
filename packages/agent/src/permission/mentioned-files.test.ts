/** Edits of files that start-up files of a project load or start, on a real disk. */
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { authorize } from './authorize.ts';
import { observeWorld } from './observe-world.ts';

const base = realpathSync(mkdtempSync(path.join(os.tmpdir(), 'heddle-mentioned-files-')));
afterAll(() => rmSync(base, { recursive: true, force: true }));

let projects = 0;

function projectWith(files: Readonly<Record<string, string>>): string {
  const top = path.join(base, `project${projects++}`);
  const all = { 'src/index.ts': '', 'scripts/other.sh': '', '.git/HEAD': 'ref: refs/heads/main', ...files };
  for (const [name, text] of Object.entries(all)) {
    mkdirSync(path.dirname(path.join(top, name)), { recursive: true });
    writeFileSync(path.join(top, name), text);
  }
  mkdirSync(path.join(top, '.git/objects'));
  mkdirSync(path.join(top, '.git/refs'));
  return top;
}

function decisionOn(file: string, top: string, root = top): string {
  const home = path.join(base, 'home');
  const environment = { HOME: home, GIT_CONFIG_NOSYSTEM: '1', PATH: '/usr/bin:/bin' };
  const world = observeWorld({ root, cwd: root, directories: [], home, configDirs: [], environment });
  const input = { file_path: path.join(top, file), content: 'x' };
  const request = { tool: 'Write', input, readOnly: false, hookDecision: undefined };
  return authorize(request, { deny: [], ask: [], allow: [] }, 'acceptEdits', world).decision;
}

const vscode = (task: object): string => `{\n  // Tasks.\n  "tasks": [${JSON.stringify(task)},],\n}`;

describe('a file that a start-up file of the project runs or loads', () => {
  it.each([
    ['.envrc', 'source_env ./new', 'new'],
    ['.envrc', 'source_env sub', 'sub/.envrc'],
    ['.envrc', 'source_env_if_exists .envrc.new', '.envrc.new'],
    ['.envrc', 'source "new.sh"', 'new.sh'],
    ['.envrc', '[ -f new ] && . $PWD/new', 'new'],
    ['.envrc', 'dotenv new.env', 'new.env'],
    ['.envrc', 'dotenv', '.env'],
    ['.envrc', 'use flake', 'flake.nix'],
    ['.envrc', 'use flake ./nix', 'nix/flake.nix'],
    ['.envrc', 'if true; then use nix; fi', 'shell.nix'],
    ['.envrc', 'PATH_add new', 'new/git'],
    ['.envrc', 'PATH_add "$PWD/new"', 'new/sub/x'],
    ['.envrc', 'eval "$(python3 new.py)"', 'new.py'],
    ['.envrc', 'export X="$(./new --x)"', 'new'],
    ['.git/hooks/pre-commit', './new.sh', 'new.sh'],
    ['.git/hooks/pre-commit', 'exec new/x "$@"', 'new/x'],
    ['.git/hooks/pre-push', 'cd "$(git rev-parse --show-toplevel)" && bash new', 'new'],
    ['.git/hooks/post-merge', '$(git rev-parse --show-toplevel)/new || exit 1', 'new'],
    ['.git/hooks/commit-msg', 'cd sub && ./new "$1"', 'sub/new'],
    ['.git/hooks/commit-msg', 'ROOT=$(git rev-parse --show-toplevel)/new\n"$ROOT/x" $1', 'new/x'],
    ['.git/hooks/pre-commit', 'for h in new/*.sh; do . "$h"; done', 'new/x.sh'],
    ['.git/hooks/pre-commit', 'for h in a b; do\n  sh "new/$h"\ndone', 'new/b'],
    ['.git/hooks/pre-commit', 'python3 -m new.check', 'new/check.py'],
    ['.git/hooks/pre-commit', 'eslint --config new.config.js src', 'new.config.js'],
    ['.git/hooks/pre-commit', 'node -r ./new.js x', 'new.js'],
    ['.git/hooks/pre-commit', 'awk -f new.awk src/index.ts', 'new.awk'],
    ['.husky/pre-commit', '. "$(dirname -- "$0")/_/husky.sh"\nnode new.mjs', 'new.mjs'],
    ['.husky/pre-push', 'npx tsx new.ts', 'new.ts'],
    ['.githooks/pre-commit', '#!/bin/sh\n"$(dirname "$0")"/../new', 'new'],
    ['.vscode/tasks.json', vscode({ command: './new.sh', args: ['x'] }), 'new.sh'],
    ['.vscode/tasks.json', vscode({ command: 'node', args: ['${workspaceFolder}/new.js'] }), 'new.js'],
    ['.vscode/tasks.json', vscode({ windows: { command: '.\\x' }, linux: { command: 'sh new' } }), 'new'],
    [
      '.vscode/tasks.json',
      vscode({ command: './new', options: { cwd: '${workspaceFolder}/svc2' } }),
      'svc2/new',
    ],
    ['.vscode/tasks.json', '{"options": {"cwd": "svc2"}, "tasks": [{"command": "./new"}]}', 'svc2/new'],
    ['.cursor/mcp.json', '{"mcpServers": {"a": {"command": "./new", "cwd": "mcpd"}}}', 'mcpd/new'],
    [
      '.cursor/mcp.json',
      '{"mcpServers": {"a": {"command": "sh", "args": ["new"], "cwd": "mcpd"}}}',
      'mcpd/new',
    ],
    [
      '.cursor/mcp.json',
      '{"mcpServers": {"a": {"command": "uv", "args": ["--directory", "mcpd", "run", "new.py"]}}}',
      'mcpd/new.py',
    ],
    ['.codex/config.toml', '[mcp_servers.a]\ncommand = "./new"\ncwd = "mcpd"\n', 'mcpd/new'],
    ['.codex/config.toml', '[mcp_servers.a]\ncommand = "sh"\nargs = ["new"]\ncwd = "src"\n', 'src/new'],
    ['.git/hooks/pre-commit', 'env -C absent ./new', 'absent/new'],
    ['.git/hooks/pre-commit', `bash -c 'cd absent && ./new'`, 'absent/new'],
    ['.git/hooks/pre-commit', 'npx ./new', 'new'],
    ['lefthook.yml', 'pre-push:\n  commands:\n    a:\n      root: src/\n      run: sh new\n', 'src/new'],
    ['.vscode/tasks.json', vscode({ options: { shell: { executable: 'new/sh' } } }), 'new/sh'],
    ['.vscode/settings.json', '{"eslint.runtime": "./new"}', 'new'],
    [
      '.vscode/settings.json',
      '{"python.defaultInterpreterPath": "${workspaceFolder}/new/python"}',
      'new/python',
    ],
    ['.vscode/settings.json', '{"terminal.integrated.profiles.linux": {"a": {"path": "./new"}}}', 'new'],
    [
      '.vscode/mcp.json',
      '{"servers": {"a": {"command": "uv", "args": ["run", "python", "new.py"]}}}',
      'new.py',
    ],
    ['.devcontainer/devcontainer.json', '{"postCreateCommand": "bash new.sh"}', 'new.sh'],
    ['.devcontainer/devcontainer.json', '{"initializeCommand": ["bash", "new.sh"]}', 'new.sh'],
    ['.devcontainer/devcontainer.json', '{"postStartCommand": {"a": "./new"}}', 'new'],
    ['.devcontainer.json', '{"onCreateCommand": "./new",}', 'new'],
    ['.cursor/mcp.json', '{"mcpServers": {"a": {"command": "node", "args": ["new.js"]}}}', 'new.js'],
    [
      '.pre-commit-config.yaml',
      'repos:\n- repo: local\n  hooks:\n  - id: a\n    entry: ./new.sh\n',
      'new.sh',
    ],
    ['.pre-commit-config.yaml', '    entry: "bash new.sh"  # x\n', 'new.sh'],
    ['.pre-commit-config.yaml', '    entry: python\n    args: [new.py]\n', 'new.py'],
    ['lefthook.yml', 'pre-commit:\n  commands:\n    a:\n      run: ./new {staged_files}\n', 'new'],
    ['lefthook.yml', '      run: |\n        x\n        ./new\n', 'new'],
    ['mise.toml', '[tasks.a]\nrun = "./new"\n', 'new'],
    ['mise.toml', '[tasks]\na = "sh new"\n', 'new'],
    ['mise.toml', "[hooks]\nenter = 'source new'\n", 'new'],
    ['mise.toml', '[env]\n_.source = "./new.sh"\n', 'new.sh'],
    ['mise.toml', '[tasks.a]\nrun = [\n  "x",\n  "./new",\n]\n', 'new'],
    ['mise.toml', "[tasks.a]\nrun = '''\n./new\n'''\n", 'new'],
    ['.gitpod.yml', 'tasks:\n  - init: ./new\n', 'new'],
    ['.cargo/config.toml', '[build]\nrustc-wrapper = "./new"\n', 'new'],
    ['.cargo/config.toml', '[target.x]\nrunner = ["sh", "new"]\nlinker = "tools/ld"\n', 'tools/ld'],
  ])('is protected, also before it exists: %s %s', (start, text, file) => {
    const top = projectWith({ [start]: `${text}\n` });
    expect(decisionOn(file, top)).toBe('ask');
    const elsewhere = file.includes('.envrc') ? [] : [`deep/${file}`];
    for (const other of ['src/index.ts', 'scripts/other.sh', 'package.json', ...elsewhere])
      expect(decisionOn(other, top)).toBe('allow');
  });

  it('counts through scripts that it starts, and in a folder of the repository', () => {
    const top = projectWith({
      '.git/hooks/pre-commit': 'scripts/one.sh',
      'scripts/one.sh': '. "$(dirname "$0")/two.sh"\n',
      'scripts/two.sh': 'node tools/three.js\n',
    });
    for (const file of ['scripts/one.sh', 'scripts/two.sh', 'tools/three.js', 'scripts/tools/three.js']) {
      expect(decisionOn(file, top)).toBe('ask');
      expect(decisionOn(file, top, path.join(top, 'scripts'))).toBe('ask');
    }
    expect(decisionOn('tools/four.js', top)).toBe('allow');
  });

  it('counts behind a link', () => {
    const top = projectWith({ '.git/hooks/pre-commit': './link', 'real.sh': '' });
    symlinkSync('real.sh', path.join(top, 'link'));
    expect(decisionOn('real.sh', top)).toBe('ask');
  });
});

describe('a file that a start-up file of the project only names as data', () => {
  it.each([
    ['.git/hooks/pre-commit', 'eslint src/index.ts && npx prettier --check src/index.ts scripts/other.sh'],
    ['.git/hooks/pre-commit', 'if [ -f scripts/other.sh ]; then echo src/index.ts; fi; cat src/index.ts'],
    ['.git/hooks/pre-commit', 'git diff --name-only -- src/index.ts | grep -f scripts/other.sh'],
    ['.git/hooks/pre-commit', '# ./scripts/other.sh\nnpm test # sh scripts/other.sh'],
    ['.husky/pre-commit', 'npx lint-staged\nnpm run build\nmake -C src\nprettier -c src/index.ts'],
    ['.envrc', 'watch_file src/index.ts scripts/other.sh\nexport X=src/index.ts\nlayout node'],
    [
      '.vscode/settings.json',
      '{"files.exclude": {"src/index.ts": true}, "cSpell.words": ["scripts/other.sh"]}',
    ],
    ['.vscode/settings.json', '{"typescript.tsdk": "src", "x.path": "src/x.txt"}'],
    ['.vscode/launch.json', '{"configurations": [{"outFiles": ["src/index.ts"], "cwd": "src"}]}'],
    [
      '.pre-commit-config.yaml',
      'exclude: src/index.ts\nrepos:\n- hooks:\n  - id: a\n    files: scripts/other.sh',
    ],
    [
      'lefthook.yml',
      'pre-commit:\n  commands:\n    a:\n      glob: "src/index.ts"\n      run: eslint src/index.ts',
    ],
    [
      'mise.toml',
      '[tasks.a]\nrun = "eslint src/index.ts"\nsources = ["src/index.ts"]\noutputs = ["src/index.ts"]',
    ],
    ['.devcontainer/devcontainer.json', '{"workspaceFolder": "src/index.ts", "postCreateCommand": "npm ci"}'],
    ['.mcp.json', '{"mcpServers": {"a": {"command": "npx", "args": ["-y", "@x/fs", "src", "x.txt"]}}}'],
  ])('is ordinary: %s %s', (start, text) => {
    const top = projectWith({ [start]: `${text}\n` });
    for (const file of ['src/index.ts', 'scripts/other.sh', 'package.json', 'Makefile', 'x.txt', 'src/x.txt'])
      expect(decisionOn(file, top)).toBe('allow');
  });

  it('is ordinary in installed packages', () => {
    const top = projectWith({ '.git/hooks/pre-commit': 'node node_modules/x/index.js' });
    expect(decisionOn('node_modules/x/index.js', top)).toBe('allow');
  });
});
