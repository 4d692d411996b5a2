/** Edits of files that words of hooks, start-up files and settings name, whatever program gets them. On a real disk. */
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { authorize } from './authorize.ts';
import { observeWorld } from './observe-world.ts';

const base = realpathSync(mkdtempSync(path.join(os.tmpdir(), 'heddle-named-words-')));
afterAll(() => rmSync(base, { recursive: true, force: true }));

const FILES =
  't/x.sh t/x.py t/x.js t/x.rb t/x t/x.jar t/x.go t/x.dart t/x.yml t/x.cfg t/run.js t/server.py tools/bin/ls tools/go.sh tools/x.so tools/env.sh tools/srv/index.js ' +
  'src/a.ts src/b.py docs/a.md package.json data/a.json';
let projects = 0;

function projectWith(files: Readonly<Record<string, string>>): string {
  const top = path.join(base, `p${projects++}`, 'ws');
  const all = Object.entries({
    ...Object.fromEntries(FILES.split(' ').map((name) => [name, ''])),
    '.git/HEAD': 'ref: refs/heads/main',
    '.git/objects/x': '',
    '.git/refs/x': '',
    ...files,
  });
  for (const [name, text] of all) {
    mkdirSync(path.dirname(path.join(top, name)), { recursive: true });
    writeFileSync(path.join(top, name), text.replaceAll('HERE', top));
  }
  return top;
}

function decisionOn(file: string, root: string): string {
  const home = path.dirname(root);
  const environment = { HOME: home, GIT_CONFIG_NOSYSTEM: '1', PATH: '/usr/bin:/bin' };
  const world = observeWorld({ root, cwd: root, directories: [], home, configDirs: [], environment });
  const input = { file_path: path.join(root, file), content: 'x' };
  const request = { tool: 'Write', input, readOnly: false, hookDecision: undefined };
  return authorize(request, { deny: [], ask: [], allow: [] }, 'acceptEdits', world).decision;
}

function expectOthersOrdinary(top: string): void {
  for (const other of ['src/a.ts', 'src/b.py', 'docs/a.md', 'package.json', 'data/a.json', 'src/x.sh'])
    expect([other, decisionOn(other, top)]).toEqual([other, 'allow']);
}

describe('a file that a hook names', () => {
  it.each([
    ['sh -e -x t/x.sh', 't/x.sh'],
    ['timeout 10 t/x.sh', 't/x.sh'],
    ['bash -c t/x.sh', 't/x.sh'],
    ['bash -ec ./t/x.sh', 't/x.sh'],
    ['cat t/x.sh | bash', 't/x.sh'],
    ['bash < t/x.sh', 't/x.sh'],
    ['find . -exec t/x.sh {} \\;', 't/x.sh'],
    ['flock /tmp/l t/x.sh', 't/x.sh'],
    ['BASH_ENV=t/x.sh bash -c :', 't/x.sh'],
    ['export BASH_ENV=t/x.sh\nbash -c :', 't/x.sh'],
    ['trap t/x.sh EXIT', 't/x.sh'],
    ["trap 't/x.sh; true' EXIT", 't/x.sh'],
    ['node --test t/x.js', 't/x.js'],
    ['NODE_OPTIONS="-r ./t/x.js" node -e 1', 't/x.js'],
    ['uv run t/x.py', 't/x.py'],
    ['uv run --no-sync -- t/x.py', 't/x.py'],
    ['uv --directory t run server.py', 't/server.py'],
    ['poetry run t/x.sh', 't/x.sh'],
    ['pipx run t/x.py', 't/x.py'],
    ['bundle exec t/x', 't/x'],
    ['java -jar t/x.jar', 't/x.jar'],
    ['java -cp lib:t/x.jar Main', 't/x.jar'],
    ['go run ./t/x.go', 't/x.go'],
    ['go run ./tools/srv', 'tools/srv/main.go'],
    ['dart run t/x.dart', 't/x.dart'],
    ['pwsh -File t/x', 't/x'],
    ['ruby -r./t/x.rb -e 1', 't/x.rb'],
    ['mise exec -- t/x.sh', 't/x.sh'],
    ['nix develop -c t/x.sh', 't/x.sh'],
    ['docker compose -f t/x.yml run a', 't/x.yml'],
    ['ansible-playbook t/x.yml', 't/x.yml'],
    ['jest -c t/x.js', 't/x.js'],
    ['npx eslint -c t/x.js src/a.ts', 't/x.js'],
    ['mocha -r t/x.js', 't/x.js'],
    ['pytest -c t/x.cfg', 't/x.cfg'],
    ['rubocop -r ./t/x.rb', 't/x.rb'],
    ['GIT_EDITOR=t/x.sh git commit', 't/x.sh'],
    ['git -c core.pager=t/x.sh log', 't/x.sh'],
    ['alias x=t/x.sh', 't/x.sh'],
    ['bash -c "cd t && ./x.sh"', 't/x.sh'],
    ['(cd ./t; exec env A=1 nice -n 5 ./x.sh)', 't/x.sh'],
    ['$(git rev-parse --show-toplevel)/t/x', 't/x'],
    ['setsid -w "${PWD}/t/x" &', 't/x'],
    ['parallel ::: t/x.sh t/x', 't/x'],
    ['T=t\nchronic "$T"/x', 't/x'],
    ['D=$(dirname "$0")/../../t; busybox sh $D/x.sh', 't/x.sh'],
    ['printf %s t/x | xargs -n1 t/x', 't/x'],
    ['head -c 99 t/x | sudo sh', 't/x'],
    ['[ -x t/x ] && stdbuf -oL t/x', 't/x'],
    ['case $1 in a) unbuffer t/x;; esac', 't/x'],
    ['f() { strace t/x; }; f', 't/x'],
    ['make --eval="$(cat t/x)"', 't/x'],
    ['vim -u t/x', 't/x'],
    ['t/eslint src/x.sh; watchexec -- t/new.sh', 't/new.sh'],
    ['node t/run', 't/run.js'],
    ['make -f t/x.cfg all', 't/x.cfg'],
  ])('is protected: %s', (text, file) => {
    const top = projectWith({ '.git/hooks/pre-commit': `#!/bin/sh\n${text}\n` });
    expect(decisionOn(file, top)).toBe('ask');
    for (const other of ['src/a.ts', 'docs/a.md', 'package.json'])
      expect([other, decisionOn(other, top)]).toEqual([other, 'allow']);
  });

  it.each([
    'eslint src/a.ts',
    'npx eslint --fix src/a.ts && npx prettier --write src docs/a.md src/a.ts',
    'npm test',
    'npx lint-staged',
    'git add src/a.ts data/a.json',
    'git diff --cached --name-only -- src/a.ts | xargs npx prettier --check',
    'pnpm exec tsc --noEmit src/a.ts',
    'uv run ruff check src/b.py && uv run mypy src/b.py',
    'poetry run black -l 100 src/b.py',
    'grep -q TODO src/a.ts && exit 1',
    'cat data/a.json | jq .',
    'if [ ! -f data/a.json ]; then echo "see docs/a.md"; fi',
    'npm run build -- src/*.ts > src/a.ts',
    '# sh src/b.py\ntrue # src/a.ts',
    'sed -i s/a/b/ src/a.ts',
    'cp data/a.json src/a.ts',
  ])('is ordinary: %s', (text) => {
    expectOthersOrdinary(projectWith({ '.husky/pre-commit': `${text}\n` }));
  });
});

describe('a file or folder that a start-up file of direnv names', () => {
  it.each([
    ['export PATH="$PWD/tools/bin:$PATH"', 'tools/bin/new'],
    ['PATH=./tools/bin:$PATH', 'tools/bin/ls'],
    ['export PATH=${PWD}/tools/new:${PATH}', 'tools/new/ls'],
    ['PATH=$(pwd)/tools/bin:$PATH; export PATH', 'tools/bin/ls'],
    ['load_prefix tools', 'tools/bin/new'],
    ['PATH_add a tools/bin', 'tools/bin/new'],
    ['PATH_add "tools/bin"', 'tools/bin/new'],
    ['path_add PATH a tools/bin', 'tools/bin/new'],
    ['export LD_PRELOAD=$PWD/tools/x.so', 'tools/x.so'],
    ['export X=1 BASH_ENV=$PWD/tools/env.sh', 'tools/env.sh'],
    ['export NODE_OPTIONS="--require ./t/x.js"', 't/x.js'],
    ['export EDITOR=tools/go.sh', 'tools/go.sh'],
    ['direnv_load timeout 5 t/x', 't/x'],
    ['nice . ./t/x', 't/x'],
  ])('is protected: %s', (text, file) => {
    const top = projectWith({ '.envrc': `${text}\n` });
    expect(decisionOn(file, top)).toBe('ask');
    expectOthersOrdinary(top);
  });

  it('is ordinary as the value of another variable', () => {
    expectOthersOrdinary(projectWith({ '.envrc': 'export FLASK_APP=src/b.py\nwatch_file src/a.ts\n' }));
  });
});

const server = (about: object): string => JSON.stringify({ mcpServers: { a: about } });

describe('a file that settings name', () => {
  const forms: readonly (readonly [string, string, string])[] = [
    [
      'mcp.json',
      server({ command: 'uv', args: ['--directory', 'HERE/t', 'run', 'server.py'] }),
      't/server.py',
    ],
    ['mcp.json', server({ command: 'uv', args: ['run', 'HERE/t/x.py'] }), 't/x.py'],
    ['mcp.json', server({ command: 'node', args: ['x.js'], cwd: 'HERE/t' }), 't/x.js'],
    ['mcp.json', server({ command: 'node', args: ['HERE/tools/srv'] }), 'tools/srv/index.js'],
    ['mcp.json', server({ command: 'bash', args: ['-c', 'cd HERE/t && node x.js'] }), 't/x.js'],
    ['mcp.json', server({ command: 'x', env: { BASH_ENV: 'HERE/t/x.sh' } }), 't/x.sh'],
    ['toml', 'command = "node"\nargs = [\n  "-x",\n  "HERE/t/x.js",\n]\n', 't/x.js'],
    ['toml', '[mcp_servers.a]\ncommand = "timeout"\nargs = [ # x\n  "9",\n  "HERE/t/x" ]', 't/x'],
    ['yaml', 'a:\n  cmd: node\n  x: 1\n  args:\n    - HERE/t/x.js\n', 't/x.js'],
    ['yaml', "a:\n  cmd: uv\n  args: ['run', 'HERE/t/x.py']\n", 't/x.py'],
    ['yaml', 'a:\n  cmd: node\n  args:\n  - HERE/tools/srv\n', 'tools/srv/new.js'],
  ];
  const places: Readonly<Record<string, readonly [string, string]>> = {
    'mcp.json': ['.cursor/mcp.json', '.cursor/mcp.json'],
    toml: ['.codex/config.toml', '.codex/config.toml'],
    yaml: ['.config/goose/config.yaml', 'lefthook.yml'],
  };
  it.each(forms)('is protected, in the home folder and in the project: %s %s', (form, text, file) => {
    const [inHome = '', inProject = ''] = places[form] ?? [];
    for (const place of [`../${inHome}`, inProject]) {
      const top = projectWith({ [place]: text });
      expect(decisionOn(file, top)).toBe('ask');
      expectOthersOrdinary(top);
    }
  });

  it.each([
    [
      '.vscode/tasks.json',
      '{"tasks": [{"options": {"cwd": "${workspaceFolder}/tools"}, "command": "./go.sh"}]}',
      'tools/go.sh',
    ],
    ['.vscode/tasks.json', '{"tasks": [{"command": "bash", "args": ["-c", "./t/x.sh"]}]}', 't/x.sh'],
    [
      '.vscode/settings.json',
      '{"terminal.integrated.env.linux": {"PATH": "${workspaceFolder}/tools/bin:${env:PATH}"}}',
      'tools/bin/new',
    ],
    [
      '.vscode/settings.json',
      '{"terminal.integrated.env.linux": {"BASH_ENV": "${workspaceFolder}/tools/env.sh"}}',
      'tools/env.sh',
    ],
    ['mise.toml', '[env]\n_.path = ["./tools/bin"]\n', 'tools/bin/new'],
    ['mise.toml', '[env]\n_.path = "tools/bin"\n', 'tools/bin/new'],
    ['mise.toml', '[env]\n_.path = [\n  "tools/bin",\n]\n', 'tools/bin/new'],
    ['mise.toml', '[task_config]\nincludes = ["tools/srv"]\n', 'tools/srv/new'],
    ['.npmrc', 'git=t/x\n', 't/x'],
    ['.npmrc', 'init-module=./t/x.js\n', 't/x.js'],
    [
      '.pre-commit-config.yaml',
      'repos:\n- repo: local\n  hooks:\n  - id: a\n    entry: uv\n    args:\n    - run\n    - t/x.py\n',
      't/x.py',
    ],
    ['lefthook.yml', 'pre-commit:\n  jobs:\n  - run: timeout 5 t/x\n    root: tools\n', 't/x'],
  ])('is protected in the project: %s %s', (place, text, file) => {
    const top = projectWith({ [place]: text });
    expect(decisionOn(file, top)).toBe('ask');
    expectOthersOrdinary(top);
  });

  it.each([
    [
      '.vscode/settings.json',
      '{"files.exclude": {"src/a.ts": true}, "search.exclude": ["src/a.ts"], "x.files": ["src/b.py"]}',
    ],
    [
      '.vscode/settings.json',
      '{"python.analysis.extraPaths": ["src"], "x.globs": ["src/a.ts"], "y": "src/*.ts"}',
    ],
    [
      '.vscode/tasks.json',
      '{"tasks": [{"label": "src/a.ts", "command": "npx", "args": ["eslint", "src/a.ts"]}]}',
    ],
    ['.vscode/launch.json', '{"configurations": [{"runtimeArgs": ["src/a.ts"], "name": "src/b.py"}]}'],
    [
      'lefthook.yml',
      'pre-commit:\n  commands:\n    a:\n      exclude:\n        - src/a.ts\n      run: npx eslint src/a.ts',
    ],
    [
      'mise.toml',
      '[tasks.a]\nrun = ["eslint src/a.ts", "npm test"]\nsources = [\n"src/a.ts",\n"src/b.py"\n]\n',
    ],
    [
      '../.claude.json',
      '{"projects": {"HERE": {"history": [{"display": "HERE/src/a.ts"}], "exampleFiles": ["a.ts", "src/b.py"]}}}',
    ],
    ['../.codex/config.toml', '[projects."HERE/src"]\ntrust_level = "trusted"\n'],
  ])('is ordinary: %s %s', (place, text) => {
    expectOthersOrdinary(projectWith({ [place]: text }));
  });
});
