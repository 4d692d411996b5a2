/** Git commands that store files of a real working tree, beside a rule that denies or asks about reading one of them. */
import { execFileSync } from 'node:child_process';
import { symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { decisionOn, type Project, projectWith, storedAfter } from './test/added-project.ts';

const FORCED = [
  'git add -f .',
  "git add -f ':(top).env'",
  "git add -f ':(top,icase).ENV'",
  "git add -f ':/.env'",
  'git add -f :/',
  "git add -f ':(glob)**/.e*'",
  "git add -f '.e*'",
  "git add -f '*'",
  "git add -f '.[e]nv'",
  "git add -f '.en?'",
  'git add -fA',
  'git add -vf -- .',
  'git add --force --all',
  'git add --forc .',
  'git add . -f',
  'git add -f src/..',
  'git add -f missing/../.e*',
  'git -C src add -f ..',
  "git -C src add -f ':/'",
  'cd src && git add -f -A',
  'git add -f "$PWD"',
  'x=.; git add -f "$x"',
  'git add $x .',
  'git add -f --pathspec-from-file=list',
  'git add -f --pathspec-from-file list',
  "git add -f ':!src'",
  "git add -f . ':(exclude,attr:x).env'",
  'git --literal-pathspecs add -f . ":!.env"',
  'git --icase-pathspecs add -f .ENV',
  'git --git-dir=.git --work-tree=. add -f .',
  'git --work-tree .. add -f .',
  'git -c core.excludesFile=/dev/null add .',
  'GIT_WORK_TREE=. git add .',
  'git stage -f .',
  'git stash -a',
  'git hash-object -w .env',
  'git update-index --add .env',
  'ls -A | xargs git add -f',
  'rm .gitignore && git add .',
];

describe('git commands that store an ignored file', () => {
  let project: Project;
  beforeAll(() => {
    project = projectWith({ '.gitignore': 'node_modules/\n.env\n', '.env': 'KEY=1\n', list: '.env\n' });
  });

  it.each(FORCED)('need at least a question beside a deny rule: %s', (command) => {
    expect(decisionOn(command, project)).not.toBe('allow');
    expect(decisionOn(command, project, { mode: 'bypassPermissions' })).not.toBe('allow');
  });

  it.each(['git add -f .', "git add -f ':/.env'", 'git stash -a'])(
    'ask beside an ask rule: %s',
    (command) => {
      expect(decisionOn(command, project, { deny: [], ask: ['Read(.env)'] })).toBe('ask');
    },
  );

  it.each([
    'git add .',
    'git add -A',
    'git add --all .',
    'git add src',
    'git add *',
    'git add ./src/*.ts',
    "git add '*.ts'",
    'git add -u',
    'git add -f src',
    'git add -f src/a.ts',
    "git add -f . ':!.env'",
    "git add -f . ':(exclude,top).env'",
    'git add -n -f .',
    'git add :/',
    'git commit -m x',
    'git commit -am x',
    'git commit -m "fix: *" -- src',
    'git commit src -m x',
    'git add . && git commit -m "first" && git push',
    'git stash',
    'git -C src add .',
    'git -c user.name=x add .',
    'rm src/a.ts && git add -A',
  ])('need no question if they leave it out: %s', (command) => {
    expect(decisionOn(command, project)).toBe('allow');
    expect(decisionOn(command, project, { deny: ['Read(**/.env)', 'Read(.env.*)'] })).toBe('allow');
  });
});

describe('git commands that store a file which no line ignores', () => {
  const commands = [
    'git add .',
    'git add -A',
    'git add',
    'git add :/',
    'git add "*"',
    'git stash -u',
    'cd src && git add -A',
  ];
  const cases: readonly (readonly [string, Readonly<Record<string, string>>])[] = [
    ['there is none', {}],
    ['an exception follows', { '.gitignore': '.env\n!.env\n' }],
    ['an exception has a wildcard', { '.gitignore': '.env\n!.e?v\n' }],
    ['an exception has a set', { '.gitignore': '.env\n!.[[:alpha:]]nv\n' }],
    ['the line ends with a tab', { '.gitignore': '.env\t\n' }],
    ['the line is only for folders', { '.gitignore': '.env/\n' }],
    ['the line is for another folder', { '.gitignore': 'src/.env\n', 'src/.gitignore': '.env\n' }],
    ['the line is a path with a dot', { '.gitignore': './.env\n' }],
    ['the line is a comment', { '.gitignore': '#.env\n' }],
    ['the line has other letters', { '.gitignore': '.ENV\n' }],
  ];
  it.each(cases)('ask: %s', (_, files) => {
    const project = projectWith({ '.env': 'KEY=1\n', ...files });
    for (const command of commands) expect([command, decisionOn(command, project)]).toEqual([command, 'ask']);
  });

  it('ask about a file in a folder, unless its folder is ignored', () => {
    const setting = { deny: ['Read(**/*.key)'] };
    const open = projectWith({ 'src/deep/x.key': 'k' });
    expect(decisionOn('git add src', open, setting)).toBe('ask');
    expect(decisionOn('git add src/a.ts', open, setting)).toBe('allow');
    const closed = projectWith({ 'src/deep/x.key': 'k', '.gitignore': 'deep\n' });
    expect(decisionOn('git add src', closed, setting)).toBe('allow');
    expect(decisionOn('git add -f src', closed, setting)).toBe('ask');
  });

  it('ask if an ignoring file is a link', () => {
    const project = projectWith({ '.env': 'KEY=1\n', names: '.env\n' });
    symlinkSync('names', path.join(project.cwd, '.gitignore'));
    expect(decisionOn('git add .', project)).toBe('ask');
  });

  it.each([
    ['info/exclude', '.git/info/exclude', '.env\n'],
    ['the file of the user', '../home/.config/git/ignore', '/.env\n'],
    ['a line for a whole folder', '.gitignore', '*\n!src\n'],
  ])('need no question if %s ignores it', (_, name, text) => {
    const project = projectWith({ '.env': 'KEY=1\n', [name]: text });
    expect(decisionOn('git add .', project)).toBe('allow');
  });

  it('leave out nested repositories', () => {
    const project = projectWith({ 'sub/.env': 'KEY=1\n' });
    execFileSync('git', ['init', '-q', 'sub'], { cwd: project.cwd });
    const setting = { deny: ['Read(**/.env)'] };
    expect(decisionOn('git add .', project, setting)).toBe('allow');
    expect(decisionOn('git -C sub add .', project, setting)).toBe('ask');
  });
});

describe('git add with the names of options', () => {
  it('gives the same decision on long and short names', () => {
    const project = projectWith({ '.gitignore': '.env\n', '.env': 'KEY=1\n', f: 'f\n' });
    const names = ['-N', '--intent-to-add', '--intent', '--ignore-errors'];
    for (const name of names) {
      expect(decisionOn(`git add ${name} f`, project)).toBe('allow');
      expect(decisionOn(`git add ${name} .`, project)).toBe('allow');
      expect(decisionOn(`git add -f ${name} .`, project)).toBe('ask');
      expect(decisionOn(`git add ${name} .env`, project)).toBe('deny');
      expect(storedAfter(`git add ${name} .`, project)).not.toContain('.env');
    }
    expect(storedAfter('git add -f --intent-to-add .', project)).toContain('.env');
    for (const name of ['-i', '--interactive', '--inter', '-p', '--patch'])
      expect([name, decisionOn(`git add ${name} f`, project)]).toEqual([name, 'ask']);
  });
});

describe('git commands that store a tracked file', () => {
  it.each([
    'git add .',
    'git add -u',
    'git add --update .',
    "git add ':/*'",
    'git commit -am x',
    'git commit -a -m x',
    'git commit --all -m x',
    'git commit -m x .',
    "git commit -m x ':(top).env'",
    "git commit -m x -- '.e*'",
    'git commit -Sm .',
    'git commit -p',
    'git commit -m x --pathspec-from-file=list',
    'git update-index --again',
    'git stash',
  ])('need at least a question: %s', (command) => {
    const project = projectWith({ '.env': 'KEY=1\n', '.gitignore': '.env\n' }, ['.env']);
    writeFileSync(path.join(project.cwd, '.env'), 'KEY=secret\n');
    expect(decisionOn(command, project)).not.toBe('allow');
    expect(decisionOn('git add src && git commit -m x', project)).toBe('allow');
  });

  it('need no question if it is unchanged', () => {
    const project = projectWith({ '.env.example': 'KEY=\n' });
    const example = path.join(project.cwd, '.env.example');
    // Git looks at the content of a file that is as young as its index.
    utimesSync(example, new Date('2020-01-01'), new Date('2020-01-01'));
    execFileSync('git', ['add', '.'], { cwd: project.cwd });
    for (const command of ['git add .', 'git add -A', 'git commit -am x', 'git stash'])
      expect(decisionOn(command, project)).toBe('allow');
    expect(decisionOn('git add .env.example', project)).toBe('deny');
    writeFileSync(example, 'KEY=secret\n');
    utimesSync(example, new Date('2020-01-01'), new Date('2020-01-01'));
    expect(decisionOn('git add .', project)).toBe('ask');
    writeFileSync(example, 'KIY=\n');
    utimesSync(example, new Date('2020-01-01'), new Date('2020-01-01'));
    expect(decisionOn('git add .', project)).toBe('ask');
  });
});
