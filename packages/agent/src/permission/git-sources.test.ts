/** Files and folders that settings of git name, on a real disk: git runs their hooks and reads settings from them. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import type { JsonObject } from '@heddle/core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { authorize } from './authorize.ts';
import { observeWorld } from './observe-world.ts';

const base = realpathSync(mkdtempSync(path.join(os.tmpdir(), 'heddle-git-sources-')));
const project = path.join(base, 'project');
const other = path.join(base, 'other');
const environment = { HOME: base, GIT_CONFIG_NOSYSTEM: '1' };

function git(folder: string, ...args: string[]): void {
  const identity = ['-c', 'user.name=a', '-c', 'user.email=a@example.com'];
  const env = { ...environment, PATH: process.env['PATH'] };
  execFileSync('git', [...identity, ...args], { cwd: folder, env, stdio: 'pipe' });
}

function makeFile(name: string): void {
  mkdirSync(path.dirname(path.join(project, name)), { recursive: true });
  writeFileSync(path.join(project, name), '');
}

beforeAll(() => {
  mkdirSync(project);
  git(project, 'init', '-q');
  for (const name of [
    'a',
    'tools/hooks/pre-commit',
    'tools/b',
    'payload/hooks/pre-commit',
    'src/c',
    'src/attributes',
    'build/settings',
    'store/settings',
    'via/d',
  ])
    makeFile(name);
  git(project, 'add', 'a');
  git(project, 'commit', '-qm', 'a');
  git(project, 'worktree', 'add', '-q', other);
  git(project, 'init', '-q', 'nested');
  git(path.join(project, 'nested'), 'config', 'core.hooksPath', 'own');
  for (const [name, hooks] of [
    ['beside', '../around'],
    ['deep/er', '../../deeper'],
  ] as const) {
    git(project, 'init', '-q', name);
    git(path.join(project, name), 'config', 'core.hooksPath', hooks);
  }
  symlinkSync('tools/hooks', path.join(project, 'link'));
  git(project, 'config', 'core.hooksPath', 'tools/hooks');
  git(project, 'config', 'include.path', '../build/settings');
  symlinkSync('../store', path.join(project, 'via/mid'));
  git(project, 'config', '--add', 'include.path', '../via/mid/settings');
  git(project, 'config', 'core.attributesFile', 'src/attributes');
});
afterAll(() => rmSync(base, { recursive: true, force: true }));

interface Setting {
  readonly root?: string;
  readonly variables?: Readonly<Record<string, string>>;
  readonly configDirs?: readonly string[];
  /** No rule allows edits. Only the mode does. */
  readonly byMode?: boolean;
}

function decisionOn(
  tool: string,
  input: JsonObject,
  { root = project, variables = {}, configDirs = [], byMode = false }: Setting = {},
): string {
  const surroundings = { root, cwd: root, directories: [], home: base, configDirs };
  const rule = { text: 'Edit(./**)', source: 'user' as const };
  const request = { tool, input, readOnly: false, hookDecision: undefined };
  const rules = { deny: [], ask: [], allow: byMode ? [] : [rule] };
  const world = observeWorld({ ...surroundings, environment: { ...environment, ...variables } });
  return authorize(request, rules, 'acceptEdits', world).decision;
}

describe('a place that settings of git name', () => {
  it.each([
    'tools/hooks/pre-commit',
    'tools/hooks/lib/x.sh',
    'tools/../tools/hooks/x',
    'link/pre-push',
    'build/settings',
    'src/attributes',
    'nested/own/pre-commit',
    'around/pre-commit',
    'deeper/x',
  ])('is not edited without a question, also beside a rule: %s', (file) => {
    expect(decisionOn('Write', { file_path: path.join(project, file), content: '' })).toBe('ask');
    expect(decisionOn('Edit', { file_path: file, old_string: 'a', new_string: 'b' })).toBe('ask');
    expect(decisionOn('Bash', { command: `touch ${file}` })).toBe('ask');
    expect(decisionOn('Bash', { command: `echo x > ${file}` })).toBe('ask');
  });

  it.each([
    'cp a tools/hooks/',
    'cp -r payload/hooks tools',
    'cp -r payload/. tools',
    'mv payload/hooks/pre-commit tools/hooks',
    'rm -rf tools/hooks',
    'rm -rf tools && mv payload tools',
    'rm -rf tools',
    'rm -r ./tools/',
    'mv tools tools2',
    'rm -rf build',
    'mv build build2',
    'mv too* src',
    'rm -rf src',
    'rm -rf store',
    'mv store s2',
    'rm -rf via',
    'rm via/mid',
    'rm -f a via/mid',
    'rm -r via/mid',
    'mv via/mid s2',
    'mv -T a via/mid',
    'mv via v2',
    'rm {a,tools/../via/mid}',
    'rm via/m*',
    'find tools -delete',
    'find tools -name "pre-*" -delete',
    'git clean -fd',
    'mv payload/h* tools',
    'mkdir -p tools/hooks',
    'sed -i s/a/b/ tools/hooks/*',
    'cd tools && touch hooks/x',
  ])('is not replaced by commands without a question: %s', (command) => {
    expect(decisionOn('Bash', { command })).toBe('ask');
  });

  it('is protected in another working tree of the repository', () => {
    const write = (file: string): string =>
      decisionOn('Write', { file_path: file, content: '' }, { root: other });
    expect(write(path.join(other, 'tools/hooks/pre-commit'))).toBe('ask');
    expect(write(path.join(other, 'tools/b'))).toBe('allow');
  });

  it.each(['tools/b', 'src/c', 'build/other', 'own/pre-commit', 'nested/tools/hooks/x', 'pre-commit'])(
    'leaves other files alone: %s',
    (file) => {
      expect(decisionOn('Write', { file_path: file, content: '' })).toBe('allow');
      expect(decisionOn('Bash', { command: `touch ${file}` })).toBe('allow');
    },
  );

  it('is a file with the name of a hook, if the working tree contains the hooks', () => {
    git(project, 'config', 'core.hooksPath', '.');
    expect(decisionOn('Write', { file_path: 'pre-commit', content: '' })).toBe('ask');
    expect(decisionOn('Write', { file_path: 'tools/b', content: '' })).toBe('allow');
  });
});

describe('settings of git that cannot be read', () => {
  const edits = [
    'echo x > hk/pre-commit',
    'cp a hk/post-commit',
    'mkdir hk',
    'mv src/c hk9',
    'touch nested/x',
  ];
  const mayEdit = (command: string, setting: Setting = {}): string =>
    decisionOn('Bash', { command }, { byMode: true, ...setting });

  it('may name a place for hooks, so only a rule allows edits', () => {
    expect(edits.map((command) => mayEdit(command))).toEqual(edits.map(() => 'allow'));
    git(project, 'config', '--add', 'include.path', '~root/none');
    expect(edits.map((command) => mayEdit(command))).toEqual(edits.map(() => 'ask'));
    const write = (file: string, byMode: boolean): string =>
      decisionOn('Write', { file_path: file, content: '' }, { byMode });
    expect(write('src/c', true)).toBe('ask');
    expect(write('src/c', false)).toBe('allow');
    expect(write('build/settings', false)).toBe('ask');
    git(project, 'config', '--unset', 'include.path', 'root/none');
  });

  it.each(['core.hooksPath', 'core.attributesFile', 'include.path'])(
    'may lead behind a link, which a command can replace: %s',
    (key) => {
      const folder = path.join(base, `behind-${key}`);
      mkdirSync(path.join(folder, 'at/deep'), { recursive: true });
      symlinkSync('at/deep', path.join(folder, 'lnk'));
      git(folder, 'init', '-q');
      expect(mayEdit('echo x > at/named/pre-commit', { root: folder })).toBe('allow');
      git(folder, 'config', key, key === 'include.path' ? '../lnk/../named' : 'lnk/../named');
      for (const command of ['echo x > at/named/pre-commit', 'cp -r at at2', 'ln -sfn at2 lnk'])
        expect([command, mayEdit(command, { root: folder })]).toEqual([command, 'ask']);
    },
  );

  it.each([
    { GIT_CONFIG_COUNT: '1', GIT_CONFIG_KEY_0: 'core.hooksPath', GIT_CONFIG_VALUE_0: 'hk' },
    { GIT_CONFIG_COUNT: '1', GIT_CONFIG_KEY_0: 'CORE.HOOKSPATH', GIT_CONFIG_VALUE_0: 'hk' },
    { GIT_CONFIG_COUNT: '1', GIT_CONFIG_KEY_0: 'include.path', GIT_CONFIG_VALUE_0: 'x' },
    { GIT_CONFIG_PARAMETERS: "'core.hookspath'='hk'" },
    { GIT_CONFIG_GLOBAL: 'relative' },
  ])('may be in the environment: %o', (variables) => {
    expect(mayEdit('echo x > hk/pre-commit', { variables })).toBe('ask');
  });

  it('do not include harmless variables', () => {
    const variables = {
      GIT_CONFIG_COUNT: '1',
      GIT_CONFIG_KEY_0: 'safe.directory',
      GIT_CONFIG_VALUE_0: 'hooksPath',
    };
    expect(mayEdit('echo x > hk/pre-commit', { variables })).toBe('allow');
  });
});

describe('a file that settings of git name as a program', () => {
  const folder = path.join(base, 'programs');
  const settings = [
    ['core.editor', '~/programs/bin/edit.sh'],
    ['core.pager', 'less -F | tools/page.sh'],
    ['alias.x', '!tools/x.sh --all'],
    ['alias.y', '!f() { "$HOME"/programs/tools/y.sh; }; f'],
    ['diff.z.textconv', 'sh tools/z.sh'],
    ['credential.helper', '~/programs/tools/helper'],
    ['init.templateDir', '~/programs/tpl'],
    // No file can have such a name.
    ['alias.long', `!${'x'.repeat(400)} y`],
    ['alias.deep', `!${'tools/'.repeat(2_000)}x`],
    ['alias.b1', '!"$(git rev-parse --show-toplevel)/tools/b1.sh"'],
    ['alias.b2', '!"${GIT_PREFIX:-.}/tools/b2.sh"'],
    ['alias.b3', '!"$PWD"/tools/b3.sh'],
    ['alias.b4', '!cd tools && ./b4.sh'],
    ['alias.b5', '!bash -c "cd tools; ./b5.sh"'],
    ['alias.b6', '!`git rev-parse --show-toplevel`/tools/b6.sh'],
    ['alias.b7', '!node -r./tools/b7.sh x'],
    ['alias.b8', '!PATH=tools:$PATH b8.sh'],
    ['alias.b9', '!"${0%/*}"/tools/b9.sh'],
    ['alias.c1', '!${GIT_PREFIX:-./}tools/c1.sh'],
    ['alias.c2', '!bash <tools/c2.sh'],
    ['alias.c3', '!sed -nftools/c3.sh x'],
    ['alias.c4', '!x --hook=a,tools/c4.sh'],
    ['alias.c5', `!sh -c 'exec "tools/c5 d.sh"'`],
    ['alias.d1', '!cd absent/in && ./d1'],
    ['core.askPass', 'env -C gone ./d2'],
    ['sequence.editor', '"tools/q d.sh"'],
    ['merge.m.driver', 'tools/e\\ d.sh %A'],
    ['core.sshCommand', 'tools/s d.sh'],
    ['remote.origin.url', 'ext::tools/remote.sh %S'],
    ['url.ext::tools/base.sh.insteadOf', 'https://base.example.org'],
  ] as const;
  const computed = 'b1 b2 b3 b4 b5 b6 b7 b8 b9 c1 c2 c3 c4'.split(' ').map((name) => `tools/${name}.sh`);
  const spaced = ['tools/c5 d.sh', 'tools/q d.sh', 'tools/e d.sh', 'tools/s d.sh'];
  const addresses = ['tools/remote.sh', 'tools/base.sh'];
  const literal = ['bin/edit.sh', 'tools/page.sh', 'tools/x.sh', 'tools/y.sh', 'tools/z.sh', 'tools/helper'];
  const files = [...literal, ...computed, ...spaced, ...addresses];

  beforeAll(() => {
    for (const file of [...files, 'tools/other.sh', 'tpl/description']) makeFile(`../programs/${file}`);
    git(folder, 'init', '-q');
    for (const [key, value] of settings) git(folder, 'config', key, value);
  });

  it.each([
    ...files.map((file) => `echo x > '${file}'`),
    'cp tools/other.sh tpl/hooks/post-checkout',
    'mkdir -p absent/in && cp tools/other.sh absent/in/d1',
    'mkdir gone && cp tools/other.sh gone/d2',
  ])('is protected: %s', (command) => {
    expect(decisionOn('Bash', { command }, { root: folder, byMode: true })).toBe('ask');
  });

  it('does not protect its neighbors', () => {
    for (const command of ['echo x > tools/other.sh', 'mkdir -p other/in && cp tools/other.sh other/in/d1'])
      expect(decisionOn('Bash', { command }, { root: folder, byMode: true })).toBe('allow');
  });
});

describe('the target of a protected link', () => {
  beforeAll(() => {
    for (const name of [
      'm.json',
      'cfg.json',
      'cur/mcp.json',
      'dotbashrc',
      'scripts/pc',
      'editor/tasks',
      'docs/skill.md',
      'hk/pre',
      'third/lib.php',
      'deps/pkg/index.js',
      'dot/config/app/a',
      'fresh/bin/tool',
    ])
      makeFile(name);
    const link = (target: string, name: string): void => {
      mkdirSync(path.dirname(path.join(project, name)), { recursive: true });
      symlinkSync(target, path.join(project, name));
    };
    link('m.json', '.mcp.json');
    link('../cfg.json', '.claude/settings.local.json');
    link('cur', '.cursor');
    link('project/dotbashrc', '../.bashrc');
    link('../../scripts/pc', '.git/hooks/post-commit');
    link('../editor', '.vscode/more');
    link('../../../docs/skill.md', '.claude/skills/deploy/SKILL.md');
    link('../../../hk', '.husky/_/h/more');
    git(project, 'worktree', 'add', '-q', '-b', 'checkout', '.claude/worktrees/other');
    link('../../../../a', '.claude/worktrees/other/docs/a');
    link('a', 'ordinary');
    link('third', 'vendor');
    link('deps', 'node_modules');
    link('project/dot/config', '../.config');
    link('../project/share', '../.local/share');
    link('../py', '.venv/bin');
  });

  it.each([
    'echo x > m.json',
    'touch ./cfg.json',
    'cp a cur/mcp.json',
    'rm -rf cur',
    'echo x > dotbashrc',
    'mv a dotbashrc',
    'echo x > scripts/pc',
    'sed -i s/a/b/ editor/tasks',
    'echo x > docs/skill.md',
    'echo x > hk/pre',
  ])('is protected: %s', (command) => {
    expect(decisionOn('Bash', { command })).toBe('ask');
  });

  it.each([
    'mkdir third/bin',
    'mkdir -p third/bin/x',
    'echo x > third/bin/phpunit',
    'mv fresh/bin third',
    'mv fresh/* third',
    'cp -r fresh/bin third/',
    'mkdir deps/.bin',
    'touch deps/.bin/eslint',
    'cp a deps/.bin',
    'mkdir -p dot/config/git',
    'tee dot/config/autostart/x.desktop < a',
    'echo x > dot/config/systemd/user/x.service',
    'rm -rf third/bin',
    'mkdir share/systemd',
    'echo x > py/python',
  ])('makes places below it protected: %s', (command) => {
    expect(decisionOn('Bash', { command })).toBe('ask');
  });

  it.each(['echo x > own.json', 'echo x > src/skill.md', 'mv a src/skill.md', 'cp a own.json'])(
    'is protected if the link is in a folder of settings: %s',
    (command) => {
      const own = path.join(base, 'own-settings');
      mkdirSync(path.join(own, 'skills/deploy'), { recursive: true });
      rmSync(path.join(own, 'settings.json'), { force: true });
      rmSync(path.join(own, 'skills/deploy/SKILL.md'), { force: true });
      symlinkSync('../project/own.json', path.join(own, 'settings.json'));
      symlinkSync('../../../project/src/skill.md', path.join(own, 'skills/deploy/SKILL.md'));
      expect(decisionOn('Bash', { command })).toBe('allow');
      expect(decisionOn('Bash', { command }, { configDirs: [own] })).toBe('ask');
    },
  );

  it.each(['echo x > s.json', 'echo x > inner/hook', 'mkdir -p inner/_'])(
    'is protected if the link is above the working directory: %s',
    (command) => {
      const top = path.join(base, 'linked-above');
      const root = path.join(top, 'packages/one');
      mkdirSync(path.join(root, 'inner'), { recursive: true });
      mkdirSync(path.join(top, '.claude'), { recursive: true });
      git(top, 'init', '-q');
      expect(decisionOn('Bash', { command }, { root })).toBe('allow');
      symlinkSync('../packages/one/s.json', path.join(top, '.claude/settings.json'));
      symlinkSync('packages/one/inner', path.join(top, '.husky'));
      expect(decisionOn('Bash', { command }, { root })).toBe('ask');
      rmSync(top, { recursive: true });
    },
  );

  it('is not protected if the link is not', () => {
    expect(decisionOn('Bash', { command: 'echo x > a' })).toBe('allow');
    expect(decisionOn('Bash', { command: 'echo x > scripts/other' })).toBe('allow');
    expect(decisionOn('Bash', { command: 'echo x > third/lib.php' })).toBe('allow');
    expect(decisionOn('Bash', { command: 'touch deps/pkg/index.js dot/config/app/b' })).toBe('allow');
  });
});

describe('a protected place behind a link in a folder below the working directory', () => {
  const root = path.join(base, 'linked-below');
  beforeAll(() => {
    for (const [target, name] of [
      ['../../deps', 'packages/app/node_modules'],
      ['../third', 'sub/vendor'],
      ['../cfg', 'sub/.config'],
      ['../docs/l', 'lib/.local'],
      ['../../py', 'lib/.venv/bin'],
      ['../../share', 'sub/.LOCAL/share'],
      ['../other', 'sub/vendored'],
    ] as const) {
      mkdirSync(path.dirname(path.join(root, name)), { recursive: true });
      mkdirSync(path.resolve(path.dirname(path.join(root, name)), target), { recursive: true });
      symlinkSync(target, path.join(root, name));
    }
    mkdirSync(path.join(root, 't/git'), { recursive: true });
    writeFileSync(path.join(root, 't/git/config'), '');
  });

  it.each([
    'echo x > deps/.bin/eslint',
    'mkdir deps/.bin',
    'cp -r t deps/.bin',
    'echo x > third/bin/phpunit',
    'mkdir -p third/bin',
    'echo x > cfg/git/config',
    'cp -r t/git cfg',
    'echo x > cfg/fish/config.fish',
    'echo x > docs/l/bin/x',
    'echo x > py/python',
    'echo x > share/systemd/user/x.service',
  ])('is protected: %s', (command) => {
    expect(decisionOn('Bash', { command }, { root, byMode: true })).toBe('ask');
  });

  it.each(['deps/.bin/eslint', 'third/bin/x', 'cfg/git/config'])('is protected from Write: %s', (name) => {
    const input = { file_path: path.join(root, name), content: 'x' };
    expect(decisionOn('Write', input, { root, byMode: true })).toBe('ask');
  });

  it.each(['echo x > deps/a.js', 'echo x > third/lib.php', 'touch cfg/app.json', 'mkdir other/bin'])(
    'has ordinary files beside it: %s',
    (command) => {
      expect(decisionOn('Bash', { command }, { root, byMode: true })).toBe('allow');
    },
  );
});

describe('data of git whose HEAD is a link without a target', () => {
  beforeAll(() => {
    for (const name of ['objects', 'refs', 'hooks'])
      mkdirSync(path.join(project, 'bare', name), { recursive: true });
    symlinkSync('refs/heads/none', path.join(project, 'bare/HEAD'));
  });

  it.each(['echo x > bare/hooks/pre-commit', 'echo x > bare/config', 'rm -rf bare', 'mv bare moved'])(
    'is protected: %s',
    (command) => {
      expect(decisionOn('Bash', { command })).toBe('ask');
    },
  );
});

describe('a file that git stores', () => {
  const decisionIn = (root: string, command: string): string => {
    const surroundings = { root, cwd: root, directories: [], home: base, configDirs: [], environment };
    const request = { tool: 'Bash', input: { command }, readOnly: true, hookDecision: undefined };
    const rules = { deny: [{ text: 'Read(./a)', source: 'user' as const }], ask: [], allow: [] };
    return authorize(request, rules, 'default', observeWorld(surroundings)).decision;
  };

  it.each([
    [project, 'git -C ../other show HEAD:a'],
    [project, 'git -C ../other cat-file -p HEAD:a'],
    [project, 'git -C ../other log -p'],
    [project, 'git -C ../other log -p -- a'],
    [project, 'git -C ../other show HEAD'],
    [project, 'git -C ../other diff HEAD~1'],
    [other, 'git -C ../project show HEAD:a'],
    [other, 'git -C ../project log -p'],
  ])('is not shown through another working tree if a rule denies it: in %s, %s', (root, command) => {
    expect(decisionIn(root, command)).not.toBe('allow');
  });

  it('is shown through another working tree if no rule denies it', () => {
    expect(decisionIn(project, 'git -C ../other show HEAD:src/c')).toBe('allow');
    expect(decisionIn(project, 'git -C ../other log --stat')).toBe('allow');
  });
});
