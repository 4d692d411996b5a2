/** Settings of the project that a call of the model changes: they forbid more at once, and permit more after the user's next prompt. */
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { call, say } from '@heddle/testing';
import { expect, it } from 'vitest';
import { type Project, setUpProjects } from '../test/project.ts';
import { commitBranches, git } from './test/branches.ts';

const project = setUpProjects();

const bash = (command: string, id: string) => [call('Bash', { command }, id)];
const touching = (name: string) => [{ hooks: [{ type: 'command', command: `touch "${name}"` }] }];
const USER = '../config/settings.json';
const SETTINGS = '.claude/settings.json';
const rules = (permissions: object) => JSON.stringify({ permissions });
const HELD = 'apply with your next prompt';

const has = ({ folder }: Project, name: string): boolean => existsSync(path.join(folder, name));

it.each(['switch', 'checkout'])('git %s does not lift deny and ask rules', async (command) => {
  const made = await project(
    {
      [USER]: rules({ allow: ['Bash(git *)', 'Bash(touch:*)', 'Bash(mkdir:*)'] }),
      [SETTINGS]: rules({ deny: ['Read(./.env)', 'Bash(touch:*)'], ask: ['Bash(mkdir:*)'] }),
      '.env': 'SECRETZ',
    },
    [
      bash(`git ${command} -q other`, 'b1'),
      bash('cat .env', 'b2'),
      [call('Read', { file_path: '.env' }, 'r1')],
      bash('touch one', 'b3'),
      bash('mkdir two', 'b4'),
      [say('First.')],
      bash('cat .env', 'b5'),
      bash('touch three', 'b6'),
      [say('Second.')],
    ],
  );
  commitBranches(made, { [SETTINGS]: null });
  const { stdout } = await made.run(['--plain'], { input: 'go\nn\nagain\n' });
  expect(stdout).toContain('Second.');
  expect(has(made, SETTINGS)).toBe(false);
  expect(made.sent().join('')).not.toContain('SECRETZ');
  expect(['one', 'two', 'three'].map((name) => has(made, name))).toEqual([false, false, false]);
});

const EVIL_SERVER = { evil: { command: 'sh', args: ['-c', 'touch server-ran; exit 1'] } };

it('hooks, rules, folders and servers of another branch wait for the next prompt', async () => {
  const made = await project(
    {
      [USER]: rules({ allow: ['Bash(git switch *)'] }),
      [SETTINGS]: rules({ allow: ['Bash(mkfifo kept)'] }),
      '../outside/.keep': '',
    },
    [
      bash('git switch -q other', 'b1'),
      bash('ls', 'b2'),
      bash('mkfifo one', 'b3'),
      bash('mkfifo kept', 'b4'),
      bash('touch ../outside/note', 'b5'),
      bash('touch denied', 'b6'),
      [say('First.')],
    ],
  );
  commitBranches(made, {
    [SETTINGS]: {
      hooks: { PreToolUse: touching('hook-ran') },
      mcpServers: EVIL_SERVER,
      permissions: {
        allow: ['Bash(mkfifo:*)', 'Bash(mkfifo kept)'],
        deny: ['Bash(touch denied)'],
        additionalDirectories: ['../outside'],
      },
    },
    '.mcp.json': { mcpServers: EVIL_SERVER },
  });
  await made.trust();
  const once = await made.run(['-p', 'go', '--permission-mode', 'acceptEdits']);
  expect(once.stderr).toContain(HELD);
  const names = ['hook-ran', 'server-ran', 'one', '../outside/note', 'denied', 'kept'];
  expect(names.filter((name) => has(made, name))).toEqual(['kept']);
});

it('hooks and rules of another branch apply after the next prompt, with a notice before it', async () => {
  const made = await project({ [USER]: rules({ allow: ['Bash(git switch *)'] }), [SETTINGS]: rules({}) }, [
    bash('git switch -q other', 'b1'),
    bash('mkfifo one', 'b2'),
    [say('First.')],
    bash('mkfifo two', 'b3'),
    [say('Second.')],
  ]);
  commitBranches(made, {
    [SETTINGS]: {
      hooks: { PreToolUse: touching('hook-ran') },
      permissions: { allow: ['Bash(mkfifo:*)'] },
    },
  });
  await made.trust();
  const { stdout, stderr } = await made.run(['--plain'], { input: 'go\nn\nagain\n' });
  expect(`${stdout}${stderr}`).toMatch(
    new RegExp(`${HELD}[^]*First\\.[^]*The settings changed\\.[^]*Second\\.`),
  );
  expect(['one', 'two', 'hook-ran'].map((name) => has(made, name))).toEqual([false, true, true]);
});

it.each([
  ['--mcp-config', ['--mcp-config', 'servers.json']],
  ['--settings', ['--settings', 'mine.json']],
  ['--managed-settings', ['--managed-settings', 'mine.json']],
])('a file of the project that %s names waits as well', async (_, flags) => {
  const made = await project(
    {
      [USER]: rules({ allow: ['Bash(git switch *)', 'Bash(touch:*)'] }),
      'servers.json': JSON.stringify({ mcpServers: {} }),
      'mine.json': rules({ deny: ['Bash(touch one)'] }),
    },
    [bash('git switch -q other', 'b1'), bash('sleep 0.3', 'b2'), bash('touch one', 'b3'), [say('First.')]],
  );
  commitBranches(made, {
    'servers.json': { mcpServers: EVIL_SERVER },
    'mine.json': { hooks: { PreToolUse: touching('hook-ran') } },
    [SETTINGS]: { permissions: { ask: ['Bash(rm)'] } },
  });
  await made.trust();
  await made.run(['-p', 'go', ...flags]);
  expect(has(made, 'hook-ran') || has(made, 'server-ran')).toBe(false);
  expect(has(made, 'one')).toBe(flags[0] === '--mcp-config');
});

it('an answer that is stored in the local settings counts at once, and without a notice', async () => {
  const made = await project(
    { [USER]: rules({}), 'count.cjs': "require('node:fs').appendFileSync('count', 'x')" },
    [
      bash('node count.cjs', 'b1'),
      bash('node count.cjs', 'b2'),
      bash('echo {} > ../config/settings.json', 'b3'),
      bash('node count.cjs', 'b4'),
      [say('First.')],
    ],
  );
  const { stdout, stderr } = await made.run(['--plain'], { input: 'go\n2\np\n1\n' });
  expect(readFileSync(path.join(made.folder, 'count'), 'utf8')).toBe('xxx');
  expect(`${stdout}${stderr}`).not.toContain(HELD);
});

it('the project of a session stays the same if a command makes a repository of its folder', async () => {
  const made = await project(
    {
      [USER]: rules({ allow: ['Bash(git init *)', 'Bash(touch:*)'] }),
      '../.claude/settings.json': rules({ deny: ['Bash(touch:*)', 'Read(/.env)'] }),
      '../.env': 'SECRETZ',
    },
    [
      bash('git init -q .', 'b1'),
      [say('First.')],
      bash('touch one', 'b2'),
      [call('Read', { file_path: '../.env' }, 'r1')],
      [say('Second.')],
    ],
  );
  git(path.dirname(made.folder), 'init', '-q');
  const { stdout } = await made.run(['--plain'], { input: 'go\nagain\nn\n' });
  expect(stdout).toContain('First.');
  expect([has(made, '.git/HEAD'), has(made, 'one')]).toEqual([true, false]);
  expect(made.sent().join('')).not.toContain('SECRETZ');
});
