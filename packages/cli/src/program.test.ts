/** The program as its user starts it: a real process, real files, the scripted model at the edge. */
import { spawn } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { call, hang, say, type Step } from '@heddle/testing';
import { describe, expect, it } from 'vitest';

const program = path.resolve(import.meta.dirname, '../../../bin/heddle');

interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

interface Home {
  readonly folder: string;
  readonly run: (
    argv: readonly string[],
    more?: { input?: string; onOutput?: (text: string, pid: number) => void },
  ) => Promise<Ended>;
  readonly script: (steps: readonly Step[]) => string;
}

/** Each test has its own home and working directory. */
function home(): Home {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'heddle-program-'));
  return {
    folder,
    script(steps) {
      const file = path.join(folder, 'script.json');
      writeFileSync(file, JSON.stringify(steps));
      return `scripted:${file}`;
    },
    run(argv, { input = '', onOutput } = {}) {
      const env = {
        ...process.env,
        HEDDLE_CONFIG_DIR: path.join(folder, 'config'),
        HOME: folder,
        NO_COLOR: '1',
      };
      const child = spawn(program, argv, { cwd: folder, env });
      let stdout = '';
      let stderr = '';
      child.stdout.setEncoding('utf8').on('data', (text: string) => {
        stdout += text;
        onOutput?.(stdout, child.pid ?? 0);
      });
      child.stderr.setEncoding('utf8').on('data', (text: string) => {
        stderr += text;
      });
      child.stdin.end(input);
      return new Promise((resolve) => {
        child.on('close', (code) => resolve({ code, stdout, stderr }));
      });
    },
  };
}

function linesOf({ stdout }: Ended): Record<string, unknown>[] {
  return stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>);
}

describe('heddle -p', () => {
  it('prints the answer as text', async () => {
    const { run, script } = home();
    expect(await run(['-p', 'hello', '--model', script([say('Hello yourself.')])])).toEqual({
      code: 0,
      stdout: 'Hello yourself.\n',
      stderr: '',
    });
  });

  it('takes the prompt from a pipe', async () => {
    const { run, script, folder } = home();
    await run(['-p', '--model', script([say('Read.')])], { input: 'from the pipe' });
    const kept = readdirSync(path.join(folder, 'config/projects'), { recursive: true, encoding: 'utf8' });
    const session = kept.find((name) => name.endsWith('.jsonl')) ?? '';
    expect(readFileSync(path.join(folder, 'config/projects', session), 'utf8')).toContain('from the pipe');
  });

  it('streams one JSON object a line and ends with the result', async () => {
    const { run, script, folder } = home();
    writeFileSync(path.join(folder, 'a.txt'), 'content\n');
    const model = script([[call('Read', { file_path: 'a.txt' }, 'r1')], [say('It says content.')]]);
    const lines = linesOf(
      await run(['-p', 'look', '--output-format', 'stream-json', '--verbose', '--model', model]),
    );
    expect(lines.map((line) => line['type'])).toEqual(['system', 'assistant', 'user', 'assistant', 'result']);
    expect(lines.at(-1)).toMatchObject({ subtype: 'success', num_turns: 2 });
  });

  it('denies a command that nobody allowed, and runs one that a flag allows', async () => {
    const { run, script } = home();
    const model = script([[call('Bash', { command: 'echo it ran' }, 'b1')], [say('Done.')]]);
    const json = ['--output-format', 'stream-json', '--model', model];
    expect((await run(['-p', 'go', ...json])).stdout).toContain('There is nobody to ask');
    expect((await run(['-p', 'go', '--allowed-tools', 'Bash', ...json])).stdout).toContain('it ran');
  });

  it('ends with 1 after an error, with the error as its text', async () => {
    const { run, script } = home();
    const ended = await run([
      '-p',
      'go',
      '--max-turns',
      '1',
      '--model',
      script([[call('Read', { file_path: 'a' }, 'r1')]]),
    ]);
    expect(ended).toMatchObject({ code: 1, stderr: 'heddle: Stopped after 1 turns: the limit is 1.\n' });
  });

  it.each([
    ['SIGINT', 130],
    ['SIGTERM', 143],
  ] as const)('on %s writes its result line and exits with %i', async (signal, code) => {
    const { run, script } = home();
    const model = script([[say('One moment.'), hang()]]);
    let sent = false;
    const ended = await run(['-p', 'go', '--output-format', 'stream-json', '--model', model], {
      onOutput(text, pid) {
        if (sent || !text.includes('One moment.')) return;
        sent = true;
        process.kill(pid, signal);
      },
    });
    expect(ended.code).toBe(code);
    expect(linesOf(ended).at(-1)).toMatchObject({
      type: 'result',
      terminal_reason: 'aborted_streaming',
      is_error: true,
    });
  });

  it('leaves no command running when it is ended', async () => {
    const { run, script } = home();
    const model = script([[call('Bash', { command: 'echo pid $$; sleep 600' }, 'b1')], [say('never')]]);
    let pid = 0;
    const ended = await run(
      ['-p', 'go', '--allowed-tools', 'Bash', '--output-format', 'stream-json', '--model', model],
      {
        onOutput(text, program) {
          if (pid !== 0 || !text.includes('tool_progress')) return;
          pid = program;
          process.kill(program, 'SIGTERM');
        },
      },
    );
    expect(ended.code).toBe(143);
    const shell = Number(/pid (\d+)/.exec(ended.stdout)?.[1]);
    expect(shell).toBeGreaterThan(0);
    expect(() => process.kill(shell, 0)).toThrow(/ESRCH/);
  });

  it.each([
    [['-p'], /there is no prompt/],
    [['-p', 'x', '--model', 'nonsense'], /no model named nonsense/],
    [['-p', 'x', '--model', 'scripted:missing.json'], /could not be loaded/],
    [['-p', 'x'], /no model is configured/],
    [['-p', 'x', '--modle=y'], /did you mean --model/],
  ])('refuses %j with a reason and exit code 2', async (argv, reason) => {
    const { run } = home();
    const { code, stderr, stdout } = await run(argv);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toMatch(reason);
  });

  it('knows its version and its flags', async () => {
    const { run } = home();
    expect((await run(['--version'])).stdout).toMatch(/^\d+\.\d+\.\d+ \(Heddle\)\n$/);
    expect((await run(['--help'])).stdout).toContain('heddle -p "prompt"');
  });
});

describe('heddle demo', () => {
  it('fixes the failing test through a retry, an escalation and a stop hook, and says why at each turn', async () => {
    const { code, stdout } = await home().run(['demo']);
    expect(code).toBe(0);
    expect(stdout).toContain(
      'went on because of: retry → next_turn → max_output_tokens_escalate → next_turn → stop_hook_blocking → next_turn',
    );
    expect(stdout).toContain('the test now passes');
  });
});
