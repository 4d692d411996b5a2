/** A mode that permits more, in the local settings of a project: it counts if it is certainly an entry of the user. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, symlinkSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { addRuleTo, setSettingIn } from './change-scope.ts';
import { isSetByRepository } from './of-repository.ts';
import { createSettingsHome } from './test/settings-home.ts';

const LOCAL = 'project/.claude/settings.local.json';
const RAISED = { permissions: { defaultMode: 'bypassPermissions' } };

function trusted() {
  const made = createSettingsHome();
  made.trust();
  const git = (...args: string[]): unknown => execFileSync('git', ['-C', made.project, ...args]);
  const places = { cwd: made.project, home: made.home, env: {}, projectRoot: made.project };
  return { ...made, git, places };
}

describe('a mode that permits more', () => {
  it.each(['acceptEdits', 'bypassPermissions'])(
    'does not count outside of a repository, and the message names the command: %s',
    async (mode) => {
      const { write, permissions } = trusted();
      const file = write(LOCAL, { permissions: { defaultMode: mode } });
      const { defaultMode, problems } = await permissions();
      expect(defaultMode).toBeUndefined();
      expect(problems).toEqual([
        `${file}:1: a project cannot raise its own mode to ${mode}. To raise it here: heddle config set permissions.defaultMode ${mode} --scope local`,
      ]);
    },
  );

  it('counts if Heddle wrote it, with or without a repository', async () => {
    for (const isTracked of [false, true]) {
      const { permissions, places, git } = trusted();
      const key = ['permissions', 'defaultMode'];
      expect(setSettingIn('local', key, 'acceptEdits', places)).toMatchObject({ ok: true });
      if (isTracked) {
        git('init', '-q');
        git('add', '-f', '.');
      }
      expect((await permissions()).defaultMode).toBe('acceptEdits');
    }
  });

  it('does not count if Heddle wrote another mode, or another entry of the file', async () => {
    const { read, write, permissions, places } = trusted();
    setSettingIn('local', ['permissions', 'defaultMode'], 'acceptEdits', places);
    write(LOCAL, RAISED);
    expect((await permissions()).defaultMode).toBeUndefined();
    addRuleTo('local', 'allow', 'Bash(ls)', places);
    expect(read(LOCAL)).toMatchObject(RAISED);
    expect((await permissions()).defaultMode).toBeUndefined();
  });

  it('counts in a repository that does not track the file', async () => {
    const { write, permissions, git } = trusted();
    write(LOCAL, RAISED);
    git('init', '-q');
    expect((await permissions()).defaultMode).toBe('bypassPermissions');
  });

  it.each(['project/.claude', 'project/shared'])(
    'does not count if the file is tracked by the repository around a nested one in %s',
    async (folder) => {
      const { write, permissions, git, project } = trusted();
      write(`${folder}/settings.local.json`, RAISED);
      if (folder.endsWith('shared')) symlinkSync('shared', path.join(project, '.claude'));
      git('init', '-q');
      git('add', '-f', '.');
      execFileSync('git', ['init', '-q', path.join(path.dirname(project), folder)]);
      expect((await permissions()).defaultMode).toBeUndefined();
    },
  );

  it('does not count if the file is a link to a place outside of the repository, or a link on its way is tracked', async () => {
    const { write, permissions, git, project } = trusted();
    const target = write('home/own.json', RAISED);
    mkdirSync(path.join(project, '.claude'));
    symlinkSync(target, path.join(project, '.claude/settings.local.json'));
    git('init', '-q');
    expect((await permissions()).defaultMode).toBeUndefined();
    const other = trusted();
    other.write('project/c/settings.local.json', RAISED);
    symlinkSync('c', path.join(other.project, 'b'));
    symlinkSync('b', path.join(other.project, '.claude'));
    other.git('init', '-q');
    expect((await other.permissions()).defaultMode).toBe('bypassPermissions');
    other.git('add', 'b');
    expect((await other.permissions()).defaultMode).toBeUndefined();
  });

  it('does not count if a tracked file has the name in another case', async () => {
    const { write, permissions, git } = trusted();
    write(LOCAL, RAISED);
    write('project/.claude/Settings.local.json', RAISED);
    git('init', '-q');
    git('add', '-f', '.claude/Settings.local.json');
    expect((await permissions()).defaultMode).toBeUndefined();
  });
});

it('the agent of local settings is a choice of the user only if the mode there would be', async () => {
  const { write, load, places, git } = trusted();
  write(LOCAL, { agent: 'boss' });
  expect(await isSetByRepository(load(), 'agent')).toBe(true);
  expect(setSettingIn('local', ['agent'], 'boss', places)).toMatchObject({ ok: true });
  expect(await isSetByRepository(load(), 'agent')).toBe(false);
  write(LOCAL, { agent: 'other' });
  expect(await isSetByRepository(load(), 'agent')).toBe(true);
  git('init', '-q');
  expect(await isSetByRepository(load(), 'agent')).toBe(false);
});
