/** Skills that a subagent uses: the commands of their texts are calls of this subagent. Through the program. */
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { type ApiScript, call, say } from '@heddle/testing';
import { describe, expect, it } from 'vitest';
import { setUpProjects } from './test/project.ts';

const project = setUpProjects();

const skill = (name: string, header: string, body: string): Record<string, string> => ({
  [`.claude/skills/${name}/SKILL.md`]: `---\nname: ${name}\ndescription: About ${name}\n${header}\n---\n${body}\n`,
});
const agent = (name: string, header: string): Record<string, string> => ({
  [`.claude/agents/${name}.md`]: `---\nname: ${name}\ndescription: Works\n${header}\n---\nYou work as ${name}.\n`,
});
const start = (type: string, more: Record<string, string> = {}) =>
  call('Agent', { description: 'x', prompt: `Task of ${type}.`, subagent_type: type, ...more }, `a-${type}`);
const useSkill = (name: string, args = '') => call('Skill', { skill: name, args }, `s-${name}`);

/** One subagent of the type uses the skill. */
const oneUse = (type: string, name: string, more?: Record<string, string>): ApiScript => [
  [start(type, more)],
  [useSkill(name, 'by-args')],
  [say('Used.')],
  [say('Done.')],
];

async function opened(files: Record<string, string>, script: ApiScript) {
  const made = await project(files, script);
  await made.trust();
  return { ...made, has: (name: string) => existsSync(path.join(made.folder, name)) };
}

const EDITS = skill('edits', '', 'Made: !`touch made-by-skill; mkdir -p $0` ok');
const ACCEPT = ['-p', 'go', '--permission-mode', 'acceptEdits'];

describe('the commands of a skill that a subagent uses', () => {
  it('have the rules of the skill, and calls of other agents do not have them', async () => {
    // The command waits until the other subagent and the conversation had their turn.
    const wait = 'for i in 1 2 3 4 5 6 7 8 9 10; do test -e made-by-other || sleep 0.2; done';
    const files = {
      ...skill('rel', 'allowed-tools: Bash', `Do !\`touch started; ${wait}; touch made-by-skill\` now`),
      ...agent('user', ''),
      ...agent('other', ''),
    };
    const seen = (body: unknown, text: string): boolean => JSON.stringify(body).includes(text);
    let started = false;
    const script: ApiScript = (body) => {
      if (seen(body, 'You work as user.')) return seen(body, 's-rel') ? [say('Used.')] : [useSkill('rel')];
      if (seen(body, 'You work as other.')) {
        if (seen(body, 'b-2')) return [say('Tried.')];
        if (seen(body, 'b-1')) return [call('Bash', { command: 'touch made-by-other' }, 'b-2')];
        return [
          call('Bash', { command: 'for i in 1 2 3 4 5; do ls started && break; sleep 0.3; done' }, 'b-1'),
        ];
      }
      if (started) return [say('Done.')];
      started = true;
      return [start('user'), start('other')];
    };
    const { run, has, sent } = await opened(files, script);
    await run(['-p', 'go']);
    expect(has('made-by-skill')).toBe(true);
    expect(has('made-by-other')).toBe(false);
    expect(sent().some((request) => request.includes('No rule allows'))).toBe(true);
  });

  it('run in its worktree', async () => {
    const { run, folder, has, sent } = await opened(
      EDITS,
      oneUse('general-purpose', 'edits', { isolation: 'worktree' }),
    );
    const git = (...argv: readonly string[]) =>
      execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@b', ...argv], { cwd: folder });
    git('init', '-q');
    git('add', '-A');
    git('commit', '-q', '-m', 'x');
    await run(ACCEPT);
    expect(sent()[2]).toContain('Made:');
    expect([has('made-by-skill'), has('by-args')]).toEqual([false, false]);
    const trees = path.join(folder, '.heddle/worktrees');
    const tree = readdirSync(trees).find((name) => !name.startsWith('.')) ?? '';
    expect(readdirSync(path.join(trees, tree))).toEqual(expect.arrayContaining(['made-by-skill', 'by-args']));
  });

  it.each([
    ['tools', 'tools: Read, Skill', 'The tool Bash is not available'],
    ['mode', 'permissionMode: plan', 'Plan mode: nothing with effects runs'],
    [
      'hooks',
      'hooks:\n  PreToolUse:\n    - matcher: Bash\n      hooks:\n        - type: command\n          command: "echo not for me >&2; exit 2"',
      'not for me',
    ],
  ])('have its %s', async (_, header, reason) => {
    const { run, has, sent } = await opened({ ...EDITS, ...agent('gu', header) }, oneUse('gu', 'edits'));
    await run(ACCEPT);
    expect(sent()[2]).toContain(reason);
    expect([has('made-by-skill'), has('by-args')]).toEqual([false, false]);
  });

  it('have its limits if its definition names the skill', async () => {
    const header = 'skills: edits\ntools: Read, Skill';
    const script = [[start('gu')], [say('Read.')], [say('Done.')]];
    const { run, has, sent } = await opened({ ...EDITS, ...agent('gu', header) }, script);
    await run(ACCEPT);
    expect(sent()[1]).toContain('The tool Bash is not available');
    expect(has('made-by-skill')).toBe(false);
  });

  it('run if nothing forbids them', async () => {
    const { run, has, sent } = await opened({ ...EDITS, ...agent('gu', '') }, oneUse('gu', 'edits'));
    await run(ACCEPT);
    expect(sent()[2]).toContain('Made:');
    expect([has('made-by-skill'), has('by-args')]).toEqual([true, true]);
  });
});

it('a subagent follows a skill with context: fork itself, within its limits', async () => {
  const files = { ...skill('apart', 'context: fork', 'Work on it.'), ...agent('gu', 'permissionMode: plan') };
  const { run, has, sent } = await opened(files, [
    [start('gu')],
    [useSkill('apart')],
    [call('Bash', { command: 'touch made-apart' }, 'b1')],
    [say('Used.')],
    [say('Done.')],
    [say('Done.')],
  ]);
  await run(ACCEPT);
  expect(sent()[2]).toContain('You work as gu.');
  expect(sent()[2]).toContain('Work on it.');
  expect(has('made-apart')).toBe(false);
});
