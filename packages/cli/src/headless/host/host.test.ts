/** A host on the other side of the pipe: prompts, control requests and questions, as JSON lines. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { call, hang, say } from '@heddle/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { homeFor } from '../../test/home.ts';
import { install, type Installed, type OutputLine } from '../../test/program.ts';
import {
  closeAtResult,
  control,
  type Conversation,
  converse as hold,
  type Held,
  prompt,
  resultsOf,
} from './test/conversation.ts';

let installed: Installed;

beforeAll(async () => {
  installed = await install();
});
afterAll(() => installed.remove());

const converse = (conversation: Conversation): Promise<Held> => hold(installed.program, conversation);

const CHOSEN = '0b7f64f1-62a5-4f0e-9d5b-5f0b1c2d3e4f';

describe('prompts', () => {
  it('are answered one after another in one session, each with its own result', async () => {
    const held = await converse({
      script: [say('One.'), say('Two.')],
      first: [prompt('first'), prompt([{ type: 'text', text: 'second' }])],
      closes: true,
    });
    expect(held.lines.map(({ type }) => type)).toEqual([
      'system',
      'assistant',
      'result',
      'system',
      'assistant',
      'result',
    ]);
    expect(resultsOf(held).map(({ result }) => result)).toEqual(['One.', 'Two.']);
    expect(new Set(held.lines.map((line) => line['session_id'])).size).toBe(1);
    expect(held.code).toBe(0);
  });

  it('keep the id that the host gave them', async () => {
    const held = await converse({
      script: [say('Yes.')],
      flags: ['--session-id', CHOSEN],
      first: [prompt('hello', { uuid: 'host-uuid' })],
      closes: true,
    });
    const folder = path.join(held.folder, 'config/projects', held.folder.replaceAll(/[^a-zA-Z0-9]/g, '-'));
    expect(readFileSync(path.join(folder, `${CHOSEN}.jsonl`), 'utf8')).toContain('"uuid":"host-uuid"');
  });

  it('under way are finished when the host closes its side', async () => {
    const held = await converse({
      script: [call('Bash', { command: 'echo done' }, 'b1'), say('Finished.')],
      flags: ['--allowed-tools', 'Bash'],
      first: [prompt('go')],
      reply: ({ type }) => (type === 'assistant' ? 'close' : undefined),
    });
    expect(resultsOf(held)).toMatchObject([{ subtype: 'success', result: 'Finished.' }]);
    expect(held.code).toBe(0);
  });

  it.each([
    ['an unknown model', ['--model', 'nosuch'], 2],
    ['nothing to continue', ['--continue', '--model', 'rehearsal'], 1],
  ])('are not waited for after a start that failed: %s', async (_, flags, code) => {
    // The host keeps its side open.
    expect(await converse({ flags, first: [control('i1', { subtype: 'initialize' })] })).toMatchObject({
      code,
    });
  });

  it('may be none at all', async () => {
    expect(await converse({ script: [], first: [], closes: true })).toMatchObject({ code: 0, stdout: '' });
  });

  it('decide the exit code by the last of them', async () => {
    const held = await converse({
      script: [say('Fine.'), call('Read', { file_path: 'x' }, 'r1')],
      flags: ['--max-turns', '1'],
      first: [prompt('one'), prompt('two')],
      closes: true,
    });
    expect(resultsOf(held).map(({ subtype }) => subtype)).toEqual(['success', 'error_max_turns']);
    expect(held.code).toBe(1);
  });
});

it('a prompt may contain separators that other readers take for the end of a line', async () => {
  const text = 'one\u2028two\u2029three';
  const held = await converse({
    script: [say('Read.')],
    flags: ['--replay-user-messages'],
    first: [prompt(text)],
    closes: true,
  });
  expect(held.stderr).toBe('');
  expect(held.lines.find(({ type }) => type === 'user')).toMatchObject({ message: { content: text } });
});

describe('input lines that are not prompts', () => {
  it('are ignored: garbage with a warning on standard error, the rest silently', async () => {
    const held = await converse({
      script: [say('Still here.')],
      first: [
        'this is not JSON',
        '[1, 2]',
        '',
        { type: 'keep_alive' },
        { type: 'something_new' },
        { type: 'user', message: {} },
        { type: 'control_response', response: { request_id: 'unknown', subtype: 'success' } },
        prompt('hello'),
      ],
      closes: true,
    });
    expect(held).toMatchObject({ code: 0 });
    expect(resultsOf(held)).toHaveLength(1);
    expect(held.stderr.match(/not a JSON object/g)).toHaveLength(2);
  });

  it('are an error if there is no prompt: one result, and exit code 1', async () => {
    const held = await converse({ script: [], first: ['this is not JSON'], closes: true });
    expect(held.code).toBe(1);
    expect(resultsOf(held)).toMatchObject([
      { is_error: true, errors: [expect.stringContaining('not a JSON object')] },
    ]);
  });
});

describe('control requests', () => {
  it('are answered by their id: initialize before the turn, an unknown one with an error', async () => {
    const held = await converse({
      script: [say('Hello.')],
      first: [control('i1', { subtype: 'initialize' }), control('x1', { subtype: 'fly' }), prompt('hello')],
      closes: true,
    });
    const error = expect.stringContaining('fly');
    expect(held.lines.slice(0, 2)).toMatchObject([
      { type: 'control_response', response: { subtype: 'success', request_id: 'i1' } },
      { type: 'control_response', response: { subtype: 'error', request_id: 'x1', error } },
    ]);
    expect(held.code).toBe(0);
  });

  it('interrupt a turn, which reports it, and the session continues', async () => {
    let count = 0;
    const held = await converse({
      script: [[say('One moment.'), hang()], say('Back again.')],
      first: [prompt('go')],
      reply(line) {
        if (line['type'] === 'assistant' && count++ === 0) return control('i1', { subtype: 'interrupt' });
        if (line['type'] !== 'result') return undefined;
        return line['subtype'] === 'success' ? 'close' : prompt('again');
      },
    });
    expect(JSON.stringify(held.lines)).toContain('[Request interrupted by user]');
    expect(held.lines).toContainEqual(
      expect.objectContaining({
        type: 'control_response',
        response: expect.objectContaining({ subtype: 'success', request_id: 'i1' }),
      }),
    );
    expect(resultsOf(held)).toMatchObject([
      { subtype: 'error_during_execution', is_error: true, terminal_reason: 'aborted_streaming' },
      { subtype: 'success', result: 'Back again.' },
    ]);
    expect(held.code).toBe(0);
  });
});

describe('questions about a tool', () => {
  const script = [call('Bash', { command: 'env echo asked for' }, 'b1'), say('So be it.')];
  const flags = ['--permission-prompt-tool', 'stdio'];
  const isQuestion = ({ type }: OutputLine): boolean => type === 'control_request';
  const answer = (line: OutputLine, response: object): object => ({
    type: 'control_response',
    response: { request_id: line['request_id'], ...response },
  });
  const decided = (response: object) => (line: OutputLine) =>
    isQuestion(line) ? answer(line, { subtype: 'success', response }) : closeAtResult(line);

  it('go to the host, who allows', async () => {
    const held = await converse({
      script,
      flags,
      first: [prompt('go')],
      reply: decided({ behavior: 'allow' }),
    });
    expect(held.lines.find(isQuestion)).toMatchObject({
      request: {
        subtype: 'can_use_tool',
        tool_name: 'Bash',
        tool_use_id: 'b1',
        input: { command: 'env echo asked for' },
      },
    });
    expect(held.stdout).toContain('"content":"asked for"');
    expect(resultsOf(held)).toMatchObject([{ subtype: 'success', permission_denials: [] }]);
  });

  it('may be allowed with another input', async () => {
    const updatedInput = { command: 'echo something else' };
    const held = await converse({
      script,
      flags,
      first: [prompt('go')],
      reply: decided({ behavior: 'allow', updatedInput }),
    });
    expect(held.stdout).toContain('"content":"something else"');
  });

  it('may be denied: the model reads why, and the result lists it', async () => {
    const held = await converse({
      script,
      flags,
      first: [prompt('go')],
      reply: decided({ behavior: 'deny', message: 'not in my project' }),
    });
    expect(held.stdout).toContain('not in my project');
    expect(resultsOf(held)).toMatchObject([
      { subtype: 'success', permission_denials: [{ tool_name: 'Bash', tool_use_id: 'b1' }] },
    ]);
  });

  it('may be denied with the end of the whole turn', async () => {
    const held = await converse({
      script,
      flags,
      first: [prompt('go')],
      reply: decided({ behavior: 'deny', message: 'stop it', interrupt: true }),
    });
    expect(resultsOf(held)).toMatchObject([{ subtype: 'error_during_execution', is_error: true }]);
    expect(held.stdout).not.toContain('So be it.');
    expect(held.code).toBe(1);
  });

  it('that the host cannot answer are denied', async () => {
    const held = await converse({
      script,
      flags,
      first: [prompt('go')],
      reply: (line) =>
        isQuestion(line) ? answer(line, { subtype: 'error', error: 'no callback' }) : closeAtResult(line),
    });
    expect(held.stdout).toContain('no callback');
    expect(resultsOf(held)).toMatchObject([{ permission_denials: [{ tool_use_id: 'b1' }] }]);
  });

  it('are denied when the host goes away, and the turn is finished', async () => {
    const held = await converse({
      script,
      flags,
      first: [prompt('go')],
      reply: (line) => (isQuestion(line) ? 'close' : undefined),
    });
    expect(held.stdout).toContain('The host went away.');
    expect(resultsOf(held)).toMatchObject([{ subtype: 'success', result: 'So be it.' }]);
  });

  const questions = [{ question: 'Which one?', header: 'Choice', options: [{ label: 'A' }, { label: 'B' }] }];
  const askUser = [
    call('ToolSearch', { query: 'select:AskUserQuestion' }, 's1'),
    call('AskUserQuestion', { questions }, 'q1'),
    say('So be it.'),
  ];

  it('of the model to the user are answered with the permission', async () => {
    const held = await converse({
      script: askUser,
      flags,
      first: [prompt('go')],
      reply: decided({ behavior: 'allow', updatedInput: { questions, answers: { 'Which one?': 'B' } } }),
    });
    expect(held.lines.find(isQuestion)).toMatchObject({
      request: { subtype: 'can_use_tool', tool_name: 'AskUserQuestion', input: { questions } },
    });
    expect(held.stdout).toContain('Which one?\\n→ B');
  });

  it('of the model are never answered by the model itself', async () => {
    const [load, , end] = askUser;
    const cheat = call('AskUserQuestion', { questions, answers: { 'Which one?': 'A' } }, 'q1');
    const held = await converse({
      script: [load ?? say(''), cheat, end ?? say('')],
      flags,
      first: [prompt('go')],
      reply: decided({ behavior: 'allow' }),
    });
    expect(held.lines.find(isQuestion)).toBeUndefined();
    expect(held.stdout).toContain('Only the user can answer');
  });

  it('of the model get a clear answer if there is no user', async () => {
    const held = await converse({ script: askUser, first: [prompt('go')], closes: true });
    expect(held.stdout).toContain('There is no user to ask. Decide yourself, and say what you assumed.');
    expect(resultsOf(held)).toMatchObject([{ subtype: 'success' }]);
  });

  it('about a plan approve it with the permission, or send it back with a word', async () => {
    const script = [
      call('ToolSearch', { query: 'select:ExitPlanMode' }, 's1'),
      call('ExitPlanMode', { plan: 'First this.' }, 'p1'),
      call('Bash', { command: 'mkdir made' }, 'b1'),
      say('So be it.'),
    ];
    const planning = [...flags, '--permission-mode', 'plan', '--allowed-tools', 'Bash(mkdir *)'];
    const approved = await converse({
      script,
      flags: planning,
      first: [prompt('go')],
      reply: decided({ behavior: 'allow' }),
    });
    expect(approved.stdout).toContain('The user approved the plan. Carry it out.');
    expect(resultsOf(approved)).toMatchObject([{ permission_denials: [] }]);
    const refused = await converse({
      script,
      flags: planning,
      first: [prompt('go')],
      reply: decided({ behavior: 'deny', message: 'Tests first.' }),
    });
    expect(refused.stdout).toContain('Tests first.');
    expect(resultsOf(refused)).toMatchObject([
      { permission_denials: [{ tool_use_id: 'p1' }, { tool_use_id: 'b1' }] },
    ]);
  });

  it('are withdrawn when the turn is interrupted', async () => {
    const held = await converse({
      script,
      flags,
      first: [prompt('go')],
      reply: (line) => (isQuestion(line) ? control('i1', { subtype: 'interrupt' }) : closeAtResult(line)),
    });
    const question = held.lines.find(isQuestion);
    expect(held.lines).toContainEqual({
      type: 'control_cancel_request',
      request_id: question?.['request_id'],
    });
    expect(resultsOf(held)).toMatchObject([{ terminal_reason: 'aborted_tools' }]);
  });
});

it('speaks JSON on both sides or on none', async () => {
  const { run } = homeFor(installed.program);
  expect(await run(['-p', '--input-format', 'stream-json'])).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('needs --output-format stream-json'),
  });
});
