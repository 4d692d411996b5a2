/** The sandbox of a subagent that works in a git worktree of the project. */
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { contextOf } from '@heddle/testing';
import { describe, expect, it } from 'vitest';
import { check, sandboxFixtures } from './test/sandbox-fixture.ts';

const open = sandboxFixtures();

/** A session in the folder `sub` of a repository, and a subagent in a worktree that may not see secrets. */
function prepared(sub: string) {
  const files = { a: '1', 'secrets/key': 'hunter2', 'config/x': 'kept' };
  const rules = { deny: ['Read(./secrets/**)', 'Edit(/config/**)', 'Edit(./missing/file)', 'Read(./none)'] };
  const fixture = open({ project: path.join('repo', sub), repository: 'repo', files, rules });
  const top = path.join(fixture.base, 'repo');
  const git = (...args: string[]): string =>
    execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@b', ...args], {
      cwd: top,
      encoding: 'utf8',
    });
  git('add', '-A');
  git('commit', '-qm', 'one');
  const worktree = path.join(top, '.heddle/worktrees/w1');
  git('worktree', 'add', '-q', '-b', 'w1', worktree);
  const folder = path.join(worktree, sub);
  const run = (command: string, cwd = folder) =>
    fixture.run(command, { context: contextOf({ workingDirectory: cwd }) });
  return { ...fixture, top, worktree, folder, run };
}

/** Reads and writes without any name that a rule could match in the command itself. */
const read = (file: string): string => `cat "$(printf '%s' '${file.replace('secrets', "sec''rets")}')"`;

describe.runIf(check.available)('a subagent in a worktree', () => {
  it.each(['.', 'packages/a'])(
    'is bound by the deny rules of its parent, for both copies (%s)',
    async (sub) => {
      const { run, project, folder } = prepared(sub);
      const text = (
        await run(
          [
            ...[project, folder].flatMap((place) => [
              read(`${place}/secrets/key`),
              `grep -rs hunter ${place}`,
              `echo changed > ${place}/config/x`,
              `mv ${place}/config ${place}/moved`,
              `echo new > ${place}/config/new`,
            ]),
            'echo 2 > a && git commit -qam two && git log --format=%s | head -1',
          ].join('\n'),
        )
      ).text;
      expect(text).not.toContain('hunter2');
      expect(text).toContain('two');
      for (const place of [project, folder]) {
        expect(readFileSync(path.join(place, 'config/x'), 'utf8')).toBe('kept');
        expect(existsSync(path.join(place, 'config/new'))).toBe(false);
      }
      expect(readFileSync(path.join(folder, 'a'), 'utf8')).toBe('2\n');
      expect(readFileSync(path.join(project, 'a'), 'utf8')).toBe('1');
    },
  );

  it('hides denied files of a worktree from its parent', async () => {
    const { run, project, folder } = prepared('packages/a');
    const { text } = await run(`cat a; ${read(`${folder}/secrets/key`)}; grep -rs hunter ${folder}`, project);
    expect(text).toContain('1');
    expect(text).not.toContain('hunter2');
  });

  it('changes neither its .git file nor what decides which programs git runs', async () => {
    const { run, top, worktree } = prepared('.');
    const own = path.join(top, '.git/worktrees/w1');
    const places = [
      path.join(worktree, '.git'),
      ...['commondir', 'gitdir', 'config.worktree'].map((name) => path.join(own, name)),
      ...['config', 'config.worktree', 'commondir', 'hooks/pre-commit', 'info/attributes'].map((name) =>
        path.join(top, '.git', name),
      ),
      path.join(top, 'a'),
      path.join(top, 'new'),
      path.join(top, '.claude/settings.json'),
      path.join(worktree, '.claude/settings.json'),
      path.join(worktree, '.heddle/settings.json'),
    ];
    const state = (): string[] =>
      places.map((file) => (existsSync(file) ? readFileSync(file, 'utf8') : 'absent'));
    const before = state();
    const tries = places.flatMap((file) => [
      `mkdir -p "$(dirname '${file}')"; echo evil >> '${file}'`,
      `echo evil > x; mv -f x '${file}'`,
      `rm -f '${file}'; ln -s a '${file}'`,
    ]);
    await run(
      [...tries, 'git config core.fsmonitor evil'].map((line) => `{ ${line}; } 2>/dev/null`).join('\n'),
    );
    expect(state()).toEqual(before);
  });

  it('may have a subagent with a worktree inside its own', async () => {
    const { run, worktree } = prepared('.');
    const inner = path.join(worktree, '.heddle/worktrees/w2');
    execFileSync('git', ['worktree', 'add', '-q', '-b', 'w2', inner], { cwd: worktree });
    const ran = await run(`${read(`${inner}/secrets/key`)}; echo 3 > a; cat a`, inner);
    expect(ran.text).not.toContain('hunter2');
    expect(readFileSync(path.join(inner, 'a'), 'utf8')).toBe('3\n');
  });
});
