/** Links that cannot be followed to their end, or whose texts are not UTF-8, on a real disk. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import type { JsonObject, PermissionMode } from '@heddle/core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { authorize } from './authorize.ts';
import { observeWorld } from './observe-world.ts';

const base = realpathSync(mkdtempSync(path.join(os.tmpdir(), 'heddle-unfollowed-')));
const project = path.join(base, 'project');
const before = process.cwd();
const isLinux = process.platform === 'linux';

/** Each character of a name is one byte. */
function link(name: string, target: string): void {
  const file = Buffer.concat([Buffer.from(`${project}/`), Buffer.from(name, 'latin1')]);
  symlinkSync(Buffer.from(target, 'latin1'), file);
}

function makeChain(name: string, count: number, target: string): void {
  for (let at = 1; at < count; at++) link(`ch/${name}${at}`, `./${name}${at + 1}`);
  link(`ch/${name}${count}`, target);
}

beforeAll(() => {
  for (const name of [
    'f',
    'a',
    'k',
    'pkg/k',
    'src/deep/x',
    'src/plain',
    'd/a',
    'q/objects/x',
    'q/refs/x',
    'q/config',
    'ch/x',
  ]) {
    mkdirSync(path.dirname(path.join(project, name)), { recursive: true });
    writeFileSync(path.join(project, name), '');
  }
  for (const name of ['config', 'third/bin', 'vs']) mkdirSync(path.join(project, name), { recursive: true });
  mkdirSync(path.join(base, 'out'));
  execFileSync('mkfifo', [path.join(project, 'ctl')]);
  for (const folder of [project, path.join(project, 'other')]) {
    execFileSync('git', ['init', '-q', folder]);
    execFileSync('git', [
      '-C',
      folder,
      '-c',
      'user.name=a',
      '-c',
      'user.email=a@b',
      'commit',
      '-q',
      '--allow-empty',
      '-m',
      'a',
    ]);
  }
  for (const [name, target] of [
    ['.envrc', 'f/../e.txt'],
    ['.mcp.json', 'f/../m.json'],
    ['.vscode', 'f/../vs'],
    ['vendor', 'f/../third'],
    ['loop', 'loop'],
    ['.nvmrc', 'loop/../z.txt'],
    ['lk', 'src/deep'],
    ['.npmrc', 'lk/../n.txt'],
    ['.yarnrc', 'second'],
    ['second', 'src/plain'],
    ['here', '.'],
    ['free', 'src/deep'],
    ['pv', 'f/../.pypirc'],
    ['ph', 'f/../.husky'],
    ['pl', 'loop/../.pypirc'],
    ['o', 'f/../../out'],
    ['cf', 'f/../config/new.yml'],
    ['lp', 'f/../ctl'],
    ['tf', 'f/../other'],
    ['same', 'f/../src/plain'],
  ] as const)
    link(name, target);
  makeChain('w', 40, '../.pypirc');
  makeChain('v', 45, '../.pypirc');
  makeChain('o', 40, '../../out/z');
  link('.tool-versions', 'ch/t1');
  makeChain('t', 60, '../tools.txt');
  link('\xfd', '/proc/self/cwd');
  link('bad', '\xfd');
  link('bad2', '\xfd/k');
  link('ok', '/proc/self/cwd');
  link('\xfe', 'q/objects');
  link('w1', '\xfe/../HEAD');
  link('\xfb', 'src/deep');
  link('.node-version', '\xfb/../v.txt');
  link('\xfc', '../out/d');
  link('w2', '\xfc/../zz');
  process.chdir(project);
});
afterAll(() => {
  process.chdir(before);
  rmSync(base, { recursive: true, force: true });
});

interface Setting {
  readonly mode?: PermissionMode;
  readonly cwd?: string;
  readonly view?: boolean;
  readonly ask?: readonly string[];
  readonly deny?: readonly string[];
  readonly allow?: readonly string[];
}

function decided(tool: string, input: JsonObject, setting: Setting = {}): string {
  const { mode = 'acceptEdits', cwd = '.', view = true, ask = [], deny = [], allow = [] } = setting;
  const places = { root: project, cwd: path.join(project, cwd), directories: [], home: base, configDirs: [] };
  const environment = { HOME: base, GIT_CONFIG_NOSYSTEM: '1', PATH: process.env['PATH'] ?? '' };
  const world = observeWorld({ ...places, environment, readOnlyView: view, isTrusted: () => false });
  const rule = (text: string) => ({ text, source: 'user' as const });
  const rules = { deny: deny.map(rule), ask: ask.map(rule), allow: allow.map(rule) };
  return authorize({ tool, input, readOnly: false, hookDecision: undefined }, rules, mode, world).decision;
}

function decisionOn(command: string, setting: Setting = {}): string {
  return decided('Bash', { command }, setting);
}

describe('the target of a protected link that cannot be followed', () => {
  it.each([
    'e.txt',
    'm.json',
    'vs/tasks.json',
    'third/bin/t',
    'z.txt',
    'src/n.txt',
    'tools.txt',
    'src/plain',
  ])('is protected: %s', (file) => {
    expect(decisionOn(`echo x > ${file}`)).toBe('ask');
    expect(decided('Write', { file_path: path.join(project, file), content: '' })).toBe('ask');
  });

  it.runIf(isLinux)('is protected if its text is not UTF-8', () => {
    expect(decisionOn('echo x > src/v.txt')).toBe('ask');
  });

  it('does not include other files', () => {
    for (const command of [
      'echo x > src/other',
      'touch d/a',
      'rm -r d',
      'echo x > lk/x',
      'touch free/x',
      'rm free',
      'rm d/a; mkdir d/b',
    ])
      expect([command, decisionOn(command)]).toEqual([command, 'allow']);
  });
});

describe('a link on the way of a protected link', () => {
  it.each([
    'rm lk',
    'mv lk l2',
    'mv -T d lk',
    'rm -f a lk',
    'rm here/lk',
    'rm l*',
    'rm second',
    'echo x > second',
    'rm loop',
    'rm -r ch',
    'rm ch/t20',
    'rm ch/t58',
  ])('is not replaced without a question: %s', (command) => {
    expect(decisionOn(command)).toBe('ask');
    expect(decisionOn(command, { allow: ['Edit(./**)', 'Bash(rm *)', 'Bash(mv *)'] })).toBe('ask');
  });
});

describe('a link that cannot be followed', () => {
  it.each([
    'rm f && mkdir f && echo x > pv',
    'echo x > pv',
    'mkdir -p ph/_',
    'cp d/a pv',
    'mv d/a pv',
    'touch pl',
    'rm loop && mkdir loop && echo x > pl',
    'rm f && mkdir f && echo x > o/y',
    'cp a o/y',
    'rm -r o/z',
    'echo x > same',
    'echo x > lp',
    'cat lp',
    'rm f && mkdir f && cat lp',
    'echo x > ch/w1',
    'echo x > ch/w2',
    'touch ch/w1',
    'echo x > a; echo y > ch/w1',
    'echo x > ch/v1',
    'echo x > ch/o1',
    'touch ch/w*',
  ])('is not written: %s', (command) => {
    expect(decisionOn(command)).toBe('ask');
    expect(decisionOn(command, { view: false })).toBe('ask');
    expect(decisionOn(command, { allow: ['Edit(./**)'] })).toBe('ask');
  });

  it('does not avoid a rule', () => {
    const edits = { deny: ['Edit(./config/**)'] };
    expect(decisionOn('rm f && mkdir f && echo x > cf', edits)).not.toBe('allow');
    for (const command of ['cat pl', 'cat ch/v1', 'cat same', 'grep x loop', 'cat ch/v*'])
      for (const rules of [{ ask: ['Read(./secret)'] }, { deny: ['Read(./secret)'] }]) {
        expect([command, decisionOn(command, rules)]).toEqual([command, 'ask']);
      }
    for (const command of ['cat pl', 'cat same', 'grep x loop'])
      expect([command, decisionOn(command)]).toEqual([command, 'allow']);
  });

  it('is not a folder of git', () => {
    for (const mode of ['default', 'acceptEdits'] as const)
      expect(decisionOn('git -C tf log', { mode })).toBe('ask');
    expect(decisionOn('git -C other log')).toBe('allow');
  });
});

describe.runIf(isLinux)('a link whose text is not UTF-8', () => {
  const READS = ['cat ../bad2', 'cat ../bad/k', 'cat < ../bad2', 'grep . ../bad2', 'cat ../ok/k'];
  it.each(READS)('is not read beside a rule: %s', (command) => {
    for (const mode of ['default', 'acceptEdits'] as const)
      for (const rules of [{ ask: ['Read(./pkg/k)'] }, { deny: ['Read(./pkg/k)'] }]) {
        expect(decisionOn(command, { mode, cwd: 'pkg', ...rules })).toBe('ask');
        expect(decisionOn(`cd pkg && ${command}`, { mode, ...rules })).toBe('ask');
      }
  });

  it.each(['echo x > bad2', 'echo x > w1', 'touch w1', 'cp q/config w1', 'echo x > w2', 'echo x > bad/new'])(
    'is not written: %s',
    (command) => {
      expect(decisionOn(command)).toBe('ask');
      expect(decisionOn(command, { allow: ['Edit(./**)'] })).toBe('ask');
    },
  );

  it('is not a folder of git', () => {
    for (const mode of ['default', 'acceptEdits'] as const)
      for (const name of ['bad', 'ok'])
        for (const view of [true, false])
          expect(decisionOn(`git -C ../${name} diff HEAD~1 HEAD`, { mode, cwd: 'other', view })).toBe('ask');
  });

  it('is followed by the file tools to the place that the system means', () => {
    expect(decided('Write', { file_path: path.join(project, 'w1'), content: '' })).toBe('ask');
    expect(decided('Write', { file_path: path.join(project, 'w2'), content: '' })).toBe('ask');
  });
});

describe('a read in the background', () => {
  const input = { command: 'sleep 4; rg SECRET', run_in_background: true };
  const ask = ['Read(./.env)'];

  it('asks beside a rule if edits may change what it finds', () => {
    expect(decided('Bash', input, { ask })).toBe('ask');
    expect(decided('Bash', input, { deny: ask })).toBe('ask');
    expect(decided('Bash', { ...input, command: 'cat a' }, { ask })).toBe('ask');
  });

  it('asks in other modes, because the mode may change before it reads', () => {
    for (const mode of ['default', 'plan'] as const)
      for (const command of ['sleep 4; rg SECRET', 'cat a', 'sleep 9; cat link', 'tail -f a | grep x']) {
        const later = { command, run_in_background: true };
        for (const view of [true, false])
          expect(decided('Bash', later, { ask, mode, view })).not.toBe('allow');
        expect(decided('Bash', later, { deny: ask, mode, view: false })).not.toBe('allow');
        expect(decided('Monitor', { command }, { ask, mode })).not.toBe('allow');
      }
  });

  it('needs no question in other modes if the view hides what a rule denies', () => {
    expect(decided('Bash', { ...input, command: 'cat a' }, { deny: ask, mode: 'default', view: true })).toBe(
      'allow',
    );
  });

  it('does not ask otherwise', () => {
    expect(decided('Bash', input)).toBe('allow');
    expect(decided('Bash', { command: input.command }, { ask })).toBe('allow');
    expect(decided('Bash', { ...input, command: 'sleep 4; date' }, { ask })).toBe('allow');
    expect(decided('Bash', { ...input, command: 'cat a' }, { ask, allow: ['Bash(cat *)'] })).toBe('allow');
  });
});
