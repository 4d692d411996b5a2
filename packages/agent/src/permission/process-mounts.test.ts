/** The files of processes can be mounted in several places, and a disk with logins as well. All of their names count. */
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import type { JsonObject } from '@heddle/core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { authorize } from './authorize.ts';
import { observeWorld } from './observe-world.ts';
import { isSecret } from './paths/secret-files.ts';
import { namesInMounts } from './paths/second-mounts.ts';

function mounts(
  ...lines: readonly (readonly [device: string, root: string, point: string, type: string])[]
): string {
  return lines
    .map(([device, root, point, type], at) => `${at + 20} 1 ${device} ${root} ${point} rw - ${type} x rw`)
    .join('\n');
}

describe('the names of a path below /proc', () => {
  const text = mounts(
    ['8:1', '/', '/', 'ext4'],
    ['0:1', '/', '/proc', 'proc'],
    ['0:1', '/sys', '/proc/sys', 'proc'],
    ['0:2', '/', '/run/host/proc', 'proc'],
    ['0:3', '/', '/srv/a\\040b', 'proc'],
    ['0:4', '/7', '/srv/seven', 'proc'],
    ['0:4', '/7/environ', '/srv/variables', 'proc'],
    ['0:5', '/', '/srv/proc', 'tmpfs'],
  );
  it.each([
    ['/run/host/proc', ['/proc']],
    ['/run/host/proc/1/environ', ['/proc/1/environ']],
    ['/srv/a b/self/fd/3', ['/proc/self/fd/3']],
    ['/srv/seven/status', ['/proc/7/status']],
    ['/srv/variables', ['/srv/seven/environ', '/proc/7/environ']],
    ['/srv/proc/1/environ', []],
    ['/run/host/process', []],
    ['/etc/passwd', []],
  ])('%s', (file, names) => {
    expect(namesInMounts(text)(file)).toEqual(names);
  });
});

describe('files of processes in another place', () => {
  let base = '';
  let root = '';
  beforeAll(() => {
    base = realpathSync(mkdtempSync(path.join(os.tmpdir(), 'heddle-processes-')));
    root = path.join(base, 'project');
    for (const folder of [`${base}/host/table/1/fd`, `${root}/own/1`, `${root}/src`, `${base}/other/1`])
      mkdirSync(folder, { recursive: true });
    for (const folder of [`${base}/host/table/1`, `${root}/own/1`, `${base}/other/1`])
      for (const name of ['environ', 'status', 'mem']) writeFileSync(path.join(folder, name), 'x');
    writeFileSync(`${root}/src/a`, 'x');
    symlinkSync('/', `${base}/host/table/1/root`);
    symlinkSync(`${base}/host/table/1/environ`, `${root}/link`);
    symlinkSync(`${base}/host/table`, `${root}/folder`);
  });
  afterAll(() => rmSync(base, { recursive: true, force: true }));

  const decide = (tool: string, input: JsonObject, allow: readonly string[] = []): string => {
    const request = { tool, input, readOnly: tool !== 'Bash', hookDecision: undefined };
    const rules = { deny: [], ask: [], allow: allow.map((text) => ({ text, source: 'user' as const })) };
    const text = mounts(
      ['8:1', '/', '/', 'ext4'],
      ['0:1', '/', '/proc', 'proc'],
      ['0:2', '/', `${base}/host/table`, 'proc'],
      ['0:3', '/', `${root}/own`, 'proc'],
    );
    const surroundings = { root, cwd: root, directories: [], home: `${base}/home`, configDirs: [] };
    const world = observeWorld({ ...surroundings, environment: {}, mounts: text });
    return authorize(request, rules, 'default', world).decision;
  };

  it.each([
    'cat HOST/1/environ',
    'cat HOST/1/mem',
    'cat HOST/self/environ',
    'cat HOST/1/root/etc/shadow',
    'cat HOST/kcore',
    'head -c 99 < HOST/1/environ',
    'cd HOST/1 && cat environ',
    'cat ../host/table/1/environ',
    'cat own/1/environ',
    'cat own/*/environ',
    'cat HOST/*/environ',
    'cat HOST/1/env*',
    'cat BASE/ho*/table/1/env*',
    'cat BASE/*/*/1/environ',
    'cat HOST/$x/environ',
    'cat link',
    'cat folder/1/environ',
    'cat folder/*/environ',
    'cp HOST/1/environ src/b',
    'grep -r x HOST',
    'grep -r x BASE/host',
    'grep -r x .',
    'tar c own',
    "find HOST -name 'e*' | xargs cat",
    "find BASE -name 'e*' | xargs cat",
    "find folder/ -name 'e*' | xargs cat",
    'for f in HOST/1/e*; do cat "$f"; done',
  ])('a command asks: %s', (written) => {
    const command = written.replace('HOST', `${base}/host/table`).replace('BASE', base);
    expect(decide('Bash', { command })).toBe('ask');
    expect(decide('Bash', { command }, ['Bash(*)', 'Edit(./**)'])).toBe('ask');
  });

  it.each([
    ['Read', { file_path: 'HOST/1/environ' }],
    ['Read', { file_path: 'own/1/environ' }],
    ['Read', { file_path: 'link' }],
    ['Read', { file_path: 'folder/1/mem' }],
    ['Grep', { pattern: 'x', path: 'HOST' }],
    ['Grep', { pattern: 'x', path: 'BASE/host' }],
    ['Grep', { pattern: 'x', path: 'HOST/1/environ' }],
    ['Grep', { pattern: 'x', path: 'BASE', glob: 'host/table/*/environ' }],
    ['Grep', { pattern: 'x' }],
    ['Grep', { pattern: 'x', path: 'own' }],
  ])('a tool asks: %s %j', (tool, input) => {
    const text = JSON.stringify(input).replace('HOST', `${base}/host/table`).replace('BASE', base);
    const given: JsonObject = JSON.parse(text);
    expect(decide(tool, given)).toBe('ask');
  });

  it('other files need no question', () => {
    for (const name of ['1/status', '1/comm', 'cpuinfo'])
      expect([name, decide('Bash', { command: `cat ${base}/host/table/${name}` })]).toEqual([name, 'allow']);
    for (const command of [
      `cat ${base}/other/1/environ`,
      `ls ${base}/host/table`,
      `grep -r x ${base}/other`,
      'grep -r x src',
      'cat src/*',
      `find ${base}/host -name x`,
    ])
      expect([command, decide('Bash', { command })]).toEqual([command, 'allow']);
    expect(decide('Read', { file_path: `${base}/other/1/environ` })).toBe('allow');
    expect(decide('Grep', { pattern: 'x', path: 'src' })).toBe('allow');
  });
});

describe('a login of the program', () => {
  const text = mounts(
    ['8:1', '/', '/', 'ext4'],
    ['8:2', '/', '/users', 'ext4'],
    ['8:2', '/', '/run/host/users', 'ext4'],
    ['8:2', '/u', '/srv/u', 'ext4'],
    ['8:2', '/u/.heddle', '/srv/settings', 'ext4'],
    ['8:2', '/u/.heddle/fleet', '/srv/fleet', 'ext4'],
    ['8:2', '/u/.heddle/mcp-auth.json', '/srv/file', 'ext4'],
    ['8:2', '/', '/mnt/a\\040b', 'ext4'],
  );
  const places = {
    configDirs: ['/users/u/.heddle'],
    realpath: (file: string) => file,
    otherNames: namesInMounts(text),
  };
  it.each([
    '/users/u/.heddle/mcp-auth.json',
    '/run/host/users/u/.heddle/mcp-auth.json',
    '/run/host/users/u/.heddle/mcp-auth.json.12.tmp',
    '/run/host/users/u/.heddle/fleet/data/x',
    '/srv/u/.heddle/mcp-auth.json',
    '/srv/u/.heddle/fleet/a',
    '/srv/settings/mcp-auth.json',
    '/srv/settings/mcp-auth.json.1.tmp',
    '/srv/settings/fleet',
    '/srv/fleet',
    '/srv/fleet/data/x',
    '/srv/file',
    '/mnt/a b/u/.heddle/mcp-auth.json',
  ])('is left out of searches by the name %s', (file) => {
    expect(isSecret(file, places)).toBe(true);
  });

  it.each([
    '/run/host/users/v/.heddle/mcp-auth.json',
    '/run/host/users/u/.heddle/settings.json',
    '/srv/u/mcp-auth.json',
    '/srv/settings/x/mcp-auth.json.1.tmp',
    '/srv/other',
  ])('is not %s', (file) => {
    expect(isSecret(file, places)).toBe(false);
  });
});
