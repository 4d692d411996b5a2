/** Skills that do more than add text: a context of their own, hooks, files and folders they apply to. Through the program. */
import { chmodSync, existsSync } from 'node:fs';
import path from 'node:path';
import { call, say } from '@heddle/testing';
import { describe, expect, it } from 'vitest';
import { linesOf } from './test/program.ts';
import { setUpProjects } from './test/project.ts';

const project = setUpProjects();

const skill = (name: string, header: string, body: string): Record<string, string> => ({
  [`.claude/skills/${name}/SKILL.md`]: `---\nname: ${name}\ndescription: About ${name}\n${header}\n---\n${body}\n`,
});
const AGENT = '---\nname: reviewer\ndescription: Reviews\n---\nYou review as told.\n';

describe('a skill with context: fork', () => {
  const files = {
    ...skill('audit', 'context: fork\nagent: reviewer', 'Audit $ARGUMENTS carefully.'),
    '.claude/agents/reviewer.md': AGENT,
  };

  it('that the model loads runs in a subagent, and the model reads its report', async () => {
    const { run, sent } = await project(files, [
      [call('Skill', { skill: 'audit', args: 'the parser' }, 's1')],
      [say('Two faults found.')],
      [say('Reported.')],
    ]);
    const stream = ['-p', 'Words of the parent.', '--output-format', 'stream-json', '--verbose'];
    const { stdout } = await run(stream);
    expect(linesOf(stdout).at(-1)).toMatchObject({ type: 'result', result: 'Reported.' });
    const [, child = '', parent] = sent();
    expect(child).toContain('You review as told.');
    expect(child).toContain('Audit the parser carefully.');
    expect(child).not.toContain('Words of the parent.');
    expect(parent).toContain('ran in a context of its own and ended. Its report:');
    expect(parent).toContain('Two faults found.');
    expect(parent).not.toContain('Audit the parser carefully.');
    expect(stdout).toContain('"subtype":"task_notification"');
  });

  it('that the user types runs in a subagent first', async () => {
    const { run, sent } = await project(files, [[say('One fault found.')], [say('Told you.')]]);
    expect((await run(['-p', '/audit the lexer'])).stdout).toBe('Told you.\n');
    expect(sent()[0]).toContain('Audit the lexer carefully.');
    expect(sent()[1]).toContain('One fault found.');
  });

  it('gives the subagent its effort if the project is trusted', async () => {
    const header = 'context: fork\nagent: reviewer\neffort: low';
    const answers = [[say('Found.')], [say('Told.')]];
    const { run, sent, trust } = await project({ ...files, ...skill('audit', header, 'Audit it.') }, [
      ...answers,
      ...answers,
    ]);
    const argv = ['-p', '/audit', '--effort', 'high'];
    await run(argv);
    await trust();
    await run(argv);
    const efforts = sent().map((request) => /"effort":"(\w+)"/.exec(request)?.[1]);
    expect(efforts).toEqual(['high', 'high', 'low', 'high']);
  });

  it('adds its text to the conversation if there are no subagents', async () => {
    const { run, sent } = await project(files, [[say('Done here.')]]);
    await run(['-p', '/audit it', '--disallowed-tools', 'Agent']);
    expect(sent()[0]).toContain('Audit it carefully.');
  });
});

it('skills for some paths, and those of subfolders, join when the model reads such a file', async () => {
  const nested = skill('nested', '', 'Nested.')['.claude/skills/nested/SKILL.md'] ?? '';
  const files = {
    ...skill('always', '', 'Always.'),
    ...skill('styles', 'paths: ["web/**/*.css"]', 'Styles.'),
    'web/a/main.css': 'a {}',
    'web/.heddle/skills/nested/SKILL.md': nested,
  };
  const { run, sent } = await project(files, [
    [call('Read', { file_path: 'web/a/main.css' }, 'r1')],
    [call('Skill', { skill: 'nested' }, 's1')],
    [say('Yes.')],
    [say('Again.')],
  ]);
  await run(['-p', 'go']);
  const [before, after, loaded] = sent();
  expect(before).toContain('- always: About always');
  for (const name of ['styles', 'nested']) {
    expect(before).not.toContain(`- ${name}: About ${name}`);
    expect(after).toContain(`- ${name}: About ${name}`);
  }
  expect(loaded).toContain(`Its folder is PROJECT/web/.heddle/skills/nested`);
  // A resumed session does not send a shorter list, which would contradict the conversation.
  await run(['-p', '-c', 'again']);
  expect(sent()[3]?.match(/These skills are available/g)).toHaveLength(2);
});

it('a skill of a subfolder gives text only, and other repositories and packages give nothing', async () => {
  const at = (folder: string, name: string, body = '') => ({
    [`${folder}/.claude/skills/${name}/SKILL.md`]: `---\nname: ${name}\ndescription: About ${name}\nallowed-tools: Bash(touch *)\n---\n${body}\n`,
    [`${folder}/a.txt`]: 'a',
  });
  const files = {
    ...skill('always', '', 'Always.'),
    ...at('web', 'nested', 'Nested text. !`touch made-by-text`'),
    ...at('node_modules/p', 'installed'),
    ...at('vendor/clone', 'cloned'),
    'vendor/clone/.git/HEAD': 'ref: refs/heads/main\n',
    'vendor/clone/.git/objects/x': '',
    'vendor/clone/.git/refs/x': '',
  };
  const { run, sent, trust, folder } = await project(files, [
    [
      call('Read', { file_path: 'web/a.txt' }, 'r1'),
      call('Read', { file_path: 'node_modules/p/a.txt' }, 'r2'),
      call('Read', { file_path: 'vendor/clone/a.txt' }, 'r3'),
    ],
    [call('Skill', { skill: 'nested' }, 's1')],
    [call('Bash', { command: 'touch made-by-rule' }, 'b1')],
    [say('Done.')],
  ]);
  await trust();
  await run(['-p', 'go']);
  const last = sent().at(-1) ?? '';
  expect(last).toContain('- nested: About nested');
  expect(last).not.toMatch(/About (installed|cloned)/);
  expect(last).toContain('Nested text.');
  for (const made of ['made-by-text', 'made-by-rule'])
    expect(existsSync(path.join(folder, made))).toBe(false);
});

describe('hooks in the header of a skill', () => {
  const HEADER = `hooks:
  PreToolUse:
    - matcher: Bash
      hooks:
        - type: command
          command: "echo not with this skill >&2; exit 2"`;
  const files = skill('careful', HEADER, 'Be careful.');
  const echo = (id: string) => call('Bash', { command: 'echo out' }, id);
  const script = [[echo('b1')], [say('One.')], [echo('b2')], [say('Two.')]];

  it('run while the skill is in use, and end with the prompt', async () => {
    const { run, sent, trust } = await project(files, script);
    await trust();
    const lines = ['/careful', 'without it'].map(
      (content) =>
        `${JSON.stringify({ type: 'user', message: { role: 'user', content }, priority: 'later' })}\n`,
    );
    const stream = ['--input-format', 'stream-json', '--output-format', 'stream-json', '--verbose'];
    await run(stream, { input: lines.join('') });
    expect(sent()[1]).toContain('not with this skill');
    expect(sent()[3]?.match(/not with this skill/g)).toHaveLength(1);
  });

  it.each([
    ['the folder is not trusted', [], /not trusted: hooks of \/careful\./],
    ['hooks are switched off', ['--settings', '{"disableAllHooks":true}'], /^/],
  ])('do not run if %s', async (_, argv, notice) => {
    const { run, sent, trust } = await project(files, script);
    if (argv.length > 0) await trust();
    expect((await run(['-p', '/careful', ...argv])).stderr).toMatch(notice);
    expect(sent()[1]).not.toContain('not with this skill');
  });
});

it('shell: powershell runs the commands of a file with that shell', async () => {
  const files = skill('win', 'shell: powershell\nallowed-tools: Bash', "Version: !`Write-Output 'x y'`");
  const { run, sent, trust, folder } = await project(
    { ...files, 'bin/pwsh': '#!/bin/sh\nprintf "<%s>" "$@"\n' },
    [[say('Yes.')]],
  );
  chmodSync(path.join(folder, 'bin/pwsh'), 0o755);
  await trust();
  await run(['-p', '/win'], { env: { PATH: `${folder}/bin:${process.env['PATH'] ?? ''}` } });
  expect(sent()[0]).toContain("<-NoProfile><-NonInteractive><-Command><Write-Output 'x y'>");
});

it('agents of a plugin have its name before theirs, and can be started', async () => {
  const { run, sent } = await project({ '../kit/agents/reviewer.md': AGENT }, [
    [call('Agent', { description: 'x', prompt: 'Look.', subagent_type: 'kit:reviewer' }, 'a1')],
    [say('Looked.')],
    [say('Fine.')],
  ]);
  const { stdout } = await run(['-p', 'go', '--plugin-dir', '../kit']);
  expect(stdout).toBe('Fine.\n');
  expect(sent()[1]).toContain('You review as told.');
});

describe('a command of the user in a folder', () => {
  it('wins with its folder over a file of the project with that name', async () => {
    const { run, sent } = await project(
      {
        '../config/commands/git/send.md': 'The user sends.',
        '.claude/commands/git:send.md': 'The project sends.',
        '.claude/skills/x/SKILL.md': '---\nname: git:send\ndescription: Sends\n---\nThe skill sends.\n',
      },
      [[say('a')], [say('b')]],
    );
    await run(['-p', '/git:send']);
    await run(['-p', '/send']);
    expect(sent()[0]).toContain('The user sends.');
    expect(sent()[1]).toContain('The user sends.');
  });
});
