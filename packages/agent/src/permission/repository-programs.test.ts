/** Programs that a repository makes git run, on a real disk. Rules for git commands are not meant for them. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { authorize } from './authorize.ts';
import { observeWorld } from './observe-world.ts';

const base = realpathSync(mkdtempSync(path.join(os.tmpdir(), 'heddle-programs-')));
const home = path.join(base, 'home');
afterAll(() => rmSync(base, { recursive: true, force: true }));

const git = (cwd: string, ...args: readonly string[]): void => {
  const env = { PATH: '/usr/bin:/bin', GIT_CONFIG_NOSYSTEM: '1' };
  execFileSync('git', [...args], { cwd, env });
};
const write = (file: string, text: string): void => {
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, text);
};

/** Makes a repository with a bare one among its files: `br`. */
function repository(name: string, settings: Readonly<Record<string, string>> = {}): string {
  const folder = path.join(base, name);
  const lines = Object.entries(settings).map(([key, value]) => {
    const [, section = '', sub, last = ''] = /^(\w+)\.(?:(.*)\.)?([\w-]+)$/.exec(key) ?? [];
    return `[${section}${sub === undefined ? '' : ` "${sub}"`}]\n\t${last} = ${value}\n`;
  });
  for (const at of ['.git', 'br']) {
    write(path.join(folder, at, 'HEAD'), 'ref: refs/heads/main\n');
    write(path.join(folder, at, 'objects/x'), '');
    write(path.join(folder, at, 'refs/x'), '');
  }
  write(path.join(folder, '.git/config'), `[core]\n\tbare = false\n${lines.join('')}`);
  write(path.join(folder, 'br/config'), '[core]\n\tbare = false\n\tworktree = ..\n\tfsmonitor = ./evil\n');
  write(path.join(folder, 'br/sub/x'), '');
  write(path.join(folder, 'src/a'), '');
  return folder;
}

mkdirSync(home);
write(
  path.join(home, '.gitconfig'),
  '[core]\n\tpager = delta\n\teditor = ./x\n\tfsmonitor = /opt/monitor\n[credential]\n\thelper = !x\n[gpg]\n\tprogram = /opt/gpg\n' +
    '[diff]\n\texternal = difft\n[filter "lfs"]\n\tprocess = git-lfs filter-process\n[alias]\n\tst = !x\n',
);
const plain = repository('plain');
symlinkSync('br', path.join(plain, 'link'));

/** A project with repositories that git finds by other names, and one outside. */
const named = repository('named');
{
  const bare = (folder: string): void => {
    write(path.join(folder, 'HEAD'), 'ref: refs/heads/main\n');
    write(path.join(folder, 'objects/x'), '');
    write(path.join(folder, 'refs/x'), '');
    write(path.join(folder, 'config'), '');
  };
  bare(path.join(named, 'xx.git'));
  bare(path.join(base, 'out/r.git'));
  write(path.join(named, 'docs/.git'), 'gitdir: ../xx.git\n');
  write(path.join(named, 'note'), 'gitdir: xx.git\n');
  write(path.join(named, 'far'), 'gitdir: ../out/r.git\n');
  write(path.join(named, 'odd'), 'gitdir: src/../xx.git\n');
  write(path.join(named, 'text'), 'a\n');
  write(path.join(named, 'list.git'), 'a\n');
  symlinkSync('../out/r.git', path.join(named, 'via.git'));
  symlinkSync('../../out', path.join(named, 'src/lnk'));
}

interface Setting {
  readonly isTrusted?: boolean | ((folder: string) => boolean);
  readonly readOnlyView?: boolean;
  readonly allow?: readonly string[];
  readonly mode?: 'default' | 'acceptEdits';
}

const GIT_RULES =
  'git status, git diff, git log, git add, git commit, git push, git fetch, git stash, git show, git st'
    .split(', ')
    .map((command) => `Bash(${command}:*)`)
    .concat('Bash(cd *)', 'Bash(pushd *)');

/** Addresses that are not repositories of the project, and words of other commands. */
const OTHER_ADDRESSES = `
git push origin main ; git push origin src ; git push origin text ; git push origin list
git fetch https://example.com/xx%2fy.git ; git fetch git@example.com:a/b.git main
git push -u origin HEAD:refs/heads/x ; git push . HEAD:refs/heads/x
git clone https://example.com/a/xx copy ; git config branch.main.remote origin
git config branch.main.remote . ; git -c branch.main.remote=origin push ; git archive --format=tar HEAD src
git add xx note ; git log xx ; git remote add up https://example.com/a.git ; git fetch --all
cd src && git push origin main ; echo x > new; git push origin main`
  .split(/\n| ; /)
  .filter((command) => command !== '');

const NAMED_RULES = ['Bash(git *)', 'Bash(cd *)', 'Bash(echo *)', 'Edit(./**)'];

function decide(project: string, command: string, setting: Setting = {}): string {
  const { isTrusted = false, readOnlyView = false, allow = GIT_RULES, mode = 'default' } = setting;
  const environment = { HOME: home, GIT_CONFIG_NOSYSTEM: '1', PATH: '/usr/bin:/bin' };
  const surroundings = { root: project, cwd: project, directories: [], home, configDirs: [] };
  const trusts = typeof isTrusted === 'boolean' ? () => isTrusted : isTrusted;
  const world = observeWorld({ ...surroundings, environment, readOnlyView, isTrusted: trusts });
  const request = { tool: 'Bash', input: { command }, readOnly: false, hookDecision: undefined };
  const rules = { deny: [], ask: [], allow: allow.map((text) => ({ text, source: 'user' as const })) };
  return authorize(request, rules, mode, world).decision;
}

describe('a rule for a git command', () => {
  it.each([
    'cd br && git status',
    'cd br; git status',
    '(cd br && git diff)',
    'pushd br; git status',
    'cd br/sub && git add x',
    'cd br/objects && git commit -m x',
    'cd link && git log -p',
    'cd ./br/../br && git stash',
    'cd src/../br && git diff HEAD',
    'd=br; cd "$d" && git status',
    'for d in src br; do (cd "$d" && git status); done',
    'cd br && timeout 5 git status',
    'cd br && git status --short | head',
    'cd br && git fetch',
    'git push ./br HEAD:x',
    'git fetch br',
    'git push "file://$PWD/br" main',
    'git push "file://$PWD/b%72" main',
    'git push "--repo=file://$PWD/br"',
    'git archive --remote=br --format=x HEAD',
    'git archive --remote=./br --format=x HEAD',
    'git archive --remote br HEAD',
  ])('does not cover it in a bare repository of the project: %s', (command) => {
    for (const isTrusted of [false, true])
      for (const readOnlyView of [false, true])
        for (const mode of ['default', 'acceptEdits'] as const)
          expect(decide(plain, command, { isTrusted, readOnlyView, mode })).toBe('ask');
    // A rule for one exact command was not made for that folder.
    expect(decide(plain, command, { allow: ['Bash(git status)', 'Bash(git fetch)', 'Bash(cd *)'] })).toBe(
      'ask',
    );
    expect(decide(plain, command, { allow: ['Bash'] })).toBe('allow');
  });

  it.each([
    'git --git-dir=br status',
    'git --git-dir br status',
    'git --git-dir=./br/ --work-tree=. diff',
    'git -C br status',
    'git -C src -C ../br status',
    'git -C src --git-dir=../br log -p',
    'git -C b* status',
    'd=br; git -C "$d" status',
    'git --no-pager -C link diff',
    'git -C br/sub stash',
    'env -C br git status',
    'env --chdir=br git status',
    'git clone br copy',
    'git ls-remote ./br',
  ])('does not cover options that lead there: %s', (command) => {
    for (const isTrusted of [false, true])
      expect(decide(plain, command, { isTrusted, allow: ['Bash(git *)'] })).toBe('ask');
  });

  it.each([
    'git push xx HEAD:refs/heads/x',
    'git push "$PWD/xx" HEAD',
    'git push "file://$PWD/xx" HEAD',
    'git push "file://$PWD/b%72" HEAD',
    'git push "file://localhost$PWD/br" HEAD',
    'git push "file://[a/b]$PWD/br" HEAD',
    'git push docs HEAD',
    'cd src && git push br HEAD',
    'git -C src push br HEAD',
    'echo "gitdir: xx.git" > new; git push new HEAD',
    'git fetch -q new && echo "gitdir: xx.git" > new.git',
    'cd src && git archive --remote=br HEAD',
    'git push note HEAD',
    'git push odd HEAD',
    'git push far HEAD',
    'git push via HEAD',
    'git fetch ./via',
    'git push "file://$PWD/%2e%2e/out/r.git" HEAD',
    'git push "file://$PWD/..%2fout/r.git" HEAD',
    'git push "file://$PWD/src/ln%6b/r.git" HEAD',
    'git remote add zz "file://$PWD/%2e%2e/out/new.git"',
    'git remote add evil xx',
    'git remote set-url origin xx',
    'git fetch xx',
    'git pull xx main',
    'git clone xx copy',
    'git ls-remote ./xx',
    'git send-pack ./xx HEAD',
    'git fetch-pack xx HEAD',
    'git archive --remote=br --format=x HEAD',
    'git archive --remote=./xx HEAD',
    'git archive --rem xx HEAD',
    'git push --repo=br --all',
    'git push --rep=xx',
    'git receive-pack br',
    'git upload-pack xx',
    'git upload-archive br',
    'git request-pull HEAD br',
    'git own br HEAD',
    'git config branch.main.remote br',
    'git config set branch.main.remote xx',
    'git -c branch.main.remote=br push --all',
    'git -c branch.main.remote=xx push --all',
    'git config branch.main.remote "file://$PWD/%2e%2e/out/r.git"',
    'git submodule add ./xx sub',
  ])('does not cover a repository that git finds by another name: %s', (command) => {
    for (const isTrusted of [false, true])
      for (const mode of ['default', 'acceptEdits'] as const)
        expect(decide(named, command, { isTrusted, mode, allow: NAMED_RULES })).toBe('ask');
  });

  it('does not cover a repository in the home folder that git expands', () => {
    const inHome = repository('home/own');
    expect(decide(inHome, "git push '~/own/br' HEAD", { allow: ['Bash(git *)'] })).toBe('ask');
  });

  it('does not cover a repository outside, also beside a rule for all commands', () => {
    for (const command of [
      'git push "file://$PWD/%2e%2e/out/r.git" HEAD',
      'git push via HEAD',
      'git push far HEAD',
    ])
      expect(decide(named, command, { allow: ['Bash'], isTrusted: true })).toBe('ask');
  });

  it.each(OTHER_ADDRESSES)('covers an address that is not a repository of the project: %s', (command) => {
    for (const isTrusted of [false, true])
      expect(decide(named, command, { allow: NAMED_RULES, isTrusted })).toBe('allow');
  });

  const PROGRAMS: readonly (readonly [string, string])[] = [
    ['core.fsmonitor', './evil'],
    ['diff.external', './evil'],
    ['diff.x.textconv', './evil'],
    ['diff.x.command', './evil'],
    ['filter.x.clean', './evil'],
    ['filter.lfs.process', './evil'],
    ['core.pager', './evil'],
    ['pager.status', './evil'],
    ['core.editor', 'touch x'],
    ['core.sshCommand', './evil'],
    ['core.sshCommand', 'ssh -o ProxyCommand=./evil'],
    ['core.askPass', './evil'],
    ['credential.helper', '!./evil'],
    ['credential.https://x.helper', '/x/evil'],
    ['gpg.program', './evil'],
    ['gpg.ssh.defaultKeyCommand', './evil'],
    ['merge.x.driver', './evil'],
    ['interactive.diffFilter', './evil'],
    ['sequence.editor', './evil'],
    ['remote.origin.uploadpack', './evil'],
    ['remote.origin.vcs', 'x'],
    ['submodule.x.update', '!./evil'],
    ['protocol.ext.allow', 'always'],
    ['trailer.x.command', './evil'],
    ['lfs.customtransfer.x.path', './evil'],
    ['core.alternateRefsCommand', './evil'],
    ['core.worktree', '../..'],
    ['core.editor', 'vim -S -n'],
    ['core.editor', 'nvim -S'],
    ['http.cookieFile', '~/.bashrc'],
    ['http.saveCookies', 'true'],
    ['http.proxy', 'x'],
    ['format.outputDirectory', '../../out'],
    ['format.suffix', '/../../out/x'],
    ['branch.main.mergeoptions', '-s x'],
    ['pull.twohead', 'x'],
    ['gc.recentObjectsHook', './evil'],
    ['lfs.storage', '/x'],
    ['fetch.bundleURI', 'x'],
    ['unknown.key', 'x'],
    ['alias.st', '!./evil'],
  ];
  it.each(PROGRAMS)('does not cover a program of the repository without trust: %s %s', (key, value) => {
    const project = repository(`with-${key.replace(/\W/g, '-')}-${value.length}`, { [key]: value });
    for (const command of [
      'git status',
      'git diff',
      'git add .',
      'git commit -m x',
      'cd src && git stash',
      'git st',
    ]) {
      if (key === 'alias.st' && command !== 'git st') continue;
      // A proof allows commands that do not run the program.
      const allow = GIT_RULES;
      const proven = decide(project, command, { allow: [] });
      expect([command, decide(project, command, { allow })]).toEqual([command, proven]);
      expect(decide(project, command, { allow, isTrusted: true })).toBe('allow');
    }
    expect(decide(project, 'git st', { allow: ['Bash(git st)'] })).toBe('ask');
  });

  it('does not cover programs of a repository around the trusted folder', () => {
    const around = repository('around', { 'core.fsmonitor': './evil', 'diff.external': './evil' });
    write(path.join(around, '.git/hooks/post-index-change'), '');
    const bare = path.join(repository('bare-around'), 'br');
    const empty = repository('empty-inside', { 'core.fsmonitor': './evil' });
    mkdirSync(path.join(empty, 'src/.git'));
    for (const [top, inner] of [
      [around, 'src'],
      [bare, 'sub'],
      [empty, 'src'],
    ] as const) {
      const project = path.join(top, inner);
      const trusting = (trusted: string) => (folder: string) =>
        folder === trusted || folder.startsWith(`${trusted}/`);
      for (const command of ['git add a', 'git stash', 'git fetch', `cd ${project} && git add a`]) {
        const inside = { isTrusted: trusting(project) };
        expect([project, command, decide(project, command, inside)]).toEqual([project, command, 'ask']);
        expect([command, decide(project, command, { isTrusted: trusting(top) })]).toEqual([command, 'allow']);
      }
      for (const readOnlyView of [true, false])
        expect(decide(project, 'git diff', { isTrusted: trusting(project), readOnlyView })).toBe('ask');
    }
    const own = { isTrusted: (folder: string) => folder === plain };
    write(path.join(base, 'plain/.git/hooks/reference-transaction'), '');
    expect(decide(plain, 'git stash', own)).toBe('allow');
    rmSync(path.join(base, 'plain/.git/hooks'), { recursive: true });
  });

  it('does not cover programs in included settings, settings of a worktree, hooks and submodules', () => {
    const included = repository('included', { 'include.path': '../more' });
    write(path.join(included, 'more'), '[core]\n\tfsmonitor = ./evil\n');
    const missing = repository('missing', { 'include.path': '~other/more' });
    const worktree = repository('worktree', { 'extensions.worktreeConfig': 'true' });
    write(path.join(worktree, '.git/config.worktree'), '[diff]\n\texternal = ./evil\n');
    const hook = repository('hook');
    write(path.join(hook, '.git/hooks/post-index-change'), '');
    const hooks = repository('hooks', { 'core.hooksPath': 'h' });
    write(path.join(hooks, 'h/reference-transaction'), '');
    const linked = repository('linked', { 'core.hooksPath': 'lnk/../h' });
    write(path.join(linked, 'at/deep/x'), '');
    write(path.join(linked, 'at/h/post-index-change'), '');
    symlinkSync('at/deep', path.join(linked, 'lnk'));
    const nested = repository('nested');
    git(nested, 'init', '-q', 'sub');
    git(
      path.join(nested, 'sub'),
      '-c',
      'user.name=x',
      '-c',
      'user.email=x',
      'commit',
      '-q',
      '--allow-empty',
      '-m',
      'x',
    );
    git(nested, '-c', 'advice.addEmbeddedRepo=false', 'add', 'sub');
    git(path.join(nested, 'sub'), 'config', 'core.fsmonitor', './evil');
    for (const project of [included, missing, worktree, hook, hooks, linked, nested])
      for (const command of ['git add .', 'git stash', 'git fetch']) {
        expect([project, command, decide(project, command)]).toEqual([project, command, 'ask']);
        expect(decide(project, command, { isTrusted: true })).toBe('allow');
      }
  });

  it.each([
    ['remote.origin.url', '../out'],
    ['remote.origin.url', '/out/x.git'],
    ['remote.origin.url', 'x'],
    ['remote.origin.url', '~/x'],
    ['remote.origin.url', 'file:///out/x.git'],
    ['remote.origin.url', 'x::/out'],
    ['remote.origin.url', 'x:///out'],
    ['remote.origin.pushurl', '../out'],
    ['remote.pushDefault', '../out'],
    ['branch.main.remote', '/out'],
    ['branch.main.remote', 'vv'],
    ['branch.main.pushRemote', '..'],
    ['branch.main.remote', 'vv'],
    ['branch.main.pushRemote', 'vv'],
    ['remote.pushDefault', 'vv'],
    ['url./out/.insteadOf', 'https://example.com/'],
    ['url.file:///.pushInsteadOf', 'https://'],
    ['submodule.x.url', '/out'],
    ['lfs.url', 'file:///out'],
  ])('does not cover a connection to a place on this machine without trust: %s %s', (key, value) => {
    const project = repository(`address-${key.replace(/\W/g, '-')}-${value.replace(/\W/g, '-')}`, {
      [key]: value,
    });
    const allow = ['Bash(git *)'];
    for (const command of [
      'git push',
      'git push -q origin HEAD',
      'git fetch',
      'git pull',
      'cd src && git push',
    ]) {
      const more = { allow: [...allow, 'Bash(cd *)'] };
      expect([command, decide(project, command, more)]).toEqual([command, 'ask']);
      expect([command, decide(project, command, { ...more, isTrusted: true })]).toEqual([command, 'allow']);
    }
    for (const command of ['git add .', 'git commit -m x'])
      expect([command, decide(project, command, { allow })]).toEqual([command, 'allow']);
  });

  it('does not cover a connection to a remote in older files of a repository', () => {
    for (const folder of ['remotes', 'branches']) {
      const project = repository(`older-${folder}`);
      mkdirSync(path.join(project, '.git', folder));
      expect(decide(project, 'git push')).toBe('allow');
      write(path.join(project, '.git', folder, 'origin'), 'URL: ../out\n');
      expect([decide(project, 'git push'), decide(project, 'git add .')]).toEqual(['ask', 'allow']);
    }
  });

  it('covers a connection to a remote in the network', () => {
    const project = repository('network', {
      'remote.origin.url': 'https://example.com/x.git',
      'remote.a/b.url': 'git@example.com:x/y.git',
      'remote.c.url': 'ssh://git@example.com/x',
      'remote.c.pushurl': 'host:x',
      'remote.pushDefault': 'a/b',
      'branch.main.remote': 'origin',
      'branch.a/b.remote': '.',
      'branch.c.remote': 'a/b',
      'branch.d.remote': 'https://example.com/z',
      'url.git@example.com:.insteadOf': 'https://example.com/',
      'submodule.x.url': '../x',
      'lfs.url': 'https://example.com/lfs',
    });
    for (const command of ['git push', 'git fetch']) expect(decide(project, command)).toBe('allow');
  });

  it('does not cover changes through links in the data of a repository', () => {
    for (const link of ['logs/HEAD', 'FETCH_HEAD', 'index.lock', 'refs/heads', 'objects/ab', 'info/x']) {
      const project = repository(`link-${link.replace(/\W/g, '-')}`);
      mkdirSync(path.dirname(path.join(project, '.git', link)), { recursive: true });
      symlinkSync('../../../out', path.join(project, '.git', link));
      for (const command of ['git add .', 'git stash', 'git fetch']) {
        expect([link, command, decide(project, command)]).toEqual([link, command, 'ask']);
        expect(decide(project, command, { isTrusted: true })).toBe('allow');
      }
    }
    const hooked = repository('linked-hook');
    mkdirSync(path.join(hooked, '.git/hooks'), { recursive: true });
    symlinkSync('../../scripts/x', path.join(hooked, '.git/hooks/pre-commit'));
    expect(decide(hooked, 'git add .')).toBe('allow');
  });

  it.each([
    'git status',
    'git diff --stat',
    'git add -A && git commit -m x',
    'cd src && git status',
    'cd new && git status',
    'git push origin main',
    'git fetch',
    'git stash',
    'git st',
    'git --git-dir=.git status',
    'git -C src log',
    'git -C . add a',
  ])('covers it in an ordinary repository, with programs in the settings of the user: %s', (command) => {
    const allow = command.includes('git -') ? ['Bash(git *)', 'Bash(cd *)'] : GIT_RULES;
    for (const isTrusted of [false, true]) expect(decide(plain, command, { allow, isTrusted })).toBe('allow');
  });

  const USUAL: readonly (readonly [string, string])[] = [
    ['core.fsmonitor', 'true'],
    ['core.hooksPath', '.husky/_'],
    ['core.sshCommand', 'ssh -i ~/.ssh/work -o IdentitiesOnly=yes'],
    ['core.editor', 'code --wait'],
    ['core.pager', 'less -FRX'],
    ['credential.helper', 'store'],
    ['credential.helper', '!/usr/bin/gh auth git-credential'],
    ['user.signingKey', 'x'],
    ['commit.gpgSign', 'true'],
    ['gpg.format', 'ssh'],
    ['remote.origin.promisor', 'true'],
    ['remote.origin.partialclonefilter', 'blob:none'],
    ['filter.lfs.process', 'git-lfs filter-process'],
    ['branch.main.vscode-merge-base', 'origin/main'],
    ['submodule.x.update', 'rebase'],
    ['merge.tool', 'vimdiff'],
    ['alias.other', '!x'],
    ['pull.rebase', 'true'],
    ['core.editor', 'vim -n'],
    ['core.worktree', '..'],
    ['http.https://github.com/.extraheader', 'x'],
    ['lfs.https://h/x.access', 'basic'],
    ['log.showSignature', 'true'],
    ['format.suffix', '.txt'],
  ];
  it.each(USUAL)('covers it with a usual setting of the repository: %s %s', (key, value) => {
    const project = repository(`usual-${key.replace(/\W/g, '-')}-${value.length}`, { [key]: value });
    for (const name of ['pre-commit', 'commit-msg', 'post-checkout', 'pre-push'])
      for (const folder of ['.git/hooks', '.husky/_']) write(path.join(project, folder, name), '');
    for (const command of ['git add .', 'git commit -m x', 'git fetch', 'git stash'])
      expect([command, decide(project, command)]).toEqual([command, 'allow']);
  });
});
