/** Programs that a proven program starts by name may be those of a version manager, or of the project. */
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { PermissionMode } from '@heddle/core';
import { authorize } from './authorize.ts';
import { observeWorld } from './observe-world.ts';
import { CLEAN_GIT, HOME, ROOT, worldOf, type WorldTable } from './test/world.ts';
import type { PermissionWorld } from './world.ts';

interface Setting {
  readonly mode?: PermissionMode;
  readonly isTrusted?: boolean;
  readonly view?: boolean;
  readonly allow?: readonly string[];
}

function decideIn(world: PermissionWorld, command: string, setting: Setting = {}) {
  const { mode = 'default', isTrusted = false, view = true, allow = [] } = setting;
  const here = { ...world, readOnlyView: view, isTrusted: () => isTrusted };
  const request = { tool: 'Bash', input: { command }, readOnly: false, hookDecision: undefined };
  const rules = { deny: [], ask: [], allow: allow.map((text) => ({ text, source: 'user' as const })) };
  return authorize(request, rules, mode, here).decision;
}

function decide(command: string, table: WorldTable, setting?: Setting) {
  return decideIn(worldOf({ git: CLEAN_GIT, ...table }), command, setting);
}

const SHIMS = `${HOME}/.asdf/shims`;
const SYSTEM = '/usr/bin';

/** The program is one of the system, and the other one that of a manager. */
function behindShim(program: string, other: string, interpreter?: string): WorldTable {
  const files = [`${SYSTEM}/${program}`, `${SHIMS}/${other}`, `${SYSTEM}/${other}`];
  const interpreters = interpreter === undefined ? {} : { [`${SYSTEM}/${program}`]: interpreter };
  return { files, interpreters, environment: { PATH: `${SHIMS}:${SYSTEM}` } };
}

const STARTS: readonly (readonly [string, string])[] = [
  ['yq . a.yml', 'jq'],
  ['yq -r .a a.yml | head', 'jq'],
  ['timeout 5 yq . a.yml', 'jq'],
  ['ls | xargs egrep x', 'grep'],
  ['find . -name a -exec yq . {} +', 'jq'],
  ['for f in a b; do yq . "$f"; done', 'jq'],
  ['cat "$(yq . a.yml)"', 'jq'],
  ['npm --version', 'node'],
  ['npm ls', 'node'],
  ['npx --version', 'node'],
  ['zgrep x a.gz', 'gzip'],
  ['zgrep x a.gz', 'sed'],
  ['zegrep x a.gz', 'gzip'],
  ['xzgrep x a.xz', 'xz'],
  ['bzgrep x a.bz2', 'bzip2'],
  ['egrep x a', 'grep'],
  ['fgrep x a', 'grep'],
  ['zcat a.gz', 'gzip'],
  ['colordiff a b', 'diff'],
  ['rg -z x src', 'zstd'],
  ['rg -iz x src', 'xz'],
  ['rg --search-zip x src', 'brotli'],
  ['tar tf a.tar.zst', 'zstd'],
  ['tar tzf a.tgz', 'gzip'],
  ['file -z a', 'gzip'],
  ['man -w ls', 'manpath'],
  ['dpkg -l', 'dpkg-query'],
  ['lsb_release -a', 'getopt'],
  ['pip freeze', 'git'],
  ['bat --paging=always a', 'less'],
  ['git submodule status', 'gettext'],
  ['timeout 5 rg x', 'timeout'],
  ['nice rg x', 'nice'],
];

describe('a program that starts another one by name', () => {
  it.each(STARTS)('needs trust if a version manager has the other one: %s, %s', (command, other) => {
    const [program = ''] =
      /(npx|npm|yq|\w*grep|zcat|colordiff|rg|tar|file|man|dpkg|lsb_release|pip|bat|git)/.exec(command) ?? [];
    const table = behindShim(program, other);
    expect(decide(command, table)).toBe('ask');
    expect(decide(command, table, { view: false })).toBe('ask');
    expect(decide(command, table, { mode: 'plan' })).toBe('deny');
    expect(decide(command, table, { mode: 'acceptEdits' })).toBe('ask');
    expect(decide(command, table, { isTrusted: true })).toBe('allow');
  });

  it.each(STARTS)('needs no question if the other one is of the system: %s, %s', (command, other) => {
    const { files = [] } = behindShim('x', other);
    const environment = { PATH: `${SYSTEM}:${SHIMS}` };
    expect(decide(command, { files: [...files, `${SYSTEM}/${other}`], environment })).toBe('allow');
  });

  it('is proven in a trusted folder if edits cannot choose the version of the other one', () => {
    const setting = { view: false, isTrusted: true };
    expect(decide('yq . a.yml', behindShim('yq', 'jq'), setting)).toBe('allow');
    const files = ['/usr/bin/yq', `${HOME}/.volta/bin/jq`];
    const table = { files, environment: { PATH: `${HOME}/.volta/bin:/usr/bin` } };
    expect(decide('yq . a.yml', table, setting)).toBe('ask');
  });

  it('asks beside an allowed command if the project has the other one', () => {
    const PATH = `${ROOT}/node_modules/.bin:/usr/bin`;
    const files = ['/usr/bin/yq', `${ROOT}/node_modules/.bin/jq`];
    const table = { files, environment: { PATH } };
    for (const command of ['make; yq . a.yml', 'yq . a.yml && make', 'make; find . -exec yq . {} +'])
      expect([command, decide(command, table, { view: false, allow: ['Bash(make)'] })]).toEqual([
        command,
        'ask',
      ]);
    expect(decide('make; head a.yml', table, { view: false, allow: ['Bash(make)'] })).toBe('allow');
  });

  it('needs no question with words for which it does not start the other one', () => {
    for (const [command, program, other] of [
      ['rg x src', 'rg', 'gzip'],
      ['file a.gz', 'file', 'gzip'],
      ['ls', 'ls', 'node'],
      ['cat a', 'cat', 'jq'],
      ['git log', 'git', 'sed'],
      ['head yq', 'head', 'jq'],
      ['grep x a', 'grep', 'gzip'],
      ['command -v yq', 'bash', 'jq'],
    ] as const)
      expect([command, decide(command, behindShim(program, other))]).toEqual([command, 'allow']);
  });
});

describe('a script that is started by name', () => {
  const LINES = [
    '/usr/bin/env node',
    '/usr/bin/env -S node --no-warnings',
    '/usr/bin/env -vS node',
    '/usr/bin/env -Snode',
    '/usr/bin/env --split-string=node',
    '/usr/bin/env -i node',
    '/usr/bin/env -u X node',
    '/usr/bin/env X=1 node',
    '/usr/bin/env -S "node" x',
    '/bin/env\tnode',
    '/usr/bin/busybox env node',
    `${SHIMS}/node`,
    `${SHIMS}/node --no-warnings`,
  ];

  it.each(LINES)('needs trust if its interpreter is that of a version manager: #!%s', (line) => {
    for (const [program, command] of [
      ['rg', 'rg x src'],
      ['jq', 'jq . a.json'],
      ['fd', 'ls; fd x'],
      ['ls', 'ls'],
      ['gem', 'gem --version'],
    ] as const) {
      const table = behindShim(program, 'node', line);
      expect([command, decide(command, table)]).toEqual([command, 'ask']);
      expect([command, decide(command, table, { isTrusted: true })]).toEqual([command, 'allow']);
    }
  });

  it.each(['/bin/sh', '/usr/bin/python3 -Es', '/usr/bin/env bash', '/usr/bin/env -S perl -w'])(
    'needs no question with another interpreter: #!%s',
    (line) => {
      expect(decide('rg x src', behindShim('rg', 'node', line))).toBe('allow');
    },
  );

  it('counts also if a script starts it, or if its interpreter is a script', () => {
    const table = behindShim('yq', 'node');
    for (const interpreters of [
      { '/usr/bin/jq': '/usr/bin/env node' },
      { '/usr/bin/yq': '/opt/run', '/opt/run': '/usr/bin/env node' },
    ])
      expect(
        decide('yq . a.yml', { ...table, files: [...(table.files ?? []), '/usr/bin/jq'], interpreters }),
      ).toBe('ask');
  });

  it('may be interpreted by itself', () => {
    expect(decide('rg x src', behindShim('rg', 'node', '/usr/bin/env rg'))).toBe('allow');
    expect(decide('rg x src', behindShim('rg', 'node', '/usr/bin/rg'))).toBe('allow');
  });
});

describe('programs on this disk', () => {
  let base = '';
  beforeAll(() => {
    base = realpathSync(mkdtempSync(path.join(os.tmpdir(), 'heddle-started-')));
    for (const folder of ['home/.asdf/shims', 'bin', 'project'])
      mkdirSync(path.join(base, folder), { recursive: true });
    const put = (name: string, text: string): void => {
      writeFileSync(path.join(base, name), text, { mode: 0o755 });
    };
    for (const name of ['jq', 'node']) put(`home/.asdf/shims/${name}`, '#!/bin/sh\n');
    for (const name of ['yq', 'rg', 'fd']) put(`bin/${name}`, '#!/bin/sh\n');
    put('bin/fd', '#! /usr/bin/env node\n');
    put('bin/gem', `#!/usr/bin/env -S node ${'x'.repeat(100_000)}`);
  });
  afterAll(() => {
    rmSync(base, { recursive: true });
  });

  it.each([
    ['yq . a.yml', 'ask'],
    ['fd x', 'ask'],
    ['gem --version', 'ask'],
    ['rg x', 'allow'],
  ])('are read as scripts: %s', (command, expected) => {
    const root = path.join(base, 'project');
    const home = path.join(base, 'home');
    const environment = { HOME: home, PATH: `${home}/.asdf/shims:${base}/bin:/usr/bin:/bin` };
    const world = observeWorld({ root, cwd: root, directories: [], home, configDirs: [], environment });
    expect(decideIn(world, command)).toBe(expected);
    if (expected === 'ask') expect(decideIn(world, command, { isTrusted: true })).toBe('allow');
  });
});
