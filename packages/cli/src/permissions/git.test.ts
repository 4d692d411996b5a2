/** Decisions of the program about git commands that write, create and show, in a real repository. */
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import path from 'node:path';
import { call, say } from '@heddle/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { homeFor } from '../test/home.ts';
import { install, type Installed, linesOf } from '../test/program.ts';
import { makeRepository } from './test/hostile-git.ts';

let installed: Installed;
beforeAll(async () => {
  installed = await install();
});
afterAll(() => installed.remove());

/** Switches the read-only view off, so that only the analysis decides. */
const ALONE = ['--settings', JSON.stringify({ sandbox: { readOnlyView: 'off' } })];
const STREAM = ['-p', 'go', '--output-format', 'stream-json', '--verbose', ...ALONE];

/** Runs all commands in one session, in a repository with a secret in its history. */
async function decide(commands: readonly string[], flags: readonly string[]) {
  const { folder, run, script } = homeFor(installed.program);
  const { git, write } = makeRepository(folder, path.join(folder, 'marker'));
  write('secrets/key', 'hunter2\n');
  git('add', 'secrets');
  git('commit', '-q', '-m', 'secret');
  git('tag', 'v1');
  const steps = commands.map((command, index) => call('Bash', { command }, `b${index}`));
  const ended = await run([...STREAM, '--model', script([...steps, say('Done.')]), ...flags], {
    env: { GIT_CONFIG_NOSYSTEM: '1' },
  });
  const denials: unknown = linesOf(ended.stdout).find(({ type }) => type === 'result')?.[
    'permission_denials'
  ];
  const denied = (Array.isArray(denials) ? denials : []).map(
    (denial: { readonly tool_use_id: string }) => commands[Number(denial.tool_use_id.slice(1))],
  );
  return { folder, denied, stdout: ended.stdout };
}

describe('git in a session', () => {
  it('asks before options of reading commands write files, although a rule allows the command', async () => {
    const commands = [
      'git log --output .claude/settings.json',
      'git log --outpu .claude/settings.json',
      'git log --out=.claude/settings.json',
      'git log -1 --format=%B --o .claude/settings.json',
      'git show --outp .claude/settings.json',
      'git diff HEAD~ --output=.claude/settings.json',
      'git -C . log --output .claude/settings.json',
      'git shortlog HEAD --output=.claude/settings.json',
      'git reflog --outpu=.claude/settings.json',
      'git archive -o .claude/settings.json HEAD',
      'git format-patch -1 -o .claude',
      'git format-patch -1 --output-d=.claude',
      'git bundle create .claude/settings.json HEAD',
      'X=--output=.claude/settings.json; git log $X',
      'git log $(echo --output=.claude/settings.json)',
      "git grep --ope='touch .claude/settings.json;' one",
      'git log --output out.txt',
    ];
    const harmless = ['git archive -o out.tar HEAD', 'git log --oneline'];
    const { folder, denied } = await decide(
      ['mkdir .claude', ...commands, ...harmless],
      ['--allowed-tools', 'Bash(git *)', 'Bash(mkdir *)', 'Bash(echo *)'],
    );
    expect(denied).toEqual(['mkdir .claude', ...commands]);
    expect(existsSync(path.join(folder, '.claude'))).toBe(false);
    expect(existsSync(path.join(folder, 'out.txt'))).toBe(false);
    expect(existsSync(path.join(folder, 'out.tar'))).toBe(true);
  });

  it('creates no branch or tag in plan mode, whichever option takes the place of --list', async () => {
    const commands = [
      'git branch --format --list n1',
      'git branch --sort --list n2',
      'git branch --contains --list n3',
      'git branch --points-at --list n4',
      'git branch --color n5',
      'git branch --column n6',
      'git branch -v n7',
      'git branch --lis n8',
      'git branch --abbrev=7 n9',
      'git tag --format -l n10',
      'git tag --sort --list n11',
      'git tag --column n12',
      'git tag --ignore-case n13',
      'git branch --no-color n14',
    ];
    const lists = [
      "git branch --list 'm*'",
      'git tag -l',
      'git branch --sort -committerdate',
      'git branch --contains HEAD',
    ];
    const { folder, denied } = await decide([...commands, ...lists], ['--permission-mode', 'plan']);
    expect(denied).toEqual(commands);
    const refs = execFileSync('git', ['for-each-ref', '--format=%(refname)'], {
      cwd: folder,
      encoding: 'utf8',
    });
    expect(refs).toBe('refs/heads/main\nrefs/tags/v1\n');
  });

  it('does not show a denied file from the objects of git', async () => {
    const commands = [
      'git log -p',
      'git log -u -1',
      'git log --patch-with-stat',
      'git log -c -m -p',
      'git show',
      'git show v1',
      'git show HEAD:secrets/key',
      "git show ':(top)secrets/key'",
      'git diff HEAD~',
      "git diff HEAD~ -- ':!a'",
      "git diff HEAD~ -- 's*'",
      'git grep hunter',
      'git grep hunter HEAD',
      'git cat-file -p HEAD:secrets/key',
      `git cat-file -p $(git rev-parse HEAD:secrets/key)`,
      'git blame secrets/key',
      'git archive HEAD',
      'git format-patch -1 --stdout',
      'git -C out log -p',
      'git reflog -p',
    ];
    const harmless = [
      'git log --stat',
      'git diff HEAD~ --stat',
      'git log -p -- a',
      'git show HEAD:a',
      'git status',
    ];
    const rules = ['--allowed-tools', 'Bash(git *)', '--disallowed-tools', 'Read(./secrets/**)'];
    const { denied, stdout } = await decide([...commands, ...harmless], rules);
    expect(denied).toEqual(commands);
    expect(stdout).not.toContain('hunter2');
    expect((await decide(['git show'], [])).stdout).toContain('hunter2');
  });
});
