/** Temporary folders of the program in a working directory, on a real disk. */
import { makeTemporaryFolder, removeTemporaryFolder } from '@heddle/tools/files';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { authorize } from './authorize.ts';
import { observeWorld } from './observe-world.ts';
import { lockedProgram } from './paths/own-program.ts';

const base = realpathSync(mkdtempSync(path.join(os.tmpdir(), 'heddle-temporary-')));
const temp = path.join(base, 'work/temp');
const work = path.join(base, 'work');
const before = process.env['TMPDIR'];

/** Made by another process. */
const OTHERS = [
  'heddle-env-aB3dE6',
  'heddle-images-aB3dE6',
  'heddle-mcp-aB3dE6',
  'heddle-prompt-aB3dE6',
  'heddle-tasks-aB3dE6',
  'heddle-view-aB3dE6',
  'heddle-8c5c0a52-36c9-4a7e-a8ad-2c5a5c1de1a5',
];
const SOCKETS = ['claude-http-0123456789abcdef.sock', 'claude-socks-0123456789abcdef.sock'];
/** Commands in the sandbox write in the last one. */
const ORDINARY = ['heddle-view-notes', 'heddle-env', 'my-heddle-env-aB3dE6', 'heddle-sandbox-aB3dE6'];

beforeAll(() => {
  for (const name of [...OTHERS, ...ORDINARY]) {
    mkdirSync(path.join(temp, name), { recursive: true });
    writeFileSync(path.join(temp, name, 'f'), '');
  }
  for (const name of SOCKETS) writeFileSync(path.join(temp, name), '');
  symlinkSync('temp', path.join(work, 'link'));
  process.env['TMPDIR'] = temp;
});
afterAll(() => {
  if (before === undefined) delete process.env['TMPDIR'];
  else process.env['TMPDIR'] = before;
  rmSync(base, { recursive: true, force: true });
});

function worldIn(root: string, directories: readonly string[] = []) {
  const environment = { HOME: base, GIT_CONFIG_NOSYSTEM: '1', PATH: '/usr/bin:/bin' };
  return observeWorld({ root, cwd: root, directories, home: base, configDirs: [], environment });
}

function decisionOn(command: string, root = temp, directories: readonly string[] = []): string {
  const request = { tool: 'Bash', input: { command }, readOnly: false, hookDecision: undefined };
  const world = worldIn(root, directories);
  return authorize(request, { deny: [], ask: [], allow: [] }, 'acceptEdits', world).decision;
}

describe('a temporary folder of the program in a working directory', () => {
  it.each(OTHERS)('is protected, also that of another process: %s', (name) => {
    const commands = [
      `echo x > ${name}/f`,
      `echo x > ${name}/new`,
      `rm ${name}/f`,
      `mv ${name} other`,
      `touch ${name.slice(0, -2)}*/f`,
      `cd ${name} && echo x >> f`,
      `for f in ${name.slice(0, -2)}??/f; do echo x > "$f"; done`,
      `cp /etc/hostname ${name}`,
      `ln -sf ../heddle-env/f ${name}/f`,
      `sed -i s/a/b/ ${name}/f`,
    ];
    expect(commands.filter((command) => decisionOn(command) !== 'ask')).toEqual([]);
    expect(decisionOn(`echo x > temp/${name}/f`, work)).toBe('ask');
    expect(decisionOn(`echo x > link/${name}/f`, work)).toBe('ask');
    expect(decisionOn(`echo x > ${temp}/${name}/f`, base, [temp])).toBe('ask');
    expect(decisionOn(`cat ${name}/f`)).toBe('allow');
  });

  it('is protected below another parent, while this process has it', () => {
    const folder = makeTemporaryFolder('tasks', path.join(work, 'elsewhere'));
    const command = `echo x > ${folder}/f`;
    expect(decisionOn(command, work)).toBe('ask');
    removeTemporaryFolder(folder);
    expect(decisionOn(`mkdir -p ${folder} && ${command}`, work)).toBe('allow');
  });

  it('is protected together with the folders above it', () => {
    expect(decisionOn('mv temp other', work)).toBe('ask');
  });

  it.each(ORDINARY)('does not protect other folders: %s', (name) => {
    expect(decisionOn(`echo x > ${name}/f`)).toBe('allow');
  });

  it('does not protect a working directory with such a name', () => {
    const root = path.join(temp, OTHERS[0] ?? '');
    expect(decisionOn('echo x > f', root)).toBe('allow');
    expect(decisionOn('echo x > f', root, [temp])).toBe('allow');
  });

  it('cannot be written by commands in the sandbox, and its sockets cannot be replaced', () => {
    const places = [...OTHERS, ...SOCKETS].map((name) => path.join(temp, name));
    expect(lockedProgram(worldIn(work)).toSorted()).toEqual(places.toSorted());
  });
});
