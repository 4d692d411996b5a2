/** A disk that is mounted twice shows each file by two names. Rules about one of them count for the other. */
import path from 'node:path';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import type { JsonObject } from '@heddle/core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { authorize } from './authorize.ts';
import { observeWorld, type WorldOptions } from './observe-world.ts';
import { namesInMounts, namesOnMac } from './paths/second-mounts.ts';
import { deniedFiles } from './rules/compile.ts';

function mounts(...lines: readonly (readonly [device: string, root: string, point: string])[]): string {
  return lines
    .map(
      ([device, root, point], at) => `${at + 20} 1 ${device} ${root} ${point} rw,relatime - ext4 /dev/x rw`,
    )
    .join('\n');
}

const WSL = mounts(
  ['8:32', '/', '/'],
  ['0:20', '/', '/proc'],
  ['8:32', '/', '/mnt/wslg/distro'],
  ['0:30', '/', '/mnt/c'],
);

describe('the other names of a path', () => {
  it.each([
    ['WSL', WSL, '/mnt/wslg/distro/srv/x/.env', ['/srv/x/.env']],
    ['WSL, the folder itself', WSL, '/mnt/wslg/distro', ['/']],
    ['WSL, from the first mount', WSL, '/etc/passwd', ['/mnt/wslg/distro/etc/passwd']],
    ['WSL, another disk', WSL, '/mnt/c/x', []],
    ['WSL, a covered folder', WSL, '/mnt/wslg/distro/mnt/c/x', []],
    ['one mount of each disk', mounts(['8:1', '/', '/'], ['8:2', '/', '/srv']), '/srv/x', []],
    ['other folders of the disk', mounts(['8:1', '/a', '/x'], ['8:1', '/b', '/y']), '/x/f', []],
    ['a folder of the disk', mounts(['8:1', '/', '/'], ['8:1', '/srv/u', '/m']), '/m/.env', ['/srv/u/.env']],
    [
      'the same, from the disk',
      mounts(['8:1', '/', '/'], ['8:1', '/srv/u', '/m']),
      '/srv/u/.env',
      ['/m/.env'],
    ],
    ['names that begin alike', mounts(['8:1', '/', '/'], ['8:1', '/srv/u', '/m']), '/srv/user', []],
    ['a blank', mounts(['8:1', '/', '/'], ['8:1', '/a\\040b', '/m\\040n']), '/m n/f', ['/a b/f']],
    [
      'processes',
      mounts(['0:1', '/', '/proc'], ['0:1', '/', '/run/host/proc']),
      '/run/host/proc/1/environ',
      ['/proc/1/environ'],
    ],
    ['no mounts', '', '/x', []],
  ])('%s', (_, text, file, names) => {
    expect(namesInMounts(text)(file)).toEqual(names);
  });

  it('on macOS', () => {
    expect(namesOnMac('/System/Volumes/Data/opt/x/.env')).toEqual(['/opt/x/.env']);
    expect(namesOnMac('/System/Volumes/Data')).toEqual(['/']);
    expect(namesOnMac('/System/Volumes/Database')).toEqual([]);
    expect(namesOnMac('/.vol/1/2')).toEqual(['/\uFFFD']);
    expect(namesOnMac('/opt/x')).toEqual([]);
  });
});

describe('a decision about the other name', () => {
  let base = '';
  let alias = '';
  let root = '';
  beforeAll(() => {
    base = realpathSync(mkdtempSync(path.join(os.tmpdir(), 'heddle-mounts-')));
    root = path.join(base, 'disk/project');
    alias = path.join(base, 'again/project');
    for (const folder of [root, alias]) {
      mkdirSync(path.join(folder, 'secrets'), { recursive: true });
      for (const name of ['.env', 'secrets/k', 'a']) writeFileSync(path.join(folder, name), 'x');
      mkdirSync(path.join(folder, '../home/.ssh'), { recursive: true });
      writeFileSync(path.join(folder, '../home/.ssh/id'), 'x');
    }
  });
  afterAll(() => rmSync(base, { recursive: true, force: true }));

  const texts = ['Read(.env)', 'Read(secrets/**)', 'Read(~/.ssh/**)'];
  const rules = { deny: texts.map((text) => ({ text, source: 'user' as const })), ask: [], allow: [] };
  const options = (): WorldOptions => ({
    root,
    cwd: root,
    directories: [],
    home: `${base}/disk/home`,
    configDirs: [],
    environment: {},
    mounts: mounts(['8:1', '/', '/'], ['8:2', '/', `${base}/disk`], ['8:2', '/', `${base}/again`]),
  });
  const decide = (tool: string, input: JsonObject, allow: readonly string[] = []): string => {
    const request = { tool, input, readOnly: tool !== 'Bash', hookDecision: undefined };
    const allowing = { ...rules, allow: allow.map((text) => ({ text, source: 'user' as const })) };
    return authorize(request, allowing, 'default', observeWorld(options())).decision;
  };

  it('is that about the name in the rule', () => {
    for (const name of ['.env', 'secrets/k', '../home/.ssh/id_rsa']) {
      expect([name, decide('Bash', { command: `cat ${alias}/${name}` })]).toEqual([name, 'deny']);
      expect([name, decide('Bash', { command: `cd ${alias} && cat ${name}` })]).toEqual([name, 'deny']);
      expect([name, decide('Read', { file_path: path.join(alias, name) })]).toEqual([name, 'deny']);
    }
    expect(decide('Bash', { command: `cat ${alias}/.e*` })).toBe('deny');
    // Beside denied files it asks, as for the project itself.
    expect(decide('Bash', { command: `grep -r x ${alias}` })).toBe('ask');
    expect(decide('Bash', { command: 'grep -r x .' })).toBe('ask');
    expect(decide('Grep', { pattern: 'x', path: `${alias}/secrets` })).toBe('deny');
  });

  it('is that about the name in the rule, also for globs and folders above the mount', () => {
    const commands = [
      `cat ${base}/ag*/home/.ssh/id`,
      `cat ${base}/*/home/.ssh/*`,
      `cat ${base}/a*/project/.env`,
      `grep -rs --include=id x ${base}`,
      `grep -r x ${base}/again`,
    ];
    for (const command of commands) expect([command, decide('Bash', { command })]).not.toContain('allow');
    expect(decide('Bash', { command: `cat ${base}/*/project/a` })).toBe('allow');
  });

  it('is that about the name in the rule if only a folder below its place is mounted again', () => {
    const text = mounts(
      ['8:1', '/', '/'],
      ['8:2', '/', `${base}/disk`],
      ['8:2', '/home/.ssh/keys', `${base}/again`],
    );
    const world = observeWorld({ ...options(), mounts: text });
    const decision = (command: string): string => {
      const request = { tool: 'Bash', input: { command }, readOnly: false, hookDecision: undefined };
      return authorize(request, rules, 'default', world).decision;
    };
    expect(decision(`cat ${base}/again/id`)).toBe('deny');
    expect(decision(`cat ${base}/ag*/x`)).not.toBe('allow');
    expect(decision(`cat ${base}/disk/project/a`)).toBe('allow');
  });

  it('the read-only view hides all names of a file', () => {
    const world = { ...observeWorld(options()), readOnlyView: true };
    const request = { tool: 'Bash', input: { command: 'ls' }, readOnly: false, hookDecision: undefined };
    const limits = authorize(request, rules, 'default', world).fileLimits;
    expect(limits?.hidden).toContain(`${alias.replace('/project', '')}/home/.ssh`);
    expect(limits?.hidden).toContain(`${alias}/secrets`);
  });

  it('is that about other files', () => {
    expect(decide('Bash', { command: `cat ${alias}/a` })).toBe('allow');
    expect(decide('Read', { file_path: `${alias}/a` })).toBe('allow');
    expect(decide('Read', { file_path: `${root}/a` })).toBe('allow');
    expect(decide('Bash', { command: 'cat a /etc/hostname' })).toBe('allow');
  });

  it('needs no allow rule of its own, but protected places count', () => {
    const write = (name: string): string => {
      const input = { file_path: `${base}/disk/other/${name}`, content: '' };
      return decide('Write', input, [`Edit(/${base}/disk/other/**)`]);
    };
    expect([write('new'), write('.envrc')]).toEqual(['allow', 'ask']);
    const command = `touch ${base}/disk/other/new`;
    expect(decide('Bash', { command }, [`Edit(/${base}/disk/other/**)`, 'Bash(touch *)'])).toBe('allow');
  });

  it('a search leaves out the denied file', () => {
    const isDenied = deniedFiles(rules, observeWorld(options()), ['deny']);
    expect([`${alias}/.env`, `${alias}/secrets/k`, `${alias}/a`, `${root}/.env`].map(isDenied)).toEqual([
      true,
      true,
      false,
      true,
    ]);
  });
});
