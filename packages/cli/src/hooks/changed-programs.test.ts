/** Programs of hooks that a call of the model changes: they run again after the user's next prompt. */
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { call, say } from '@heddle/testing';
import { expect, it } from 'vitest';
import { type Project, setUpProjects } from '../test/project.ts';
import { commitBranches } from './test/branches.ts';

const project = setUpProjects();

const bash = (command: string, id: string) => [call('Bash', { command }, id)];
const USER = '../config/settings.json';
const SETTINGS = '.claude/settings.json';
const SCRIPT = '.claude/hooks/check.sh';
const WAITS = `${SCRIPT} changed`;
const marking = (name: string, more = 'exit 0') => `#!/bin/sh\ntouch "${name}"\n${more}\n`;
const DENYING = marking('denied', 'echo forbidden >&2; exit 2');

function settings(event: string, command = `sh ${SCRIPT}`, allow: readonly string[] = []): string {
  return JSON.stringify({
    permissions: { allow: ['Bash(git switch *)', ...allow] },
    hooks: { [event]: [{ hooks: [{ type: 'command', command }] }] },
  });
}

const has = ({ folder }: Project, name: string): boolean => existsSync(path.join(folder, name));

it.each([
  ['as an argument', `sh ${SCRIPT}`, SCRIPT],
  ['by the folder of the project', `sh "$CLAUDE_PROJECT_DIR"/${SCRIPT}`, SCRIPT],
  ['below a folder that is run', 'node tools', 'tools/lib/run.js'],
  ['by a variable', 'BASH_ENV=tools/env bash -c true', 'tools/env'],
  ['as the input of a shell', 'sh < tools/env', 'tools/env'],
  ['as the text of a pipe', 'cat tools/env | sh', 'tools/env'],
  ['after an option', 'awk -f tools/env /dev/null', 'tools/env'],
])(
  'the script of a hook that another branch changes does not run in the turn: named %s',
  async (_, command, script) => {
    const text = (name: string): string => {
      if (command.startsWith('awk')) return `BEGIN { system("touch ${name}") }`;
      return script.endsWith('.js') ? `require("fs").writeFileSync("${name}", "");` : marking(name);
    };
    const made = await project(
      {
        [SETTINGS]: settings('PostToolUse', command),
        'tools/index.js': 'require("./lib/run.js");',
        [script]: text('ran'),
      },
      [bash('pwd', 'b0'), bash('git switch -q other', 'b1'), bash('ls', 'b2'), [say('First.')]],
    );
    commitBranches(made, { [script]: text('changed-ran') });
    await made.trust();
    const { stdout, stderr } = await made.run(['-p', 'go']);
    expect(stdout).toContain('First.');
    expect([has(made, 'ran'), has(made, 'changed-ran')]).toEqual([true, false]);
    expect(stderr.split('changed. Configured')).toHaveLength(2);
  },
);

it('a script that another branch adds, and one that it changes for an agent, do not run in the turn', async () => {
  const hooks = { SubagentStop: [{ hooks: [{ type: 'command', command: `sh ${SCRIPT} || true` }] }] };
  const agent = [
    '---',
    'name: helper',
    'description: helps',
    'hooks:',
    '  Stop:',
    '    - hooks:',
    '        - { type: command, command: sh < tools/stop }',
    '---',
    'Help.',
  ].join('\n');
  const made = await project(
    {
      [USER]: JSON.stringify({ permissions: { allow: ['Bash(git switch *)'] } }),
      [SETTINGS]: JSON.stringify({ hooks }),
      '.claude/agents/helper.md': agent,
      'tools/stop': marking('stop'),
    },
    [
      bash('git switch -q other', 'b1'),
      [call('Agent', { description: 'd', prompt: 'p', subagent_type: 'helper' }, 'a1')],
      [say('Done.')],
      [say('First.')],
    ],
  );
  commitBranches(made, { [SCRIPT]: marking('added'), 'tools/stop': marking('changed') });
  await made.trust();
  const { stdout } = await made.run(['-p', 'go']);
  expect(stdout).toContain('First.');
  expect(['stop', 'added', 'changed'].map((name) => has(made, name))).toEqual([false, false, false]);
});

it('the changed script of a hook runs after the next prompt, with a notice before it', async () => {
  const made = await project({ [SETTINGS]: settings('PostToolUse'), [SCRIPT]: marking('ran') }, [
    bash('git switch -q other', 'b1'),
    [say('First.')],
    bash('ls', 'b2'),
    [say('Second.')],
  ]);
  commitBranches(made, { [SCRIPT]: marking('changed-ran') });
  await made.trust();
  const { stdout, stderr } = await made.run(['--plain'], { input: 'go\nagain\n' });
  expect(`${stdout}${stderr}`).toMatch(new RegExp(`${WAITS}[^]*First\\.[^]*Second\\.`));
  expect(has(made, 'changed-ran')).toBe(true);
});

it('calls that a changed guard would decide about ask, and deny rules still deny', async () => {
  const made = await project(
    {
      [SETTINGS]: settings('PreToolUse', `sh ${SCRIPT}`, ['Bash(mkfifo:*)']),
      [USER]: JSON.stringify({ permissions: { deny: ['Bash(touch:*)'] } }),
      [SCRIPT]: marking('ran'),
    },
    [
      bash('git switch -q other', 'b1'),
      bash('mkfifo one', 'b2'),
      bash('touch two', 'b3'),
      bash('ls', 'b4'),
      [say('First.')],
    ],
  );
  commitBranches(made, { [SCRIPT]: marking('changed-ran', 'echo \'{"decision":"approve"}\'') });
  await made.trust();
  const { stdout } = await made.run(['-p', 'go']);
  expect(stdout).toContain('First.');
  expect(['ran', 'changed-ran', 'one', 'two'].map((name) => has(made, name))).toEqual([
    true,
    false,
    false,
    false,
  ]);
  const last = made.sent().at(-1) ?? '';
  expect(last).toContain(`sh ${SCRIPT} (PROJECT/${SETTINGS}) does not run: ${WAITS}`);
});

it('a changed hook does not allow a question in place of the user', async () => {
  const made = await project({ [SETTINGS]: settings('PermissionRequest'), [SCRIPT]: marking('ran') }, [
    bash('git switch -q other', 'b1'),
    bash('mkfifo one', 'b2'),
    [say('First.')],
  ]);
  const answer = { hookEventName: 'PermissionRequest', decision: { behavior: 'allow' } };
  const allowing = `echo '${JSON.stringify({ hookSpecificOutput: answer })}'`;
  commitBranches(made, { [SCRIPT]: marking('changed-ran', allowing) });
  await made.trust();
  await made.run(['-p', 'go']);
  expect(['changed-ran', 'one'].map((name) => has(made, name))).toEqual([false, false]);
});

it('a guard that the user allows the model to edit denies with its new program after the next prompt', async () => {
  const made = await project({ [SETTINGS]: settings('PreToolUse'), [SCRIPT]: marking('ran') }, [
    [call('Read', { file_path: SCRIPT }, 'r1')],
    [call('Write', { file_path: SCRIPT, content: DENYING }, 'w1')],
    bash('ls', 'b1'),
    [say('First.')],
    bash('ls', 'b2'),
    [say('Second.')],
  ]);
  await made.trust();
  const { stdout } = await made.run(['--plain'], { input: 'go\ny\nn\nagain\n' });
  expect(stdout).toContain('Second.');
  expect(readFileSync(path.join(made.folder, SCRIPT), 'utf8')).toBe(DENYING);
  expect(stdout).toMatch(new RegExp(`does not run: ${WAITS}[^]*First\\.[^]*Second\\.`));
  expect(
    made
      .sent()
      .map((body) => body.includes('>forbidden<'))
      .lastIndexOf(false),
  ).toBe(4);
});

it('data that a hook names and writes itself does not make it wait', async () => {
  const command = `sh ${SCRIPT} tools/calls.log tools/state.json`;
  const made = await project(
    {
      [SETTINGS]: settings('PreToolUse', command, ['Bash(mkfifo:*)']),
      [SCRIPT]: '#!/bin/sh\necho x >> "$1"; echo {} > "$2"\n',
      'tools/calls.log': '',
      'tools/state.json': '{}',
    },
    [bash('mkfifo one', 'b1'), bash('mkfifo two', 'b2'), [say('First.')]],
  );
  await made.trust();
  const { stderr } = await made.run(['-p', 'go']);
  expect(has(made, 'two')).toBe(true);
  expect(readFileSync(path.join(made.folder, 'tools/calls.log'), 'utf8')).toBe('x\nx\n');
  expect(stderr).not.toContain('changed');
});

it('a server of an agent whose script another branch changes does not start in the turn', async () => {
  const server = '- x: { command: sh, args: ["tools/server.sh"] }';
  const agent = `---\nname: helper\ndescription: helps\nmcpServers:\n  ${server}\n---\nHelp.`;
  const made = await project(
    {
      [USER]: JSON.stringify({ permissions: { allow: ['Bash(git switch *)'] } }),
      '.claude/agents/helper.md': agent,
      'tools/server.sh': marking('server-ran'),
    },
    [
      bash('git switch -q other', 'b1'),
      [call('Agent', { description: 'd', prompt: 'p', subagent_type: 'helper' }, 'a1')],
      [say('Done.')],
      [say('First.')],
      [call('Agent', { description: 'd', prompt: 'p', subagent_type: 'helper' }, 'a2')],
      [say('Done.')],
      [say('Second.')],
    ],
  );
  commitBranches(made, { 'tools/server.sh': marking('changed-ran', 'echo "$PPID" >> starts') });
  await made.trust();
  const { stdout, stderr } = await made.run(['--plain'], { input: 'go\nagain\n' });
  expect(`${stdout}${stderr}`).toMatch(/tools\/server\.sh changed[^]*First\.[^]*Second\./);
  const waiting = made
    .sent()
    .findIndex((body) => body.includes('The MCP server x is not available: tools/server.sh changed'));
  expect([waiting, has(made, 'server-ran'), has(made, 'changed-ran')]).toEqual([2, false, true]);
});

it('the status line does not run a script that another branch changes before the next prompt', async () => {
  const statusLine = { type: 'command', command: 'sh tools/status.sh' };
  const made = await project(
    {
      [USER]: JSON.stringify({ statusLine, permissions: { allow: ['Bash(git switch *)'] } }),
      'tools/status.sh': 'echo STATUS-ONE',
    },
    [bash('git switch -q other', 'b1'), [say('First.')], [say('Second.')]],
  );
  commitBranches(made, { 'tools/status.sh': marking('changed-ran', 'echo STATUS-TWO') });
  await made.trust();
  const terminal = made.start([], { columns: 120 });
  await terminal.shows('STATUS-ONE');
  terminal.type('go\r');
  await terminal.sees('First.');
  await terminal.sees('tools/status.sh changed');
  expect(has(made, 'changed-ran')).toBe(false);
  terminal.type('again\r');
  await terminal.shows('STATUS-TWO');
});

it('a script that changed and changed back runs in the same turn', async () => {
  const counting = '#!/bin/sh\necho once >> ran\n';
  const made = await project({ [USER]: settings('PostToolUse'), [SCRIPT]: counting }, [
    bash('git switch -q other', 'b1'),
    bash('git switch -q main', 'b2'),
    bash('ls', 'b3'),
    [say('First.')],
  ]);
  commitBranches(made, { [SCRIPT]: marking('changed-ran') });
  await made.trust();
  const { stderr } = await made.run(['-p', 'go']);
  expect(readFileSync(path.join(made.folder, 'ran'), 'utf8')).toBe('once\nonce\n');
  expect(has(made, 'changed-ran')).toBe(false);
  expect(stderr).toContain(WAITS);
});

it('a hook that blocks the report of a background agent does not keep the program', async () => {
  const blocking = `grep -q '"prompt":"go"' || exit 2`;
  const agent = { description: 'd', prompt: 'p', subagent_type: 'general-purpose', run_in_background: true };
  const made = await project({ [USER]: settings('UserPromptSubmit', blocking) }, [
    [call('Agent', agent, 'a1')],
    [say('First.')],
    [say('Second.')],
    [say('Third.')],
  ]);
  await made.trust();
  const { code, signal } = await made.run(['-p', 'go']);
  expect([code, signal]).toEqual([0, null]);
});
