/** A host that dies, stops reading or sends garbage, and a session that moves between surfaces. The real program. */
import { spawnSync } from 'node:child_process';
import { globSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { call, EVENT_DEADLINE_MS, type FakeApi, say, startFakeApi } from '@heddle/testing';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { type Home, homeFor } from '../../test/home.ts';
import { install, type Installed, linesOf } from '../../test/program.ts';
import { closeAtResult, converse, prompt, resultsOf } from './test/conversation.ts';
import { MODEL } from './test/stage.ts';

let installed: Installed;
beforeAll(async () => {
  installed = await install();
});
afterAll(() => installed.remove());

const HOST = ['--input-format', 'stream-json', '--output-format', 'stream-json', '--verbose'];
const line = (value: object): string => `${JSON.stringify(value)}\n`;

function sessionOf({ folder }: Home): { readonly id: string; readonly text: string } {
  const [file = ''] = globSync(path.join(folder, 'config/projects/*/*.jsonl'));
  return { id: path.basename(file, '.jsonl'), text: readFileSync(file, 'utf8') };
}

function childrenOf(pid: number): number[] {
  const { stdout } = spawnSync('pgrep', ['-P', String(pid)], { encoding: 'utf8' });
  return stdout.split('\n').map(Number).filter(Boolean);
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

describe('a host that dies during a command', () => {
  it('leaves no process behind, and its session continues', async () => {
    const home = homeFor(installed.program);
    const command = 'sleep 600 & while :; do echo tick; sleep 0.1; done';
    const model = home.script([call('Bash', { command }, 'b1'), say('Never.')]);
    let pids: number[] = [];
    const ended = await home.run([...HOST, '--allowed-tools', 'Bash', '--model', model], {
      input: null,
      onStart: ({ stdin }) => stdin?.write(line(prompt('Keep this prompt.'))),
      onOutput(text, child) {
        if (pids.length > 0 || !text.includes('tool_progress')) return;
        pids = childrenOf(child.pid ?? 0);
        child.stdin?.destroy();
        child.stdout?.destroy();
      },
    });
    expect(ended.code).toBe(1);
    expect(pids).not.toEqual([]);
    expect(pids.filter(isRunning)).toEqual([]);
    const { id, text } = sessionOf(home);
    expect(text).toContain('Keep this prompt.');
    const again = await home.run([
      '-p',
      'continue',
      '--resume',
      id,
      '--model',
      home.script([say('Continued.')]),
    ]);
    expect(again).toMatchObject({ code: 0, stdout: 'Continued.\n' });
  });
});

describe('a host that stops reading for a while', () => {
  it('loses no line, and the program does not run ahead of it', async () => {
    const home = homeFor(installed.program);
    // Each answer is larger than the buffer of a pipe.
    const answer = 'x'.repeat(200_000);
    const steps = [say(answer), say(answer)];
    let isPaused = false;
    const ended = await home.run([...HOST, '--model', home.script(steps)], {
      input: line(prompt('one')) + line(prompt('two')),
      onOutput(text, { stdout, stdin }) {
        if (isPaused || !text.includes('"init"')) return;
        isPaused = true;
        stdout?.pause();
        // The end of the input arrives while nothing is read.
        stdin?.once('close', () => stdout?.resume());
        if (stdin?.closed !== false) stdout?.resume();
      },
    });
    const results = linesOf(ended.stdout).filter(({ type }) => type === 'result');
    expect(results.map(({ result }) => String(result).length)).toEqual([answer.length, answer.length]);
    expect(ended.code).toBe(0);
  });
});

describe('a host that asks much and reads nothing for a while', () => {
  it('gets every reply later, and the program does not keep them in memory', async () => {
    const home = homeFor(installed.program);
    const [count, bytes] = [200, 1_000_000];
    writeFileSync(path.join(home.folder, 'big.txt'), 'x'.repeat(bytes));
    const request = { subtype: 'read_file', path: 'big.txt', max_bytes: bytes };
    const requests = Array.from({ length: count }, (_, nth) =>
      line({ type: 'control_request', request_id: `r${nth}`, request }),
    );
    let megabytes = 0;
    const ended = await home.run([...HOST, '--model', home.script([])], {
      input: null,
      async onStart({ pid = 0, stdin, stdout }) {
        stdout?.pause();
        stdin?.write(requests.join(''));
        await untilIdle(pid);
        megabytes = residentMegabytes(pid);
        stdout?.resume();
        stdin?.end();
      },
    });
    const replies = linesOf(ended.stdout).filter(({ type }) => type === 'control_response');
    expect(replies).toHaveLength(count);
    expect(ended.code).toBe(0);
    // The replies together have 200 MB.
    expect(megabytes).toBeLessThan(200);
  });
});

const IDLE_MS = 250;

/** Waits until the process uses no processor time. */
async function untilIdle(pid: number): Promise<void> {
  let before = '';
  const look = (): void => {
    const now = readFileSync(`/proc/${pid}/stat`, 'utf8').split(' ').slice(13, 15).join(' ');
    const isIdle = now === before && now !== '0 0';
    before = now;
    if (!isIdle) throw new Error(`The process ${pid} is busy.`);
  };
  await vi.waitFor(look, { interval: IDLE_MS, timeout: EVENT_DEADLINE_MS });
}

function residentMegabytes(pid: number): number {
  const [, kilobytes = ''] = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
  return Number(kilobytes) / 1_024;
}

describe('a host that sends garbage', () => {
  it.each([
    ['bytes that are not text', '\u0000\u0001\u{FFFD}{'],
    ['a line of a megabyte', 'z'.repeat(1_000_000)],
    ['deep nesting', '['.repeat(50_000)],
    ['a prompt without content', '{"type":"user"}'],
    ['a prompt with a broken image', line(prompt([{ type: 'image', source: {} }])).trim()],
    ['a reply to nothing', '{"type":"control_response","response":null}'],
    ['a cancelled request that was never made', '{"type":"control_cancel_request","request_id":"x"}'],
  ])('gets its next prompt answered: %s', async (_, garbage) => {
    const held = await converse(installed.program, {
      script: [say('Still here.')],
      first: [garbage, prompt('hello')],
      reply: closeAtResult,
    });
    expect(resultsOf(held)).toMatchObject([{ subtype: 'success', result: 'Still here.' }]);
  });

  it('and only half a line is told about it, and the program ends', async () => {
    const held = await converse(installed.program, {
      script: [],
      first: ['{"type":"user","message":{"role":"us'],
      closes: true,
    });
    expect(resultsOf(held)).toMatchObject([{ is_error: true, subtype: 'error_during_execution' }]);
    expect(held.code).toBe(1);
  });
});

describe('a session', () => {
  let api: FakeApi;
  beforeAll(async () => {
    api = await startFakeApi([say('One.'), say('Two.'), say('Three.')], { models: [MODEL] });
  });
  afterAll(() => api.close());

  it('continues from the terminal in a host, and back at the terminal', async () => {
    const home = homeFor(installed.program);
    const env = { ANTHROPIC_API_KEY: 'key', ANTHROPIC_BASE_URL: api.url };
    const model = ['--model', `anthropic/${MODEL}`];
    await home.run(['--plain', ...model], { env, input: 'first at the terminal\n' });
    const { id } = sessionOf(home);
    const hosted = await home.run([...HOST, ...model, '--resume', id], {
      env,
      input: line(prompt('second from a host')),
    });
    expect(linesOf(hosted.stdout).at(-1)).toMatchObject({ result: 'Two.', session_id: id });
    await home.run(['--plain', ...model, '--resume', id], { env, input: 'third at the terminal\n' });
    api.assertNoViolations();
    const asked = api.requests.filter(({ path: place }) => place === '/v1/messages');
    const texts = asked.map(({ body }) => JSON.stringify(body));
    expect(texts).toHaveLength(3);
    for (const words of [
      'first at the terminal',
      'One.',
      'second from a host',
      'Two.',
      'third at the terminal',
    ])
      expect(texts[2]).toContain(words);
  });
});
