/** Flags that change what a run says or is called, through the real program. */
import { execFileSync } from 'node:child_process';
import { readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { call, say } from '@heddle/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { homeFor } from '../test/home.ts';
import { install, type Installed, runProgram } from '../test/program.ts';

let installed: Installed;
beforeAll(async () => {
  installed = await install();
});
afterAll(() => installed.remove());

describe('--debug', () => {
  const looksIn = (name: string) => [[call('Read', { file_path: name }, 'r1')], [say('A secret answer.')]];

  it('tells on standard error what the loop does, but not what was said', async () => {
    const { run, script, folder } = homeFor(installed.program);
    writeFileSync(path.join(folder, 'a.txt'), 'the secret\n');
    const { stdout, stderr } = await run(['-p', 'look', '--debug', '--model', script(looksIn('a.txt'))]);
    expect(stdout).toBe('A secret answer.\n');
    expect(stderr).toContain('tool_intent Read r1 read_only');
    expect(stderr).toContain('transition next_turn turn 2');
    expect(stderr).not.toContain('secret');
  });

  it('can be held to some kinds of events and told to a file that only its owner reads', async () => {
    const { run, script, folder } = homeFor(installed.program);
    const log = path.join(folder, 'debug.log');
    const { stderr } = await run([
      '-p',
      'look',
      '--debug=transition',
      `--debug-file=${log}`,
      '--model',
      script(looksIn('none')),
    ]);
    expect(stderr).toBe('');
    expect(readFileSync(log, 'utf8')).toMatch(/^ +\d+\.\d{3} transition next_turn turn 2\n$/);
    expect(statSync(log).mode & 0o777).toBe(0o600);
  });

  it('that cannot be written is reported once, and the run continues', async () => {
    const { run, script } = homeFor(installed.program);
    const { stdout, stderr } = await run([
      '-p',
      'look',
      '--debug-file=/none/such',
      '--model',
      script(looksIn('x')),
    ]);
    expect(stdout).toBe('A secret answer.\n');
    expect(stderr.match(/cannot be written/g)).toHaveLength(1);
  });
});

describe.each(['--mcp-config', '--settings'])('%s', (flag) => {
  it.each([
    ['a missing file', 'gone.json', /there is no file gone\.json/],
    ['a folder', '.', /\. cannot be used: EISDIR/],
    ['a file that is not JSON', 'broken.json', /broken\.json cannot be used: .*JSON/],
    ['text that is not JSON', '{"mcpServers": ', /it cannot be used: .*JSON/],
  ])('with %s ends the program before any request', async (_, value, message) => {
    const { run, script, folder } = homeFor(installed.program);
    writeFileSync(path.join(folder, 'broken.json'), '{"mcpServers": {');
    const argv = ['-p', 'go', '--model', script([say('Hi.')]), `${flag}=${value}`];
    const { code, stdout, stderr } = await run(argv);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toMatch(message);
  });
});

describe('--settings with a pipe', () => {
  const DENY = '{"permissions":{"deny":["Bash(touch *)"]}}';
  const explain = ['permissions', 'explain', 'touch a', '--settings'];

  it('is an error of one line if no program writes to the pipe', async () => {
    const { run, script, folder } = homeFor(installed.program);
    const pipe = path.join(folder, 'pipe');
    execFileSync('mkfifo', [pipe]);
    const started = await run(['-p', 'go', '--model', script([say('Hi.')]), '--settings', pipe]);
    expect(started).toMatchObject({ code: 2, stdout: '' });
    expect(started.stderr).toBe(
      `heddle: --settings: ${pipe} cannot be used: no program writes to the pipe\n`,
    );
    expect((await run([...explain, pipe])).stderr).toContain('no program writes to the pipe');
  });

  it.each([
    ['a process substitution', '"$@" <(echo "$SETTINGS")'],
    [
      'a process substitution with two writes',
      '"$@" <(printf %s "${SETTINGS:0:9}"; printf %s "${SETTINGS:9}")',
    ],
    ['a named pipe', 'mkfifo pipe; (echo "$SETTINGS" > pipe) & "$@" pipe'],
    ['another descriptor', '"$@" /dev/fd/7 7< <(echo "$SETTINGS")'],
  ])('applies the settings of %s', async (_, line) => {
    const { script, folder } = homeFor(installed.program);
    const given = { cwd: folder, env: { SETTINGS: DENY } };
    const explained = await runProgram('bash', ['-c', line, 'bash', installed.program, ...explain], given);
    expect(explained.stdout).toContain('Bash(touch *)');
    rmSync(path.join(folder, 'pipe'), { force: true });
    const model = script([call('Bash', { command: 'touch a' }, 'b1'), say('Done.')]);
    const flags = [
      '-p',
      'go',
      '--output-format',
      'json',
      '--permission-mode',
      'bypassPermissions',
      '--model',
      model,
    ];
    const ran = await runProgram(
      'bash',
      ['-c', line, 'bash', installed.program, ...flags, '--settings'],
      given,
    );
    expect(ran.stdout).toContain('"permission_denials":[{"tool_name":"Bash"');
  });

  it('is an error if the pipe contains other text', async () => {
    const { folder } = homeFor(installed.program);
    for (const text of ['', '[]', 'x', '{"a":']) {
      const line = `"$@" <(printf %s '${text}')`;
      const argv = ['-c', line, 'bash', installed.program, '-p', 'go', '--model', 'rehearsal', '--settings'];
      const { code, stderr } = await runProgram('bash', argv, { cwd: folder });
      expect({ code, stderr }).toEqual({
        code: 2,
        stderr: expect.stringMatching(/^heddle: --settings: .*cannot be used: .*\n$/),
      });
    }
  });
});

it('--name is what a list calls the session', async () => {
  const { run, script } = homeFor(installed.program);
  await run(['-p', 'hello', '-n', 'The great rewrite', '--model', script([say('Hi.')])]);
  expect((await run(['sessions', 'list'])).stdout).toContain('The great rewrite');
});

describe('--system-prompt-file', () => {
  it('takes the prompt from a file', async () => {
    const { run, script, folder } = homeFor(installed.program);
    writeFileSync(path.join(folder, 'prompt.md'), 'You are a pirate.');
    const recording = path.join(folder, 'recording.jsonl');
    const model = script([say('Arr.')]);
    await run(['-p', 'hello', '--system-prompt-file', 'prompt.md', '--model', model, '--record', recording]);
    expect(readFileSync(recording, 'utf8')).toContain('You are a pirate.');
  });

  it('says what is wrong with it', async () => {
    const { run } = homeFor(installed.program);
    const missing = await run(['-p', 'hello', '--system-prompt-file', 'none', '--model', 'rehearsal']);
    expect(missing).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('the system prompt cannot be read'),
    });
    const both = await run(['-p', 'hello', '--system-prompt', 'a', '--system-prompt-file', 'b']);
    expect(both.stderr).toContain('exclude each other');
  });
});
