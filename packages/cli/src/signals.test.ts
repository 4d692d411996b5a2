/** A signal ends the program in every state: at once, with its result and exit code, and without leftover processes. */
import { type ChildProcess, execFileSync, spawnSync } from 'node:child_process';
import { open } from 'node:fs/promises';
import path from 'node:path';
import { ABORT_DEADLINE_MS, call, fail, hang, say, type ScriptStep } from '@heddle/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Home, homeFor } from './test/home.ts';
import { install, type Installed, linesOf } from './test/program.ts';

/** An idle machine needs less. The measured times are printed. */
const PROMISED_MS = 500;

let installed: Installed;
const home = (): Home => homeFor(installed.program);
const measured: string[] = [];

beforeAll(async () => {
  installed = await install();
});
afterAll(() => {
  installed.remove();
  console.log(
    `From the signal to the end of the process (promised: ${PROMISED_MS} ms): ${measured.join(', ')}.`,
  );
});

const PLACES: readonly {
  readonly where: string;
  readonly script: readonly ScriptStep[];
  /** The output that shows that the program is in this state. */
  readonly shown: string;
  readonly reason: string;
}[] = [
  {
    where: 'while the model answers',
    script: [[say('One moment.'), hang()]],
    shown: 'One moment.',
    reason: 'aborted_streaming',
  },
  {
    where: 'in a tool',
    script: [[call('Bash', { command: 'sleep 600 & echo pids $$ $!; wait' }, 'b1')]],
    shown: 'tool_progress',
    reason: 'aborted_tools',
  },
  {
    where: 'in the wait before a retry',
    script: [fail('rate_limit', { retryAfterMs: 60_000 })],
    shown: 'api_retry',
    reason: 'aborted_streaming',
  },
];

const SIGNALS = [
  ['SIGINT', 130],
  ['SIGTERM', 143],
] as const;

describe.each(PLACES)('$where', ({ where, script, shown, reason }) => {
  it.each(SIGNALS)('%s ends it with its result and exit code %i', async (signal, code) => {
    const { run, script: modelOf } = home();
    let sentAt = 0;
    const ended = await run(
      ['-p', 'go', '--allowed-tools', 'Bash', '--output-format', 'stream-json', '--model', modelOf(script)],
      {
        onOutput(text, child: ChildProcess) {
          if (sentAt > 0 || !text.includes(shown)) return;
          sentAt = performance.now();
          child.kill(signal);
        },
      },
    );
    const tookMs = performance.now() - sentAt;
    measured.push(`${signal} ${where} ${Math.round(tookMs)} ms`);
    expect(ended.code).toBe(code);
    const results = linesOf(ended.stdout).filter(({ type }) => type === 'result');
    expect(results).toHaveLength(1);
    expect(linesOf(ended.stdout).at(-1)).toMatchObject({
      type: 'result',
      subtype: 'error_during_execution',
      is_error: true,
      terminal_reason: reason,
    });
    expect(tookMs).toBeLessThan(ABORT_DEADLINE_MS);
    expect(pidsIn(ended.stdout)).toHaveLength(where === 'in a tool' ? 2 : 0);
    expect(pidsIn(ended.stdout).filter(isRunning)).toEqual([]);
  });
});

describe('while it waits for a prompt', () => {
  it.each(SIGNALS)('%s ends it with exit code %i, although its input stays open', async (signal, code) => {
    const { run, script } = home();
    let sent = false;
    const ended = await run([...STREAM_JSON, '--model', script([say('Done.')])], {
      input: null,
      onStart: (child) => child.stdin?.write(`${userLine('go')}\n`),
      onOutput(text, child) {
        if (sent || !text.includes('"result"')) return;
        sent = true;
        child.kill(signal);
      },
    });
    expect(ended.code).toBe(code);
  });
});

describe('while a hook of its host decides about a prompt', () => {
  it.each(SIGNALS)('%s ends it with an error as its result and exit code %i', async (signal, code) => {
    const { run, script } = home();
    const hooks = { UserPromptSubmit: [{ hookCallbackIds: ['hook_0'] }] };
    const initialize = {
      type: 'control_request',
      request_id: '1',
      request: { subtype: 'initialize', hooks },
    };
    let sent = false;
    const ended = await run([...STREAM_JSON, '--model', script([])], {
      input: null,
      onStart: (child) => child.stdin?.write(`${JSON.stringify(initialize)}\n${userLine('go')}\n`),
      onOutput(text, child) {
        if (sent || !text.includes('hook_callback')) return;
        sent = true;
        child.kill(signal);
      },
    });
    expect(ended.code).toBe(code);
    expect(linesOf(ended.stdout).filter(({ type }) => type === 'result')).toMatchObject([
      { is_error: true, errors: [expect.stringContaining('interrupted')] },
    ]);
  });
});

describe('before the run starts', () => {
  it.each(SIGNALS)('%s ends it with a result and exit code %i', async (signal, code) => {
    const { run, folder } = home();
    const script = path.join(folder, 'script.fifo');
    execFileSync('mkfifo', [script]);
    const ended = await run(['-p', 'go', '--output-format', 'json', '--model', `scripted:${script}`], {
      // Opening the pipe for writing succeeds when the program opens it for reading.
      onStart: async (child) => {
        const pipe = await open(script, 'w');
        child.kill(signal);
        await pipe.writeFile(JSON.stringify([say('never')]));
        await pipe.close();
      },
    });
    expect(ended.code).toBe(code);
    expect(linesOf(ended.stdout)).toMatchObject([{ type: 'result', is_error: true }]);
  });
});

describe('if its standard output is closed', () => {
  it('stops with exit code 1, and leaves no command running', async () => {
    const { run, script } = home();
    const command = 'sleep 600 & echo pids $$ $!; while :; do echo tick; done';
    const model = script([[call('Bash', { command }, 'b1')], say('never')]);
    let pids: number[] = [];
    const ended = await run(
      ['-p', 'go', '--allowed-tools', 'Bash', '--output-format', 'stream-json', '--model', model],
      {
        onOutput(text, child) {
          if (pids.length > 0 || !text.includes('tool_progress')) return;
          pids = childrenOf(child.pid ?? 0);
          child.stdout?.destroy();
        },
      },
    );
    expect(ended.code).toBe(1);
    expect(pids).not.toEqual([]);
    expect(pids.filter(isRunning)).toEqual([]);
  });
});

describe('if its standard error is closed', () => {
  it('prints the answer', async () => {
    const { run, script } = home();
    const ended = await run(['-p', 'go', '--debug', '--model', script([say('Done.')])], {
      onStart: (child) => child.stderr?.destroy(),
    });
    expect(ended).toMatchObject({ code: 0, stdout: 'Done.\n' });
  });
});

describe('if the reader of its output is blocked', () => {
  it.each(SIGNALS)('%s still ends it, with exit code %i', async (signal, code) => {
    const { run, script } = home();
    // The line is larger than any pipe buffer, so the program waits in the middle of it.
    const model = script([[say('x'.repeat(4_000_000)), hang()]]);
    let sentAt = 0;
    const ended = await run(['-p', 'go', '--output-format', 'stream-json', '--model', model], {
      onOutput(text, child) {
        if (sentAt > 0 || !text.includes('"assistant"')) return;
        child.stdout?.pause();
        sentAt = performance.now();
        child.kill(signal);
        // Resumes reading after the exit, because the output would otherwise never end.
        child.once('exit', () => child.stdout?.resume());
      },
    });
    const tookMs = performance.now() - sentAt;
    measured.push(`${signal} with a reader who does not read ${Math.round(tookMs)} ms`);
    expect(ended.code).toBe(code);
    expect(ended.stdout.endsWith('\n')).toBe(false);
    expect(tookMs).toBeLessThan(ABORT_DEADLINE_MS);
  });
});

/** The process ids that a command printed. */
function pidsIn(stdout: string): number[] {
  const [, shell, child] = /pids (\d+) (\d+)/.exec(stdout) ?? [];
  return shell === undefined ? [] : [Number(shell), Number(child)];
}

function childrenOf(pid: number): number[] {
  const { stdout } = spawnSync('pgrep', ['-P', String(pid)], { encoding: 'utf8' });
  return stdout.split('\n').map(Number).filter(Boolean);
}

/** Returns false if the process does not exist or is a zombie. */
function isRunning(pid: number): boolean {
  const { stdout } = spawnSync('ps', ['-o', 'stat=', '-p', String(pid)], { encoding: 'utf8' });
  return stdout.trim() !== '' && !stdout.startsWith('Z');
}

const STREAM_JSON = ['--input-format', 'stream-json', '--output-format', 'stream-json', '--verbose'];

function userLine(content: string): string {
  return JSON.stringify({ type: 'user', message: { role: 'user', content } });
}
