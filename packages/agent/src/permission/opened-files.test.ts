/** Files that searches and git open by themselves, on a real disk: a link or a named pipe makes them read another file. */
import { execFileSync } from 'node:child_process';
import {
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { authorize } from './authorize.ts';
import { observeWorld } from './observe-world.ts';

let folder = '';
beforeEach(() => {
  folder = realpathSync(mkdtempSync(path.join(os.tmpdir(), 'heddle-opened-')));
  write('project/src/a.ts', 'x\n');
  write('project/src/deep/er/b.ts', 'x\n');
  write('project/secrets/k.json', '{\n');
  write('home/.keep', '');
  execFileSync('git', ['init', '-q', '--template=', path.join(folder, 'project')]);
  mkdirSync(path.join(folder, 'project/.git/info'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function write(name: string, text: string): void {
  const file = path.join(folder, name);
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, text.replaceAll('FOLDER', folder));
}

function link(name: string, target: string): void {
  symlinkSync(path.join(folder, target), path.join(folder, name));
}

function pipe(name: string): void {
  execFileSync('mkfifo', [path.join(folder, name)]);
}

interface Given {
  readonly rule?: 'deny' | 'ask';
  readonly allow?: string | undefined;
  readonly view?: boolean;
  readonly tool?: string;
  readonly input?: Record<string, string>;
}

function decisionOn(
  command: string,
  { rule, allow, view = false, tool = 'Bash', input }: Given = {},
): string {
  const cwd = path.join(folder, 'project');
  const home = path.join(folder, 'home');
  const environment = { HOME: home, GIT_CONFIG_NOSYSTEM: '1' };
  const world = observeWorld({
    root: cwd,
    cwd,
    directories: [],
    home,
    configDirs: [path.join(home, '.heddle')],
    environment,
    readOnlyView: view,
  });
  const request = { tool, input: input ?? { command }, readOnly: tool !== 'Bash', hookDecision: undefined };
  const about = [{ text: 'Read(./secrets/**)', source: 'user' as const }];
  const allowed = allow === undefined ? [] : [{ text: allow, source: 'user' as const }];
  const rules = { deny: rule === 'deny' ? about : [], ask: rule === 'ask' ? about : [], allow: allowed };
  return authorize(request, rules, 'default', world).decision;
}

const SEARCHES = ['rg x src', 'rg x src/a.ts', 'fd a src', 'timeout 5 rg x src', 'cd src && rg x'];
const GIT = ['git status', 'git log', 'git diff', 'git blame src/a.ts', 'git -C src status'];
const NAMES = ['.ignore', '.rgignore', '.gitignore', '.fdignore', 'src/.ignore', '.git/info/exclude'];

describe('searches', () => {
  it('need no question beside ordinary files of ignored names', () => {
    write('project/.ignore', 'dist\n');
    write('project/.gitignore', 'dist\n');
    write('project/other', '');
    link('project/.rgignore', 'project/other');
    for (const command of SEARCHES) expect([command, decisionOn(command)]).toEqual([command, 'allow']);
    expect(decisionOn('rg x src', { rule: 'ask' })).toBe('allow');
    for (const tool of ['Grep', 'Glob'])
      expect(decisionOn('', { tool, input: { pattern: 'x', path: 'src' } })).toBe('allow');
  });

  it.each(NAMES)('ask if %s leads to a named pipe', (name) => {
    pipe('ctl');
    link(`project/${name}`, 'ctl');
    for (const command of SEARCHES)
      for (const view of [false, true])
        expect([command, decisionOn(command, { view })]).toEqual([command, 'ask']);
    for (const tool of ['Grep', 'Glob'])
      expect(decisionOn('', { tool, input: { pattern: 'x', path: 'src' } })).toBe('ask');
  });

  it.each(NAMES)('follow the rules about the file that %s leads to', (name) => {
    link(`project/${name}`, 'project/secrets/k.json');
    for (const command of SEARCHES) {
      expect([command, decisionOn(command, { rule: 'deny' })]).toEqual([command, 'deny']);
      expect([command, decisionOn(command, { rule: 'ask' })]).toEqual([command, 'ask']);
      expect([command, decisionOn(command)]).toEqual([command, 'allow']);
    }
  });

  it('count links up to three folders below, and all of them beside a rule', () => {
    pipe('ctl');
    link('project/src/deep/.ignore', 'ctl');
    expect(decisionOn('rg x')).toBe('ask');
    expect(decisionOn('rg x src')).toBe('ask');
    expect(decisionOn('', { tool: 'Grep', input: { pattern: 'x' } })).toBe('ask');
    link('project/src/deep/er/.rgignore', 'project/secrets/k.json');
    rmSync(path.join(folder, 'project/src/deep/.ignore'));
    expect(decisionOn('rg x src', { rule: 'deny' })).toMatch(/deny|ask/);
  });

  it.each(['.gitignore', '.ignore', '.rgignore'])(
    'ask if %s up to two folders below is a named pipe',
    (name) => {
      pipe(`project/src/deep/${name}`);
      for (const command of ['rg x', 'fd a', 'rg x src', 'cd src && rg --files'])
        expect([command, decisionOn(command)]).toEqual([command, 'ask']);
      expect(decisionOn('', { tool: 'Grep', input: { pattern: 'x' } })).toBe('ask');
    },
  );

  it.each([
    ['the project', 'gitdir: FOLDER/data\n', '.', 'data'],
    ['the project, with a further line', 'gitdir: FOLDER/data\nmore', '.', 'data'],
    ['the project, by a relative name', 'gitdir: ../data\n', '.', 'data'],
    ['a folder below', 'gitdir: FOLDER/data\n', 'src/deep', 'data'],
    ['the project, counted from the folder of the search', 'gitdir: data\n', '.', 'project/src/data'],
  ])('ask if a file .git of %s leads to a named pipe', (_, text, at, data) => {
    rmSync(path.join(folder, 'project/.git'), { recursive: true });
    write(`project/${at}/.git`, text);
    write(`${data}/commondir`, '../shared\n');
    write(`${data}/info/exclude`, '');
    write(`${path.dirname(data)}/shared/info/exclude`, '');
    const commands = ['cd src && rg x', 'cd src && fd a', 'rg x src'].slice(0, data.includes('src') ? 2 : 3);
    for (const command of commands) expect([command, decisionOn(command)]).toEqual([command, 'allow']);
    for (const name of [`${data}/commondir`, `${path.dirname(data)}/shared/info/exclude`]) {
      const content = readFileSync(path.join(folder, name), 'utf8');
      rmSync(path.join(folder, name));
      pipe(name);
      for (const command of commands)
        for (const view of [false, true])
          expect([name, command, decisionOn(command, { view })]).toEqual([name, command, 'ask']);
      rmSync(path.join(folder, name));
      write(name, content);
    }
  });

  it.each([
    ['of the project', '.', 'foo', 'project/foo', 'rg x'],
    ['of the project, for files that are named', '.', 'foo', 'project/foo', 'rg x src/a.sh'],
    ['of the project, for fd', '.', 'foo', 'project/foo', 'fd a'],
    ['of the project, for all files', '.', 'foo', 'project/foo', 'rg --files | head -3'],
    ['with a further line', '.', 'foo\nmore', 'project/foo', 'rg x'],
    ['with more names', '.', 'foo/bar', 'project/foo/bar', 'rg x'],
    ['with a name that leads up', '.', 'foo/../bar', 'project/bar', 'rg x'],
    ['of the project, from a folder below', '.', 'foo', 'project/src/foo', 'cd src && rg x'],
    ['of the project, from a folder below with fd', '.', 'foo', 'project/src/foo', 'cd src && fd x'],
    ['of a folder below', 'src', 'foo', 'project/foo', 'rg x src'],
    ['with a whole path', '.', 'FOLDER/foo', 'foo', 'rg x'],
    ['with a dot at its start', '.', './foo', 'data/foo', 'rg x'],
  ])('ask if a commondir %s leads to a named pipe', (_, at, text, shared, command) => {
    rmSync(path.join(folder, 'project/.git'), { recursive: true });
    write(`project/${at}/.git`, 'gitdir: FOLDER/data\n');
    write('data/commondir', text);
    write(`${shared}/info/exclude`, '');
    expect(decisionOn(command)).toBe('allow');
    rmSync(path.join(folder, shared, 'info/exclude'));
    pipe(`${shared}/info/exclude`);
    for (const view of [false, true]) expect(decisionOn(command, { view })).toBe('ask');
  });

  it('ask if a named pipe is in the place itself, or in a folder above', () => {
    pipe('project/.ignore');
    expect(decisionOn('rg x src')).toBe('ask');
    rmSync(path.join(folder, 'project/.ignore'));
    pipe('.ignore');
    expect(decisionOn('fd x src')).toBe('ask');
  });
});

describe('git', () => {
  it.each([
    'packed-refs',
    'objects/info/alternates',
    'rebase-merge/head-name',
    'rebase-apply/head-name',
    'BISECT_START',
    'MERGE_HEAD',
    'branches/x',
    'worktrees/x/locked',
    'refs/heads/x',
    'logs/refs/heads/x',
    'modules/sub/packed-refs',
    'config',
  ])('follows the rules about the file that .git/%s leads to', (name) => {
    if (name.startsWith('modules/'))
      for (const made of ['HEAD', 'objects/x', 'refs/x']) write(`project/.git/modules/sub/${made}`, '');
    mkdirSync(path.dirname(path.join(folder, 'project/.git', name)), { recursive: true });
    rmSync(path.join(folder, 'project/.git', name), { force: true });
    link(`project/.git/${name}`, 'project/secrets/k.json');
    for (const command of [...GIT, 'git remote get-url x', 'git worktree list -v', 'git branch -a'])
      for (const view of [false, true]) {
        expect([command, decisionOn(command, { rule: 'deny', view })]).toEqual([command, 'deny']);
        expect([command, decisionOn(command, { rule: 'ask', view })]).toEqual([command, 'ask']);
      }
  });

  it.each([
    'packed-refs',
    'rebase-merge/done',
    'refs/heads/x',
    'worktrees/x/gitdir',
    'objects/info/commit-graph',
  ])('asks if .git/%s is a named pipe', (name) => {
    mkdirSync(path.dirname(path.join(folder, 'project/.git', name)), { recursive: true });
    pipe(`project/.git/${name}`);
    for (const command of GIT)
      for (const view of [false, true])
        expect([command, decisionOn(command, { view })]).toEqual([command, 'ask']);
  });

  it('asks if a file of its data leads to a login of Heddle, also beside a rule that allows the command', () => {
    write('home/.heddle/mcp-auth.json', '{}');
    rmSync(path.join(folder, 'project/.git/packed-refs'), { force: true });
    link('project/.git/packed-refs', 'home/.heddle/mcp-auth.json');
    for (const command of GIT)
      for (const allow of [undefined, 'Bash(git *)'])
        expect([command, decisionOn(command, { allow })]).toEqual([command, 'ask']);
  });

  it('follows the rules about folders that its data leads to', () => {
    mkdirSync(path.join(folder, 'project/secrets/rebase'));
    link('project/.git/rebase-merge', 'project/secrets/rebase');
    for (const command of GIT) expect(decisionOn(command, { rule: 'ask' })).toBe('ask');
  });

  it('follows the rules about the objects of other repositories, also by a chain of files', () => {
    write('project/.git/objects/info/alternates', '../../alt\n');
    write('project/alt/info/alternates', '# of the team\nFOLDER/project/next\n');
    write('project/next/pack/x.pack', '');
    for (const command of GIT) expect(decisionOn(command, { rule: 'ask' })).toBe('allow');
    link('project/next/info', 'project/secrets');
    for (const command of GIT) expect(decisionOn(command, { rule: 'ask' })).toBe('ask');
    rmSync(path.join(folder, 'project/next/info'));
    mkdirSync(path.join(folder, 'project/secrets/objects'));
    write('project/alt/info/alternates', 'FOLDER/project/secrets/objects\n');
    for (const command of GIT) expect(decisionOn(command, { rule: 'ask' })).toBe('ask');
  });

  it.each([
    ['in quotes', '"FOLDER/project/alt"\n'],
    ['in a large file', `${'#'.repeat(70_000)}\nFOLDER/project/alt\n`],
    ['in a long list', 'x\n'.repeat(1_000)],
  ])('asks if other repositories are named %s', (_, text) => {
    write('project/.git/objects/info/alternates', text);
    for (const command of GIT) expect([command, decisionOn(command)]).toEqual([command, 'ask']);
  });

  it('resolves links before `..` in the names of other repositories', () => {
    mkdirSync(path.join(folder, 'project/secrets/x'));
    mkdirSync(path.join(folder, 'project/secrets/objects'));
    link('project/lnk', 'project/secrets/x');
    write('project/.git/objects/info/alternates', '../../lnk/../objects\n');
    for (const command of GIT) expect(decisionOn(command, { rule: 'ask' })).toBe('ask');
  });

  it('counts each path in its data, because it may be the name of a branch', () => {
    for (const name of ['foo', 'foo/bar', 'foo/bar/baz', 'zoo/one', 'zoo/two/three']) {
      mkdirSync(path.join(folder, 'project/.git', name), { recursive: true });
      link(`project/.git/${name}/t`, 'project/secrets/k.json');
      expect([name, decisionOn(`git rev-parse ${name}/t`, { rule: 'ask' })]).toEqual([name, 'ask']);
      rmSync(path.join(folder, 'project/.git', name, 't'));
    }
    link('project/.git/hooks', 'project/secrets');
    expect(decisionOn('git rev-parse hooks/k.json', { rule: 'ask' })).toBe('ask');
  });

  it('needs no question because of links in its data that lead to ordinary files', () => {
    mkdirSync(path.join(folder, 'project/.git/hooks'));
    for (const name of ['packed-refs', 'refs', 'objects', 'hooks/x', 'other']) {
      rmSync(path.join(folder, 'project/.git', name), { recursive: true, force: true });
      mkdirSync(path.join(folder, `main/${name}`), { recursive: true });
      link(`project/.git/${name}`, `main/${name}`);
    }
    rmSync(path.join(folder, 'project/.git/packed-refs'));
    for (const command of GIT)
      for (const rule of [undefined, 'ask', 'deny'] as const)
        expect([command, decisionOn(command, rule && { rule })]).toEqual([command, 'allow']);
  });
});

describe('other programs', () => {
  it.each([
    ['.gitignore', 'tree --gitignore'],
    ['.info', 'tree --info'],
    ['.gitignore', 'eza --git-ignore'],
    ['.tokeignore', 'tokei'],
    ['.sccignore', 'scc src'],
    ['.shellcheckrc', 'shellcheck src/a.sh'],
  ])('that open %s themselves ask if it leads to a named pipe: %s', (name, command) => {
    expect(decisionOn(command, { view: true })).toBe('allow');
    pipe('ctl');
    link(`project/${name}`, 'ctl');
    expect(decisionOn(command, { view: true })).toBe('ask');
  });

  it('that open a file of the working directory for their version ask if it leads to a named pipe', () => {
    const commands = ['curl --version', 'cd src && curl --version', 'curl --help | head'];
    for (const command of commands) expect([command, decisionOn(command)]).toEqual([command, 'allow']);
    write('project/ldaprc', 'BASE dc=example\n');
    expect(decisionOn('curl --version')).toBe('allow');
    rmSync(path.join(folder, 'project/ldaprc'));
    pipe('ctl');
    link('project/ldaprc', 'ctl');
    link('project/src/ldaprc', 'ctl');
    for (const command of commands)
      for (const view of [false, true])
        expect([command, decisionOn(command, { view })]).toEqual([command, 'ask']);
  });

  it('need no question if they open none', () => {
    pipe('ctl');
    link('project/.gitignore', 'ctl');
    for (const command of ['tree', 'eza', 'grep -r x src', 'rg --version', 'git --version'])
      expect([command, decisionOn(command)]).toEqual([command, 'allow']);
  });
});

describe('git', () => {
  it('asks if a file of ignored names or attributes below is a named pipe', () => {
    pipe('project/src/deep/.gitattributes');
    for (const command of ['git status', 'git diff']) expect(decisionOn(command)).toBe('ask');
    expect(decisionOn('git rev-parse HEAD')).toBe('allow');
  });

  it('needs no question beside ordinary files that settings name', () => {
    write('home/.gitconfig', '[core]\n\texcludesFile = ~/.ignored\n[blame]\n\tignoreRevsFile = .revs\n');
    write('home/.ignored', 'x\n');
    write('project/.revs', '');
    for (const command of GIT) expect([command, decisionOn(command)]).toEqual([command, 'allow']);
    for (const command of ['git status', 'git blame src/a.ts'])
      expect([command, decisionOn(command, { rule: 'ask' })]).toEqual([command, 'allow']);
  });

  it.each([
    ['blame', 'ignoreRevsFile'],
    ['mailmap', 'file'],
    ['diff', 'orderFile'],
    ['core', 'excludesFile'],
    ['core', 'attributesFile'],
  ])('asks if %s.%s names a named pipe, or a link to one', (section, key) => {
    pipe('ctl');
    link('project/named', 'ctl');
    for (const [file, value] of [
      ['home/.gitconfig', 'named'],
      ['project/.git/config', 'FOLDER/ctl'],
      ['project/.git/config', '/proc/self/cwd/named'],
    ] as const) {
      write(file, '');
      for (const command of GIT) expect([command, decisionOn(command)]).toEqual([command, 'allow']);
      write(file, `[${section}]\n\t${key} = ${value}\n`);
      for (const command of GIT)
        for (const view of [false, true])
          expect([command, decisionOn(command, { view })]).toEqual([command, 'ask']);
      write(file, '');
    }
  });

  it('follows the rules about the file that a setting names', () => {
    link('project/.revs', 'project/secrets/k.json');
    write('home/.gitconfig', '[blame]\n\tignoreRevsFile = .revs\n');
    expect(decisionOn('git blame src/a.ts', { rule: 'deny' })).toBe('deny');
    expect(decisionOn('git blame src/a.ts', { rule: 'ask' })).toBe('ask');
    write('home/.gitconfig', '[blame]\n\tignoreRevsFile = secrets/k.json\n');
    expect(decisionOn('git blame src/a.ts', { rule: 'deny' })).toBe('deny');
    expect(decisionOn('git status', { rule: 'deny' })).toBe('allow');
    write('home/.gitconfig', '[core]\n\texcludesFile = secrets/k.json\n');
    expect(decisionOn('git check-ignore -v src/a.ts', { rule: 'deny' })).not.toBe('allow');
    expect(decisionOn('git status', { rule: 'deny' })).toBe('allow');
  });

  it.each(['info/exclude', 'info/attributes'])('follows a link at .git/%s', (name) => {
    link(`project/.git/${name}`, 'project/secrets/k.json');
    expect(decisionOn('git status', { rule: 'deny' })).toBe('deny');
    expect(decisionOn('git status')).toBe('allow');
  });

  it.each(['.mailmap', '.gitattributes', '.gitignore'])('asks if %s is a named pipe', (name) => {
    pipe(`project/${name}`);
    for (const command of GIT) expect([command, decisionOn(command)]).toEqual([command, 'ask']);
  });

  it('asks if an option names a named pipe for a setting', () => {
    pipe('project/ctl');
    for (const command of [
      'git -c core.excludesFile=ctl status',
      'git -c blame.ignoreRevsFile=ctl blame src/a.ts',
      'git -c mailmap.file=ctl log',
    ])
      expect([command, decisionOn(command)]).toEqual([command, 'ask']);
  });

  it('asks if settings include a named pipe, or if one is among the data that every command reads', () => {
    const commands = ['git config -l', 'git remote -v', 'git rev-parse HEAD', 'git branch --show-current'];
    for (const command of commands) expect([command, decisionOn(command)]).toEqual([command, 'allow']);
    pipe('ctl');
    link('project/.git/packed-refs', 'ctl');
    for (const command of commands) expect([command, decisionOn(command)]).toEqual([command, 'ask']);
    rmSync(path.join(folder, 'project/.git/packed-refs'));
    write('project/.git/config', '[core]\n\tbare = false\n[include]\n\tpath = FOLDER/ctl\n');
    for (const command of commands) expect([command, decisionOn(command)]).toEqual([command, 'ask']);
  });
});
