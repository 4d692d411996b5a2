/** Protected places that exist stay as they are in the sandbox, at any depth and with any name. */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, symlinkSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { check, sandboxFixtures } from './test/sandbox-fixture.ts';

const open = sandboxFixtures();

const NESTED = [
  'pkg/.envrc',
  'pkg/.npmrc',
  'pkg/.husky/pre-commit',
  'pkg/.pre-commit-config.yaml',
  'pkg/mise.toml',
  'pkg/.config/mise.toml',
  'pkg/.Vscode/tasks.json',
  'a/b/c/d/.vscode/tasks.json',
  'sub/.claude-plugin/plugin.json',
  'sub/.hg/hgrc',
  'sub/.jj/repo/config.toml',
  '.venv/pip.conf',
];
const FAMILIES = [
  '.yarnrc.yml',
  '.yarnrc',
  '.bazelrc',
  '.bazelrc.user',
  '.aider.conf.yml',
  '.lefthook.yml',
  'pkg/.pnpmfile.cjs',
];
const NAMED = ['bin2/prog', 'tools/x.sh', 'tmpl/hooks/post-checkout', 'files/envrc', 'sub2/tools/y.sh'];
/** Package managers write these. */
const WRITABLE = [
  'node_modules/.bin/eslint',
  'node_modules/x/.npmrc',
  'pkg/node_modules/.bin/tsc',
  '.venv/bin/python',
  '.venv/lib/python3/site-packages/x/.python-version',
  'vendor/bin/x',
  '.yarn/releases/yarn.cjs',
  '.pnp.cjs',
  'pkg/.gitattributes',
  'sub/.hg/store/data/.husky/a.i',
  'src/a.ts',
];

const all = [...NESTED, ...FAMILIES, ...NAMED, ...WRITABLE];

describe.runIf(check.available)('an existing protected place', () => {
  it('is not changed, and package managers can work', async () => {
    const fixture = open({
      repository: 'project',
      files: Object.fromEntries(all.map((file) => [file, 'old'])),
    });
    const { run, project } = fixture;
    const git = (folder: string, key: string, value: string): void =>
      void execFileSync('git', ['-C', path.join(project, folder), 'config', key, value]);
    git('.', 'alias.x', '!tools/x.sh');
    git('.', 'init.templateDir', path.join(project, 'tmpl'));
    execFileSync('git', ['init', '-q', path.join(project, 'sub2')]);
    git('sub2', 'alias.y', '!tools/y.sh');
    symlinkSync('files/envrc', path.join(project, '.envrc'));
    vi.stubEnv(
      'PATH',
      `${process.env['PATH']}:${project}/bin2:${project}/node_modules/.bin:${project}/.venv/bin`,
    );
    const ran = await run(`for f in ${all.join(' ')}; do echo evil >> $f; rm -f $f.x; done; true`);
    vi.unstubAllEnvs();
    expect(ran.isError).toBe(false);
    const changed = all.filter((file) => readFileSync(path.join(project, file), 'utf8') !== 'old');
    expect(changed).toEqual(WRITABLE);
  });

  it('is neither removed nor moved, and a new one may be made', async () => {
    const { run, project } = open({ files: { 'pkg/.npmrc': 'old', 'pkg/.husky/pre-commit': 'old' } });
    await run(
      'rm -rf pkg; mv pkg/.npmrc pkg/x; mv pkg/.husky pkg/y; mkdir -p new/.husky; echo 1 > new/.husky/pre-commit; echo 1 > new/.npmrc',
    );
    for (const file of ['pkg/.npmrc', 'pkg/.husky/pre-commit'])
      expect(readFileSync(path.join(project, file), 'utf8')).toBe('old');
    expect(existsSync(path.join(project, 'new/.husky/pre-commit'))).toBe(true);
    expect(existsSync(path.join(project, 'new/.npmrc'))).toBe(true);
  });

  it('cannot be moved with its folder so that another one takes its path', async () => {
    const { run, project } = open({
      files: { 'deep/x/.husky/pre-commit': 'old', 'up/y/.yarnrc.yml': 'old', 'up/y/b': '1', c: '1' },
    });
    const ran = await run(
      `mv deep old; mv deep/x deep/z; mkdir -p deep/x/.husky; echo evil > deep/x/.husky/pre-commit
       mv up up2; mkdir -p up/y; echo evil > up/y/.yarnrc.yml; ln -sfn ../c up/y; mv -T up/y up/z
       mv up/y/b b && mv c up/y/c && ln b up/y/d && echo done`,
    );
    expect(ran.text).toContain('done');
    for (const file of ['deep/x/.husky/pre-commit', 'up/y/.yarnrc.yml'])
      expect(readFileSync(path.join(project, file), 'utf8')).toBe('old');
    expect(existsSync(path.join(project, 'up/y/d'))).toBe(true);
  });

  it('is one of the first 100', async () => {
    const files = Array.from({ length: 120 }, (_, at) => `p${at}/.npmrc`);
    const deep = 'p0/q/.npmrc';
    const { run, project } = open({
      files: Object.fromEntries([...files, deep, '.envrc'].map((file) => [file, 'old'])),
    });
    await run('for f in .envrc */.npmrc */*/.npmrc; do echo evil > $f; done');
    const kept = [...files, '.envrc'].filter(
      (file) => readFileSync(path.join(project, file), 'utf8') === 'old',
    );
    expect(kept).toHaveLength(100);
    expect(kept).toContain('.envrc');
    expect(readFileSync(path.join(project, deep), 'utf8')).toBe('evil\n');
  });

  it('is kept in a worktree of a subagent, and broken links are left alone', async () => {
    const { run, project } = open({
      repository: 'project',
      files: { '.heddle/worktrees/a1/pkg/.npmrc': 'old' },
    });
    mkdirSync(path.join(project, 'pkg'));
    symlinkSync('nowhere', path.join(project, 'pkg/.envrc'));
    const ran = await run('echo evil > .heddle/worktrees/a1/pkg/.npmrc; echo done');
    expect(ran.text).toContain('done');
    expect(readFileSync(path.join(project, '.heddle/worktrees/a1/pkg/.npmrc'), 'utf8')).toBe('old');
    expect(existsSync(path.join(project, 'pkg/nowhere'))).toBe(false);
  });
});
