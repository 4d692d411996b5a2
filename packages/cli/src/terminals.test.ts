/**
 * The table of results: exit code, standard output, standard error and last line for a script, and the ends through hooks
 * for a host. The ends through signals are in signals.test.ts.
 */
import { call, fail, say, startFakeApi, type ScriptStep, usage } from '@heddle/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { closeAtResult, control, converse, prompt, resultsOf } from './headless/host/test/conversation.ts';
import { homeFor } from './test/home.ts';
import { type Ended, install, type Installed, linesOf } from './test/program.ts';

let installed: Installed;

beforeAll(async () => {
  installed = await install();
});
afterAll(() => installed.remove());

const sameCalls = Array.from({ length: 12 }, (_, index) => call('Read', { file_path: 'none' }, `r${index}`));
const SCHEMA = JSON.stringify({ type: 'object', properties: { n: { type: 'integer' } }, required: ['n'] });

interface Row {
  readonly ends: string;
  readonly script: readonly ScriptStep[];
  readonly flags?: readonly string[];
  /** The maximum size of a file, to simulate a full disk. */
  readonly diskKib?: number;
  readonly code: number;
  /** All of standard output after a success, all of standard error after an error. */
  readonly text: RegExp;
  readonly subtype: string;
}

const ROWS: readonly Row[] = [
  { ends: 'completed', script: [say('Done.')], code: 0, text: /^Done\.\n$/, subtype: 'success' },
  {
    ends: 'api_error',
    script: [fail('auth')],
    code: 1,
    text: /^heddle: .*invalid x-api-key/,
    subtype: 'success',
  },
  { ends: 'prompt_too_long', script: [fail('overflow')], code: 1, text: /too long/, subtype: 'success' },
  { ends: 'image_error', script: [fail('media')], code: 1, text: /5 MB/, subtype: 'success' },
  {
    ends: 'max_turns',
    script: [call('Read', { file_path: 'none' }, 'r1')],
    flags: ['--max-turns', '1'],
    code: 1,
    text: /^heddle: Reached maximum number of turns \(1\)\n$/,
    subtype: 'error_max_turns',
  },
  {
    ends: 'model_error',
    script: [say('x'.repeat(200_000))],
    diskKib: 64,
    code: 1,
    text: /^heddle: The session could not be stored: .*\n$/,
    subtype: 'error_during_execution',
  },
  {
    ends: 'repetition_stopped',
    script: sameCalls,
    code: 1,
    text: /same results: Read/,
    subtype: 'error_during_execution',
  },
  {
    ends: 'completed',
    script: [call('StructuredOutput', { n: 3 }, 's1')],
    flags: ['--json-schema', SCHEMA],
    code: 0,
    text: /^\{"n":3\}\n$/,
    subtype: 'success',
  },
  {
    ends: 'structured_output_retry_exhausted',
    script: Array.from({ length: 6 }, () => say('no')),
    flags: ['--json-schema', SCHEMA],
    code: 1,
    text: /required shape/,
    subtype: 'error_max_structured_output_retries',
  },
  {
    ends: 'turn_setup_failed',
    script: [],
    flags: ['--json-schema', '{"type":"no such type"}'],
    code: 1,
    text: /schema is invalid/,
    subtype: 'error_during_execution',
  },
  {
    ends: 'turn_setup_failed',
    script: [],
    flags: ['--resume', 'nothing-there'],
    code: 1,
    text: /No conversation found with session ID: nothing-there/,
    subtype: 'error_during_execution',
  },
  {
    ends: 'turn_setup_failed',
    script: [],
    flags: ['--continue'],
    code: 1,
    text: /no conversation to continue/,
    subtype: 'error_during_execution',
  },
];

describe.each(ROWS)(
  'a run that ends with $ends ($flags)',
  ({ ends, script, flags = [], diskKib, code, text, subtype }) => {
    const play = (format: string): Promise<Ended> => {
      const home = homeFor(installed.program, diskKib);
      return home.run(['-p', 'go', '--model', home.script(script), ...flags, '--output-format', format]);
    };
    const result = {
      type: 'result',
      subtype,
      is_error: code !== 0,
      terminal_reason: ends,
      [subtype === 'success' ? 'result' : 'errors']: expect.anything(),
    };

    it(`exits with ${code} and prints one line: ${code === 0 ? 'the answer' : 'the error, and no output'}`, async () => {
      const { stdout, stderr, ...ended } = await play('text');
      expect(ended.code).toBe(code);
      const [printed, empty] = code === 0 ? [stdout, stderr] : [stderr, stdout];
      expect(printed).toMatch(text);
      expect(printed.trimEnd().split('\n')).toHaveLength(1);
      expect(empty).toBe('');
    });

    it(`exits with ${code} and one ${subtype} result as JSON`, async () => {
      const ended = await play('json');
      expect(ended.code).toBe(code);
      expect(linesOf(ended.stdout)).toEqual([expect.objectContaining(result)]);
    });

    it(`exits with ${code} and ends its stream with one ${subtype} result`, async () => {
      const ended = await play('stream-json');
      expect(ended.code).toBe(code);
      const lines = linesOf(ended.stdout);
      expect(lines.filter(({ type }) => type === 'result')).toHaveLength(1);
      expect(lines.at(-1)).toMatchObject(result);
    });
  },
);

describe.each([
  { ends: 'hook_stopped', event: 'PostToolUse', script: [call('Read', { file_path: 'script.json' }, 'r1')] },
  { ends: 'stop_hook_prevented', event: 'Stop', script: [say('Done.')] },
])('a run that ends with $ends through a hook of its host', ({ ends, event, script }) => {
  it('exits with 0 and ends its stream with one success result', async () => {
    const held = await converse(installed.program, {
      script,
      first: [
        control('i1', { subtype: 'initialize', hooks: { [event]: [{ hookCallbackIds: ['hook_0'] }] } }),
        prompt('go'),
      ],
      reply(line) {
        const { type, request_id } = line;
        if (type !== 'control_request') return closeAtResult(line);
        const response = { subtype: 'success', request_id, response: { continue: false } };
        return { type: 'control_response', response };
      },
    });
    expect(held.code).toBe(0);
    expect(resultsOf(held)).toEqual([held.lines.at(-1)]);
    expect(held.lines.at(-1)).toMatchObject({
      subtype: 'success',
      is_error: false,
      terminal_reason: ends,
      result: expect.any(String),
    });
  });
});

describe('a conversation that no longer fits', () => {
  it('ends with blocking_limit if compaction is switched off, and no request is made', async () => {
    const home = homeFor(installed.program);
    const model = home.script([say('never')]);
    const off = ['--settings', JSON.stringify({ autoCompactEnabled: false })];
    const ended = await home.run(['-p', 'go', '--model', model, ...off, '--output-format', 'json'], {
      input: 'these are many words and none of them matters '.repeat(30_000),
    });
    expect(ended.code).toBe(1);
    expect(linesOf(ended.stdout).at(-1)).toMatchObject({
      subtype: 'success',
      is_error: true,
      terminal_reason: 'blocking_limit',
      num_turns: 0,
      result: expect.stringContaining('no longer fits'),
    });
  });
});

describe('a budget in dollars', () => {
  const argv = ['-p', 'go', '--output-format', 'stream-json', '--max-budget-usd', '0.001', '--model'];

  it('ends the run once it is spent: error_max_budget_usd, exit code 1', async () => {
    const expensive = usage({ input_tokens: 100_000, output_tokens: 10_000 });
    const api = await startFakeApi([[call('Read', { file_path: 'none' }, 'r1'), expensive], say('never')]);
    const env = { ANTHROPIC_BASE_URL: api.url, ANTHROPIC_API_KEY: 'key' };
    const ended = await homeFor(installed.program).run([...argv, 'claude-sonnet-4-5'], { env });
    await api.close();
    expect(ended.code).toBe(1);
    expect(linesOf(ended.stdout).at(-1)).toMatchObject({
      subtype: 'error_max_budget_usd',
      terminal_reason: 'budget_exhausted',
      errors: ['Reached maximum budget ($0.001)'],
    });
    expect(api.requests).toHaveLength(1);
  });

  it('rejects a model without a known price before the first request: turn_setup_failed, exit code 1', async () => {
    const env = { ANTHROPIC_BASE_URL: 'http://127.0.0.1:9', ANTHROPIC_API_KEY: 'key' };
    const ended = await homeFor(installed.program).run([...argv, 'anthropic/no-such-model'], { env });
    expect(ended.code).toBe(1);
    expect(linesOf(ended.stdout)).toMatchObject([
      { type: 'result', terminal_reason: 'turn_setup_failed', errors: [expect.stringContaining('unknown')] },
    ]);
  });
});

describe('wrong arguments', () => {
  it.each([
    [['-p', 'go', '--max-turns', 'many'], /takes a whole number/],
    [['-p', 'go', '--max-budget-usd', '0'], /an amount over 0/],
    [['-p', 'go', '--json-schema', 'nonsense'], /takes a JSON Schema object/],
    [['-p', 'go', '--resume', 'a', '--continue'], /exclude each other/],
    [['-p', 'go', '--fork-session'], /needs --resume or --continue/],
    [['-p', 'go', '--resum', 'a'], /did you mean --resume/],
    [['-p', 'go', '--allowed-tools', 'Bash(git'], /--allowed-tools: Bash\(git is not a rule/],
    [['-p', 'go', '--disallowed-tools', 'Read()'], /--disallowed-tools: Read\(\) has empty parentheses/],
  ])('%j exits with 2, prints no result and reports the error', async (argv, message) => {
    const ended = await homeFor(installed.program).run(argv);
    expect(ended).toMatchObject({ code: 2, stdout: '' });
    expect(ended.stderr).toMatch(message);
  });
});

it.each(['json', 'stream-json'])('%s output has no effect on a terminal', async (format) => {
  const { run, script } = homeFor(installed.program);
  const text = 'a\u009b31m\u009d0;title\u009c\u202eb\u2066\u007f\u001b[2J';
  const steps = [call('Bash', { command: `echo ${text}`, description: text }, 'b1'), say(text)];
  const { stdout } = await run([
    '-p',
    'go',
    '--verbose',
    '--output-format',
    format,
    '--model',
    script(steps),
  ]);
  // oxlint-disable-next-line no-control-regex -- control characters are the point
  expect(stdout).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/);
  expect(linesOf(stdout).at(-1)).toMatchObject({ result: text });
});
