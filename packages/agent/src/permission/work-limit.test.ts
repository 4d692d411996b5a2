/** A decision looks at few places, however long the input is, and asks if that is not enough. */
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import type { JsonObject, PermissionMode } from '@heddle/core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { authorize } from './authorize.ts';
import { observeWorld } from './observe-world.ts';
import { questionBasis } from './question-basis.ts';
import type { Authorization } from './request.ts';
import { suggestions } from './suggest/suggest.ts';
import type { PermissionWorld } from './world.ts';

const project = realpathSync(mkdtempSync(path.join(os.tmpdir(), 'heddle-work-')));

beforeAll(() => {
  for (let at = 0; at < 40; at++) {
    mkdirSync(path.join(project, `f${at}/src/deep`), { recursive: true });
    for (const name of ['a.ts', 'src/b.ts', 'src/deep/c.ts'])
      writeFileSync(path.join(project, `f${at}`, name), '');
  }
});
afterAll(() => rmSync(project, { recursive: true, force: true }));

/** Characters: the longest command that is read. */
const LONGEST = 10_000;

/** Repeats a text with growing numbers in the place of `%`. */
function long(before: string, unit: string, after = ''): string {
  let text = before;
  for (let at = 0; text.length + unit.length + after.length + 4 < LONGEST; at++)
    text += unit.replaceAll('%', String(at));
  return text + after;
}

function scripted(command: string, commands = 190): string {
  return Array.from({ length: commands }, (_, at) => command.replaceAll('%', String(at)))
    .join('; ')
    .slice(0, LONGEST);
}

interface Setting {
  readonly tool?: string;
  readonly mode?: PermissionMode;
  readonly deny?: readonly string[];
  readonly allow?: readonly string[];
}

function decide(
  given: string | JsonObject,
  { tool = 'Bash', mode = 'default', deny = [], allow = [] }: Setting = {},
): Authorization & { readonly looks: number; readonly suggested: number; readonly later: number } {
  let looks = 0;
  const observed = observeWorld({
    root: project,
    cwd: project,
    directories: [],
    home: path.join(project, '../home'),
    configDirs: [],
    environment: {},
  });
  const counted = <Result>(look: (file: string) => Result) => {
    return (file: string): Result => {
      looks++;
      return look(file);
    };
  };
  const world: PermissionWorld = {
    ...observed,
    realpath: counted(observed.realpath),
    exists: counted(observed.exists),
    list: counted(observed.list),
    entries: counted(observed.entries),
    repository: counted(observed.repository),
    gitIn: counted(observed.gitIn),
  };
  const input = typeof given === 'string' ? { command: given } : given;
  const request = { tool, input, readOnly: false, hookDecision: undefined };
  const rule = (text: string) => ({ text, source: 'user' as const });
  const rules = { deny: deny.map(rule), ask: [], allow: allow.map(rule) };
  const verdict = authorize(request, rules, mode, world);
  const decided = looks;
  const suggested = suggestions(request, verdict, { rules, mode, world }).length;
  questionBasis(verdict, verdict.reason, world);
  return { ...verdict, looks: decided, suggested, later: looks - decided };
}

const LIMIT = /to check it takes more than 10,000 steps/;

/** Far below the number of words in these inputs times the folders of the project. */
const MOST_LOOKS = 2_500;

describe('a decision about a long input', () => {
  const wide: readonly string[] = [
    long('cat ', '*/*/*/*%.ts '),
    long('rm ', '*/src/*%* '),
    long('unknown ', '*/*/*%* '),
    long('mv ', 'n% ', 'f0'),
    long('touch ', 'n%/x '),
    long('unknown ', 'w% '),
    long('cat ', '{a,b}{c,d}{e,f}{g,h}{i,j}% '),
    long('touch ', `%/${'a/'.repeat(40)} `),
    `cat ${'a/'.repeat(2_000)}`,
    scripted('mv */*/n% m%'),
    scripted('cp -r f1 m%'),
    scripted('ln -s n% m%'),
    scripted('unknown% a/b --c=d'),
    scripted('unknown% */*/*'),
    `${scripted('cd n%', 15)}; ${long('touch ', 'n% ').slice(0, 9_000)}`,
    `bash -c '${scripted('unknown% a').slice(0, 9_900)}'`,
    long('find . ', "-exec bash -c 'rm {}' \\; "),
    `for i in f0* f1* f2*; do cat ${'$i/* '.repeat(1_900)}; done`,
  ];

  it.each(wide)('takes few looks at the disk: %.60s', (command) => {
    const deny = ['Read(**/*.pem)', 'Edit(./f1/*.json)', 'Bash(shutdown *)'];
    for (const mode of ['default', 'acceptEdits', 'plan', 'bypassPermissions'] as const)
      expect(decide(command, { mode, deny }).looks).toBeLessThan(MOST_LOOKS);
  });

  it.each(wide)('is not examined again for its question: %.60s', (command) => {
    expect(decide(command).later).toBeLessThanOrEqual(1);
  });

  it.each(['npm run x f0/* f1/*', 'rm f0/* f1/* f2/*'])('with a rule to suggest, neither: %s', (command) => {
    expect(decide(command)).toMatchObject({ decision: 'ask', suggested: 1, later: 1 });
  });

  it('asks and names the limit, and suggests no rule', () => {
    const asked = wide.map((command) => decide(command, { mode: 'acceptEdits' }));
    const limited = asked.filter(({ reason }) => LIMIT.test(reason));
    expect(limited.length).toBeGreaterThan(wide.length / 2);
    expect(limited.map(({ decision, suggested }) => [decision, suggested])).toEqual(
      limited.map(() => ['ask', 0]),
    );
  });

  it.each([
    `sed -n '${'0'.repeat(9_900)}' f`,
    `sed -n '${'s'.repeat(9_900)}' f`,
    `unknown ${'a.'.repeat(4_900)}`,
    `unknown '${'a'.repeat(9_900)}'`,
    `${'\n'.repeat(9_900)}ls`,
    `${'! '.repeat(4_900)}ls`,
    `${'xargs '.repeat(1_600)}ls`,
    `${'xargs '.repeat(200)}ls`,
    `${'sudo -u x '.repeat(16)}ls`,
    `${'npx '.repeat(16)}ls`,
    `${'find . -exec '.repeat(16)}ls`,
    `git log ${'*a'.repeat(4_900)}`,
    `unknown 'x=${'*/'.repeat(4_900)}'`,
    `unknown -${'v'.repeat(9_900)}.en?`,
    long('unknown ', `'*=*:*,%' `),
    long('unknown ', `'x="a%"' `),
    long('tar cf x ', 'a% '),
    `unknown ${Array.from({ length: 1_300 }, (_, at) => `$a${at}`).join(' ')}`,
  ])('takes linear time, shape %#', (command) => {
    const timeOf = (text: string): number => {
      let least = Number.POSITIVE_INFINITY;
      for (let round = 0; round < 3 || (least >= 50 && round < 40); round++) {
        const before = process.threadCpuUsage();
        decide(text, { deny: ['Bash(rm *)'], mode: 'bypassPermissions' });
        const { user, system } = process.threadCpuUsage(before);
        least = Math.min(least, (user + system) / 1_000);
      }
      return least;
    };
    expect(timeOf(command)).toBeLessThan(50);
  });

  it('is the same each time', () => {
    const decisions = [1, 2].map(() => wide.map((command) => decide(command).reason));
    expect(decisions[0]).toEqual(decisions[1]);
  });

  it('asks beside a deny rule in bypassPermissions, and is denied in plan', () => {
    const command = long('touch ', 'n%/x ');
    const mode = 'bypassPermissions';
    expect(decide(command, { mode, deny: ['Edit(./n7/**)'] })).toMatchObject({ decision: 'ask' });
    expect(decide(command, { mode })).toMatchObject({ decision: 'allow' });
    expect(decide(command, { mode: 'plan' })).toMatchObject({ decision: 'deny' });
    expect(decide(command, { mode, deny: ['Bash'] })).toMatchObject({ decision: 'deny', rule: 'Bash' });
  });

  it('asks about a path of a file tool with thousands of segments', () => {
    const input = { file_path: 'a/'.repeat(2_000), content: '' };
    expect(decide(input, { tool: 'Write', mode: 'acceptEdits' }).reason).toMatch(LIMIT);
  });
});

describe('a decision about a usual input is not cut off', () => {
  it.each([
    ['rm', `rm ${Array.from({ length: 150 }, (_, at) => `f1/n${at}.ts`).join(' ')}`],
    ['mv', `mv ${Array.from({ length: 70 }, (_, at) => `n${at}.ts`).join(' ')} f1`],
    ['cp -r of a tree', 'cp -r f1 f2 f3 f4 m'],
    ['rm -r of trees', `rm -r ${Array.from({ length: 40 }, (_, at) => `f${at}`).join(' ')}`],
    ['edits in a script', Array.from({ length: 40 }, (_, at) => `echo x > n${at}`).join(' && ')],
    ['globs', 'touch f1/*.ts f2/*/*.ts f3/src/*/c.ts'],
  ])('%s', (_, command) => {
    expect(decide(command, { mode: 'acceptEdits' }).decision).toBe('allow');
  });

  it.each([
    ['a reader of many files', `cat ${Array.from({ length: 250 }, (_, at) => `f1/n${at}.ts`).join(' ')}`],
    ['many readers', Array.from({ length: 80 }, (_, at) => `grep x f1/n${at}.ts`).join('; ')],
    ['a search of everything', 'grep -r x .'],
    ['globs', 'wc -l */*.ts */*/*.ts */*/*/*.ts'],
  ])('%s', (_, command) => {
    expect(decide(command, { deny: ['Read(**/*.pem)'] }).decision).toBe('allow');
  });

  it('of a covered program with many files', () => {
    const files = Array.from({ length: 200 }, (_, at) => `src/n${at}.ts`).join(' ');
    expect(decide(`prettier --write ${files}`, { allow: ['Bash(prettier:*)'] }).decision).toBe('allow');
  });
});
