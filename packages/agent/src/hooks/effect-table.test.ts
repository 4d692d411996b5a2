/**
 * The table of effects with real programs in several languages: event × exit code × output → effect. A program runs once per exit code
 * and output. Its result is then read for every event.
 */
import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { HOOK_EVENT_NAMES, type HookEventName, traitsOf } from './events.ts';
import { blockOutcome, type HookOutcome, readHookResult } from './outcome.ts';
import { runCommandHook } from './run-command.ts';

interface Printed {
  readonly code: number;
  readonly stdout?: string;
  readonly stderr?: string;
}

/** How a language prints both texts and exits. JSON is a valid text in all of them. */
const LANGUAGES: Readonly<Record<string, (printed: Printed) => readonly [program: string, code: string]>> = {
  bash: ({ code, stdout = '', stderr = '' }) => [
    'bash',
    `cat >/dev/null; printf '%s' ${quoted(stdout)}; printf '%s' ${quoted(stderr)} >&2; exit ${code}`,
  ],
  node: ({ code, stdout = '', stderr = '' }) => [
    process.execPath,
    `process.stdin.resume().on('end', () => { process.stdout.write(${JSON.stringify(stdout)});
      process.stderr.write(${JSON.stringify(stderr)}); process.exitCode = ${code}; })`,
  ],
  python3: ({ code, stdout = '', stderr = '' }) => [
    'python3',
    `import sys; sys.stdin.read(); sys.stdout.write(${JSON.stringify(stdout)}); sys.stderr.write(${JSON.stringify(stderr)}); sys.exit(${code})`,
  ],
};

const json = (value: object): string => JSON.stringify(value);
const block = (reason: string) => (event: HookEventName) => blockOutcome(event, reason);
const context = (text: string) => (event: HookEventName) =>
  traitsOf(event).textIsContext === true ? { context: text } : {};

const NOT_JSON = 'Its answer starts like JSON but is not valid JSON.';
const unreadable = (text: string) => (event: HookEventName) => {
  if (traitsOf(event).textIsContext === true) return { context: text };
  const failure = { kind: 'unreadable', message: NOT_JSON } as const;
  if (event !== 'PreToolUse') return { failure };
  return { failure, decision: 'ask', reason: `The answer of a hook cannot be read. ${NOT_JSON}` } as const;
};

const notStarted = (message: string) => (event: HookEventName) => {
  const failure = { kind: 'not_started', message } as const;
  if (event !== 'PreToolUse') return { failure };
  const reason = `A hook cannot be started. ${message}`;
  return { failure, decision: 'ask', reason } as const;
};

type Row = readonly [name: string, printed: Printed, effect: (event: HookEventName) => HookOutcome];

const ROWS: readonly Row[] = [
  ['0 without output', { code: 0 }, () => ({})],
  ['0 with text', { code: 0, stdout: 'hello' }, context('hello')],
  ['0 with text on standard error', { code: 0, stderr: 'only a remark' }, () => ({})],
  ['0 with broken JSON', { code: 0, stdout: '{"decision":' }, unreadable('{"decision":')],
  ['0 with two objects', { code: 0, stdout: '{"a":1}\n{"b":2}' }, unreadable('{"a":1}\n{"b":2}')],
  ['0 with an open text', { code: 0, stdout: '{"reason":"a"b"}' }, unreadable('{"reason":"a"b"}')],
  ['2 with broken JSON', { code: 2, stdout: '{"decision":', stderr: 'no' }, block('no')],
  ['0 with a JSON list', { code: 0, stdout: '[1]' }, context('[1]')],
  [
    '0 with a block',
    { code: 0, stdout: json({ decision: 'block', reason: 'no' }) },
    (event) => ({ reason: 'no', ...blockOutcome(event, 'no') }),
  ],
  [
    '0 with continue: false',
    { code: 0, stdout: json({ continue: false, stopReason: 'over' }) },
    () => ({ stop: 'over' }),
  ],
  ['0 with a message', { code: 0, stdout: json({ systemMessage: 'hi' }) }, () => ({ message: 'hi' })],
  ['2 with a reason', { code: 2, stderr: 'no' }, block('no')],
  ['2 without a reason', { code: 2 }, block('A hook blocked this without a reason.')],
  [
    '2 with a JSON reason',
    { code: 2, stdout: json({ reason: 'by JSON' }), stderr: 'ignored' },
    (event) => ({ reason: 'by JSON', ...blockOutcome(event, 'by JSON') }),
  ],
  [
    '1 with an error',
    { code: 1, stderr: 'broken\nmore' },
    () => ({ failure: { kind: 'error', message: 'exit code 1: broken' } }),
  ],
  ['126', { code: 126 }, notStarted('exit code 126')],
  ['127 with an error', { code: 127, stderr: 'x: not found' }, notStarted('exit code 127: x: not found')],
  [
    '3 with a JSON message',
    { code: 3, stdout: json({ systemMessage: 'hi' }) },
    () => ({ message: 'hi', failure: { kind: 'error', message: 'exit code 3' } }),
  ],
];

it('a hook that waits asks about a call and blocks the events that it guards, and no others', () => {
  const failure = { kind: 'waiting', message: 'x.sh changed.' } as const;
  const effects = HOOK_EVENT_NAMES.map((event) => {
    const { failure: _, ...effect } = readHookResult(event, { kind: 'failed', failure }, (value) => value);
    return [event, effect] as const;
  });
  const blocked = { block: failure.message };
  expect(Object.fromEntries(effects.filter(([, effect]) => Object.keys(effect).length > 0))).toEqual({
    PreToolUse: { decision: 'ask', reason: failure.message },
    UserPromptSubmit: blocked,
    UserPromptExpansion: blocked,
    PreModelSwitch: blocked,
    Elicitation: blocked,
    ElicitationResult: blocked,
    ConfigChange: blocked,
    WorktreeCreate: blocked,
  });
});

const present = Object.keys(LANGUAGES).filter(
  (name) => name === 'node' || spawnSync(name, ['--version']).status === 0,
);

describe.each(present)('a hook in %s', (language) => {
  it.concurrent.each(ROWS)('that exits with %s has its effect at every event', async (_, printed, effect) => {
    const [command, code] = LANGUAGES[language]?.(printed) ?? ['false', ''];
    const result = await runCommandHook({
      handler: {
        type: 'command',
        command,
        args: [language === 'node' ? '-e' : '-c', code],
        async: false,
        asyncRewake: false,
      },
      input: '{"hook_event_name":"any"}',
      cwd: tmpdir(),
      environment: { PATH: process.env['PATH'] },
      timeoutMs: 60_000,
      signal: new AbortController().signal,
    });
    const effects = HOOK_EVENT_NAMES.map((event) => [
      event,
      withoutGaps(readHookResult(event, result, (text) => text)),
    ]);
    expect(effects).toEqual(HOOK_EVENT_NAMES.map((event) => [event, withoutGaps(effect(event))]));
  });
});

it('reads the output of a hook that ended while this process was busy', async () => {
  const mark = path.join(mkdtempSync(path.join(tmpdir(), 'heddle-hook-')), 'mark');
  const result = runCommandHook({
    handler: {
      type: 'command',
      command: `until [ -e '${mark}' ]; do sleep 0.01; done; printf no >&2; exit 2`,
      async: false,
      asyncRewake: false,
    },
    input: '{}',
    cwd: tmpdir(),
    environment: { PATH: process.env['PATH'] },
    timeoutMs: 60_000,
    signal: new AbortController().signal,
  });
  // The exits of both programs are found at once, before the output of the hook is read.
  const other = spawn('sh', ['-c', 'printf x']);
  other.stdout.once('data', () => {
    writeFileSync(mark, '');
    pauseProcess(300);
  });
  other.once('exit', () => pauseProcess(300));
  pauseProcess(100);
  expect(await result).toMatchObject({ kind: 'exited', code: 2, stderr: 'no' });
});

/** Pauses this process, as a busy machine does. */
function pauseProcess(milliseconds: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, milliseconds);
}

it('has at least 150 rows', () => {
  expect(HOOK_EVENT_NAMES.length * ROWS.length).toBeGreaterThanOrEqual(150);
  expect(present).toContain('bash');
});

function withoutGaps(outcome: HookOutcome): object {
  return Object.fromEntries(Object.entries(outcome).filter(([, value]) => value !== undefined));
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
