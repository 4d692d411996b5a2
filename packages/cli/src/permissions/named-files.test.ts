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
];

let cwd: string;
beforeAll(() => {
  cwd = realpathSync(mkdtempSync(path.join(os.tmpdir(), 'heddle-named-')));
  for (const file of FILES) {
    mkdirSync(path.join(cwd, path.dirname(file)), { recursive: true });
    writeFileSync(path.join(cwd, file), '');
  }
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
    ['cat rules.txt | scripts/check.sh >> notes.md', 'scripts/check.sh'],
    ['node --import=./scripts/lib.js -e 1', 'scripts/lib.js'],
    ['node -r./scripts/lib.js x', 'scripts/lib.js'],
    ['node server', 'server', 'server.js'],
    ['python3 -m scripts.tool', 'scripts/tool.py'],
    ['java -cp lib/a.jar:lib/b.jar Main', 'lib/a.jar'],
    ['FOO=1 env -i node ./server', 'server', 'server.js'],
  ])('%s', (command, ...files) => {
    expect(named(command)).toEqual(files);
  });

  it.each([
    'npm run lint',
    'make -f Makefile check',
    'cat notes.md rules.txt',
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
  expect(named(['uv', 'run', 'server/absent.py'])).toEqual([]);
  expect(named(['node', 'lib.js'], { cwd: 'scripts' })).toEqual(['scripts/lib.js']);
  expect(named(['${CLAUDE_PLUGIN_ROOT}/check.sh'], { environment: { CLAUDE_PLUGIN_ROOT: cwd } })).toEqual([
    'check.sh',
  ]);
});
