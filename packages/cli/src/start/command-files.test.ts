/** Files that configured commands name, as they were at the latest prompt. */
import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { ConfiguredCommand } from '../permissions/named-files.ts';
import { CommandFiles } from './command-files.ts';

let top: string;
beforeEach(() => {
  top = realpathSync(mkdtempSync(path.join(os.tmpdir(), 'heddle-files-')));
  for (const file of [
    's/x',
    'pkg/x',
    'x',
    'y',
    'Makefile',
    'data.json',
    'calls.log',
    'src/a.txt',
    'checks/a.rules',
  ])
    write(file, 'before');
});
afterEach(() => rmSync(top, { recursive: true }));

function write(file: string, text: string, mode = 0o644): void {
  mkdirSync(path.join(top, path.dirname(file)), { recursive: true });
  writeFileSync(path.join(top, file), text);
  chmodSync(path.join(top, file), mode);
}

/** Remembers the files of the command, which starts in a folder of the project. */
function remembered(command: ConfiguredCommand['command'], folder = '.', more: object = {}) {
  const configured = { command, ...more };
  const cwd = path.join(top, folder);
  const files = new CommandFiles({
    commands: () => [configured],
    places: () => ({ cwd, directories: [], repository: top }),
  });
  files.remember();
  return {
    isWaiting: () => files.whyWaiting(configured, () => undefined) !== undefined,
    run: (work: () => void) => {
      expect(files.whyWaiting(configured, () => undefined)).toBeUndefined();
      const ended = files.started(configured);
      work();
      ended();
    },
  };
}

const FORMS: readonly (readonly [command: string, file: string])[] = [
  ['awk -f x', 'x'],
  ['make -f x', 'x'],
  ['make -f Makefile check', 'Makefile'],
  ['sed -nf x data.json', 'x'],
  ['jq --from-file x data.json', 'x'],
  ['bash "$(git rev-parse --show-toplevel)/s/x"', 's/x'],
  ['bash "$(cd "$(git rev-parse --show-toplevel)" && pwd)/s/x"', 's/x'],
  ['bash "$CLAUDE_PROJECT_DIR/s/x"', 's/x'],
  ['bash "${CLAUDE_PROJECT_DIR:-$(pwd)}"/s/x', 's/x'],
  ['bash "$PWD/s/x"', 's/x'],
  ['bash -o pipefail x', 'x'],
  ['bash --rcfile x -i', 'x'],
  ['python3 -W ignore x', 'x'],
  ['python3 < x', 'x'],
  ['cat x | bash', 'x'],
  ['cat x | env A=1 bash -s', 'x'],
  ['tee /dev/null < x | sh', 'x'],
  ['bash <(cat x)', 'x'],
  ['eval "$(cat x)"', 'x'],
  ['BASH_ENV=x bash -c "echo 1"', 'x'],
  ['export ENV=x; sh -i', 'x'],
  ['env X=1 ./x', 'x'],
  ['env -S "X=1 sh x"', 'x'],
  ['node --require ./x y', 'x'],
  ['node --require ./x y', 'y'],
  ['node --import=./x y', 'x'],
  ['npx tsx x', 'x'],
  ['. x', 'x'],
  ['source ./x', 'x'],
  ['sh < x', 'x'],
  ['sh 0<x', 'x'],
  ['xargs -a x sh -c', 'x'],
  ['timeout 5 nice sh x', 'x'],
  ['some-runner x', 'x'],
  ['some-runner --plugin=./x', 'x'],
  ['sh s/*', 's/x'],
  ['for f in s/*; do . "$f"; done', 's/x'],
  ['cat checks/*.rules | sh', 'checks/a.rules'],
  ['cat checks/**/?.rules | sh', 'checks/a.rules'],
];

describe.each([
  ['changes', (file: string) => write(file, 'after')],
  ['disappears', (file: string) => rmSync(path.join(top, file))],
])('a command waits if a file of it %s', (_, change) => {
  it.each(FORMS)('%s (%s)', (command, file) => {
    const { isWaiting } = remembered(command);
    expect(isWaiting()).toBe(false);
    change(file);
    expect(isWaiting()).toBe(true);
  });
});

it('a command waits for a file that did not exist', () => {
  rmSync(path.join(top, 'x'));
  const { isWaiting } = remembered('awk -f x');
  write('x', 'new');
  expect(isWaiting()).toBe(true);
});

it.each([
  'sh ../x',
  'sh "$(git rev-parse --show-toplevel)/x"',
  'cd "$(git rev-parse --show-toplevel)"; sh x',
])('files of the repository outside of the working folder count: %s', (command) => {
  const { isWaiting } = remembered(command, 'pkg');
  write('x', 'after');
  expect(isWaiting()).toBe(true);
});

it.each([
  [['some-server', '--plugin', 'x'], {}],
  [['sh', 'x'], {}],
  [['node', 'y'], { environment: { NODE_OPTIONS: '--require ./x' } }],
  [['bash', '-c', 'cat x | sh'], {}],
])('a server that names a file waits: %j', (command, more) => {
  const { isWaiting } = remembered(command, '.', more);
  write('x', 'after');
  expect(isWaiting()).toBe(true);
});

it.each([
  ['prettier --write src/', 'src/a.txt'],
  ['prettier --check "src/**/*.txt"', 'src/a.txt'],
  ['bash -c "prettier --check src/*.txt"', 'src/a.txt'],
  ['sh x >> data.json', 'data.json'],
  ['sh x > "$CLAUDE_PROJECT_DIR/data.json" 2>&1', 'data.json'],
  ['sh x &>> data.json', 'data.json'],
  ['sh x >| data.json', 'data.json'],
  ['sh x | tee -a calls.log', 'calls.log'],
  ['prettier --write "$CLAUDE_FILE_PATHS"', 'src/a.txt'],
  ['prettier --write src/"$CLAUDE_FILE"', 'src/a.txt'],
  ['npm run lint', 'data.json'],
])('a command does not wait for what it only writes, or for data in a folder: %s', (command, file) => {
  const { isWaiting } = remembered(command);
  write(file, 'after');
  expect(isWaiting()).toBe(false);
});

it('a server does not wait for its own data', () => {
  const environment = { MEMORY_FILE: 'data.json' };
  const { isWaiting } = remembered(['npx', 'a-server', '--log', 'calls.log'], '.', { environment });
  write('data.json', 'after');
  write('calls.log', 'after');
  expect(isWaiting()).toBe(false);
});

it('data that a command changes itself does not make it wait, and a change by others does', () => {
  const { run, isWaiting } = remembered('sh x data.json new.json');
  run(() => {
    write('data.json', 'first');
    write('new.json', 'first');
    expect(isWaiting()).toBe(false);
  });
  run(() => rmSync(path.join(top, 'new.json')));
  expect(isWaiting()).toBe(false);
  write('data.json', 'second');
  expect(isWaiting()).toBe(true);
});

it.each(['sh x', 'cat x | bash', 'awk -f x', 'make -f x', 'BASH_ENV=x bash y', 'node -r ./x y', 'sh < x'])(
  'a program that changes while it runs makes it wait: %s',
  (command) => {
    const { run, isWaiting } = remembered(command);
    run(() => write('x', 'after'));
    expect(isWaiting()).toBe(true);
  },
);

it('data that becomes executable while a command runs makes it wait', () => {
  const { run, isWaiting } = remembered('some-runner data.json');
  run(() => write('data.json', 'after', 0o755));
  expect(isWaiting()).toBe(true);
});
