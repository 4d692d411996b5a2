/** Links in the data of git, through which its commands would write elsewhere, on a real disk. */
import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { authorize } from './authorize.ts';
import { observeWorld } from './observe-world.ts';

const base = realpathSync(mkdtempSync(path.join(os.tmpdir(), 'heddle-data-links-')));
afterAll(() => rmSync(base, { recursive: true, force: true }));

/** Makes a repository with a linked working tree, a submodule, files of git-lfs and recorded conflicts. */
function repository(name: string): string {
  const folder = path.join(base, name);
  const data = path.join(folder, '.git');
  for (const at of [data, path.join(data, 'modules/group/sub')]) {
    write(path.join(at, 'HEAD'), 'ref: refs/heads/main\n');
    write(path.join(at, 'objects/17/x'), '');
    write(path.join(at, 'objects/pack/pack-1.pack'), '');
    write(path.join(at, 'refs/heads/x'), '');
    write(path.join(at, 'config'), '[core]\n\tbare = false\n');
  }
  write(path.join(data, 'objects/info/commit-graphs/x'), '');
  write(path.join(data, 'worktrees/tree/logs/HEAD'), '');
  write(path.join(data, 'rr-cache/17/preimage'), '');
  write(path.join(data, 'lfs/objects/17/2a/x'), '');
  return folder;
}

function write(file: string, text: string): void {
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, text);
}

function decide(project: string, command: string, isTrusted = false): string {
  const environment = { HOME: base, GIT_CONFIG_NOSYSTEM: '1', PATH: '/usr/bin:/bin' };
  const surroundings = { root: project, cwd: project, directories: [], home: base, configDirs: [] };
  const world = observeWorld({ ...surroundings, environment, isTrusted: () => isTrusted });
  const request = { tool: 'Bash', input: { command }, readOnly: false, hookDecision: undefined };
  const allow = ['Bash(git commit *)', 'Bash(git gc)'].map((text) => ({ text, source: 'user' as const }));
  return authorize(request, { deny: [], ask: [], allow }, 'default', world).decision;
}

const COMMANDS = ['git commit -m y --allow-empty', 'git gc'];

describe('a rule for a git command', () => {
  it('covers an ordinary repository without trust', () => {
    const project = repository('plain');
    for (const command of COMMANDS) expect(decide(project, command)).toBe('allow');
  });

  it.each([
    'objects/info/commit-graph',
    'objects/info/commit-graphs/commit-graph-chain',
    'objects/info/packs',
    'objects/pack/multi-pack-index',
    'objects/pack/multi-pack-index.d',
    'objects/18',
    'refs/heads/objects/x/y',
    'rr-cache/17/thisimage',
    'rr-cache/x',
    'lfs/cache/x',
    'lfs/objects/17/2b',
    'modules/other',
    'modules/group/sub/objects/info/packs',
    'worktrees/tree/index',
    'worktrees/tree/logs/refs',
    'worktrees/other',
    'rebase-merge/done',
    'sequencer/todo',
    'lost-found/other/x',
  ])('does not cover a repository whose %s is a link', (link) => {
    const project = repository(`link-${link.replace(/\W/g, '-')}`);
    const file = path.join(project, '.git', link);
    mkdirSync(path.dirname(file), { recursive: true });
    symlinkSync('../../../../../../out', file);
    for (const command of COMMANDS) {
      expect([command, decide(project, command)]).toEqual([command, 'ask']);
      expect([command, decide(project, command, true)]).toEqual([command, 'allow']);
    }
  });

  it('does not cover a repository with a folder that cannot be listed', (context) => {
    if (process.getuid?.() === 0) context.skip();
    const project = repository('unlisted');
    const folder = path.join(project, '.git/objects/info');
    chmodSync(folder, 0o300);
    const answers = COMMANDS.map((command) => decide(project, command));
    chmodSync(folder, 0o700);
    expect(answers).toEqual(['ask', 'ask']);
  });

  it('covers links in the folders of hooks and of other programs', () => {
    const project = repository('other-links');
    for (const link of ['hooks/pre-commit', 'other-program/x']) {
      mkdirSync(path.dirname(path.join(project, '.git', link)), { recursive: true });
      symlinkSync('../../scripts/x', path.join(project, '.git', link));
    }
    expect(decide(project, 'git gc')).toBe('allow');
  });
});
