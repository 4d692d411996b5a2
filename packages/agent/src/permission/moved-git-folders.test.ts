/** Folders that other calls may move or replace before git starts. The settings that git then uses were not looked at. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { authorize } from './authorize.ts';
import { observeWorld } from './observe-world.ts';

const base = realpathSync(mkdtempSync(path.join(os.tmpdir(), 'heddle-moved-git-')));
const project = path.join(base, 'project');
const environment = { HOME: base, GIT_CONFIG_NOSYSTEM: '1' };
afterAll(() => rmSync(base, { recursive: true, force: true }));

for (const folder of ['sub/deep', 'ok', 'inner', 'pipes'])
  mkdirSync(path.join(project, folder), { recursive: true });
execFileSync('git', ['init', '-q'], { cwd: project });
writeFileSync(path.join(project, 'a'), '');
execFileSync('mkfifo', [path.join(project, 'pipes/p')]);
// A name over a link: `e` after `a` becomes a folder.
symlinkSync('sub/deep', path.join(project, 'l'));
symlinkSync('l/../deep', path.join(project, 'over'));
symlinkSync('ok', path.join(project, 'd'));
symlinkSync(project, path.join(base, 'outside-link'));

function decisionOn(command: string, cwd = project, root = project, allow: readonly string[] = []): string {
  const surroundings = { root, cwd, directories: [], home: base, configDirs: [], environment };
  const world = observeWorld({ ...surroundings, readOnlyView: true });
  const request = { tool: 'Bash', input: { command }, readOnly: false, hookDecision: undefined };
  const rules = { deny: [], ask: [], allow: allow.map((text) => ({ text, source: 'user' as const })) };
  return authorize(request, rules, 'acceptEdits', world).decision;
}

function wrong(decision: 'ask' | 'allow', commands: readonly string[], cwd?: string): readonly string[] {
  return commands.filter((command) => decisionOn(command, cwd) !== decision);
}

describe('a folder of git behind a link of the project', () => {
  it('asks, because an edit may replace the link before git starts', () => {
    const asked = [
      'git -C d diff',
      'git -C over diff',
      'git -C l status',
      'git -C ./d/. log -1',
      'git -C sub/../d diff',
      'cd d && git diff',
      'cd l; git status',
      '(cd over && git log -1)',
      'sleep 6; git -C d diff',
      'sleep 6; git -C over diff',
      'git -C . -C d diff',
      `git -C ${project}/d diff`,
      'git --git-dir=d/../.git -C d diff',
      'x=$(git -C d diff)',
    ];
    expect(wrong('ask', asked)).toEqual([]);
  });

  it('needs no question if no link of the project is on the way', () => {
    const allowed = [
      'git -C sub diff',
      'git -C ./sub/deep log -1',
      'cd sub && git diff',
      `git -C ${project}/sub diff`,
      'git -C sub/.. status',
      'cat d/x; git status',
    ];
    expect(wrong('allow', allowed)).toEqual([]);
    expect(decisionOn('git diff', path.join(base, 'outside-link'), path.join(base, 'outside-link'))).toBe(
      'allow',
    );
    expect(decisionOn(`git -C ${base}/outside-link/sub diff`)).toBe('allow');
  });
});

describe('a script that waits in a folder that may be moved', () => {
  it('asks about git there', () => {
    const asked = [
      'cd sub && sleep 6; git diff',
      'cd sub; sleep 6 && git status',
      '(sleep 6; cd sub; git diff)',
      'cd sub && tail -f ../a | head -1; git log -1',
      'cd sub && find / -name x | head -1; git diff',
      'cd sub && while read -r x; do git diff; done',
      'cd sub && git log -S x; git diff',
      'cd sub && git log --all | cat; git diff',
      'cd sub && timeout 5 cat; git diff',
      'cd sub && git diff <(sleep 5)',
      'cd sub && git log $(sleep 5)',
      'cd sub && cat ../pipes/p; git diff',
      'cd sub && seq 1000000000 | tail -1; git diff',
      'cd sub && sleep 5; git -C deep diff',
      'sleep 6; git -C sub diff',
      `sleep 6; git -C ${project}/sub diff`,
      'sleep 6; git -C ./sub/deep/ log -1',
      'for x in 1 2; do git -C sub status; done',
      'cd sub && { sleep 5; git diff; } 2>&1 | cat',
    ];
    expect(wrong('ask', asked)).toEqual([]);
    expect(wrong('ask', ['sleep 5; git diff', 'sleep 5; git -C . log'], path.join(project, 'sub'))).toEqual(
      [],
    );
  });

  it('asks about programs that read settings of the project there', () => {
    expect(
      wrong('ask', ['cd sub && sleep 5; npm ls', 'sleep 5; cd d && npm ls', 'sleep 5; cd over; npm ls']),
    ).toEqual([]);
    expect(wrong('allow', ['cd sub && npm ls', 'sleep 5; npm ls'])).toEqual([]);
  });

  it('asks about git there also if a rule allows it', () => {
    const allow = ['Bash(git *)', 'Bash(make *)'];
    const decide = (command: string, cwd = project): string => decisionOn(command, cwd, project, allow);
    const asked = ['cd sub; sleep 4; git status', 'sleep 4; cd sub; git add .', 'sleep 4; git -C d status'];
    for (const command of [...asked, '(cd sub && sleep 4; git log)', 'cd sub; find / | head -1; git status'])
      expect([command, decide(command)]).toEqual([command, 'ask']);
    expect(decide('sleep 4; git status', path.join(project, 'sub'))).toBe('ask');
    for (const command of ['sleep 4; git add .', 'cd sub && git add .', 'cd sub; make all; git add .'])
      expect([command, decide(command)]).toEqual([command, 'allow']);
    // A build runs code of the project in any case.
    for (const command of ['cd sub && make all && git status', 'cd sub; make; git -C deep diff'])
      expect([command, decide(command)]).toEqual([command, 'allow']);
  });

  it('needs no question in the folder of the session, which no edit moves', () => {
    const allowed = [
      'sleep 6; git diff',
      'find . -name x | head -1; git log -1',
      'for x in 1 2; do git status; done',
    ];
    expect(wrong('allow', allowed)).toEqual([]);
  });

  it('needs no question if every other command ends soon', () => {
    const allowed = [
      'cd sub && git status && git diff && git log --oneline -5',
      'cd sub && ls -la && cat x && git diff | head -20',
      'cd sub; echo "== x"; git log -3 | cut -c1-80 | sort',
    ];
    expect(wrong('allow', allowed)).toEqual([]);
    expect(wrong('allow', ['git status && git diff', 'git log'], path.join(project, 'sub'))).toEqual([]);
  });
});
