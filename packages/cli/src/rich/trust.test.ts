/** A project with hooks, a skill, a command, imports, servers, rules, variables and a status line, in the real terminal. */
import { existsSync } from 'node:fs';
import path from 'node:path';
import { call, say } from '@heddle/testing';
import { expect, it } from 'vitest';
import { PROMPT } from '../conversation/test/scene.ts';
import { ENTER } from '../conversation/test/terminal.ts';
import { setUpProjects } from '../test/project.ts';

const project = setUpProjects();

const touchAnd = (file: string, rest: string): string => `touch "$CLAUDE_PROJECT_DIR/${file}"; ${rest}`;
const command = (text: string) => [{ hooks: [{ type: 'command', command: text }] }];

const FILES = {
  '.claude/settings.json': JSON.stringify({
    hooks: {
      SessionStart: command(touchAnd('ran-start', 'true')),
      UserPromptSubmit: command(touchAnd('ran-prompt', 'echo From the hook.')),
    },
    statusLine: { type: 'command', command: 'touch ran-status; echo STATUS' },
    permissions: { allow: ['Bash(touch allowed)'] },
    env: { FROM_ENV: 'from-settings' },
    enableAllProjectMcpServers: true,
  }),
  '.mcp.json': JSON.stringify({
    mcpServers: { tester: { command: 'sh', args: ['-c', 'touch ran-server'] } },
  }),
  'CLAUDE.md': 'See @docs/rules.md.',
  'docs/rules.md': 'An imported rule.',
  '.claude/skills/deploy/SKILL.md': '---\nname: deploy\ndescription: Deploys it\n---\nDeploy.',
  '.claude/commands/make.md':
    '---\nallowed-tools: Bash(touch:*)\n---\nMake $ARGUMENTS. Output: !`touch ran-command && echo COMMAND-$((1+1))`',
};
/** Files that prove that a part of the project ran. */
const TRACES = ['ran-start', 'ran-prompt', 'ran-server', 'ran-command'];

it('nothing of a project runs until it is trusted, and one line says what would; then all of it works', async () => {
  const { start, sent, trust, folder } = await project(FILES, [
    [say('First answer.')],
    [call('Bash', { command: 'touch allowed' }, 'b1'), call('Bash', { command: 'echo "$FROM_ENV"' }, 'b2')],
    [call('Skill', { skill: 'deploy' }, 's1')],
    [say('Second answer.')],
  ]);
  const present = (names: readonly string[]): readonly string[] =>
    names.filter((name) => existsSync(path.join(folder, name)));

  const untrusted = start([], { columns: 200 });
  await untrusted.sees(PROMPT);
  const atStart = untrusted.text;
  expect(atStart.match(/Left out, because the folder is not trusted/g)).toHaveLength(1);
  for (const part of ['1 allow rule', 'hooks', 'env', 'statusLine', 'tester', '/make'])
    expect(atStart, `the line about ${part}`).toContain(part);
  untrusted.type(`/make it${ENTER}`);
  await untrusted.sees('First answer.');
  await untrusted.sees(PROMPT);
  untrusted.kill('SIGKILL');
  await untrusted.ended;
  expect(present([...TRACES, 'ran-status'])).toEqual([]);
  expect(sent()[0]).toContain('An imported rule.');
  expect(sent()[0]).toContain('commands of a folder that is not trusted do not run');
  for (const absent of ['From the hook.', 'COMMAND-2']) expect(sent()[0]).not.toContain(absent);

  await trust();
  const trusted = start([], { columns: 200 });
  await trusted.sees(/1 skill, 1 command, 2 hooks, 1 MCP server \(tester\)/);
  await trusted.sees(PROMPT);
  expect(trusted.text).not.toContain('Left out');
  trusted.type(`/make it${ENTER}`);
  await trusted.sees('Second answer.');
  await trusted.shows('STATUS');
  expect(present([...TRACES, 'allowed'])).toEqual([...TRACES, 'allowed']);
  const [, asked = '', results = '', skill] = sent();
  for (const text of [
    'An imported rule.',
    'Make it. Output: COMMAND-2',
    'From the hook.',
    '- deploy: Deploys it',
  ])
    expect(asked).toContain(text);
  expect(results).toContain('from-settings');
  expect(skill).toContain('The skill deploy.');
});
