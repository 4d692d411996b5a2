/** Words that may make a program run another one, in the read-only view of a folder that is not trusted. */
import { describe, expect, it } from 'vitest';
import type { PermissionMode } from '@heddle/core';
import { authorize } from './authorize.ts';
import { LISTS_NOTHING, RUNS_NOTHING } from './test/list/known-words.ts';
import { GIT_MAY_RUN, MAY_RUN } from './test/list/words-without-trust.ts';
import { CLEAN_GIT, ROOT, worldOf } from './test/world.ts';

interface Setting {
  readonly isTrusted?: boolean;
  readonly mode?: PermissionMode;
  readonly files?: readonly string[];
  readonly links?: Readonly<Record<string, string>>;
  readonly cwd?: string;
}

function decide(command: string, setting: Setting = {}): string {
  const { isTrusted = false, mode = 'default', files = [], links = {}, cwd = ROOT } = setting;
  const world = {
    ...worldOf({ git: CLEAN_GIT, files, links, cwd }),
    gitIn: (folder: string) => (folder.startsWith(ROOT) ? CLEAN_GIT : undefined),
    readOnlyView: true,
    isTrusted: () => isTrusted,
  };
  const request = { tool: 'Bash', input: { command }, readOnly: false, hookDecision: undefined };
  return authorize(request, { deny: [], ask: [], allow: [] }, mode, world).decision;
}

describe('in a folder that is not trusted', () => {
  it.each(MAY_RUN)('a program, an option or a word that may run code asks: %s', (command) => {
    expect(decide(command)).toBe('ask');
    expect(decide(command, { mode: 'plan' })).toMatch(/^(deny|ask)$/);
  });

  it.each(GIT_MAY_RUN)(
    'git asks about unknown words, and about options that may run a program: %s',
    (command) => {
      expect(decide(command)).toBe('ask');
    },
  );

  it.each(RUNS_NOTHING)('known words need no question: %s', (command) => {
    expect(decide(command)).toBe('allow');
  });

  it('a program asks if the project has settings for it that can name code', () => {
    for (const files of [[`${ROOT}/.npmrc`], ['/repo/.npmrc']])
      for (const command of ['npm ls', 'npm root', 'npm config get registry'])
        expect(decide(command, { files })).toBe('ask');
    expect(decide('npm ls', { files: [`${ROOT}/.npmrc`], isTrusted: true })).toBe('allow');
  });
});

describe('settings of the project above a folder behind a link', () => {
  const links = {
    [`${ROOT}/here`]: `${ROOT}/pkg/deep`,
    [`${ROOT}/again`]: `${ROOT}/here/er`,
    [`${ROOT}/beside`]: '/repo/other/deep',
  };
  const files = [`${ROOT}/pkg/.npmrc`, '/repo/other/.npmrc'];

  it.each([
    'cd here && npm ls',
    'cd ./here/ && npm ls',
    'cd here/er && npm ls',
    'cd again && npm root',
    '(cd here; npm ls)',
    'cd src; cd ../here && npm ls',
    `cd ${ROOT}/here && npm ls`,
    'cd "here" && npm config get registry',
    'd=here; cd $d && npm ls',
    'cd beside && npm ls',
    'cd here && npm ls | head',
    'pushd here && npm ls',
    'for f in a; do cd here && npm ls; done',
  ])('count: %s', (command) => {
    expect(decide(command, { links, files })).toBe('ask');
  });

  it('count if the shell is there already', () => {
    expect(decide('npm ls', { links, files, cwd: `${ROOT}/here` })).toBe('ask');
    expect(decide('npm ls', { links, files, cwd: `${ROOT}/again` })).toBe('ask');
  });

  it('do not count for other folders, and without such settings', () => {
    expect(decide('cd src && npm ls', { links, files })).toBe('allow');
    expect(decide('cd here && npm ls', { links })).toBe('allow');
  });
});

describe('in a trusted folder', () => {
  it.each([
    'o=-name; find . $o x',
    'nm $x',
    'rg x *',
    'echo a | xargs tar tf',
    'rg --unknown-option x a',
    'sqlite3 x.db .tables',
    'find . -execdir nm {} +',
  ])('the same words need no question: %s', (command) => {
    expect(decide(command, { isTrusted: true })).toBe('allow');
  });

  it('an option in a variable is the option', () => {
    expect(decide('find . -exec ./x {} +', { isTrusted: true })).toBe('ask');
    expect(decide('o=-exec; find . $o ./x {} +', { isTrusted: true })).toBe('ask');
  });
});

describe('in every folder', () => {
  it.each(LISTS_NOTHING)('a command that may do more than list asks: %s', (command) => {
    expect(decide(command)).toBe('ask');
    expect(decide(command, { isTrusted: true })).toBe('ask');
  });
});
