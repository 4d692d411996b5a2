/** `heddle replay` on sessions of the real program. */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { replayLog } from '@heddle/agent/sessions';
import { call, cut, fail, type ScriptPart, say, unfinished } from '@heddle/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openCrashSetup } from '../test/crash/scene.ts';
import type { Trigger } from '../test/crash/trigger.ts';
import { type Home, homeFor } from '../test/home.ts';
import { install, type Installed, linesOf, runProgram } from '../test/program.ts';
import { textLines } from './text.ts';

let installed: Installed;
beforeAll(async () => {
  installed = await install();
});
afterAll(() => installed.remove());

const SESSION = '3f1c0a52-9f4e-4a7b-8d2e-0123456789ab';
const read = (id: string): ScriptPart => call('Read', { file_path: 'notes.txt' }, id);

function logIn({ folder }: Home, session = SESSION): string {
  const projects = path.join(folder, 'config/projects');
  return path.join(projects, readdirSync(projects)[0] ?? '', `${session}.jsonl`);
}

async function outputOf(
  ...prompts: readonly (readonly [prompt: string, steps: readonly (ScriptPart | readonly ScriptPart[])[]])[]
): Promise<Home> {
  const home = homeFor(installed.program);
  writeFileSync(path.join(home.folder, 'notes.txt'), 'a line of notes\n'.repeat(300));
  for (const [at, [prompt, steps]] of prompts.entries()) {
    await home.run([
      '-p',
      prompt,
      at === 0 ? '--session-id' : '--resume',
      SESSION,
      '--model',
      home.script(steps),
    ]);
  }
  return home;
}

describe('heddle replay', () => {
  it('shows each decision of a session, and that the machine agrees with it', async () => {
    const home = await outputOf(
      [
        'Read the \u001b[31mnotes',
        [
          read('r1'),
          fail('overloaded', { retryAfterMs: 1 }),
          [unfinished(say('A long')), cut()],
          say('Read.'),
        ],
      ],
      ['And now?', [fail('auth')]],
    );
    const { code, stdout, stderr } = await home.run(['replay', SESSION.slice(0, 8)]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    const known = stdout.replaceAll(home.folder, 'HOME').replace(/model .*json/, 'model M');
    expect(known.split('\n').map((line) => line.replaceAll(/ {3,}/g, '  ').trim())).toEqual([
      `Session ${SESSION}`,
      'model M, in HOME',
      '',
      'Prompt 1: "Read the \\u001b[31mnotes"',
      'turn 1',
      '1  began  → prepare  autocompact may run',
      '2  prepared  → stream, at most 8192 tokens',
      '3  streamed: 1 call (Read)  → run tools',
      '4  tools ran: Read  → attach  no call repeats too often; another turn is allowed',
      '5  attached  → continue next_turn',
      'turn 2, after next_turn',
      '· retried after overloaded, attempt 2',
      '6  began  → prepare  autocompact may run',
      '7  prepared  → stream, at most 8192 tokens',
      '8  streamed: no call, ended with output_cap  → continue max_output_tokens_escalate, maxOu…  the output cap was not raised yet; nothing was resumed yet',
      'turn 2, after max_output_tokens_escalate, cap raised to 64000',
      '9  began  → prepare  autocompact may run',
      '10  prepared  → stream, at most 64000 tokens',
      '11  streamed: no call  → stop hooks',
      '12  hooks ran: passed  → stop completed',
      '',
      'Prompt 2: "And now?"',
      'turn 1',
      '13  began  → prepare  autocompact may run',
      '14  prepared  → stream, at most 8192 tokens',
      '15  streamed: no call, ended with auth  → stop api_error: auth',
      '',
      '2 prompts, 4 iterations: the machine agrees with all recorded decisions.',
      '',
    ]);
  });

  it('marks a decision that the machine disagrees with, and exits with 1', async () => {
    const home = await outputOf(['Read', [read('r1'), read('r2'), say('Read.')]]);
    const log = readFileSync(logIn(home), 'utf8');
    const forged = path.join(home.folder, 'forged.jsonl');
    writeFileSync(forged, log.replace('"turnCount":2', '"turnCount":7'));
    const { code, stdout } = await home.run(['replay', forged]);
    expect(code).toBe(1);
    expect(stdout).toMatch(
      /attached +→ continue next_turn\n +≠ {2}recorded continue next_turn, turn 7\n +the machine decides continue next_turn, turn 2\n/,
    );
    expect(stdout).toContain('?  recorded stop completed: not checked');
    expect(stdout).toContain('(2 not checked): the machine disagrees with 1 of 1 recorded decisions.');
    const told1 = linesOf((await home.run(['replay', forged, '--json'])).stdout);
    expect(told1.filter(({ type }) => type === 'iteration')).toMatchObject([
      {
        verdict: 'parted',
        recorded: { kind: 'continue', turnCount: 7 },
        instead: [{ kind: 'continue', turnCount: 2 }],
      },
      { verdict: 'unchecked' },
      { verdict: 'unchecked' },
    ]);
  });

  it('respects --from, --verbose and --json', async () => {
    const home = await outputOf(['Read', [read('r1'), say('Read.')]]);
    const from = (await home.run(['replay', SESSION, '--from', '8'])).stdout;
    expect(from).toMatch(/Prompt 1[^]*\n {2}turn 2[^]*\n {6}8 {2}streamed/);
    expect(from).not.toMatch(/turn 1|\n {6}7 /);
    const verbose = (await home.run(['replay', SESSION, '--verbose'])).stdout;
    expect(verbose).toContain('· Read r1 began');
    expect(verbose).toContain('"maxOutputTokensRecoveryCount":0');
    const json = linesOf((await home.run(['replay', SESSION, '--json', '--from=9'])).stdout);
    expect(json).toMatchObject([
      { type: 'session', session: SESSION, prompts: 1, damaged: 0 },
      { type: 'iteration', prompt: 1, iteration: 1, verdict: 'confirmed' },
      {
        type: 'step',
        step: 9,
        happened: { type: 'hooks_ran' },
        decision: { kind: 'stop', terminal: { reason: 'completed' } },
      },
      { type: 'iteration', prompt: 1, iteration: 2, verdict: 'confirmed', recorded: { kind: 'stop' } },
    ]);
  });

  it('follows a session through compaction, rewind and fork', async () => {
    const looks = ['r1', 'r2', 'r3', 'r4', 'r5'].map((id, at) =>
      call('Read', { file_path: 'notes.txt', offset: at + 1 }, id),
    );
    const home = await outputOf(
      ['Read', [...looks, fail('overflow'), say('We read.'), say('Done.')]],
      ['More', [say('Yes.')]],
    );
    const [, firstAnswer] = readFileSync(logIn(home), 'utf8')
      .split('\n')
      .filter((line) => line.includes('"type":"assistant"'));
    const at = /"uuid":"([^"]+)"/.exec(firstAnswer ?? '')?.[1] ?? '';
    const again = ['--resume', SESSION, '--resume-session-at', at, '--model', home.script([say('Again.')])];
    expect(await home.run(['-p', 'Again', ...again])).toMatchObject({ code: 0, stdout: 'Again.\n' });
    const fork = await home.run(['-p', 'Apart', '--fork-session', ...again, '--output-format', 'json']);
    const forked = String(linesOf(fork.stdout)[0]?.['session_id']);
    for (const [session, prompts] of [
      [SESSION, 3],
      [forked, 4],
    ] as const) {
      const { code, stdout } = await home.run(['replay', session]);
      expect(stdout).toContain(`${prompts} prompts, `);
      expect(stdout).toContain(': the machine agrees with all recorded decisions.');
      expect(stdout).toMatch(/compacted for overflow +→ continue reactive_compact_retry/);
      expect(stdout).toContain(`· rewound to ${at}`);
      expect(code).toBe(0);
    }
  });

  it.each([
    { kind: 'request', number: 2 },
    { kind: 'effect', id: 'b2', when: 'after' },
    { kind: 'journal', byte: 9_000 },
  ] as const satisfies readonly Trigger[])('shows where a crash interrupted a run: $kind', async (kill) => {
    const scene = await openCrashSetup(installed.program);
    try {
      expect(await scene.live('first', kill)).toMatchObject({ signal: 'SIGKILL' });
      await scene.live('resumed');
      const cwd = homeFor(installed.program).folder;
      const { code, stdout } = await runProgram(installed.program, ['replay', scene.journal() ?? ''], {
        cwd,
      });
      expect(stdout).toContain('–  the log ends here: this run was interrupted');
      // No decision followed, so the log entries are shown.
      if (kill.kind === 'effect') expect(stdout).toMatch(/ {9}· Bash b2 began\n/);
      expect(stdout).toMatch(
        /2 prompts, \d+ iterations \(1 without a decision of the machine\): the machine agrees with all recorded decisions/,
      );
      expect(code).toBe(0);
    } finally {
      await scene.close();
    }
  });

  it('reports a log that is missing or not readable', async () => {
    const home = await outputOf(['Hello', [say('Yes.')]]);
    writeFileSync(logIn(home, `${SESSION}-2`), readFileSync(logIn(home)));
    writeFileSync(path.join(home.folder, 'empty.jsonl'), '{"type":');
    await home.run(['sessions', 'rename', SESSION, 'the greeting']);
    for (const name of [SESSION, 'the greeting'])
      expect((await home.run(['replay', name])).stdout).toContain(`Session ${SESSION}\n`);
    for (const [argv, code, stderr] of [
      [['unknown'], 1, /^heddle: There is no session unknown\. To list sessions, use: .*\n$/],
      [[SESSION.slice(0, 4)], 1, /^heddle: 3f1c matches several sessions:\n {2}.*\n {2}.*\n$/],
      [['missing.jsonl'], 1, /^heddle: there is no file missing.jsonl\n$/],
      [['empty.jsonl'], 1, /^heddle: empty.jsonl is not a session log\n$/],
      [['x', '--form', '2'], 2, /unknown flag --form/],
      [['x', '--from', '0'], 2, /--from takes the number of a step/],
    ] as const) {
      expect(await home.run(['replay', ...argv])).toMatchObject({
        code,
        stdout: '',
        stderr: expect.stringMatching(stderr),
      });
    }
  });

  it('fits its lines to a narrow terminal', async () => {
    const home = await outputOf(['Read', [read('r1'), say('Read.')]]);
    const replayed = replayLog(logIn(home));
    if (typeof replayed === 'string') throw new Error(replayed);
    for (const columns of [50, 80]) {
      const lines = [...textLines(replayed, { from: 1, verbose: true, columns })];
      expect(Math.max(...lines.map((line) => line.length))).toBe(columns);
      expect(new Set(lines.filter((line) => line.includes('→')).map((line) => line.indexOf('→'))).size).toBe(
        1,
      );
    }
  });
});
