/** Places of git that are not in the usual position: templates, bare and deeply nested repositories, variables. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import type { JsonObject } from '@heddle/core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { authorize } from './authorize.ts';
import { observeWorld } from './observe-world.ts';

const base = realpathSync(mkdtempSync(path.join(os.tmpdir(), 'heddle-git-places-')));
const environment = { HOME: base, GIT_CONFIG_NOSYSTEM: '1' };

function git(folder: string, ...args: string[]): void {
  const env = { ...environment, PATH: process.env['PATH'] };
  execFileSync('git', args, { cwd: folder, env, stdio: 'pipe' });
}

function makeFiles(folder: string, names: readonly string[]): void {
  for (const name of names) {
    mkdirSync(path.dirname(path.join(folder, name)), { recursive: true });
    writeFileSync(path.join(folder, name), '');
  }
}

afterAll(() => rmSync(base, { recursive: true, force: true }));

interface Setting {
  readonly root: string;
  readonly cwd?: string;
  readonly directories?: readonly string[];
  readonly variables?: Readonly<Record<string, string>>;
}

function decisionOn(
  tool: string,
  input: JsonObject,
  { root, cwd = root, directories = [], variables = {} }: Setting,
): string {
  const surroundings = { root, cwd, directories, home: base, configDirs: [] };
  const request = { tool, input, readOnly: false, hookDecision: undefined };
  const rules = { deny: [], ask: [], allow: [] };
  const world = observeWorld({ ...surroundings, environment: { ...environment, ...variables } });
  return authorize(request, rules, 'acceptEdits', world).decision;
}

/** Returns those of the commands that have another decision. */
function wrong(decision: 'ask' | 'allow', commands: readonly string[], setting: Setting): readonly string[] {
  return commands.filter((command) => decisionOn('Bash', { command }, setting) !== decision);
}

describe('a template for new repositories', () => {
  const home = path.join(base, 'user');
  const folder = path.join(home, 'dot');
  const variables = { HOME: home };

  beforeAll(() => {
    makeFiles(folder, ['hooks/post-checkout', 'payload/hooks/x', 'src/a']);
    const config = path.join(home, '.gitconfig');
    git(folder, 'config', '--file', config, 'init.templateDir', '~/dot');
    git(folder, 'config', '--file', config, 'include.path', '~/dot/git.inc');
    makeFiles(path.join(home, 'other'), ['a']);
    git(path.join(home, 'other'), 'init', '-q');
  });

  const edits = [
    'echo x >> hooks/post-checkout',
    'touch hooks/new',
    'echo x > config',
    'mkdir -p info && echo x > info/attributes',
    'rm -r hooks',
    'mv hooks h2',
    'cp -r payload/hooks .',
    'echo x > git.inc',
  ];
  const others = ['echo x > src/a', 'touch pre-commit', 'touch new', 'cp -r payload p2'];

  it('has its own names if it is a working directory', () => {
    expect(wrong('ask', edits, { root: folder, variables })).toEqual([]);
    expect(wrong('allow', others, { root: folder, variables })).toEqual([]);
    const input = { file_path: path.join(folder, 'hooks/new'), content: '' };
    expect(decisionOn('Write', input, { root: folder, variables })).toBe('ask');
  });

  it('has its own names in a repository around the working directory', () => {
    git(folder, 'init', '-q');
    expect(wrong('ask', edits, { root: folder, variables })).toEqual([]);
    expect(wrong('allow', others, { root: folder, variables })).toEqual([]);
    const root = path.join(folder, 'src');
    expect(wrong('ask', ['echo x > ../hooks/a'], { root, directories: [folder], variables })).toEqual([]);
    expect(wrong('allow', ['echo x > a'], { root, variables })).toEqual([]);
    rmSync(path.join(folder, '.git'), { recursive: true });
  });

  it('has its own names beside an added directory', () => {
    const setting = { root: folder, directories: [path.join(home, 'other')], variables };
    expect(wrong('ask', edits, setting)).toEqual([]);
    expect(wrong('allow', others, setting)).toEqual([]);
  });

  it('contains hooks if the working directory is that folder of it', () => {
    const root = path.join(folder, 'hooks');
    expect(wrong('ask', ['touch pre-commit'], { root, variables })).toEqual([]);
    expect(wrong('allow', ['touch other'], { root, variables })).toEqual([]);
  });

  it('can be in a variable', () => {
    const setting = { root: folder, variables: { GIT_TEMPLATE_DIR: folder } };
    expect(wrong('ask', edits.slice(0, -1), setting)).toEqual([]);
    expect(wrong('allow', others, setting)).toEqual([]);
    const named = { root: folder, variables: { GIT_TEMPLATE_DIR: path.join(folder, 'payload') } };
    expect(wrong('ask', ['touch payload/hooks/x', 'rm -r payload'], named)).toEqual([]);
  });
});

describe('settings of a nested bare repository', () => {
  const root = path.join(base, 'with-bare');

  beforeAll(() => {
    makeFiles(root, ['hk/pre-receive', 'lib/inc', 'lib/plain', 'plain', 't/hk/x']);
    git(root, 'init', '-q');
    git(root, 'init', '-q', '--bare', 'x.git');
    git(root, 'init', '-q', '--bare', 'lib/bare');
    git(path.join(root, 'x.git'), 'config', 'core.hooksPath', path.join(root, 'hk'));
    git(path.join(root, 'lib/bare'), 'config', 'include.path', path.join(root, 'lib/inc'));
    git(path.join(root, 'lib/bare'), 'config', 'alias.x', '!../tools/x.sh');
    makeFiles(root, ['lib/tools/x.sh']);
  });

  it('name protected places', () => {
    const edits = [
      'echo x >> hk/pre-receive',
      'touch hk/new',
      'echo x > lib/inc',
      'rm -r hk',
      'mv hk h2',
      'cp -r t/hk .',
      'echo x > lib/tools/x.sh',
      'echo x > x.git/hooks/a',
    ];
    expect(wrong('ask', edits, { root })).toEqual([]);
    const input = { file_path: path.join(root, 'hk/pre-receive'), content: '' };
    expect(decisionOn('Write', input, { root })).toBe('ask');
  });

  it('leave other files alone', () => {
    expect(wrong('allow', ['echo x > lib/plain', 'touch plain new lib/new'], { root })).toEqual([]);
  });
});

describe('places in a repository that is nested deeply', () => {
  const root = path.join(base, 'deep');
  const nested = path.join(root, 'a/b/c/n');

  beforeAll(() => {
    makeFiles(root, ['t/conf/hk/pre-commit', 't/tools/x.sh', 'u/n/conf/hk/x', 'plain', 'a/b/c/p']);
    git(root, 'init', '-q');
    git(root, 'init', '-q', nested);
    git(nested, 'config', 'core.hooksPath', 'conf/hk');
    git(nested, 'config', 'alias.x', '!tools/x.sh');
    git(nested, 'config', 'alias.y', '!via/y.sh');
    makeFiles(nested, ['conf/hk/pre-commit', 'tools/x.sh', 'src/a', 'target/y.sh']);
    symlinkSync('target', path.join(nested, 'via'));
  });

  it.each([
    'cp -r t/conf a/b/c/n',
    'cp -r t/conf/. a/b/c/n/conf',
    'cp -r t/* a/b/c/n',
    'cp -r t/tools a/b/c/n',
    'cp -r u/n a/b/c',
    'rm -r a/b/c/n/conf',
    'rm -r a/b/c/n/co*',
    'mv a/b/c/n/tools a/b/c/n/c',
    'mv a/b/c/n/conf plain2',
    'cd a/b/c/n && cp -r ../../../../t/tools .',
    'cd a/b/c/n && rm -r conf',
    'mkdir x && cp -r t/conf a/b/c/n',
    'rm a/b/c/n/via',
    'mv a/b/c/n/via plain2',
    'rm -r a/b/c/n/target',
    'echo x > a/b/c/n/target/y.sh',
    'echo x > a/b/c/n/via/y.sh',
    'rm -r a/b',
  ])('are protected from a change of a folder above them: %s', (command) => {
    expect(decisionOn('Bash', { command }, { root })).toBe('ask');
  });

  it('leave other files alone', () => {
    const edits = [
      'cp -r t/tools a/b/c',
      'cp -r t/tools a/b/c/n/src',
      'rm -r a/b/c/n/src',
      'mv a/b/c/n/src a/b/c/n/s2',
      'touch a/b/c/n/tools/new',
      'cp plain a/b/c/n/src',
    ];
    expect(wrong('allow', edits, { root })).toEqual([]);
  });
});

describe('variables of git', () => {
  const root = path.join(base, 'variables');
  const names = [
    'al.sh',
    'ed.sh',
    'hk/x',
    'inc',
    'plain',
    'bin/git-x',
    'sub/ed.sh',
    'data/a',
    'xdg/a',
    'tree/hk2/a',
  ];

  function setting(key: string, value: string): Readonly<Record<string, string>> {
    return { GIT_CONFIG_COUNT: '1', GIT_CONFIG_KEY_0: key, GIT_CONFIG_VALUE_0: value };
  }

  const cases: readonly (readonly [Readonly<Record<string, string>>, readonly string[]])[] = [
    [setting('alias.x', '!./al.sh'), ['echo x > al.sh']],
    [setting('Core.Editor', './ed.sh --wait'), ['echo x > ed.sh', 'rm ed.sh']],
    [setting('CORE.hooksPath', 'hk'), ['touch hk/pre-commit', 'rm -r hk', 'mv hk h2']],
    [setting('core.hooksPath', 'missing'), ['mkdir missing', 'mkdir -p missing/a']],
    [setting('include.path', path.join(root, 'inc')), ['echo x > inc']],
    [setting('init.templateDir', path.join(root, 'data')), ['touch data/hooks', 'rm -r data']],
    [setting('core.attributesFile', 'attrs'), ['touch attrs']],
    [
      { GIT_CONFIG_PARAMETERS: "'alias.x'='!./al.sh' 'core.editor=./ed.sh'" },
      ['echo x > al.sh', 'touch ed.sh'],
    ],
    [{ GIT_EDITOR: './ed.sh' }, ['echo x > ed.sh']],
    [{ EDITOR: path.join(root, 'ed.sh') }, ['echo x > ed.sh']],
    [{ GIT_SSH_COMMAND: 'bash ed.sh -x' }, ['echo x > ed.sh']],
    [{ GIT_SOMETHING_NEW: 'bash ed.sh -x' }, ['echo x > ed.sh']],
    [{ GIT_EXEC_PATH: path.join(root, 'bin') }, ['touch bin/git-y', 'rm -r bin']],
    [{ GIT_CONFIG_GLOBAL: path.join(root, 'cfg/own') }, ['mkdir -p cfg/own', 'mkdir cfg && touch cfg/own']],
    [{ GIT_CONFIG_NOSYSTEM: '', GIT_CONFIG_SYSTEM: path.join(root, 'inc') }, ['echo x > inc']],
    [{ XDG_CONFIG_HOME: path.join(root, 'xdg') }, ['mkdir -p xdg/git/config', 'echo x > xdg/git/attributes']],
    [{ GIT_DIR: path.join(root, 'data') }, ['touch data/a', 'rm -r data']],
    [{ GIT_DIR: 'data' }, ['touch data/config', 'mv data d2']],
    [{ GIT_DIR: '.' }, ['touch config', 'mkdir -p hooks', 'mkdir hooks && touch hooks/a']],
    [{ GIT_WORK_TREE: 'tree', ...setting('core.hooksPath', 'hk2') }, ['touch tree/hk2/a', 'rm -r tree']],
  ];

  describe.each([
    ['in a repository', true],
    ['outside a repository', false],
  ])('%s', (_, isRepository) => {
    beforeAll(() => {
      rmSync(root, { recursive: true, force: true });
      makeFiles(root, names);
      if (isRepository) git(root, 'init', '-q');
    });

    it.each(cases)('protect the places that they name: %j', (variables, edits) => {
      if ('GIT_WORK_TREE' in variables && !isRepository) return;
      expect(wrong('ask', edits, { root, variables })).toEqual([]);
      expect(
        wrong('allow', ['echo x > plain', 'touch new sub/new', 'mkdir -p n/e/w'], { root, variables }),
      ).toEqual([]);
    });
  });

  it('name places from each folder in which commands run', () => {
    const cwd = path.join(root, 'sub');
    expect(
      wrong('ask', ['echo x > data/a'], {
        root,
        cwd: root,
        variables: { GIT_DIR: '../data' },
        directories: [cwd],
      }),
    ).toEqual([]);
  });

  it('may name any place if they cannot be read', () => {
    for (const variables of [
      { GIT_CONFIG_PARAMETERS: 'alias.x=y' },
      { GIT_DIR: 'sub/../data' },
      { GIT_EXEC_PATH: root },
      setting('include.path', 'inc'),
    ])
      expect(wrong('ask', ['echo x > plain'], { root, variables })).toEqual([]);
  });

  it('leave files alone if they name no place of the project', () => {
    for (const variables of [
      { GIT_AUTHOR_NAME: 'plain', GIT_PAGER: 'less', EDITOR: 'vim', GIT_CONFIG_GLOBAL: '/dev/null' },
      { GIT_CONFIG_SYSTEM: '/dev/null', GIT_CONFIG_NOSYSTEM: '' },
      { GIT_TRACE: path.join(root, 'plain'), GIT_INDEX_FILE: path.join(root, 'plain') },
      setting('safe.directory', 'plain'),
    ])
      expect(wrong('allow', ['echo x > plain', 'touch new > /dev/null'], { root, variables })).toEqual([]);
  });
});
