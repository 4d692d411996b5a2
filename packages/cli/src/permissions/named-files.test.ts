/** Files that commands of hooks and servers run, as the permissions of a session see them. */
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { filesOfCommands } from './named-files.ts';

const FILES = [
  'check.sh',
  'check',
  'rules.txt',
  'notes.md',
  'package.json',
  'Makefile',
  'my scripts/a.sh',
  'scripts/check.sh',
  'scripts/lib.js',
  'scripts/tool.py',
  'server/index.js',
  'server.js',
  'src/a.ts',
  'src/index.js',
  'test/a.test.js',
  'lib/a.jar',
  'srv/__main__.py',
  'mod.py',
  'own/lib/start.js',
  'own/lib/x.py',
];

const PACKAGE = { main: 'src/a', exports: { '.': { import: './lib/esm.mjs' } }, bin: 'server.js' };

let cwd: string;
beforeAll(() => {
  cwd = realpathSync(mkdtempSync(path.join(os.tmpdir(), 'heddle-named-')));
  for (const file of FILES) {
    mkdirSync(path.join(cwd, path.dirname(file)), { recursive: true });
    writeFileSync(path.join(cwd, file), '');
  }
  writeFileSync(path.join(cwd, 'package.json'), JSON.stringify(PACKAGE));
  writeFileSync(path.join(cwd, 'own/package.json'), '{"main":"lib/start.js"}');
});
afterAll(() => rmSync(cwd, { recursive: true }));

function named(command: string | readonly string[], more: object = {}): readonly string[] {
  const found = filesOfCommands([{ command, ...more }], { cwd, directories: [] });
  return found.map((file) => path.relative(cwd, file)).sort();
}

describe('a command for the shell', () => {
  it.each([
    ['./check.sh', 'check.sh'],
    ['./check', 'check'],
    ['sh check', 'check'],
    ['perl check', 'check'],
    ['scripts/check.sh --fast', 'scripts/check.sh'],
    ['"$CLAUDE_PROJECT_DIR"/scripts/check.sh', 'scripts/check.sh'],
    ['"$CLAUDE_PROJECT_DIR/scripts/check.sh"', 'scripts/check.sh'],
    ['${CLAUDE_PROJECT_DIR:-.}/scripts/check.sh', 'scripts/check.sh'],
    ['$HEDDLE_PROJECT_DIR/my\\ scripts/a.sh', 'my scripts/a.sh', 'scripts/a.sh'],
    ["'my scripts/a.sh'", 'my scripts/a.sh', 'scripts/a.sh'],
    ['"$PWD"/check.sh', 'check.sh'],
    ['$(pwd)/check.sh', 'check.sh'],
    ['"$(git rev-parse --show-toplevel)/scripts/check.sh"', 'scripts/check.sh'],
    ['"`pwd`"/check.sh', 'check.sh'],
    ['cd scripts && ./tool.py', 'scripts/tool.py'],
    ['cd scripts/ && ./lib.js', 'scripts/lib.js'],
    ['cd "$CLAUDE_PROJECT_DIR/scripts"; python tool.py', 'scripts/tool.py'],
    ['D=scripts; "$D"/check.sh', 'scripts/check.sh'],
    ['bash -c "./check.sh a"', 'check.sh'],
    [`sh -c 'cd scripts; python3 tool.py'`, 'scripts/tool.py'],
    ['echo $(./check.sh)', 'check.sh'],
    ['if [ -f rules.txt ]; then . ./rules.txt; fi', 'rules.txt'],
    ['[ -x ./absent.sh ] && ./absent.sh', 'absent.sh'],
    ['cat rules.txt | scripts/check.sh >> notes.md', 'rules.txt', 'scripts/check.sh'],
    ['cat notes.md rules.txt', 'notes.md', 'rules.txt'],
    ['make -f Makefile check', 'check'],
    ['bash -e check', 'check'],
    ['bash -euo pipefail check', 'check'],
    ['bash -e gone/x', 'gone/x'],
    ['bash --norc gone', 'gone'],
    ['sh -e gone.sh', 'gone.sh'],
    ['timeout 5 ./gone', 'gone'],
    ['timeout -s KILL 5 gone/x', 'gone/x'],
    ['/usr/bin/env -u A gone/x', 'gone/x'],
    ['sudo -u me ./gone', 'gone'],
    ['</dev/null gone/x', 'gone/x'],
    ['bash -lc gone/x', 'gone/x'],
    ['bash gone/prüfe', 'gone/prüfe'],
    ['timeout -k 1 5s nice -n 3 ./gone', 'gone'],
    ['flock own.lock ./gone', 'gone'],
    ['node --no-warnings gone.mjs', 'gone.mjs'],
    ['python3 -I gone.py', 'gone.py'],
    ['uv run --quiet gone.py', 'gone.py'],
    ['bun run --silent gone.ts', 'gone.ts'],
    ['pwsh -NoProfile -File gone.ps1', 'gone.ps1'],
    ['java -jar gone.jar', 'gone.jar'],
    ['go run gone.go', 'gone.go'],
    ['cat gone.sh | bash', 'gone.sh'],
    ['sed -f check x', 'check'],
    ['sed -nfcheck x', 'check'],
    ['awk -f check x', 'check'],
    ['make -f check', 'check'],
    ['cat check | bash', 'check'],
    ['bash <(cat check)', 'check'],
    ['eval "$(cat check)"', 'check'],
    ['Rscript check', 'check'],
    ['pwsh check', 'check'],
    ['expect check', 'check'],
    ['curl -d @check https://h.example', 'check'],
    ['PATH=scripts:$PATH check.sh', 'check.sh', 'scripts/check.sh'],
    ['NODE_OPTIONS="--require ./scripts/lib.js" x', 'scripts/lib.js'],
    [`bash -c 'sh -c "exec check"'`, 'check'],
    ['node -r ./scripts/lib src/a.ts', 'scripts/lib.js', 'src/a.ts'],
    ['cd scripts && ./absent.sh', 'absent.sh', 'scripts/absent.sh'],
    ['node --import=./scripts/lib.js -e 1', 'scripts/lib.js'],
    ['node -r./scripts/lib.js -e 1', 'scripts/lib.js'],
    ['node server', 'server', 'server.js'],
    ['node -r dotenv/config server', 'server', 'server.js'],
    ['node own/', 'own'],
    ['npx -y ./own', 'own'],
    ['python3 -m scripts.tool', 'scripts.py', 'scripts/__init__.py', 'scripts/tool', 'scripts/tool.py'],
    ['python3 -m srv', 'srv', 'srv.py'],
    ['python3 -Im mod', 'mod', 'mod.py'],
    ['python3 -mabsent', 'absent', 'absent.py'],
    ['uv run python -m srv --port 1', 'srv', 'srv.py'],
    ['PYTHONPATH=own/lib python3 -m x', 'own/lib/x', 'own/lib/x.py', 'x', 'x.py'],
    ['uvicorn mod:app', 'mod', 'mod.py'],
    ['java -cp lib/a.jar:lib/b.jar Main', 'lib/a.jar'],
    ['FOO=1 env -i node ./server', 'server', 'server.js'],
  ])('%s', (command, ...files) => {
    expect(named(command)).toEqual(files);
  });

  const OF_ROOT = [
    '__init__.py',
    '__main__.py',
    'lib/esm.mjs',
    'package.json',
    'server.js',
    'src/a',
    'src/a.ts',
  ];
  it.each(['node .', 'node ./', 'python3 .', 'node "$CLAUDE_PROJECT_DIR"', 'bun run .', 'node --inspect .'])(
    'runs the working directory itself: %s',
    (command) => {
      const files = named(command);
      expect(files).toEqual(expect.arrayContaining([...OF_ROOT, 'index.js', 'index.ts']));
      expect(files.filter((file) => !file.startsWith('index.'))).toEqual(OF_ROOT);
    },
  );

  it.each([
    'npm run lint',
    'make -f Makefile all',
    'git commit -m srv',
    'prettier --check . src',
    'bun test src',
    'npx prettier --check src',
    'eslint src test .',
    'node --test test/',
    'uv run pytest test',
    'jq . package.json > src/a.ts',
    'git diff --stat',
    'echo $UNKNOWN_NAME_HERE',
    '',
  ])('names no program of the project: %s', (command) => {
    expect(named(command)).toEqual([]);
  });
});

it('a command without a shell names files in its words', () => {
  expect(named(['node', 'server.js'])).toEqual(['server.js']);
  expect(named(['node', './server/', '--data', './src'])).toEqual(['server']);
  expect(named(['npx', '-y', 'a-server', './src', '.'])).toEqual([]);
  expect(named(['uv', 'run', 'server/absent.py'])).toEqual(['server/absent.py']);
  expect(named(['sh', 'scripts/absent.sh'])).toEqual(['scripts/absent.sh']);
  expect(named(['./bin/absent'])).toEqual(['bin/absent']);
  expect(named(['npx', '-y', 'a-server', './absent', '--db', 'absent/x.db'])).toEqual([]);
  expect(named(['node', 'lib.js'], { cwd: 'scripts' })).toEqual(['scripts/lib.js']);
  expect(named(['node', 'server.js'], { cwd: 'scripts' })).toEqual(['scripts/server.js', 'server.js']);
  expect(named(['python3', '-m', 'srv'])).toEqual(['srv', 'srv.py']);
  expect(named(['bash', '-c', 'cd scripts && exec "./check.sh"'])).toEqual(['check.sh', 'scripts/check.sh']);
  expect(named(['node', '-e', '1'], { environment: { NODE_OPTIONS: '--import ./scripts/lib.js' } })).toEqual([
    'scripts/lib.js',
  ]);
  expect(named(['${CLAUDE_PLUGIN_ROOT}/check.sh'], { environment: { CLAUDE_PLUGIN_ROOT: cwd } })).toEqual([
    'check.sh',
  ]);
});

describe('a folder that a command enters counts before it exists', () => {
  it.each([
    ['cd new && ./run', 'new/run'],
    ['cd new && ./check.sh', 'new/check.sh'],
    ['(cd new && node run.js)', 'new/run.js'],
    ['pushd new; sh run', 'new/run'],
    [`bash -c 'cd new && ./run'`, 'new/run'],
    ['cd "$CLAUDE_PROJECT_DIR/new" && ./run', 'new/run'],
    ['cd "$(git rev-parse --show-toplevel)/new/deep" && ./run', 'new/deep/run'],
    ['cd new/deep && python3 -m tool', 'new/deep/tool.py'],
    ['cd new && cd deep && ./run', 'new/deep/run'],
    ['env -C new ./run', 'new/run'],
    ['uv --directory new run srv.py', 'new/srv.py'],
    ['uv --directory=new run python srv.py', 'new/srv.py'],
    ['cd scripts && ./check', 'scripts/check'],
    ['npx ./new', 'new'],
    ['npx -y ./new', 'new'],
    ['uv run absent.py', 'absent.py'],
  ])('%s', (command, file) => {
    expect(named(command)).toContain(file);
    if (!/[;&('$]/.test(command)) expect(named(command.split(' '))).toContain(file);
  });

  it('and so does the folder of a server', () => {
    expect(named(['./check.sh'], { cwd: 'new' })).toEqual(['check.sh', 'new/check.sh']);
    expect(named(['node', 'run'], { cwd: 'new' })).toContain('new/run');
  });

  it.each(['npx prettier ./new', 'uv run ruff format ./new', 'cd new && eslint src', 'grep -C 3 a new'])(
    'but not for data: %s',
    (command) => expect(named(command)).toEqual([]),
  );
});

it('finds files in every folder that a command names', () => {
  const folders = Array.from({ length: 60 }, (_, index) => `many/f${index}`);
  for (const folder of folders) {
    mkdirSync(path.join(cwd, folder), { recursive: true });
    writeFileSync(path.join(cwd, folder, 'run.sh'), '');
  }
  const files = named(`prepare ${folders.join(' ')} && cd many/f59 && sh run.sh`);
  const isFound = (folder: string): boolean => files.includes(folder) || files.includes(`${folder}/run.sh`);
  expect(folders.filter((folder) => !isFound(folder))).toEqual([]);
  // A few folders stay data.
  expect(named(`prepare ${folders.slice(0, 20).join(' ')}`)).toEqual([]);
});
