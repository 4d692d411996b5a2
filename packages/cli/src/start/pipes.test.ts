/** A pipe or a device in place of a file of the user or the project never blocks the program. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { call, say } from '@heddle/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Home, homeFor } from '../test/home.ts';
import { type Ended, install, type Installed, runProgram } from '../test/program.ts';

let installed: Installed;
beforeAll(async () => {
  installed = await install();
});
afterAll(() => installed.remove());

/** A program that is blocked ignores other signals. The limit counts only if the program is blocked. */
const KILL_AFTER_SECONDS = '30';

function runOrKill({ folder }: Home, argv: readonly string[]): Promise<Ended> {
  const limited = ['-s', 'KILL', KILL_AFTER_SECONDS, installed.program, ...argv];
  return runProgram('timeout', limited, { cwd: folder });
}

function pipeAt({ folder }: Home, name: string): string {
  const pipe = path.join(folder, name);
  mkdirSync(path.dirname(pipe), { recursive: true });
  execFileSync('mkfifo', [pipe]);
  return pipe;
}

const STEPS = [call('Bash', { command: 'ls' }, 'b1'), say('Done.')];

describe('a flag with a pipe', () => {
  it.each([
    ['--mcp-config', /^heddle: --mcp-config: .*pipe cannot be used: no program writes to the pipe\n$/],
    ['--settings', /^heddle: --settings: .*pipe cannot be used: no program writes to the pipe\n$/],
    ['--system-prompt-file', /the system prompt cannot be read: no program writes to the pipe/],
    ['--append-system-prompt-file', /the system prompt cannot be read: no program writes to the pipe/],
  ])('%s is an error if no program writes to it', async (flag, message) => {
    const home = homeFor(installed.program);
    const pipe = pipeAt(home, 'pipe');
    const { code, stdout, stderr } = await runOrKill(home, ['-p', 'go', '--model', 'rehearsal', flag, pipe]);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toMatch(message);
  });

  it('reports a pipe of heddle mcp list', async () => {
    const home = homeFor(installed.program);
    const { stdout, stderr } = await runOrKill(home, ['mcp', 'list', '--mcp-config', pipeAt(home, 'pipe')]);
    expect(stdout + stderr).toContain('no program writes to the pipe');
  });

  it.each([
    ['--mcp-config', 'mcp list --mcp-config', '{"mcpServers":{"given":{"command":"true"}}}', 'given'],
    ['--mcp-config of a run', '-p go --model rehearsal --mcp-config', '{"mcpServers":{}}', ''],
    ['--system-prompt-file', '-p go --model rehearsal --system-prompt-file', 'Be brief.', ''],
  ])('%s uses the text of a process substitution', async (_, argv, text, shown) => {
    const { folder } = homeFor(installed.program);
    const line = `"$0" ${argv} <(printf %s '${text}')`;
    const { code, stdout, stderr } = await runProgram('bash', ['-c', line, installed.program], {
      cwd: folder,
    });
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toContain(shown);
  });
});

describe.each([
  ['a pipe', pipeAt],
  [
    'a device',
    ({ folder }: Home, name: string) => {
      mkdirSync(path.dirname(path.join(folder, name)), { recursive: true });
      symlinkSync('/dev/zero', path.join(folder, name));
    },
  ],
] as const)('%s in a project', (_, make) => {
  it.each([
    '.mcp.json',
    '.claude/settings.json',
    '.claude/settings.local.json',
    'CLAUDE.md',
    'AGENTS.md',
    '.claude/skills/a/SKILL.md',
    '.claude/agents/a.md',
    '.claude/commands/a.md',
    '.git',
    '.git/HEAD',
    '.git/config',
    '.gitignore',
  ])('in place of %s does not block the program', async (name) => {
    const home = homeFor(installed.program);
    if (name === '.git/HEAD')
      for (const data of ['objects', 'refs'])
        mkdirSync(path.join(home.folder, '.git', data), { recursive: true });
    make(home, name);
    const argv = ['-p', 'look at @pipe', '--model', home.script(STEPS)];
    expect(await runOrKill(home, argv)).toMatchObject({ code: 0, stdout: 'Done.\n' });
  });

  it('behind a name that a .git file gives does not block the program', async () => {
    const home = homeFor(installed.program);
    make(home, 'own/gitdir');
    writeFileSync(path.join(home.folder, '.git'), 'gitdir: own\n');
    const argv = ['-p', 'go', '--model', home.script(STEPS)];
    expect(await runOrKill(home, argv)).toMatchObject({ code: 0, stdout: 'Done.\n' });
  });

  it('is not changed as settings or as servers', async () => {
    const home = homeFor(installed.program);
    make(home, '.mcp.json');
    make(home, '.claude/settings.json');
    make(home, '.claude/settings.local.json');
    const server = ['mcp', 'add', '--scope', 'project', 'made', '--', 'true'];
    for (const argv of [
      server,
      ['config', 'set', 'model', 'haiku', '--scope', 'project'],
      ['config', 'set', 'model', 'haiku', '--scope', 'local'],
    ]) {
      const { code, stdout, stderr } = await runOrKill(home, argv);
      expect({ argv, code, said: stdout + stderr }).toEqual({
        argv,
        code: 1,
        said: expect.stringMatching(/cannot be changed: it is (not a regular file|a link to \/dev\/zero)/),
      });
    }
  });

  it('in a plugin of a flag does not block the program', async () => {
    const home = homeFor(installed.program);
    const plugin = path.join(home.folder, 'plugin');
    mkdirSync(plugin);
    make(home, 'plugin/hooks/hooks.json');
    make(home, 'plugin/.claude-plugin/plugin.json');
    const argv = ['-p', 'go', '--model', home.script(STEPS), '--plugin-dir', plugin];
    expect(await runOrKill(home, argv)).toMatchObject({ code: 0, stdout: 'Done.\n' });
  });
});

it('a pipe in place of a file that the model has read does not block the next request', async () => {
  const home = homeFor(installed.program);
  const file = path.join(home.folder, 'a.txt');
  writeFileSync(file, 'text');
  const steps = [
    call('Read', { file_path: file }, 'r1'),
    call('Bash', { command: 'rm a.txt && mkfifo a.txt' }, 'b1'),
    call('Bash', { command: 'ls' }, 'b2'),
    say('Done.'),
  ];
  const argv = ['-p', 'go', '--model', home.script(steps), '--dangerously-skip-permissions'];
  expect(await runOrKill(home, argv)).toMatchObject({ code: 0, stdout: 'Done.\n' });
  expect(statSync(file).isFIFO()).toBe(true);
});
