/** Links at protected places that lead to a working directory itself, or to a folder above it, on a real disk. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import type { JsonObject } from '@heddle/core';
import { afterAll, describe, expect, it } from 'vitest';
import { collectPolicyInput } from '../sandbox/policy/ground.ts';
import { computePolicy } from '../sandbox/policy/policy.ts';
import { sandboxSettings } from '../settings/sandbox-settings.ts';
import { authorize } from './authorize.ts';
import { LivePermissions } from './live-permissions.ts';
import { observeWorld } from './observe-world.ts';
import { shell } from './test/ask.ts';
import { ROOT } from './test/world.ts';

const base = realpathSync(mkdtempSync(path.join(os.tmpdir(), 'heddle-linked-roots-')));
afterAll(() => rmSync(base, { recursive: true, force: true }));

interface Layout {
  /** Name → target. A name that starts with `~/` is in the home folder. */
  readonly links: Readonly<Record<string, string>>;
  /** The working directory, in the home folder. */
  readonly root?: string;
  readonly directories?: readonly string[];
  /** The top of a repository. */
  readonly repository?: string;
  readonly environment?: Readonly<Record<string, string>>;
}

let count = 0;

/** Makes a home folder with a project and these links. PROJECT in a target is the path of the project. */
function open({ links, root = 'project', directories = [], repository, environment = {} }: Layout) {
  const home = path.join(base, `home${count++}`);
  const project = path.join(home, 'project');
  const at = (name: string): string => path.join(home, name);
  for (const folder of ['project/pkg/sub', 'project/src', 'added', 'dot/config/fish', root, ...directories])
    mkdirSync(at(folder), { recursive: true });
  for (const file of ['project/a', 'added/a', `${root}/a`]) writeFileSync(at(file), 'a\n');
  if (repository !== undefined) execFileSync('git', ['init', '-q', at(repository)]);
  for (const [name, target] of Object.entries(links)) {
    const link = name.startsWith('~/') ? at(name.slice(2)) : path.join(project, name);
    mkdirSync(path.dirname(link), { recursive: true });
    symlinkSync(target.replace('PROJECT', project), link);
  }
  const surroundings = {
    root: at(root),
    cwd: at(root),
    directories: directories.map(at),
    home,
    configDirs: [at('.claude')],
    environment: { HOME: home, GIT_CONFIG_NOSYSTEM: '1', ...environment },
  };
  const decide = (tool: string, input: JsonObject): string => {
    const request = { tool, input, readOnly: false, hookDecision: undefined };
    const allow = [{ text: 'Edit(./**)', source: 'user' as const }];
    const world = observeWorld(surroundings);
    const byMode = authorize(request, { deny: [], ask: [], allow: [] }, 'acceptEdits', world).decision;
    const byRule = authorize(request, { deny: [], ask: [], allow }, 'acceptEdits', world).decision;
    expect(byRule).toBe(byMode);
    return byMode;
  };
  return { home, project, at, decide, run: (command: string) => decide('Bash', { command }), surroundings };
}

const EDITS = [
  'echo x > pre-commit',
  "echo '{}' > settings.local.json",
  'mkdir skills',
  'touch src/new.txt',
  'sed -i s/a/b/ a',
  'cp a b',
  'mv a b',
  'rm a',
  'cd src && touch x',
  'mkdir -p deep/er',
  'cp -r src copy',
];

const AROUND: Readonly<Record<string, Layout>> = {
  'a folder of settings': { links: { '.claude': '.' } },
  'the absolute path': { links: { '.claude': 'PROJECT' } },
  'the folder above': { links: { '.claude': '..' } },
  'the root folder': { links: { '.claude': '/' } },
  'a link to a link': { links: { '.vscode': 'one', one: 'two', two: '.' } },
  'a link in a protected folder': { links: { '.claude/skills/own': '../..' } },
  'a deeper link in a protected folder': { links: { '.vscode/a/b/c': '../../..' } },
  'a folder of hooks': { links: { '.husky': '.' } },
  'the settings of a program': { links: { '~/.config/nvim': 'PROJECT' } },
  'a folder above settings of programs': { links: { '~/.config': 'dot/config' }, root: 'dot/config/fish' },
  'a folder inside such settings': { links: { '~/.config': 'dot/config' }, root: 'dot/config/fish/conf.d' },
  'a skill of the user': { links: { '~/.claude/skills/own': 'PROJECT' } },
  'a link above the session': { links: { '.husky': 'pkg' }, root: 'project/pkg', repository: 'project' },
  'a link to a folder above': {
    links: { '.husky': 'pkg' },
    root: 'project/pkg/sub',
    repository: 'project',
  },
  'a folder of programs': { links: { '~/.local/bin': '../project' } },
};

describe('a link at a protected place to a working directory', () => {
  it.each(Object.entries(AROUND))('protects everything in it: %s', (_, layout) => {
    const { decide, run } = open(layout);
    expect(EDITS.filter((command) => run(command) !== 'ask')).toEqual([]);
    expect(decide('Write', { file_path: 'settings.json', content: '' })).toBe('ask');
    expect(decide('Edit', { file_path: 'a', old_string: 'a', new_string: 'b' })).toBe('ask');
    expect(decide('NotebookEdit', { notebook_path: 'src/n.ipynb', new_source: '' })).toBe('ask');
    expect(run('cat a && ls src')).toBe('allow');
  });

  it.each([
    ['.hg/hgrc', '../src/l'],
    ['.jj/repo/config.toml', '../../src/l'],
    ['.config/nvim/init.lua', '../../src/l'],
    ['.local/bin/tool', '../../src/l'],
    ['.docker/cli-plugins/docker-x', '../../src/l'],
    ['.gradle/init.d/x.gradle', '../../src/l'],
    ['.task/hooks/on-add', '../../src/l'],
    ['.config/fish/conf.d/x.fish', '../../../src/l'],
  ])('protects its target, also deeper: %s', (name, target) => {
    const { run, decide } = open({ links: { [name]: target } });
    expect(run('echo x > src/l')).toBe('ask');
    expect(decide('Write', { file_path: 'src/l', content: '' })).toBe('ask');
    expect(run('echo x > src/other')).toBe('allow');
  });

  it('protects an added directory and leaves the others', () => {
    const { run, decide, at } = open({ links: { '~/.config/nvim': '../added' }, directories: ['added'] });
    for (const command of ['touch ADDED/x', 'rm ADDED/a', 'cd ADDED && echo x > init.lua', 'cp -r src ADDED'])
      expect(run(command.replace('ADDED', at('added')))).toBe('ask');
    expect(decide('Write', { file_path: at('added/init.lua'), content: '' })).toBe('ask');
    expect(run('touch x && rm a')).toBe('allow');
  });

  it('protects a working directory inside another one', () => {
    const { run } = open({ links: { '.vscode': 'pkg' }, directories: ['project/pkg'] });
    for (const command of ['touch pkg/x', 'rm -r pkg', 'mv pkg p2', 'mkdir t && cp -r t pkg'])
      expect(run(command)).toBe('ask');
    expect(run('touch src/x')).toBe('allow');
  });

  it('keeps sandboxed commands from writing there', () => {
    for (const layout of [{ links: { '.vscode': '.' } }, { links: { '.vscode': '..' } }]) {
      const { project, home } = open(layout);
      const live = new LivePermissions({ deny: [], ask: [], allow: [] });
      const settings = sandboxSettings({ files: [], problems: [] }, home);
      const sources = {
        root: project,
        directories: [],
        home,
        configDirs: [],
        temp: '/tmp/x',
        environment: process.env,
        live,
        settings,
      };
      expect(computePolicy(collectPolicyInput(sources, project)).unwritable).toContain(project);
    }
  });
});

describe('a project without such a link', () => {
  it.each<readonly [string, Layout]>([
    ['a link to a file', { links: { '.mcp.json': 'pkg/m.json' } }],
    ['a link to a folder of the project', { links: { '.claude': 'pkg' } }],
    ['an ordinary link to the project', { links: { here: '.', up: '..', 'src/all': '/' } }],
    ['the project in PATH', { links: {}, environment: { PATH: '/bin:PROJECT' } }],
    ['a link to the project in PATH', { links: { '~/bin': 'PROJECT' }, environment: { PATH: '/bin:~/bin' } }],
    ['the folder above in PATH', { links: {}, environment: { PATH: '/bin:PROJECT/..' } }],
    ['the settings of another program', { links: { '~/.config': 'dot/config' }, root: 'dot/config/other' }],
    ['the home folder', { links: { '~/.config': 'dot/config', '~/.local/bin': '../added' }, root: '.' }],
    ['a checkout behind a link', { links: { '.claude': 'dot' }, root: 'project/dot/worktrees/one' }],
  ])('needs no question: %s', (_, layout) => {
    const environment = Object.fromEntries(
      Object.entries(layout.environment ?? {}).map(([name, value]) => [
        name,
        value
          .replace('PROJECT', path.join(base, `home${count}`, 'project'))
          .replace('~', path.join(base, `home${count}`)),
      ]),
    );
    const { run, decide } = open({ repository: 'project', ...layout, environment });
    expect(EDITS.filter((command) => !command.includes('src') && run(command) !== 'allow')).toEqual([]);
    expect(decide('Write', { file_path: 'settings.json', content: '' })).toBe('allow');
  });

  it('still protects the target of a link below it', () => {
    const { run } = open({ links: { '~/.config': 'dot/config' }, root: '.' });
    expect(run('echo x > dot/config/fish/x')).toBe('ask');
    expect(run('echo x > dot/other')).toBe('allow');
  });

  it('protects the whole target of a link that is hidden in the home folder', () => {
    const { run } = open({ links: { '~/.config': 'dot/config', '~/.unknown': 'dot/x' }, root: '.' });
    expect(run('echo x > dot/config/other')).toBe('ask');
    expect(run('echo x > dot/x/other')).toBe('ask');
  });
});

describe('a disk that ignores case', () => {
  const decideWith = (links: Readonly<Record<string, string>>, command: string): string =>
    shell(command, { mode: 'acceptEdits', world: { links, foldsCase: true } }).decision;

  it('protects the target of a link under every name', () => {
    const links = { [`${ROOT}/.mcp.json`]: `${ROOT}/M.json` };
    expect(decideWith(links, 'echo x > m.JSON')).toBe('ask');
    expect(decideWith(links, 'echo x > n.json')).toBe('allow');
    for (const target of [ROOT.toUpperCase(), '/REPO'])
      expect(decideWith({ [`${ROOT}/.claude`]: target }, 'touch a')).toBe('ask');
  });
});

describe('a folder of hooks that is a working directory', () => {
  it.each([
    ['pkg', 'project/pkg'],
    ['pkg', 'project/pkg/sub'],
    ['here', 'project'],
  ])('is not edited without a question: %s in %s', (hooks, root) => {
    const { project, run } = open({ links: { here: '.' }, root, repository: 'project' });
    expect(run('echo x > pre-commit')).toBe('allow');
    execFileSync('git', ['-C', project, 'config', 'core.hooksPath', hooks]);
    expect(run('echo x > pre-commit')).toBe('ask');
  });
});

describe('links deeper in protected folders', () => {
  it('count beside a name that is not UTF-8', () => {
    const links = {
      '.claude/skills/deploy/SKILL.md': '../../../pkg/x.md',
      '.vscode/sub/deep/t.json': '../../../pkg/t.json',
    };
    for (const folder of ['.', '.claude', '.claude/skills', '.vscode/sub/deep']) {
      const { project, run } = open({ links });
      writeFileSync(Buffer.concat([Buffer.from(`${project}/${folder}/bad`), Buffer.from([0xff])]), '');
      for (const command of ['echo x > pkg/x.md', 'rm pkg/x.md', 'mv a pkg/t.json'])
        expect([folder, command, run(command)]).toEqual([folder, command, 'ask']);
      expect(run('touch pkg/other.md')).toBe('allow');
    }
  });
});

describe('links of the home folder', () => {
  const links = {
    '~/.ssh/config': '../dot/ssh_config',
    '~/.emacs.d/init.el': '../dot/init.el',
    '~/.vim/plugin/p.vim': '../../dot/p.vim',
    '~/.config/nvim/lua/a.lua': '../../../dot/a.lua',
    '~/.local/bin/tool': '../../dot/tool',
  };
  const targets = ['ssh_config', 'init.el', 'p.vim', 'a.lua', 'tool'];

  it.each(targets)('count deeper if it is the working directory: %s', (target) => {
    const { at, run, decide } = open({ links, root: '.' });
    writeFileSync(at(`dot/${target}`), '');
    for (const command of [
      `echo x > dot/${target}`,
      `rm -f dot/${target}`,
      `mv a dot/${target}`,
      'mv dot d2',
    ])
      expect([command, run(command)]).toEqual([command, 'ask']);
    expect(decide('Write', { file_path: `dot/${target}`, content: '' })).toBe('ask');
    expect(decide('Edit', { file_path: `dot/${target}`, old_string: 'a', new_string: 'b' })).toBe('ask');
    expect(run('touch dot/other')).toBe('allow');
  });

  it('count although a folder beside them has very many folders', () => {
    const { project, run } = open({ links, root: '.' });
    for (let at = 0; at < 300; at++)
      mkdirSync(path.join(project, `../.codex/sessions/s${at}`), { recursive: true });
    for (let at = 0; at < 300; at++) mkdirSync(path.join(project, `../.cargo/c${at}`), { recursive: true });
    expect(run('echo x > dot/p.vim')).toBe('ask');
  });

  it.each(['ssh_config', 'init.el', 'tool'])(
    'count in well-known folders for another project: %s',
    (target) => {
      const { run } = open({ links, root: 'dot' });
      expect(run(`echo x > ${target}`)).toBe('ask');
      expect(run('touch other')).toBe('allow');
    },
  );
});

describe('protected links in subfolders', () => {
  it.each<readonly [string, Readonly<Record<string, string>>, string]>([
    ['one folder below', { 'sub/.mcp.json': '../pkg/m.json' }, 'pkg/m.json'],
    ['two folders below', { 'packages/app/.envrc': '../../pkg/env' }, 'pkg/env'],
    ['a folder', { 'sub/.claude': '../pkg/cl' }, 'pkg/cl/settings.json'],
    ['in a protected folder', { 'sub/.vscode/tasks.json': '../../pkg/t.json' }, 'pkg/t.json'],
    ['a program of Python', { '.venv/bin/tool': '../../pkg/tool' }, 'pkg/tool'],
    ['a program of PHP', { 'vendor/bin/tool': '../../pkg/tool' }, 'pkg/tool'],
  ])('protect their targets: %s', (_, links, target) => {
    const { run, decide } = open({ links });
    expect(run(`mkdir -p ${path.dirname(target)}; echo x > ${target}`)).toBe('ask');
    expect(decide('Write', { file_path: target, content: '' })).toBe('ask');
    expect(run('touch pkg/other')).toBe('allow');
  });

  it('do not make files of packages protected', () => {
    const { run } = open({
      links: { 'vendor/bin/tool': '../own/tool', 'node_modules/.bin/own': '../../pkg/cli.js' },
    });
    expect(run('mkdir -p vendor/own; echo x > vendor/own/tool')).toBe('allow');
    expect(run('echo x > pkg/cli.js')).toBe('allow');
  });

  it('count in added folders', () => {
    const { home, run } = open({ links: { '~/added/sub/.npmrc': '../rc' }, directories: ['added'] });
    expect(run(`echo x > ${home}/added/rc`)).toBe('ask');
  });
});

describe('a nested repository', () => {
  const nested = (folder: string) => {
    const { project, run } = open({ links: {}, repository: 'project' });
    execFileSync('git', ['init', '-q', path.join(project, folder)]);
    const up = folder.split('/').map(() => '..');
    execFileSync('git', ['-C', path.join(project, folder), 'config', 'core.hooksPath', `${up.join('/')}/hk`]);
    return { project, run };
  };

  it.each(['n', 'z/n', '.deps/n', '.deps', 'z/.n'])('has hooks in the project: %s', (folder) => {
    const { run } = nested(folder);
    expect(run('cp a hk/pre-commit')).toBe('ask');
    expect(run('cp a hooks')).toBe('allow');
  });

  it('counts among a thousand other folders', () => {
    const { project, run } = nested('z/n');
    for (let at = 0; at < 2_500; at++) mkdirSync(path.join(project, `b/d${at}`), { recursive: true });
    expect(run('cp a hk/pre-commit')).toBe('ask');
    expect(run('cp a hooks')).toBe('allow');
  });
});

describe('links deeper in a protected folder that is a link itself', () => {
  it.each<readonly [string, Readonly<Record<string, string>>]>([
    ['settings', { '.claude': 'dot', 'dot/skills/deploy/SKILL.md': '../../../pkg/x.md' }],
    ['an editor', { '.vscode': 'vs', 'vs/sub/t': '../../pkg/x.md' }],
    ['a folder below', { '.claude/skills': '../all', 'all/deploy/SKILL.md': '../../pkg/x.md' }],
    ['a chain of folders', { '.claude': 'dot', 'dot/skills': '../all', 'all/a/b': '../../pkg/x.md' }],
    ['skills of the user', { '~/.claude/skills': '../dot/all', '~/dot/all/own': '../../project/pkg/x.md' }],
    ['a skill of the user', { '~/.claude/skills': '../all', '~/all/own/SKILL.md': '../../project/pkg/x.md' }],
  ])('count: %s', (_, links) => {
    const { run, decide } = open({ links });
    for (const command of ['echo x > pkg/x.md', 'mv a pkg/x.md', 'rm pkg/x.md'])
      expect(run(command)).toBe('ask');
    expect(decide('Write', { file_path: 'pkg/x.md', content: '' })).toBe('ask');
    expect(run('touch pkg/y.md')).toBe('allow');
  });

  it('end, although a link leads to a folder around it', () => {
    const { run } = open({ links: { '.vscode/a/up': '../..', '.claude/b': '../.vscode' } });
    expect(run('touch x')).toBe('ask');
  });
});
