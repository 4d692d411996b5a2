/** The files that the read-only view hides because of deny rules, on a real disk. A proof must hold in the view as well. */
import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { authorize } from './authorize.ts';
import { observeWorld } from './observe-world.ts';

const base = realpathSync(mkdtempSync(path.join(os.tmpdir(), 'heddle-hidden-')));
const project = path.join(base, 'project');
const home = path.join(base, 'home');
afterAll(() => rmSync(base, { recursive: true, force: true }));

for (const name of ['a', '.env', 'secrets/key', 'plain/x', 'tracked.key', 'nested/sub/x']) {
  mkdirSync(path.dirname(path.join(project, name)), { recursive: true });
  writeFileSync(path.join(project, name), '');
}
for (const name of ['.gitconfig', '.ssh/key', 'bin/tool', 'notes/x']) {
  mkdirSync(path.dirname(path.join(home, name)), { recursive: true });
  writeFileSync(path.join(home, name), '');
}
chmodSync(path.join(home, 'bin/tool'), 0o755);
const environment = {
  HOME: home,
  PATH: `${home}/bin:${process.env['PATH'] ?? ''}`,
  GIT_CONFIG_NOSYSTEM: '1',
};
for (const args of [
  ['init', '-q'],
  ['init', '-q', 'nested/sub'],
  ['add', 'a', 'tracked.key'],
])
  execFileSync('git', args, { cwd: project, env: environment });

interface Setting {
  readonly source?: 'user' | 'project' | 'local' | 'managed';
  readonly command?: string;
  readonly allow?: readonly string[];
}

/** The hidden places, relative to the folder of the test. */
function hidden(
  rule: string,
  { source = 'user', command = 'git status', allow = [] }: Setting = {},
): readonly string[] {
  const surroundings = { root: project, cwd: project, directories: [], home, configDirs: [], environment };
  const world = observeWorld({ ...surroundings, readOnlyView: true });
  const request = { tool: 'Bash', input: { command }, readOnly: false, hookDecision: undefined };
  const allowed = allow.map((text) => ({ text, source: 'user' as const }));
  const rules = { deny: [{ text: rule, source }], ask: [], allow: allowed };
  const { decision, fileLimits } = authorize(request, rules, 'default', world);
  expect([rule, decision]).toEqual([rule, 'allow']);
  return (fileLimits?.hidden ?? []).map((place) => path.relative(base, place));
}

describe('the data and settings of git', () => {
  it.each([
    'Read(.git)',
    'Read(./.git)',
    'Read(./.git/)',
    'Read(./.git/**)',
    'Read(**/.git)',
    'Read(**/.git/**)',
    'Read(.g*t)',
    'Read(/.git/**)',
    `Read(/${project}/.git/**)`,
    'Read(./.git/HEAD)',
    'Read(./.git/config)',
    'Read(./nested/**)',
    'Read(./nested/sub/.git)',
    'Read(~/.gitconfig)',
  ])('are not hidden by %s', (rule) => {
    for (const source of ['user', 'project', 'local'] as const) {
      expect(hidden(rule, { source })).toEqual([]);
      expect(hidden(rule, { source, command: "gi''t status --short" })).toEqual([]);
      expect(hidden(rule, { source, command: 'ls && /usr/bin/git diff' })).toEqual([]);
    }
  });

  it('include tracked files, which git would report as changed', () => {
    expect(hidden('Read(./tracked.key)')).toEqual([]);
    expect(hidden('Read(./tracked.key)', { command: "gi''t status --short" })).toEqual([]);
  });

  it('leave other files hidden', () => {
    for (const source of ['user', 'project'] as const) {
      expect(hidden('Read(./.env)', { source })).toEqual(['project/.env']);
      expect(hidden('Read(./secrets/**)', { source })).toEqual(['project/secrets']);
    }
  });
});

describe('a command that cannot run git', () => {
  it('does not see tracked files and nested repositories that a rule denies', () => {
    expect(hidden('Read(./tracked.key)', { command: 'ls' })).toEqual(['project/tracked.key']);
    expect(hidden('Read(./nested/**)', { command: 'wc a' })).toEqual(['project/nested']);
  });
});

describe('a command that a rule allows', () => {
  it('runs in the view beside a rule for reading, if it is proven and reads known files', () => {
    const allow = ['Bash(cat:*)', 'Bash(sleep:*)'];
    for (const command of ['cat a', 'sleep 4; cat a', 'cat a plain/x | head -1', 'cat < a'])
      expect([command, hidden('Read(./.env)', { command, allow })]).toEqual([command, ['project/.env']]);
    expect(hidden('Read(./.env)', { command: 'make all', allow: ['Bash(make:*)'] })).toEqual([]);
  });
});

describe('folders of the search path', () => {
  it.each(['Read(~/bin)', 'Read(~/bin/**)', 'Read(~/bin/tool)', `Read(/${home}/bin)`])(
    'are not hidden by %s, because names would lead to other programs',
    (rule) => {
      expect(hidden(rule, { command: 'wc a' })).toEqual([]);
    },
  );
});

describe('files outside of the project', () => {
  it('are hidden by rules of the user, and not by those of the project', () => {
    expect(hidden('Read(~/.ssh/**)')).toEqual(['home/.ssh']);
    expect(hidden('Read(~/notes/**)', { source: 'managed' })).toEqual(['home/notes']);
    for (const source of ['project', 'local'] as const) {
      expect(hidden('Read(~/.ssh/**)', { source })).toEqual([]);
      expect(hidden('Read(~/notes/**)', { source })).toEqual([]);
    }
  });
});
