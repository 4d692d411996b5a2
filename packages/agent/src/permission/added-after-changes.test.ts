/** Git commands that store files after a change of the files of ignored names, beside a rule about reading one of them. */
import { execFileSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { decisionOn, type Project, projectWith, storedAfter } from './test/added-project.ts';

const FILES = {
  '.gitignore': '.env\n',
  '.env': 'KEY=1\n',
  'sub/.gitignore': '.env\n',
  'sub/.env': 'KEY=1\n',
  'plain/a': 'a\n',
  'old.ts': 'old\n',
};

/** The first commit has other files of ignored names. */
function committedProject(): Project {
  const project = projectWith(FILES, ['plain/a', 'old.ts']);
  const script =
    'git config user.name x; git config user.email x@localhost; git commit -qm 1;' +
    'git add .gitignore sub/.gitignore; git commit -qm 2';
  execFileSync('sh', ['-c', script], { cwd: project.cwd, env: { ...process.env, HOME: project.home } });
  return project;
}

const RULES = { deny: ['Read(./.env)', 'Read(sub/.env)'] };
const ASKS = { deny: [], ask: ['Read(./.env)', 'Read(sub/.env)'] };

const OPENING = [
  'git rm -qf .gitignore && git add -A && git commit -qm x',
  'git rm -qf .gitignore; git add -A',
  'git rm -qf -- .gitignore && git add -A',
  'git -C . rm -q .gitignore && git add .',
  'git -C sub rm -q .gitignore && rm .gitignore && git add .',
  'cd sub && git rm -q ../.gitignore && git add -A ..',
  'git rm -q {.gitignore,old.ts} && git add -A',
  'git rm -q --cached --no-cached .gitignore && git add -A',
  "git rm -q '*ignore' && git add -A",
  'git rm -q .gitignor[e] && git add -A',
  'x=.gitignore; git rm -q $x && git add -A',
  'env git rm -q .gitignore && git add -A',
  'timeout 5 git rm -q .gitignore && git add -A',
  "sh -c 'git rm -q .gitignore' && git add -A",
  'git mv .gitignore x && git add -A',
  'git mv -f old.ts .gitignore && git add -A',
  'mv .gitignore x; git add -A',
  'git checkout -q HEAD~1 && git add -A',
  'git reset -q --hard HEAD~1 && git add -A',
  'git reset -q --hard @~ && git stash -u',
];

const OPENING_BELOW = [
  'git rm -q sub/.gitignore && rm .gitignore && git add sub',
  'git rm -rq sub .gitignore && git add -A',
  'git rm -rq sub; git rm -q .gitignore; git add sub',
];

describe('git commands that store a file after a change of what is ignored', () => {
  it.each([...OPENING, ...OPENING_BELOW])('need a question: %s', (command) => {
    const project = committedProject();
    for (const setting of [RULES, ASKS])
      expect([command, decisionOn(command, project, setting)]).toEqual([command, 'ask']);
    expect(storedAfter(command, project).some((file) => file.endsWith('.env'))).toBe(true);
  });

  it.each([
    'git rm -q old.ts && git add -A && git commit -qm x',
    'git rm -q --cached old.ts && git add plain',
    'git rm -q -r --cached sub && git add -A',
    'git rm -q -r plain && git add -A',
    'git mv old.ts new.ts && git add -A',
    'mv plain moved && git add -A',
    'rm -r plain && git add -A',
    'git rm -q sub/.gitignore && git add plain',
    'git rm -n .gitignore && git add -A',
  ])('need no question if the file stays ignored: %s', (command) => {
    const project = committedProject();
    for (const setting of [RULES, ASKS])
      expect([command, decisionOn(command, project, setting)]).toEqual([command, 'allow']);
    expect(storedAfter(command, project).some((file) => file.endsWith('.env'))).toBe(false);
  });

  it('concern only files below a removed file of ignored names', () => {
    const project = committedProject();
    execFileSync('sh', ['-c', 'echo > .gitignore; git add .gitignore; git rm -q --cached .gitignore'], {
      cwd: project.cwd,
    });
    const command = 'git rm -q sub/.gitignore && git add sub';
    expect(decisionOn(command, project, { deny: ['Read(sub/.env)'] })).toBe('ask');
    expect(decisionOn(command, project, { deny: ['Read(./.env)'] })).toBe('allow');
    expect(storedAfter(command, project)).toContain('sub/.env');
  });
});
