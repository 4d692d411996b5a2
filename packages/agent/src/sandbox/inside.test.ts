/** Commands inside the sandbox, for real. */
import { execFileSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmdirSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { check, sandboxFixtures } from './test/sandbox-fixture.ts';

const open = sandboxFixtures();

const put = (file: string, text = ''): void => {
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, text);
};

describe.runIf(check.available)('the kernel', () => {
  it('keeps its settings, also from root', async () => {
    const { run } = open();
    const ran = await run('cat /proc/sys/vm/swappiness > /proc/sys/vm/swappiness');
    expect(ran.text).toMatch(/Read-only file system|Permission denied/);
    expect(ran.isError).toBe(true);
    expect((await run('cat /proc/sys/vm/swappiness; ls /proc/self > /dev/null')).isError).toBe(false);
  });
});

describe.runIf(check.available)('a command that was proven to only read', () => {
  it('writes nothing in the sandbox but its temporary files', async () => {
    const { run, project } = open({ files: { a: 'one' } });
    const ran = await run('cat a; echo x > "$TMPDIR/t" && cat "$TMPDIR/t"; echo x > made', {
      readOnlyRun: 'preferred',
    });
    expect(ran.text).toMatch(/^onex\n/);
    expect(ran.isError).toBe(true);
    expect(existsSync(path.join(project, 'made'))).toBe(false);
    expect((await run('echo x > made')).isError).toBe(false);
  });
});

describe.runIf(check.available)('a command in the sandbox', () => {
  it('writes in the project and in its temporary folder', async () => {
    const { run, project } = open();
    const ran = await run('echo inside > file; cat file; echo x > "$TMPDIR/t" && echo kept');
    expect(ran).toMatchObject({ text: 'inside\nkept', isError: false });
    expect(readFileSync(path.join(project, 'file'), 'utf8')).toBe('inside\n');
  });

  it('writes nowhere else, and the model is told what was refused and what it can do', async () => {
    const { run, base, project } = open();
    const ran = await run('echo out > ../outside');
    expect(ran.isError).toBe(true);
    expect(ran.text).toContain(`The sandbox refused: writing ${base}/outside`);
    expect(ran.text).toContain(`Commands may write in ${project}, `);
    expect(ran.text).toContain('dangerouslyDisableSandbox: true');
    expect(existsSync(path.join(base, 'outside'))).toBe(false);
  });

  it('writes nothing through a link that leads out', async () => {
    const { run, base, project } = open();
    mkdirSync(path.join(base, 'elsewhere'));
    symlinkSync('../elsewhere', path.join(project, 'link'));
    const ran = await run('echo out > link/file');
    expect(ran.text).toContain('The sandbox refused: writing');
    const made = await run('ln -s ../elsewhere own && echo out > own/file');
    expect(made.text).toContain('The sandbox refused: writing');
    expect(readdirSync(path.join(base, 'elsewhere'))).toEqual([]);
  });

  it('writes in additional directories, and where settings and Edit rules open a place', async () => {
    const first = open();
    const places = ['more', 'opened', 'ruled'].map((name) => path.join(first.base, name));
    for (const place of places) mkdirSync(place);
    const [more = '', other = '', ruled = ''] = places;
    const { run } = open({
      directories: [more],
      settings: { filesystem: { allowWrite: [other] } },
      rules: { allow: [`Edit(/${ruled}/**)`] },
    });
    const ran = await run(places.map((place) => `echo x > ${place}/file`).join(' && '));
    expect(ran).toMatchObject({ isError: false });
  });

  it('writes in a project that is called by a link, and is kept from the same things there', async () => {
    const { base, home } = open();
    mkdirSync(path.join(base, 'real/locked'), { recursive: true });
    symlinkSync(path.join(base, 'real'), path.join(base, 'link'));
    const { run } = open({
      at: { base, home, project: path.join(base, 'link') },
      rules: { deny: ['Edit(locked/**)'] },
    });
    const ran = await run(
      `echo in > ok; echo x > locked/a; mkdir -p .git/hooks .claude/x;
       git init -q sub && echo evil > sub/.git/hooks/pre-commit`,
    );
    expect(ran.text).toContain('The sandbox refused: writing locked/a');
    expect(ran.text).toContain(`took away what would run outside of it later: ${base}/real/sub/.git/hooks`);
    expect(readdirSync(path.join(base, 'real')).sort()).toEqual(['locked', 'ok', 'sub']);
    expect(readdirSync(path.join(base, 'real/locked'))).toEqual([]);
  });

  it('changes nothing that a deny rule for Edit or Read protects, at any depth', async () => {
    const { run, project } = open({
      rules: { deny: ['Edit(locked/**)', 'Edit(*.lock)', 'Read(.env)'] },
      files: { 'locked/a': '1', 'deep/x.lock': '1', 'deep/.env': 'SECRET=1', 'deep/free': '1' },
    });
    const ran = await run(
      'for f in locked/a locked/new deep/x.lock deep/.env; do echo 2 > $f; done; echo 2 > deep/free; true',
    );
    expect(ran.isError).toBe(false);
    const text = (file: string): string => readFileSync(path.join(project, file), 'utf8').trim();
    expect(['locked/a', 'deep/x.lock', 'deep/.env', 'deep/free'].map(text)).toEqual([
      '1',
      '1',
      'SECRET=1',
      '2',
    ]);
    expect(existsSync(path.join(project, 'locked/new'))).toBe(false);
  });

  it('reads everything but what settings and deny rules for Read hide', async () => {
    const { run, home } = open({
      settings: { filesystem: { denyRead: ['~/secrets'], allowRead: ['~/secrets/open'] } },
      rules: { deny: ['Read(.env)', 'Read(~/.keys/**)'] },
      files: { '.env': 'HIDDEN-1', 'sub/.env': 'HIDDEN-2', readable: 'seen' },
    });
    put(path.join(home, 'secrets/a'), 'HIDDEN-3');
    put(path.join(home, 'secrets/open/b'), 'opened');
    put(path.join(home, '.keys/id'), 'HIDDEN-4');
    const ran = await run('cat .env sub/.env ~/secrets/a ~/.keys/id readable ~/secrets/open/b; true');
    expect(ran.text).not.toContain('HIDDEN');
    expect(ran.text).toContain('seen');
    expect(ran.text).toContain('opened');
  });

  it('gets only the environment that Bash gives it', async () => {
    const { run, home } = open();
    const ran = await run('echo "${HEDDLE_TASKS:+label} $HOME"; env | grep -c VITEST; true');
    expect(ran.text).toBe(`label ${home}\n0`);
  });
});

describe.runIf(check.available)('what makes something run outside, later', () => {
  const GUARDED = [
    '.git/hooks/pre-commit',
    '.git/config',
    '.claude/settings.json',
    '.claude/settings.local.json',
    '.claude/commands/x.md',
    '.heddle/settings.json',
    '.mcp.json',
  ];

  it('does not come into being where it did not exist, and the model is told', async () => {
    const { run, project } = open();
    const ran = await run(
      GUARDED.map((file) => `mkdir -p ${path.dirname(file)}; echo evil > ${file}`).join('\n'),
    );
    expect(ran.isError).toBe(true);
    expect(ran.text).toContain('The sandbox refused: ');
    expect(readdirSync(project)).toEqual([]);
  });

  it('is not changed, replaced, removed or moved away where it exists', async () => {
    const files = Object.fromEntries(GUARDED.map((file) => [file, '# mine']));
    const { run, project } = open({ files, repository: 'project' });
    const before = GUARDED.map((file) => readFileSync(path.join(project, file), 'utf8'));
    const attack = (file: string): string =>
      `echo evil > ${file}; echo evil > new; mv -f new ${file}; rm -f ${file}; mv ${path.dirname(file)} away; rm -rf ${path.dirname(file)}`;
    await run(`${GUARDED.map(attack).join('\n')}; mv .git git`);
    expect(GUARDED.map((file) => readFileSync(path.join(project, file), 'utf8'))).toEqual(before);
  });

  it('is kept from a command also when another one ends before it', async () => {
    const { run, project } = open();
    const up = Promise.withResolvers<void>();
    const attack =
      'mkdir -p .claude .git/hooks; echo evil > .claude/settings.json; echo evil > .git/hooks/x; echo evil > .mcp.json';
    const first = run('true');
    const ran = run(`echo up; until [ -e go ]; do sleep 0.02; done; ${attack}`, {
      onOutput: () => up.resolve(),
    });
    await Promise.all([up.promise, first, run('true')]);
    await run('true');
    writeFileSync(path.join(project, 'go'), '');
    // Kept all the time, not taken away at the end.
    expect((await ran).text).not.toContain('took away');
    expect(readdirSync(project)).toEqual(['go']);
  });

  it('is taken away again where another program removed what stood in its place', async () => {
    const { run, project } = open();
    const up = Promise.withResolvers<void>();
    const ran = run(
      'echo up; until mkdir .claude/x 2>&1; do sleep 0.05; mkdir .claude; done; echo evil > .claude/settings.json',
      {
        onOutput: () => up.resolve(),
      },
    );
    await up.promise;
    rmdirSync(path.join(project, '.claude'));
    expect((await ran).text).toContain(`took away what would run outside of it later: ${project}/.claude`);
    expect(existsSync(path.join(project, '.claude'))).toBe(false);
  });

  it('a hooks folder is not created in a repository that has none', async () => {
    const { run, project } = open({ repository: 'project' });
    execFileSync('rm', ['-rf', path.join(project, '.git/hooks')]);
    await run('mkdir .git/hooks; mkdir other; echo evil > other/pre-commit; mv other .git/hooks; true');
    expect(existsSync(path.join(project, '.git/hooks'))).toBe(false);
  });

  it('is kept from it in additional directories and in the home folder, too', async () => {
    const first = open();
    const more = path.join(first.base, 'more');
    mkdirSync(more);
    const { run, home } = open({ directories: [more], settings: { filesystem: { allowWrite: ['~'] } } });
    await run(
      `mkdir -p ${more}/.git/hooks ${more}/.claude; echo evil | tee ${more}/.git/hooks/x ${more}/.claude/settings.json ~/.bashrc ~/.zshrc ~/.heddle/settings.json; true`,
    );
    expect(readdirSync(more)).toEqual([]);
    expect(readdirSync(home).sort()).toEqual(['.heddle']);
    expect(readdirSync(path.join(home, '.heddle'))).not.toContain('settings.json');
  });

  it('leaves git its work: status, add, commit, branches', async () => {
    const { run, project } = open({ repository: 'project', files: { a: '1' } });
    const ran = await run(
      'git status --short && git add -A && git commit -qm one && git checkout -qb two && git log --format=%s',
    );
    expect(ran).toMatchObject({ isError: false, text: expect.stringMatching(/^\?\? a\none$/) });
    expect(execFileSync('git', ['status', '--short'], { cwd: project, encoding: 'utf8' })).toBe('');
  });

  it('leaves git its work where the project is a folder of a repository', async () => {
    const { run, base } = open({ project: 'repo/packages/a', repository: 'repo', files: { a: '1' } });
    const ran = await run(
      'git add -A && git commit -qm one && git log --format=%s; echo evil > ../../.git/hooks/pre-commit',
    );
    expect(ran.text).toMatch(/^one\n/);
    expect(existsSync(path.join(base, 'repo/.git/hooks/pre-commit'))).toBe(false);
  });

  it('leaves git its work in a worktree', async () => {
    const { project, base, home } = open({ project: 'main', repository: 'main', files: { a: '1' } });
    commit(project);
    git(project, 'worktree', 'add', '-q', path.join(base, 'tree'));
    const { run } = open({ at: { base, home, project: path.join(base, 'tree') } });
    const ran = await run(
      'echo 2 > a; git commit -qam two && git log --format=%s; echo evil > ../main/.git/hooks/x',
    );
    expect(ran.text).toMatch(/^two\none\n/);
    expect(existsSync(path.join(project, '.git/hooks/x'))).toBe(false);
    expect(existsSync(path.join(project, 'a'))).toBe(true);
  });

  it('does not open a folder that a project only claims to be its repository', async () => {
    const { base } = open();
    put(path.join(base, 'prey/HEAD'), 'ref: refs/heads/main');
    put(path.join(base, 'prey/commondir'), '.');
    const { run } = open({ files: { '.git': `gitdir: ${base}/prey` } });
    expect((await run(`echo evil > ${base}/prey/file`)).isError).toBe(true);
    expect(existsSync(path.join(base, 'prey/file'))).toBe(false);
  });
});

function git(folder: string, ...args: string[]): void {
  execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@b', ...args], { cwd: folder });
}

function commit(folder: string): void {
  git(folder, 'add', '-A');
  git(folder, 'commit', '-qm', 'one');
}

describe.runIf(!check.available)('where no sandbox can be made', () => {
  it('says what goes untested', () => {
    const why = check.available ? '' : `${check.reason} ${check.install ?? ''}`;
    console.warn(`The sandbox tests did not run: ${why}`);
    expect(why).not.toBe('');
  });
});
