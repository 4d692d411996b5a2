/** Tests the facts that a new session gets about its start folder, with real folders and files. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, symlinkSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { findInstructions } from '../instructions/instruction-files.ts';
import { acceptedRepositoryTop, type Scope, SCOPES } from '../settings/scopes.ts';
import { type ContextPlaces, sessionContext } from './session-context.ts';

const NOON = new Date(2026, 10, 15, 12).getTime();

interface Place {
  readonly home: string;
  readonly project: string;
  readonly config: string;
  readonly write: (file: string, text: string) => void;
  readonly context: (
    more?: Partial<ContextPlaces> & { readonly sources?: readonly Scope[] },
  ) => ReturnType<typeof sessionContext>;
}

function place(): Place {
  const home = realpathSync(mkdtempSync(path.join(os.tmpdir(), 'heddle-context-')));
  const [project, config] = [path.join(home, 'project'), path.join(home, 'config')];
  for (const folder of [project, config]) mkdirSync(folder);
  return {
    home,
    project,
    config,
    write(file, text) {
      mkdirSync(path.dirname(path.join(home, file)), { recursive: true });
      writeFileSync(path.join(home, file), text);
    },
    context: ({ sources = SCOPES, cwd = project, ...more } = {}) =>
      sessionContext({
        cwd,
        env: { SHELL: '/bin/zsh' },
        directories: [],
        now: NOON,
        bare: false,
        instructions: findInstructions({
          cwd,
          top: acceptedRepositoryTop(cwd),
          configDirs: [config],
          sources,
        }).files,
        ...more,
      }),
  };
}

function git(cwd: string, ...args: string[]): void {
  const who = ['-c', 'user.name=a', '-c', 'user.email=a@b.c'];
  execFileSync('git', [...who, ...args], { cwd, stdio: 'ignore' });
}

describe('the place', () => {
  it('is told with its platform, the shell, the date, and that there is no repository', () => {
    const { systemContext, userContext } = place().context();
    expect(systemContext).toEqual({
      'Git repository': 'no',
      Platform: expect.stringContaining(process.platform),
      "The user's shell": 'zsh',
    });
    expect(userContext).toEqual({ "Today's date": '2026-11-15' });
  });

  it('is told with further directories, where there are some', () => {
    const { systemContext } = place().context({ directories: ['/a', '/b'] });
    expect(systemContext).toMatchObject({ 'Further directories': '/a, /b' });
  });

  it('is not looked at in bare mode', () => {
    const { context, project } = place();
    git(project, 'init', '-b', 'main');
    const { systemContext, userContext } = context({ bare: true });
    expect(Object.keys(systemContext)).toEqual(['Platform', "The user's shell"]);
    expect(userContext).toEqual({ "Today's date": '2026-11-15' });
  });
});

describe('a repository', () => {
  const GIT = 'Git when the session began';

  it('is told with its top and its branch, from below, too', () => {
    const { context, project } = place();
    git(project, 'init', '-b', 'some/branch');
    const below = path.join(project, 'a/b');
    mkdirSync(below, { recursive: true });
    const { systemContext, userContext } = context({ cwd: below });
    expect(systemContext['Git repository']).toBe(`yes, its top is ${project}`);
    expect(userContext[GIT]).toBe('on branch some/branch');
  });

  it('may have no branch, or be in the middle of something', () => {
    const { context, project, write } = place();
    git(project, 'init', '-b', 'main');
    git(project, 'commit', '--allow-empty', '-m', 'one');
    git(project, 'checkout', '--detach');
    write('project/.git/MERGE_HEAD', 'x');
    expect(context().userContext[GIT]).toMatch(/^detached at [0-9a-f]{12}, in the middle of a merge$/);
  });

  it('may be a worktree of another one', () => {
    const { context, project, home } = place();
    git(project, 'init', '-b', 'main');
    git(project, 'commit', '--allow-empty', '-m', 'one');
    git(project, 'worktree', 'add', '-b', 'beside', path.join(home, 'tree'));
    expect(context({ cwd: path.join(home, 'tree') }).userContext[GIT]).toBe('on branch beside');
  });

  it('that cannot be read is told as such', () => {
    const { context, write, project } = place();
    for (const name of ['objects', 'refs']) write(`project/.git/${name}/x`, '');
    symlinkSync('refs/none', path.join(project, '.git/HEAD'));
    expect(context().userContext[GIT]).toBe('its HEAD cannot be read');
  });
});

describe('instruction files', () => {
  it("come as one entry: the user's own first, the nearest folder last", () => {
    const { context, write, project } = place();
    write('config/CLAUDE.md', 'From the user.');
    write('CLAUDE.md', 'From above.');
    write('project/CLAUDE.md', 'From the project.');
    write('project/CLAUDE.local.md', 'Only mine.');
    write('project/sub/AGENTS.md', 'From the folder.');
    const { Instructions = '' } = context({ cwd: path.join(project, 'sub') }).userContext;
    const order = ['From the user.', 'From above.', 'From the project.', 'Only mine.', 'From the folder.'];
    const found = order.map((words) => Instructions.indexOf(words));
    expect(found).toEqual([...found].sort((left, right) => left - right));
    expect(found).not.toContain(-1);
    expect(Instructions).toContain(`## ${path.join(project, 'CLAUDE.md')} (the project's)`);
  });

  it('may be AGENTS.md and CLAUDE.md in one folder, the second one last', () => {
    const { context, write } = place();
    write('project/AGENTS.md', 'For any agent.');
    write('project/.claude/CLAUDE.md', 'For this one.');
    expect(context().userContext['Instructions']).toMatch(/For any agent\.[^]*For this one\./);
  });

  it('are left out by source', () => {
    const { context, write } = place();
    write('config/CLAUDE.md', 'From the user.');
    write('project/AGENTS.md', 'From the project.');
    expect(context({ sources: ['user'] }).userContext['Instructions']).not.toContain('From the project.');
    expect(context({ sources: [] }).userContext['Instructions']).toBeUndefined();
  });

  it('that are very long are cut at a line, and say so', () => {
    const { context, write } = place();
    write('project/AGENTS.md', 'a line of instructions\n'.repeat(4_000));
    const { Instructions = '' } = context().userContext;
    expect(Instructions.length).toBeLessThan(41_000);
    expect(Instructions).toMatch(/a line of instructions\n\n\(Cut here: it has 92000 bytes\./);
  });

  it('that link to somewhere outside the project are not read', () => {
    const { context, write, home, project } = place();
    write('secret', 'the key');
    symlinkSync(path.join(home, 'secret'), path.join(project, 'CLAUDE.md'));
    write('project/AGENTS.md', 'Read me.');
    expect(context().userContext['Instructions']).toMatch(/Read me\.$/);
  });

  it('that are no files, or empty, are passed over', () => {
    const { context, write, project } = place();
    execFileSync('mkfifo', [path.join(project, 'CLAUDE.md')]);
    write('project/.claude/CLAUDE.md', '\n');
    write('project/AGENTS.md', 'Still read.');
    expect(context().userContext['Instructions']).toMatch(/Still read\.$/);
  });
});
