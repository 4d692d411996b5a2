/** A search path that contains a folder of the project: a name that was proven may lead to a program of the project. */
import { describe, expect, it } from 'vitest';
import { shell, type Setting } from './test/ask.ts';
import { CLEAN_GIT, ROOT } from './test/world.ts';

function decide(command: string, PATH: string, setting: Setting = {}): string {
  const files = [`${ROOT}/bin/ls`, '/repo/.git', '/repo/tools/ls', '/elsewhere/tools/ls'];
  const world = { files, environment: { PATH }, git: CLEAN_GIT };
  const { decision, readOnlyRun } = shell(command, { ...setting, world });
  return readOnlyRun === undefined ? decision : `${decision} ${readOnlyRun}`;
}

const SYSTEM = '/usr/bin:/bin';
const RULE: Setting = { rules: { allow: ['Bash(npm test)', 'Bash(git add *)'] } };

describe('a script of edits and proven commands', () => {
  it.each([
    'cp b.sh ls; ls',
    'touch c; cat a',
    'mkdir -p q && ls -la',
    'cd q; cp ../evil ls; ls',
    'sed -i s/a/b/ a && grep b a',
    'mv a b; wc -l b',
    'touch c',
    'cat a > c',
  ])('runs without programs of the project in acceptEdits: %s', (command) => {
    for (const PATH of [SYSTEM, `.:${SYSTEM}`, `${ROOT}:${SYSTEM}`, `${SYSTEM}:`])
      expect(decide(command, PATH, { mode: 'acceptEdits' })).toBe('allow edits');
  });

  it('runs so beside a rule for the file, too', () => {
    const rules = { allow: ['Edit(./c)'] };
    expect(decide('echo x > c; git status', SYSTEM, { rules })).toBe('allow edits');
    expect(decide('for f in a b; do cat $f; done > c', SYSTEM, { rules })).toBe('allow edits');
    expect(decide('git log > c', SYSTEM, { rules })).toBe('allow edits');
    expect(decide('ls > c; cat c', `.:${SYSTEM}`, { rules })).toBe('allow edits');
  });
});

describe('a start-up file of shells', () => {
  const decideWith = (command: string, environment: Readonly<Record<string, string>>): string =>
    shell(command, {
      mode: 'acceptEdits',
      world: { environment, links: { '/people/user/env.sh': `${ROOT}/conf/env.sh` } },
    }).decision;

  it.each(['BASH_ENV', 'ENV'])('is not edited without a question: %s', (name) => {
    for (const file of [`${ROOT}/conf/env.sh`, `${ROOT}/src/../conf/env.sh`, '/people/user/env.sh']) {
      for (const command of [
        'echo x > conf/env.sh',
        'rm conf/env.sh',
        'mv a conf/env.sh',
        'cd conf && touch env.sh',
      ])
        expect(decideWith(command, { [name]: file })).toBe('ask');
      expect(decideWith('touch conf/other.sh', { [name]: file })).toBe('allow');
    }
    for (const file of ['/etc/env.sh', ROOT, '/repo', '/', '', `${ROOT}/$X/env.sh`])
      expect(decideWith('echo x > conf/env.sh', { [name]: file })).toBe('allow');
  });
});

describe('a script of edits and other commands', () => {
  it.each([
    'mkdir q; cd q; cp ../evil ls; ls',
    'sed -i s/a/b/ a && git diff --stat',
    'echo x > c; git status',
    'rm -f c; git log --oneline',
    'cp evil src/git; cd src; ls',
    'for f in a b; do cat $f; done > c',
  ])('asks in acceptEdits: %s', (command) => {
    expect(decide(command, SYSTEM, { mode: 'acceptEdits' })).toBe('ask');
  });
});

describe('a proven command beside one that a rule allows', () => {
  const PROVEN = [
    'npm test; ls',
    'npm test && cat a',
    'ls | wc -l; npm test',
    'git add a; git status',
    'npm test 2>&1 | tail -n 5',
    'npm test || grep -r x src',
    'git add -- a && git diff --stat',
    'find src -name x; npm test',
    'echo a | xargs ls; npm test',
    'if npm test; then ls; fi',
    'npm test; timeout 5 ls',
    '(npm test); head a',
  ];

  it.each(PROVEN)('asks if the search path has a working directory or a relative entry: %s', (command) => {
    expect(decide(command, SYSTEM, RULE)).toBe('allow');
    for (const PATH of [
      `.:${SYSTEM}`,
      `${ROOT}:${SYSTEM}`,
      `${SYSTEM}:`,
      `bin:${SYSTEM}`,
      `${SYSTEM}:${ROOT}/`,
    ])
      expect(decide(command, PATH, RULE)).toBe('ask');
  });

  it('asks about a program that a folder of the project in the search path contains', () => {
    const PATH = `${ROOT}/bin:${SYSTEM}`;
    expect(decide('npm test; ls', PATH, RULE)).toBe('ask');
    for (const command of [
      'echo a | xargs ls',
      'echo a | /usr/bin/xargs ls',
      'find . -exec ls {} +',
      "/usr/bin/find . -name x -exec ls {} ';'",
      "find . -exec env ls {} ';'",
      'env ls',
      '/usr/bin/env ls',
      'timeout 5 ls',
      'nice -n 5 ls',
      'command ls',
    ])
      expect([command, decide(`${command}; npm test`, PATH, RULE)]).toEqual([command, 'ask']);
    expect(decide('npm test; cat a', PATH, RULE)).toBe('allow');
    expect(decide('npm test; find . -exec cat {} +', PATH, RULE)).toBe('allow');
  });

  it('asks about a program in the repository around the working directory', () => {
    for (const folder of ['/repo/tools', '/repo/tools/', '/repo/project/../tools']) {
      expect(decide('npm test; ls', `${folder}:${SYSTEM}`, RULE)).toBe('ask');
      expect(decide('npm test; cat a', `${folder}:${SYSTEM}`, RULE)).toBe('allow');
    }
    expect(decide('npm test; ls', `/elsewhere/tools:${SYSTEM}`, RULE)).toBe('allow');
  });

  it.each(['cd src && npm test', 'npm test; echo done', 'npm test && pwd', '/usr/bin/ls; npm test'])(
    'needs no question if its name is not searched: %s',
    (command) => {
      expect(decide(command, `.:${SYSTEM}`, RULE)).toBe('allow');
    },
  );

  it('needs no question with a rule for it, in bypassPermissions, or after the allow of a hook', () => {
    const PATH = `.:${SYSTEM}`;
    const rules = { allow: ['Bash(npm test)', 'Bash(ls)'] };
    expect(decide('npm test; ls', PATH, { rules })).toBe('allow');
    expect(decide('npm test; ls', PATH, { mode: 'bypassPermissions' })).toBe('allow');
    expect(decide('npm test; ls', PATH, { ...RULE, hook: 'allow' })).toBe('allow');
  });
});
