/** The file with variables of hooks is read without programs of the project. */
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { withEnvFile } from './env-file.ts';

let folder = '';
beforeAll(() => {
  folder = realpathSync(mkdtempSync(path.join(os.tmpdir(), 'heddle-env-file-')));
  mkdirSync(path.join(folder, 'tools'));
  for (const name of ['env', 'printenv', 'sh', 'cat', 'tr'])
    writeFileSync(path.join(folder, 'tools', name), `#!/bin/sh\necho x > ${folder}/ran\n`, { mode: 0o755 });
});
beforeEach(() => {
  rmSync(path.join(folder, 'ran'), { force: true });
});
afterAll(() => {
  rmSync(folder, { recursive: true });
});

async function read(lines: string, searchPath: string) {
  const failures: string[] = [];
  let found: Readonly<Record<string, string>> = {};
  const deps = {
    folder: path.join(folder, 'own'),
    cwd: folder,
    environment: { PATH: searchPath, KEPT: '1' },
    onVariables: (variables: Readonly<Record<string, string>>) => (found = variables),
    onFailure: (message: string) => failures.push(message),
  };
  await withEnvFile(deps, async (file) => writeFileSync(file, `${lines}\n`));
  return { found, failures };
}

describe('the file with variables of a hook', () => {
  it('is in the given folder, and is removed afterwards', async () => {
    const own = path.join(folder, 'new/own');
    const seen: string[] = [];
    const deps = {
      folder: own,
      cwd: folder,
      environment: {},
      onVariables: () => undefined,
      onFailure: (message: string) => seen.push(message),
    };
    await withEnvFile(deps, async (file) => void seen.push(path.relative(own, file)));
    expect(seen).toEqual([expect.stringMatching(/^heddle-env-\w+\/env\.sh$/)]);
    expect(readdirSync(own)).toEqual([]);
  });

  it('is not made elsewhere if that folder cannot be used', async () => {
    const failures: string[] = [];
    const deps = {
      folder: '/dev/null/own',
      cwd: folder,
      environment: {},
      onVariables: () => undefined,
      onFailure: (message: string) => failures.push(message),
    };
    expect(await withEnvFile(deps, async (file) => file)).toBe('/dev/null');
    expect(failures).toEqual([expect.stringMatching(/^Hooks cannot set variables: /)]);
  });

  it.each([
    'FOLDER/tools:/usr/bin:/bin',
    'tools:/usr/bin:/bin',
    './tools',
    'FOLDER/tools',
    '/usr/bin:/bin',
    '',
  ])('is read without a program of PATH: %s', async (searchPath) => {
    const { found, failures } = await read("export A='b c'\nD=e", searchPath.replace('FOLDER', folder));
    expect(failures).toEqual([]);
    expect(found).toMatchObject({ A: 'b c', D: 'e' });
    expect(existsSync(path.join(folder, 'ran'))).toBe(false);
  });

  it.each([
    'export PATH="$PWD/tools:$PATH" A=b',
    'PATH=./tools; A=b',
    'env() { echo x > ran; }; A=b',
    'alias env=./tools/env; A=b',
    'set -- a b c; A=b',
    'set -- ./tools/env; A=b',
  ])('may change what a name means: %s', async (lines) => {
    const { found, failures } = await read(lines, '/usr/bin:/bin');
    expect(failures).toEqual([]);
    expect(found).toMatchObject({ A: 'b' });
    expect(existsSync(path.join(folder, 'ran'))).toBe(false);
  });
});
