/** Tests repositories and settings that a command makes in new folders. */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, readlinkSync, rmSync, symlinkSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { check, sandboxFixtures } from './test/sandbox-fixture.ts';

const open = sandboxFixtures();

describe.runIf(check.available)('a repository made inside the sandbox', () => {
  it('stays, without hooks and without settings that name a program', async () => {
    const { run, project, home } = open();
    const ran = await run(
      `git init -q sub && cd sub && echo evil > .git/hooks/pre-commit && chmod +x .git/hooks/pre-commit &&
       git config core.fsmonitor evil && git config alias.st '!evil' && git config user.name me &&
       git remote add bad 'ext::sh -c evil' && git remote add good https://example.com/x.git &&
       echo 1 > a && git add a && git commit -qm one --no-verify && echo done`,
    );
    expect(ran.isError).toBe(false);
    expect(ran.text).toContain('done');
    expect(ran.text).toContain(
      `took away what would run outside of it later: ${project}/sub/.git/hooks/pre-commit`,
    );
    const config = readFileSync(path.join(project, 'sub/.git/config'), 'utf8');
    expect(config).not.toContain('evil');
    expect(config).toMatch(/name = me/);
    expect(config).toContain('https://example.com/x.git');
    expect(existsSync(path.join(project, 'sub/.git/hooks/pre-commit'))).toBe(false);
    expect(readdirSync(path.join(home, '.heddle/quarantine'))).toHaveLength(1);
    expect(
      execFileSync('git', ['log', '--format=%s'], { cwd: path.join(project, 'sub'), encoding: 'utf8' }),
    ).toBe('one\n');
  });

  it('is kept from then on, however deep it lies', async () => {
    const { run, project } = open();
    await run('git init -q a/b/c/d/e/f');
    const ran = await run(
      'cd a/b/c/d/e/f; echo evil > .git/hooks/pre-commit; git config core.fsmonitor evil; git status --short',
    );
    expect(ran.isError).toBe(false);
    expect(existsSync(path.join(project, 'a/b/c/d/e/f/.git/hooks/pre-commit'))).toBe(false);
    expect(readFileSync(path.join(project, 'a/b/c/d/e/f/.git/config'), 'utf8')).not.toContain('evil');
  });

  it('under another name, or with its settings elsewhere, is none the better for it', async () => {
    const { run, project } = open({ repository: 'project' });
    const ran = await run(
      `git init -q --bare x && mv x y && echo '[core]\n\tfsmonitor = evil' >> y/config;
       git init -q --bare z; echo "gitdir: ../nowhere" > z/.git; mkdir w; ln -s ../y w/.git; echo ../y > .git/commondir; true`,
    );
    expect(ran.text).toContain(`core.fsmonitor in ${project}/y/config`);
    expect(existsSync(path.join(project, '.git/commondir'))).toBe(false);
    expect(existsSync(path.join(project, 'z/.git'))).toBe(false);
    expect(readdirSync(path.join(project, 'w'))).toEqual([]);
  });

  it('cannot have its hooks in another folder, nor its settings in one that looks like no repository', async () => {
    const { run, project } = open();
    const ran = await run(
      `mkdir evil && echo 'touch ran' > evil/pre-commit && chmod +x evil/pre-commit &&
       git init -q a && rm -rf a/.git/hooks && ln -s ../../evil a/.git/hooks;
       mkdir -p b/.git c/objects c/refs && echo 'ref: refs/heads/main' > b/.git/HEAD && echo ../../c > b/.git/commondir &&
       mkdir -p objects refs worktrees/.git && cp b/.git/HEAD worktrees/.git/ && echo ../.. > worktrees/.git/commondir &&
       echo x > worktrees/.git/gitdir && echo '[core] fsmonitor = evil' > config;
       printf '[core]\n\trepositoryformatversion = 0\n\tfsmonitor = "touch ran"\n' > c/config; true`,
    );
    expect(ran.text).toContain(`took away what would run outside of it later: `);
    expect(existsSync(path.join(project, 'a/.git/hooks'))).toBe(false);
    expect(existsSync(path.join(project, 'b/.git/commondir'))).toBe(false);
    expect(existsSync(path.join(project, 'worktrees/.git/commondir'))).toBe(false);
  });

  it('may be a worktree of the project', async () => {
    const { run } = open({ repository: 'project', files: { a: '1' } });
    const ran = await run(
      'git add -A; git commit -qm one; git worktree add -q tree; cd tree; git log --format=%s',
    );
    expect(ran).toMatchObject({ isError: false, text: expect.stringMatching(/^one\n/) });
    expect((await run('cd tree && git status --short')).isError).toBe(false);
  });
});

describe.runIf(check.available)('settings of agents made inside the sandbox', () => {
  it('are taken away in every folder', async () => {
    const { run, project } = open({ files: { 'sub/.claude/settings.json': '{}' } });
    const ran = await run(
      `mkdir -p x/.claude y/.heddle; echo '{}' | tee x/.claude/settings.local.json y/.heddle/a y/.mcp.json sub/.claude/settings.json sub/.claude/new; true`,
    );
    expect(ran.text).toContain('took away what would run outside of it later');
    expect(readdirSync(path.join(project, 'x'))).toEqual([]);
    expect(readdirSync(path.join(project, 'y'))).toEqual([]);
    expect(readdirSync(path.join(project, 'sub/.claude'))).toEqual(['settings.json']);
  });
});

describe.runIf(check.available)('a module of Python that a configured command names', () => {
  it('is taken away if a command makes it, and has no placeholder that hides the real module', async () => {
    const { run, project } = open({ configFiles: ['json', 'json.py', 'hooks/check.sh'] });
    const ran = await run('ls; echo evil > json.py; mkdir json; echo evil > json/__init__.py');
    expect(ran.text).toMatch(/^hooks\n/);
    expect(ran.text).toContain(
      `took away what would run outside of it later: ${project}/json, ${project}/json.py.`,
    );
    expect(readdirSync(project).filter((name) => name.startsWith('json'))).toEqual([]);
  });
});

describe.runIf(check.available)('what is guarded and is a link', () => {
  it('leads afterwards where it led before, whatever a command put in its place', async () => {
    const { run, project, base, home } = open({
      repository: 'project',
      files: { 'githooks/x': '1', 'cfg/settings.json': '{}' },
    });
    rmSync(path.join(project, '.git/hooks'), { recursive: true });
    symlinkSync('../githooks', path.join(project, '.git/hooks'));
    symlinkSync('cfg', path.join(project, '.claude'));
    mkdirSync(path.join(project, 'sub'));
    execFileSync('git', ['init', '-q', '--bare', path.join(base, 'elsewhere')]);
    symlinkSync('../../elsewhere', path.join(project, 'sub/.git'));
    const ran = await run(
      `rm .git/hooks && mkdir .git/hooks && echo evil > .git/hooks/pre-commit; rm .claude && mkdir .claude && echo '{}' > .claude/settings.json;
       rm sub/.git && git init -q sub && echo evil > sub/.git/hooks/pre-commit; true`,
    );
    expect(readlinkSync(path.join(project, '.git/hooks'))).toBe('../githooks');
    expect(readlinkSync(path.join(project, '.claude'))).toBe('cfg');
    expect(readlinkSync(path.join(project, 'sub/.git'))).toBe('../../elsewhere');
    expect(ran.text).toContain(`${project}/.git/hooks`);
    expect(readdirSync(path.join(home, '.heddle/quarantine'))).toHaveLength(3);
    expect((await run('true')).text).toBe('(no output)');
  });
});
