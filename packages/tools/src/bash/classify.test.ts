/** The traits of a command that the loop reads before it runs. */
import { execFileSync } from 'node:child_process';
import { appendFileSync, cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { contextOf } from '@heddle/testing';
import { describe, expect, it } from 'vitest';
import type { createBashTool } from './bash.ts';
import { limitsFrom } from './result.ts';
import { scratch, shellIn } from './test/shell.ts';

const about = async (
  command: string,
  bash: ReturnType<typeof createBashTool>,
  given: object = {},
  workingDirectory = '/project',
) => ({
  readOnly: await bash.isReadOnly({ command, ...given }, contextOf({ workingDirectory })),
  safe: await bash.isConcurrencySafe({ command, ...given }, contextOf({ workingDirectory })),
});

describe('a command', () => {
  it('that provably only reads may start early, beside others', async () => {
    const { bash } = shellIn(scratch());
    await bash.inputSchema();
    for (const command of ['ls -la', 'sleep 1', 'cat a | grep b', 'git rev-parse --show-toplevel']) {
      expect({ command, ...(await about(command, bash)) }).toEqual({ command, readOnly: true, safe: true });
    }
  });

  it('without a proof runs alone', async () => {
    const { bash } = shellIn(scratch());
    await bash.inputSchema();
    for (const command of ['rm a', 'ls > a', 'git log', 'echo $(rm a)', 'npm test']) {
      expect({ command, ...(await about(command, bash)) }).toEqual({ command, readOnly: false, safe: false });
    }
  });

  it('that changes the directory changes no file, but keeps its position in the order', async () => {
    const { bash } = shellIn(scratch());
    await bash.inputSchema();
    expect(await about('cd src && ls', bash)).toEqual({ readOnly: true, safe: false });
  });

  it('has no proof before the grammar is loaded, nor in the background', async () => {
    const { bash } = shellIn(scratch());
    expect(await about('ls', bash)).toEqual({ readOnly: false, safe: false });
    await bash.inputSchema();
    expect(await about('ls', bash, { run_in_background: true })).toEqual({ readOnly: false, safe: false });
  });

  it('of git has a proof if nothing in the repository would run a program', async () => {
    const { folder, bash } = await repository();
    const proven = { readOnly: true, safe: true };
    for (const command of ['git status', 'git log --oneline | head -3', 'git diff --stat'])
      expect({ command, ...(await about(command, bash, {}, folder)) }).toEqual({ command, ...proven });
    expect(await about('git commit -m x', bash, {}, folder)).toEqual({ readOnly: false, safe: false });
    expect(await about('cd .. && git log', bash, {}, folder)).toEqual({ readOnly: false, safe: false });
  });

  it.each([
    [
      'its configuration',
      (folder: string) => appendFileSync(`${folder}/.git/config`, '[diff]\n\texternal = evil\n'),
    ],
    ['a hook', (folder: string) => writeFileSync(`${folder}/.git/hooks/post-index-change`, '')],
    ['its user', (folder: string) => writeFileSync(`${folder}/.gitconfig`, '[core]\n\tfsmonitor = evil\n')],
    [
      'a file that was to be included',
      (folder: string) => writeFileSync(`${folder}/more`, '[diff]\n\texternal = evil\n'),
    ],
    [
      'a repository in between',
      (folder: string) => cpSync(`${folder}/evil.git`, `${folder}/sub/.git`, { recursive: true }),
    ],
    [
      'a bare repository in between',
      (folder: string) => cpSync(`${folder}/evil.git`, `${folder}/sub`, { recursive: true }),
    ],
  ])('of git loses its proof at once when %s runs one', async (_what, change) => {
    const { folder, bash } = await repository();
    const sub = `${folder}/sub`;
    expect(await bash.isReadOnly({ command: 'git diff' }, contextOf({ workingDirectory: sub }))).toBe(true);
    change(folder);
    expect(await bash.isReadOnly({ command: 'git diff' }, contextOf({ workingDirectory: sub }))).toBe(false);
  });

  it('of git is classified without starting git', async () => {
    const { folder, bash, asked } = await repository();
    for (const command of ['git status', 'git log -p', 'git commit', 'git -C sub diff'])
      await about(command, bash, {}, folder);
    expect(asked()).toBe(0);
  });

  it('of git with a proof runs with the programs of a repository disabled, and another one does not', async () => {
    const { run } = shellIn(scratch());
    const shown =
      'printenv GIT_ALLOW_PROTOCOL GIT_NO_LAZY_FETCH GIT_PAGER GIT_CONFIG_KEY_0 GIT_CONFIG_VALUE_0';
    expect((await run(`git --version; ${shown}`)).content).toContain('none\n1\ncat\ncore.fsmonitor\nfalse');
    expect((await run(`git --version; touch a; ${shown}`)).content).not.toContain('fsmonitor');
    // The printed settings are those of the user.
    expect((await run('git config --list --show-origin')).content).not.toContain('command line:');
  });

  it.each([
    String.raw`g\it`,
    `"g"it`,
    `g''it`,
    `'git'`,
    `gi"t"`,
    String.raw`\g\i\t`,
    `$'git'`,
    String.raw`$'g\x69t'`,
    `/usr/bin/g"it"`,
    `g""i''t`,
  ])('of git with a proof runs with the same variables if its name is written %s', async (name) => {
    const folder = scratch();
    const { run } = shellIn(folder);
    const context = { ...contextOf({ workingDirectory: folder }), readOnlyRun: 'preferred' as const };
    const command = `${name} --version; printenv GIT_OPTIONAL_LOCKS GIT_CONFIG_KEY_0 GIT_CONFIG_VALUE_0`;
    expect((await run(command, { context })).content).toContain('0\ncore.fsmonitor\nfalse');
  });

  it('of git has no proof in a folder that is missing', async () => {
    const { bash } = await repository();
    const context = contextOf({ workingDirectory: '/no/such' });
    expect(await bash.isReadOnly({ command: 'git diff' }, context)).toBe(false);
  });
});

/** An existing repository, with a `git` that counts its calls. */
async function repository() {
  const folder = scratch();
  const count = path.join(scratch(), 'count');
  const bin = scratch();
  const real = execFileSync('bash', ['-c', 'command -v git'], { encoding: 'utf8' }).trim();
  writeFileSync(path.join(bin, 'git'), `#!/bin/bash\necho >> ${count}\nexec ${real} "$@"\n`, { mode: 0o755 });
  const home = { HOME: folder, XDG_CONFIG_HOME: `${folder}/.config`, GIT_CONFIG_NOSYSTEM: '1' };
  const git = (...args: string[]): void =>
    void execFileSync(real, args, { cwd: folder, env: { PATH: process.env['PATH'] ?? '', ...home } });
  git('init', '-q', '--template=');
  git('init', '-q', '--bare', '--template=', 'evil.git');
  git('-C', 'evil.git', 'config', 'diff.external', 'evil');
  git('config', 'include.path', '../more');
  mkdirSync(path.join(folder, '.git/hooks'), { recursive: true });
  mkdirSync(path.join(folder, 'sub'));
  writeFileSync(path.join(folder, 'sub/a'), 'a');
  git('add', 'sub/a');
  const environment = { PATH: `${bin}:${process.env['PATH']}`, ...home };
  const { bash } = shellIn(folder, { environment: () => environment });
  await bash.inputSchema();
  const asked = (): number => readFileSync(count, { encoding: 'utf8', flag: 'a+' }).length;
  return { folder, bash, asked };
}

describe('the input of Bash', () => {
  it.each([
    {},
    { command: '' },
    { command: 1 },
    { command: 'ls', timeout: 0 },
    { command: 'ls', timeout: 'soon' },
    { command: 'ls', run_in_background: 'yes' },
    { command: 'ls', cwd: '/' },
  ])('is rejected as %j', async (input) => {
    const schema = await shellIn(scratch()).bash.inputSchema();
    expect(schema.safeParse(input).success).toBe(false);
  });

  it('that the system cannot accept is explained', async () => {
    const { content, isError } = await shellIn(scratch()).run(`echo ${'x'.repeat(200_000)}`);
    expect({ content, isError }).toEqual({
      content: 'The shell could not be started: the command is too long; write it to a file and run that',
      isError: true,
    });
    expect((await shellIn(scratch()).run('echo a\0b')).isError).toBe(true);
  });
});

describe('the limits', () => {
  it('are the documented ones, and follow the environment', () => {
    expect(limitsFrom({})).toMatchObject({
      defaultTimeoutMs: 120_000,
      maxTimeoutMs: 600_000,
      inlineOutput: 30_000,
    });
    const given = {
      BASH_DEFAULT_TIMEOUT_MS: '5000',
      BASH_MAX_TIMEOUT_MS: '9000',
      BASH_MAX_OUTPUT_LENGTH: '999999',
    };
    expect(limitsFrom(given)).toMatchObject({
      defaultTimeoutMs: 5_000,
      maxTimeoutMs: 9_000,
      inlineOutput: 150_000,
    });
    expect(limitsFrom({ BASH_DEFAULT_TIMEOUT_MS: 'x', BASH_MAX_TIMEOUT_MS: '-1' })).toMatchObject({
      maxTimeoutMs: 600_000,
    });
  });
});
