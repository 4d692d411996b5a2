/** The real program: a real process and real files, with a scripted model. */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { call, say } from '@heddle/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { COMMAND_NAMES } from './arguments/program-commands.ts';
import { type Home, homeFor } from './test/home.ts';
import { install, type Installed, linesOf, runProgram } from './test/program.ts';

let installed: Installed;
const home = (): Home => homeFor(installed.program);

beforeAll(async () => {
  installed = await install();
});
afterAll(() => installed.remove());

describe('heddle -p', () => {
  it('prints the answer as text', async () => {
    const { run, script } = home();
    expect(await run(['-p', 'hello', '--model', script([say('Hello yourself.')])])).toEqual({
      code: 0,
      signal: null,
      stdout: 'Hello yourself.\n',
      stderr: '',
    });
  });

  it('reports that its working folder was deleted', async () => {
    const { folder } = home();
    const inGone = 'mkdir gone && cd gone && rmdir ../gone && exec "$0" sessions';
    const ended = await runProgram('bash', ['-c', inGone, installed.program], { cwd: folder });
    expect([ended.code, ended.stdout]).toEqual([1, '']);
    expect(ended.stderr).toContain(
      'heddle: The working folder was deleted. Change to a folder that exists.\n',
    );
    expect(ended.stderr).not.toContain('at process');
  });

  it('reads the prompt from a pipe', async () => {
    const { run, script, folder } = home();
    await run(['-p', '--model', script([say('Read.')])], { input: 'from the pipe' });
    const kept = readdirSync(path.join(folder, 'config/projects'), { recursive: true, encoding: 'utf8' });
    const session = kept.find((name) => name.endsWith('.jsonl')) ?? '';
    expect(readFileSync(path.join(folder, 'config/projects', session), 'utf8')).toContain('from the pipe');
  });

  it('streams one JSON object per line and ends with the result', async () => {
    const { run, script, folder } = home();
    writeFileSync(path.join(folder, 'a.txt'), 'content\n');
    const model = script([[call('Read', { file_path: 'a.txt' }, 'r1')], [say('It says content.')]]);
    const { stdout } = await run([
      '-p',
      'look',
      '--output-format',
      'stream-json',
      '--verbose',
      '--model',
      model,
    ]);
    const lines = linesOf(stdout);
    expect(lines.map((line) => line['type'])).toEqual(['system', 'assistant', 'user', 'assistant', 'result']);
    expect(lines.at(-1)).toMatchObject({ subtype: 'success', num_turns: 2 });
  });

  it('denies a command without a rule, and runs one that a flag allows', async () => {
    const { run, script } = home();
    const model = script([[call('Bash', { command: 'env echo it ran' }, 'b1')], [say('Done.')]]);
    const json = ['--output-format', 'stream-json', '--model', model];
    expect((await run(['-p', 'go', ...json])).stdout).toContain('There is no user to ask');
    expect((await run(['-p', 'go', '--allowed-tools', 'Bash', ...json])).stdout).toContain('it ran');
  });

  it('exits with 1 after an error, and prints the error', async () => {
    const { run, script } = home();
    const ended = await run([
      '-p',
      'go',
      '--max-turns',
      '1',
      '--model',
      script([[call('Read', { file_path: 'a' }, 'r1')]]),
    ]);
    expect(ended).toMatchObject({ code: 1, stderr: 'heddle: Reached maximum number of turns (1)\n' });
  });

  it.each([
    [['-p'], /there is no prompt/],
    [['-p', 'x', '--model', 'nonsense'], /no model named nonsense/],
    [['-p', 'x', '--model', 'scripted:missing.json'], /could not be loaded/],
    [['-p', 'x'], /no model is configured/],
    [['-p', 'x', '--modle=y'], /did you mean --model/],
    [['-p', 'x', '--model', 'rehearsal', '--add-dir', 'nowhere'], /--add-dir: there is no folder nowhere/],
    [
      ['-p', 'x', '--model', 'rehearsal', '--settings', 'none.json'],
      /--settings: there is no file none\.json/,
    ],
    [['-p', 'x', '--model', 'rehearsal', '--settings', '{"a":'], /--settings: it cannot be used/],
    [['-p', 'x', '--model', 'opus', '--fallback-model', 'nonsense'], /--fallback-model: .*no model named/],
    [['-p', 'x', '--model', 'scripted'], /the file is missing\. Use scripted:FILE/],
  ])('rejects %j with a reason and exit code 2', async (argv, reason) => {
    const { run } = home();
    const { code, stderr, stdout } = await run(argv);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toMatch(reason);
  });

  it('rejects piped input that is not text', async () => {
    const { run } = home();
    const ended = await run(['-p', 'x', '--model', 'rehearsal'], { input: '\u007fELF\0\0\u0001' });
    expect(ended).toMatchObject({ code: 2, stdout: '' });
    expect(ended.stderr).toMatch(/is not text/);
  });

  it('prints its version and its flags', async () => {
    const { run } = home();
    expect((await run(['--version'])).stdout).toMatch(/^\d+\.\d+\.\d+ \(Heddle\)\n$/);
    expect((await run(['--help'])).stdout).toContain('heddle -p "prompt"');
  });
});

describe.each(COMMAND_NAMES)('heddle %s --help', (command) => {
  it('prints its usage, and does nothing else', async () => {
    const { code, stdout, stderr } = await home().run([command, '--help']);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toMatch(new RegExp(`^heddle ${command}`));
    expect(stdout.split('\n').length).toBeLessThan(20);
  });
});

describe('a command whose readers have left', () => {
  /** Opens a pipe whose reader is gone, and prints the exit codes and the errors of the command. */
  const script = `mkfifo gone && exec 5<>gone 6>gone 5>&-
    "$0" "$@" >&6 2>errors; echo "code $?"; grep -c EPIPE errors
    "$0" "$@" >output 2>&6; echo "code $?"; grep -c EPIPE output`;

  it.each([
    ['permissions list', 0, 0],
    ['permissions list --json', 0, 0],
    ['permissions trust', 0, 0],
    ['permissions unknown', 2, 2],
    ['permissions explain ls', 0, 0],
    ['config list', 0, 0],
    ['models', 0, 0],
    ['hooks', 0, 0],
    ['demo', 0, 0],
  ])('ends quietly: heddle %s', async (words, first, second) => {
    const { folder } = home();
    const argv = ['-c', script, installed.program, ...words.split(' ')];
    const { stdout } = await runProgram('bash', argv, { cwd: folder });
    expect(stdout).toBe(`code ${first}\n0\ncode ${second}\n0\n`);
  });
});

describe('heddle demo', () => {
  it('fixes the failing test through a retry, an escalation and a stop hook, and explains each turn', async () => {
    const { code, stdout } = await home().run(['demo']);
    expect(code).toBe(0);
    expect(stdout).toContain(
      'continued because of: retry → next_turn → max_output_tokens_escalate → next_turn → stop_hook_blocking → next_turn',
    );
    expect(stdout).toContain('the test now passes');
  });

  it('runs on its own Node, not on a program of that name in the search path', async () => {
    const { run, folder } = home();
    const program = path.join(folder, 'node');
    const body = `case "$*" in *test.mjs*) echo "$*" >> '${folder}/started'; esac`;
    writeFileSync(program, `#!/bin/sh\n${body}\nexec '${process.execPath}' "$@"\n`, { mode: 0o755 });
    const { code } = await run(['demo'], { env: { PATH: `${folder}:${process.env['PATH'] ?? ''}` } });
    expect(code).toBe(0);
    expect(readdirSync(folder)).not.toContain('started');
  });
});
