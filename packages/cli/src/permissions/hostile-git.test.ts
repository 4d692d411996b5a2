/** Repositories that run a program when git reads them. Neither a decision nor an allowed command runs it. */
import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { checkSandbox } from '@heddle/agent/sandbox';
import { call, say } from '@heddle/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { homeFor } from '../test/home.ts';
import { install, type Installed, linesOf } from '../test/program.ts';
import { HOSTILE, makeRepository } from './test/hostile-git.ts';

let installed: Installed;
beforeAll(async () => {
  installed = await install();
});
afterAll(() => installed.remove());

const COMMANDS = [
  'git log',
  'git log -m -p',
  'git show HEAD',
  'git diff HEAD~ --stat',
  'git status --short',
  'git diff --no-index a ignored/b',
  'git ls-files --stage',
  'git rev-list --objects --all',
  'git --no-pager -c color.ui=never -C . diff',
  'git cherry HEAD~ HEAD',
];

/** Switches the read-only view off, so that only the analysis decides. */
const PROOF_ALONE = ['--settings', JSON.stringify({ sandbox: { readOnlyView: 'off' } })];
const STREAM = ['-p', 'go', '--output-format', 'stream-json', '--verbose', ...PROOF_ALONE];

describe('a hostile repository', () => {
  it('runs nothing, whether a command is allowed, asked about, denied or explained', async () => {
    const { folder, run, script } = homeFor(installed.program);
    const marker = path.join(folder, 'marker');
    const project = path.join(folder, 'project');
    const commands = HOSTILE.flatMap(({ name, trigger, make }, index) => {
      const repository = path.join(project, String(index));
      const copy = path.join(folder, 'tried', String(index));
      make(makeRepository(repository, marker));
      rmSync(marker, { force: true });
      cpSync(repository, copy, { recursive: true, preserveTimestamps: true });
      const env = { PATH: process.env['PATH'] ?? '', HOME: folder, GIT_CONFIG_NOSYSTEM: '1' };
      spawnSync('git', [...trigger], { cwd: copy, env, timeout: 20_000 });
      expect({ name, isHostile: existsSync(marker) }).toEqual({ name, isHostile: true });
      rmSync(marker);
      return [`cd ${repository}`, ...COMMANDS];
    });
    makeRepository(path.join(project, 'clean'), marker);
    commands.push(`cd ${path.join(project, 'clean')}`, ...COMMANDS);
    const steps = commands.map((command, index) => call('Bash', { command }, `b${index}`));
    const env = { GIT_CONFIG_NOSYSTEM: '1' };
    const ended = await run(
      [...STREAM, '--model', script([...steps, say('Done.')]), '--disallowed-tools', 'Bash(git cherry *)'],
      { env },
    );
    expect(ended.stderr).toBe('');
    expect(existsSync(marker)).toBe(false);
    const denied = deniedIn(ended.stdout);
    // In an ordinary repository only the denied command does not run.
    expect(denied.filter((index) => index >= steps.length - COMMANDS.length)).toEqual([steps.length - 1]);
    // None of the others gets through with everything.
    const each = COMMANDS.length + 1;
    expect(
      HOSTILE.filter(
        (_, index) => !denied.some((at) => at > index * each && at < index * each + COMMANDS.length),
      ),
    ).toEqual([]);
  });

  it('runs nothing when a decision about it is explained', async () => {
    const { folder, run } = homeFor(installed.program);
    const marker = path.join(folder, 'marker');
    const [partial] = HOSTILE;
    mkdirSync(path.join(folder, '.claude'));
    writeFileSync(path.join(folder, '.claude/settings.json'), '{"permissions":{"deny":["Bash(git log *)"]}}');
    partial?.make(makeRepository(folder, marker));
    rmSync(marker, { force: true });
    for (const command of ['git ls-files', 'git log -p'])
      await run(['permissions', 'explain', '--json', command], { env: { GIT_CONFIG_NOSYSTEM: '1' } });
    expect(existsSync(marker)).toBe(false);
  });
});

it.runIf((await checkSandbox()).available).each([
  ['bin', 'bwrap socat rg ls bash sh', false, []],
  ['..tools', 'bwrap socat rg ls bash sh', false, []],
  ['bin', 'socat rg bash sh', true, []],
  // The sandbox cannot start.
  ['bin', 'bwrap', true, [0]],
  ['bin', 'which', true, [0]],
])(
  'a search path with %s of a project runs none of: %s (sandbox: %s)',
  async (name, programs, enabled, denied) => {
    const { folder: project, run, script } = homeFor(installed.program);
    const marker = path.join(project, 'marker');
    const bin = path.join(project, name);
    mkdirSync(bin);
    for (const program of programs.split(' '))
      writeFileSync(path.join(bin, program), `#!/bin/sh\ntouch ${marker}\n`, { mode: 0o755 });
    const steps = [call('Bash', { command: 'ls' }, 'b0'), call('Grep', { pattern: 'x' }, 'b1')];
    const env = { PATH: `${bin}:${process.env['PATH']}` };
    const flags = ['-p', 'go', '--output-format', 'stream-json', '--verbose'];
    const settings = JSON.stringify({ sandbox: { enabled } });
    const given = ['--settings', settings, '--model', script([...steps, say('Done.')])];
    const { stdout } = await run([...flags, ...given], { env });
    expect(deniedIn(stdout)).toEqual(denied);
    expect(existsSync(marker)).toBe(false);
  },
);

describe('a script of edits in acceptEdits', () => {
  it('runs no program of the project from a relative search path, and asks about git beside edits', async () => {
    const { folder: project, run, script } = homeFor(installed.program);
    const marker = path.join(project, 'marker');
    makeRepository(project, marker);
    for (const name of ['ls', 'cat', 'touch', 'git', 'wc'])
      writeFileSync(path.join(project, name), `#!/bin/sh\ntouch ${marker}\n`, { mode: 0o755 });
    const index = path.join(project, '.git/index');
    const before = readFileSync(index);
    const commands = [
      'touch a; git status',
      'touch a && git diff --stat',
      'touch a; git -C . diff HEAD',
      'cp ls head; ls; head -n 1 a',
      'echo x > c; cat c',
      'mkdir -p q; cd q; cp ../ls nl; nl ../a; cd ..',
      'cat a > d; wc -l d',
      'mv d e; ls',
      'rm e; git log --oneline',
      'sed -i s/zzz/y/ a; cat a | wc -l',
      'touch b',
    ];
    const steps = commands.map((command, at) => call('Bash', { command }, `b${at}`));
    const env = { PATH: `.:${process.env['PATH']}`, GIT_CONFIG_NOSYSTEM: '1' };
    const flags = [
      ...STREAM,
      '--model',
      script([...steps, say('Done.')]),
      '--permission-mode',
      'acceptEdits',
    ];
    const { stdout } = await run(flags, { env });
    expect(deniedIn(stdout)).toEqual([0, 1, 2, 5, 8, 9]);
    expect(existsSync(marker)).toBe(false);
    expect(existsSync(path.join(project, 'b'))).toBe(true);
    expect(readFileSync(index)).toEqual(before);
  });
});

/** The calls that did not run, by their number. */
function deniedIn(stdout: string): number[] {
  const result = linesOf(stdout).find(({ type }) => type === 'result');
  const denials = result?.['permission_denials'];
  return Array.isArray(denials)
    ? denials.map((denial: { readonly tool_use_id: string }) => Number(denial.tool_use_id.slice(1)))
    : [];
}
