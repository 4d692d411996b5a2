/** Tests that commands cannot write files that decide which programs git runs. */
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { check, sandboxFixtures } from './test/sandbox-fixture.ts';

const open = sandboxFixtures();

/** A repository with hooks elsewhere, an included file, a worktree and a module. */
function prepared() {
  const fixture = open({ repository: 'project', files: { a: '1', '.husky/pre-commit': '' } });
  const { project } = fixture;
  const git = (...args: string[]): string => execFileSync('git', args, { cwd: project, encoding: 'utf8' });
  git('config', 'advice.ignoredHook', 'false');
  git('config', 'user.name', 'a');
  git('config', 'user.email', 'a@b');
  git('config', 'core.hooksPath', '.husky');
  git('config', 'include.path', '../extra.cfg');
  git('config', 'core.attributesFile', '.attributes');
  writeFileSync(path.join(project, '.attributes'), '');
  git('add', 'a');
  git('commit', '-qm', 'one');
  git('worktree', 'add', '-q', 'tree');
  execFileSync('git', ['init', '-q', '--bare', '.git/modules/lib'], { cwd: project });
  const inGit = (folder: string): Record<string, string> =>
    Object.fromEntries(
      [
        'config',
        'config.worktree',
        'commondir',
        'hooks/pre-commit',
        'info/attributes',
        'objects/info/alternates',
      ].map((name) => [`${folder}/${name}`, textOf(path.join(project, folder, name))]),
    );
  const state = (): Record<string, string> => ({
    ...inGit('.git'),
    ...inGit('.git/modules/lib'),
    ...Object.fromEntries(
      [
        '.git/worktrees/tree/commondir',
        '.git/worktrees/tree/gitdir',
        '.git/worktrees/tree/config.worktree',
        'tree/.git',
        'extra.cfg',
        '.attributes',
        '.husky/pre-commit',
        '.husky/post-commit',
      ].map((name) => [name, textOf(path.join(project, name))]),
    ),
  });
  return { ...fixture, state };
}

function textOf(file: string): string {
  return existsSync(file) ? readFileSync(file, 'utf8') : 'absent';
}

describe.runIf(check.available)('in the sandbox, git', () => {
  it('has nothing changed that decides what it runs, neither during a command nor after it', async () => {
    const { run, project, state } = prepared();
    const before = state();
    const places = Object.keys(before);
    const tries = places.flatMap((file) => [
      `mkdir -p "$(dirname '${file}')"; echo evil >> '${file}'`,
      `rm -f '${file}'; ln -s ../a '${file}'`,
      `mv '${file}' moved`,
      `echo evil > x; mv -f x '${file}'`,
      `cp a '${file}'`,
    ]);
    const ways = [
      'mv .git/hooks h2; mkdir .git/hooks; echo evil > .git/hooks/pre-commit',
      'mv .husky h3; mkdir .husky; echo evil > .husky/pre-commit',
      'mv .git g2; git init -q .; git config core.fsmonitor evil',
      'cp -r .git g3; rm -rf .git; mv g3 .git; git config core.fsmonitor evil',
      'git config core.fsmonitor evil',
      'git config --worktree core.fsmonitor evil',
      'mv .git/info i2; mkdir .git/info; echo evil > .git/info/attributes',
      'mv .git/modules m2; mkdir -p .git/modules/lib; echo evil > .git/modules/lib/config',
      'mv .git/worktrees w2; mkdir -p .git/worktrees/tree; echo evil > .git/worktrees/tree/commondir',
    ];
    const script = [...tries, ...ways].map((line) => `{ ${line}; } 2>/dev/null`).join('\n');
    const ran = await run(
      `${script}\ngrep -rl evil .git .husky extra.cfg .attributes tree/.git 2>/dev/null; echo end`,
    );
    expect(
      ran.text.split('\n').filter((line) => line !== '' && !/^(The sandbox|Commands may)/.test(line)),
    ).toEqual(['end']);
    expect(state()).toEqual(before);
    expect(readdirSync(project)).toContain('.husky');
  });

  it('adds, commits, branches, stashes and makes worktrees as ever', async () => {
    const { run, project } = prepared();
    const ran = await run(
      'echo 2 > a && git add a && git commit -qm two && git branch x && echo 3 > a && git stash -q && git stash pop -q && ' +
        'git checkout -q -b y && git worktree add -q other && git -C other log --oneline | wc -l && git gc -q && git status --short -uno && ' +
        'git worktree list | wc -l',
    );
    expect({ isError: ran.isError, text: ran.text }).toEqual({ isError: false, text: '2\n M a\n3' });
    expect(execFileSync('git', ['log', '--format=%s'], { cwd: project, encoding: 'utf8' })).toBe(
      'two\none\n',
    );
    expect(existsSync(path.join(project, '.git/commondir'))).toBe(false);
    expect(existsSync(path.join(project, '.git/config.worktree'))).toBe(false);
    expect(existsSync(path.join(project, 'extra.cfg'))).toBe(false);
  });

  it('works outside while a command runs inside', async () => {
    const { run, project, tasks } = prepared();
    const started = await run('touch started; sleep 30', { input: { run_in_background: true } });
    expect(started.isError).toBe(false);
    await expect.poll(() => existsSync(path.join(project, 'started'))).toBe(true);
    expect(textOf(path.join(project, '.git/commondir'))).toBe('.\n');
    const git = (...args: string[]): string => execFileSync('git', args, { cwd: project, encoding: 'utf8' });
    expect(git('log', '--format=%s')).toBe('one\n');
    git('commit', '-q', '--allow-empty', '-m', 'outside');
    await tasks.dispose();
    expect(existsSync(path.join(project, '.git/commondir'))).toBe(false);
  });
});

describe.runIf(check.available)(
  'in the sandbox, a command cannot write the places of git that variables name',
  () => {
    const setting = (key: string, value: string): Record<string, string> => ({
      GIT_CONFIG_COUNT: '1',
      GIT_CONFIG_KEY_0: key,
      GIT_CONFIG_VALUE_0: value,
    });
    it.each([
      [setting('core.hooksPath', 'hk'), 'hk/pre-commit'],
      [setting('core.hooksPath', './hk'), 'hk/pre-commit'],
      [setting('include.path', './inc'), 'inc'],
      [{ GIT_CONFIG_GLOBAL: './cfg/own' }, 'cfg/own'],
      [{ XDG_CONFIG_HOME: './xdg' }, 'xdg/git/config'],
    ])('%j', async (variables, file) => {
      for (const repository of ['project', undefined]) {
        const fixture = open({ variables, files: { a: '1' }, ...(repository ? { repository } : {}) });
        await fixture.run(`mkdir -p "$(dirname '${file}')"; echo x > '${file}'; touch b`);
        expect([textOf(path.join(fixture.project, file)), textOf(path.join(fixture.project, 'b'))]).toEqual([
          'absent',
          '',
        ]);
      }
    });

    it('existing programs', async () => {
      const variables = { ...setting('alias.x', '!./al.sh'), GIT_EDITOR: './ed.sh' };
      const fixture = open({ repository: 'project', variables, files: { 'al.sh': '1', 'ed.sh': '1' } });
      await fixture.run('echo x > al.sh; echo x > ed.sh; touch b');
      expect(['al.sh', 'ed.sh', 'b'].map((name) => textOf(path.join(fixture.project, name)))).toEqual([
        '1',
        '1',
        '',
      ]);
    });
  },
);
