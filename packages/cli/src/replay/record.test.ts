/** Records sessions of the real program, and plays them again. */
import { mkdirSync, readFileSync, truncateSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import {
  call,
  fail,
  type ScriptPart,
  pause,
  say,
  startFakeApi,
  type ScriptStep,
  think,
} from '@heddle/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Home, homeFor } from '../test/home.ts';
import { type Ended, install, type Installed, linesOf, runProgram } from '../test/program.ts';

let installed: Installed;
beforeAll(async () => {
  installed = await install();
});
afterAll(() => installed.remove());

const STREAM = ['--output-format', 'stream-json', '--verbose', '--include-partial-messages'];
const soon = { retryAfterMs: 1 };

interface RecordedHome extends Home {
  readonly recording: string;
  /** Runs the prompt with the script, and records the run. */
  readonly record: (
    steps: readonly ScriptStep[],
    argv?: readonly string[],
    env?: Record<string, string>,
  ) => Promise<Ended>;
  /** Runs the prompt with the recording. */
  readonly replay: (argv?: readonly string[]) => Promise<Ended>;
}

const PROMPT = 'Look at the notes';
const CLAUDE = 'claude-sonnet-5';

function recordedHome(): RecordedHome {
  const home = homeFor(installed.program);
  const recording = path.join(home.folder, 'recording.jsonl');
  writeFileSync(path.join(home.folder, 'notes.txt'), 'some notes\n');
  return {
    ...home,
    recording,
    record: (steps, argv = STREAM, env = {}) =>
      home.run(['-p', PROMPT, '--model', home.script(steps), '--record', recording, ...argv], { env }),
    replay: (argv = STREAM) => home.run(['-p', PROMPT, '--model', `replay:${recording}`, ...argv]),
  };
}

const DIFFERS =
  /^(uuid|session_id|parent_message_id|timestamp|ttft_ms|supersedes|.*duration.*|.*elapsed.*)$/i;

/** The output without the values that differ between runs: ids and times. */
function comparable({ stdout }: Ended): string[] {
  return linesOf(stdout)
    .filter(({ type }) => type !== 'tool_progress')
    .map((line) => JSON.stringify(line, (key, value: unknown) => (DIFFERS.test(key) ? undefined : value)));
}

const read = (id: string): ScriptPart => call('Read', { file_path: 'notes.txt' }, id);

describe('a recorded session', () => {
  it('is replayed with an oversized output and a command in the background', async () => {
    const { record, replay } = recordedHome();
    const flags = [...STREAM, '--allowed-tools', 'Bash'];
    const recorded = await record(
      [
        call('Bash', { command: 'seq 1 20000' }, 'b1'),
        call('Bash', { command: 'sleep 60', run_in_background: true }, 'b2'),
        read('r1'),
        say('Done.'),
      ],
      flags,
    );
    expect(recorded).toMatchObject({ code: 0, stderr: '' });
    const replayed = await replay(flags);
    expect(replayed).toMatchObject({ code: 0, stderr: '' });
    expect(replayed.stdout).toContain('Done.');
  });

  it('is replayed line by line: tools, thinking, a retry, a fallback, partial messages', async () => {
    const { record, replay } = recordedHome();
    const flags = [...STREAM, '--fallback-model', 'another-model', '--allowed-tools', 'Bash'];
    const recorded = await record(
      [
        [say('Half an'), fail('rate_limit', soon)],
        [
          think('I should read it.'),
          say('I read ', 'it.'),
          read('r1'),
          call('Bash', { command: 'env echo hi' }, 'b1'),
        ],
        ...Array.from({ length: 3 }, () => fail('overloaded', soon)),
        say('They say: some notes.'),
      ],
      flags,
    );
    expect(recorded).toMatchObject({ code: 0, stderr: '' });
    expect(recorded.stdout).toContain('They say: some notes.');
    expect(recorded.stdout).toContain('another-model');
    const replayed = await replay(flags);
    expect(replayed).toMatchObject({ code: 0, stderr: '' });
    expect(comparable(replayed)).toEqual(comparable(recorded));
  });

  it('is replayed with the tools that its provider enabled', async () => {
    const { run, recording } = recordedHome();
    const api = await startFakeApi([say('It is quiet here.')], { models: [CLAUDE] });
    const env = { ANTHROPIC_API_KEY: 'none', ANTHROPIC_BASE_URL: api.url };
    const recorded = await run(['-p', PROMPT, '--model', CLAUDE, '--record', recording], { env });
    await api.close();
    expect(recorded).toMatchObject({ code: 0, stdout: 'It is quiet here.\n' });
    expect(await run(['-p', PROMPT, '--model', `replay:${recording}`])).toEqual(recorded);
  });

  it('is replayed in another folder with the files of that folder', async () => {
    const { record, recording, folder } = recordedHome();
    const notes = path.join(folder, 'notes.txt');
    await record([[say(`It lies in ${folder}.`), call('Read', { file_path: notes }, 'r1')], say('Read.')]);
    const other = recordedHome();
    const argv = ['-p', PROMPT, '--model', `replay:${recording}`, ...STREAM];
    const replayed = await other.run(argv);
    expect(replayed.stdout).toContain(`It lies in ${other.folder}.`);
    expect(linesOf(replayed.stdout).at(-1)).toMatchObject({ subtype: 'success', result: 'Read.' });
    writeFileSync(path.join(other.folder, 'notes.txt'), 'other notes\n');
    const parted = await other.run(argv);
    expect(parted.code).toBe(1);
    expect(parted.stdout).toMatch(
      /part at request 2: message 3 \(user\), block 1 \(result of Read\), at character 8/,
    );
    expect((await other.run(argv.map((word) => word.replace('.jsonl', '.jsonl?match=strict')))).code).toBe(1);
  });

  it('reports the first difference from another prompt, and exits with 1', async () => {
    const { record, recording, run } = recordedHome();
    await record([say('Yes.')], []);
    const ended = await run(['-p', 'Look at the news', '--model', `replay:${recording}`]);
    expect(ended).toMatchObject({ code: 1 });
    expect(ended.stdout + ended.stderr).toContain(
      'The replay and the session part at request 1: message 1 (user), block 2, at character 14: recorded "Look at the notes", now "Look at the news".',
    );
  });

  it('contains no secret of the environment or of a file, and is replayed without them', async () => {
    const { record, replay, recording, folder } = recordedHome();
    const [key, token] = ['key-of-the-environment', `ghp_${'x9'.repeat(18)}`];
    writeFileSync(
      path.join(folder, 'notes.txt'),
      `key=${key}\nAuthorization: Bearer abcdef\ntoken ${token}\n`,
    );
    const steps: ScriptStep[] = [
      [say('It says ', key.slice(0, 9), key.slice(9), ' and so on.'), read('r1')],
      say('Done.'),
    ];
    const recorded = await record(steps, [], { ANTHROPIC_API_KEY: key });
    expect(recorded).toMatchObject({ code: 0, stdout: 'Done.\n' });
    const kept = readFileSync(recording, 'utf8');
    for (const secret of [key, token, 'abcdef', 'environment']) expect(kept).not.toContain(secret);
    expect(kept.match(/\[redacted\]/g)?.length).toBeGreaterThan(3);
    expect(await replay([])).toMatchObject({ code: 0, stdout: 'Done.\n' });
  });

  it('contains the summary of a compaction', async () => {
    const { record, replay, folder } = recordedHome();
    writeFileSync(path.join(folder, 'notes.txt'), 'a line of notes\n'.repeat(400));
    const looks = ['r1', 'r2', 'r3', 'r4', 'r5'].map((id, at) =>
      call('Read', { file_path: 'notes.txt', offset: at + 1 }, id),
    );
    const recorded = await record([...looks, fail('overflow'), say('We read the notes.'), say('Done.')]);
    expect(linesOf(recorded.stdout).at(-1)).toMatchObject({ subtype: 'success', result: 'Done.' });
    const replayed = await replay();
    expect(comparable(replayed)).toEqual(comparable(recorded));
  });

  it('is replayed up to the place where a crash cut the file', async () => {
    const { record, replay, recording } = recordedHome();
    await record([read('r1'), say('Done.')], []);
    truncateSync(recording, readFileSync(recording).lastIndexOf('"Done."'));
    const ended = await replay([]);
    expect(ended.code).toBe(1);
    expect(ended.stdout + ended.stderr).toContain(
      'The recording breaks off in the answer to request 2, after 2 events.',
    );
  });

  it('is replayed up to the place where the program was killed', async () => {
    const { script, run, recording, replay } = recordedHome();
    const model = script([
      [say('One.'), read('r1')],
      [say('Two.'), pause(600_000)],
    ]);
    const ended = await run(['-p', PROMPT, '--model', model, '--record', recording, ...STREAM], {
      onOutput: (stdout, child) => stdout.includes('Two.') && child.kill('SIGKILL'),
    });
    expect(ended.signal).toBe('SIGKILL');
    expect((await replay()).stdout).toContain('The recording breaks off in the answer to request 2');
  });

  it('reports an interruption at the end of its answer', async () => {
    const { script, run, recording, replay } = recordedHome();
    const model = script([[say('One '), pause(600_000), say('two.')]]);
    const ended = await run(['-p', PROMPT, '--model', model, '--record', recording, ...STREAM], {
      // Sends one signal only. A second one would end the program without a result.
      onOutput: (stdout, child) => !child.killed && stdout.includes('One ') && child.kill('SIGINT'),
    });
    expect(ended.code).toBe(130);
    expect((await replay([])).stderr).toMatch(
      /^heddle: The recorded session was interrupted in the answer to request 1, after \d events; there is no more of it\.\n$/,
    );
  });

  it('contains all models of a session that changed its model', async () => {
    const { script, run, recording } = recordedHome();
    const first = script([say('One.')]);
    const lines = (...values: readonly object[]): string =>
      values.map((value) => `${JSON.stringify(value)}\n`).join('');
    const prompt = (content: string): object => ({ type: 'user', message: { role: 'user', content } });
    const change = { subtype: 'set_model', model: 'rehearsal' };
    let isChanged = false;
    const argv = ['--model', first, '--record', recording, '--input-format', 'stream-json', ...STREAM];
    const ended = await run(argv, {
      input: null,
      onStart: (child) => child.stdin?.write(lines(prompt('a'))),
      onOutput: (stdout, child) => {
        if (isChanged || !stdout.includes('"type":"result"')) return;
        isChanged = true;
        child.stdin?.end(lines({ type: 'control_request', request_id: 'c1', request: change }, prompt('b')));
      },
    });
    expect(ended).toMatchObject({ code: 0, stderr: '' });
    const kept = linesOf(readFileSync(recording, 'utf8'));
    expect(kept.filter(({ type }) => type === 'heddle_recording')).toHaveLength(1);
    const asked = kept.filter(({ type }) => type === 'request').map(({ model }) => model);
    expect(new Set(asked)).toEqual(new Set([first, 'rehearsal']));
  });

  it('does not affect its session if it cannot be written', async () => {
    const { script, recording, folder } = recordedHome();
    const argv = ['-p', PROMPT, '--model', script([[say('x '.repeat(9_000)), read('r1')], say('Done.')])];
    const limited = ['-c', 'ulimit -f 16; exec "$@"', 'bash', installed.program, ...argv];
    const ended = await runProgram('bash', [...limited, '--record', recording, '--no-session-persistence'], {
      cwd: folder,
    });
    expect(ended).toMatchObject({ code: 0, stdout: expect.stringContaining('Done.') });
    expect(ended.stderr.match(/The recording .* ends here: EFBIG/g)).toHaveLength(1);
  });

  it('is rejected at the start if it would replace another file', async () => {
    const { script, run, folder } = recordedHome();
    mkdirSync(path.join(folder, 'out'));
    const argv = ['-p', PROMPT, '--model', script([say('Never.')])];
    for (const [file, why] of [
      ['notes.txt', /--record: notes.txt is not a recording, so it is not replaced/],
      ['out', /--record: out cannot be written/],
    ] as const) {
      expect(await run([...argv, '--record', file])).toMatchObject({
        code: 2,
        stdout: '',
        stderr: expect.stringMatching(why),
      });
    }
  });
});
