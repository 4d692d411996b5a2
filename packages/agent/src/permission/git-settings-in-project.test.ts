/** Git settings of the user that really are a file of the repository. A branch can replace them, so they count as those of the repository. */
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { authorize } from './authorize.ts';
import { observeWorld } from './observe-world.ts';

const base = realpathSync(mkdtempSync(path.join(os.tmpdir(), 'heddle-git-settings-')));
afterAll(() => rmSync(base, { recursive: true, force: true }));

const PROGRAMS = '[user]\n\tname = a\n[core]\n\tfsmonitor = ./evil\n[diff]\n\texternal = ./evil\n';
const write = (file: string, text: string): void => {
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, text);
};

/** A repository in a home folder of its own. */
function made(name: string, top = 'project') {
  const home = path.join(base, name);
  const project = path.join(home, 'project');
  const repository = path.join(home, top);
  for (const [file, text] of [
    ['HEAD', 'ref: refs/heads/main\n'],
    ['objects/x', ''],
    ['refs/x', ''],
    ['config', '[core]\n\tbare = false\n'],
  ] as const)
    write(path.join(repository, '.git', file), text);
  write(path.join(project, 'gitconfig'), PROGRAMS);
  return { home, project };
}

function decide({ home, project }: ReturnType<typeof made>, command: string, isTrusted = false) {
  const environment = { HOME: home, GIT_CONFIG_NOSYSTEM: '1', PATH: '/usr/bin:/bin' };
  const surroundings = { root: project, cwd: project, directories: [], home, configDirs: [] };
  const world = observeWorld({ ...surroundings, environment, isTrusted: () => isTrusted });
  const allow = [{ text: 'Bash(git *)', source: 'user' as const }];
  const request = { tool: 'Bash', input: { command }, readOnly: false, hookDecision: undefined };
  return authorize(request, { deny: [], ask: [], allow }, 'default', world).decision;
}

it.each(['git diff', 'git status', 'git add x'])(
  '%s asks if they are a link into a folder without trust',
  (command) => {
    const linked = made(`link ${command}`);
    symlinkSync('project/gitconfig', path.join(linked.home, '.gitconfig'));
    expect(decide(linked, command)).toBe('ask');
    expect(decide(linked, command, true)).toBe('allow');
    const included = made(`include ${command}`);
    write(path.join(included.home, '.gitconfig'), '[include]\n\tpath = project/gitconfig\n');
    expect(decide(included, command)).toBe('ask');
  },
);

it('they count as those of the user if they are elsewhere, or if the home folder is the repository', () => {
  const elsewhere = made('elsewhere');
  write(path.join(elsewhere.home, '.gitconfig'), PROGRAMS);
  expect(decide(elsewhere, 'git add x')).toBe('allow');
  const home = made('home', '.');
  write(path.join(home.home, '.gitconfig'), PROGRAMS);
  expect(decide(home, 'git add x')).toBe('allow');
});
