/** Hooks of a host around the work of the real program, in the words that the client library was seen to send. */
import { call, say } from '@heddle/testing';
import { describe, expect, it } from 'vitest';
import type { OutputLine } from '../../../test/program.ts';
import { lineIn } from '../json.ts';
import { prompt, resultsOf } from '../test/conversation.ts';
import { answerWith, hookedStage, specific, written } from '../test/hooked.ts';

const play = hookedStage();

const write = call('Write', { file_path: 'a.txt', content: 'asked for' }, 'w1');
const script = [write, say('Done.')];
const beforeTool = (fields: object) => () => specific('PreToolUse', fields);

describe('before a call a hook', () => {
  it('hears what it is about, and may forbid it', async () => {
    const held = await play(script, {
      hooks: {
        PreToolUse: beforeTool({ permissionDecision: 'deny', permissionDecisionReason: 'Not here.' }),
      },
    });
    expect(held.inputs).toMatchObject([
      {
        hook_event_name: 'PreToolUse',
        session_id: resultsOf(held)[0]?.['session_id'],
        permission_mode: 'acceptEdits',
        tool_name: 'Write',
        tool_use_id: 'w1',
        tool_input: { content: 'asked for' },
      },
    ]);
    expect(written(held)).toBeUndefined();
    expect(held.last).toContain('Not here.');
  });

  it('may allow what would be asked about, with another input and a word to the model', async () => {
    const updatedInput = { file_path: 'a.txt', content: 'changed' };
    const held = await play(script, {
      hooks: {
        PreToolUse: beforeTool({
          permissionDecision: 'allow',
          updatedInput,
          additionalContext: 'Mind the gap.',
        }),
      },
      flags: ['--permission-mode', 'default'],
    });
    expect(written(held)).toBe('changed');
    expect(held.last).toContain('Mind the gap.');
  });

  it.each([
    ['a rule denies', ['--disallowed-tools', 'Edit(a.txt)']],
    ['a rule wants to be asked', ['--settings', '{"permissions":{"ask":["Edit(a.txt)"]}}']],
    ['plan mode forbids', ['--permission-mode', 'plan']],
  ])('cannot allow what %s', async (_what, flags) => {
    const held = await play(script, {
      hooks: { PreToolUse: beforeTool({ permissionDecision: 'allow' }) },
      flags,
    });
    expect(written(held)).toBeUndefined();
    expect(resultsOf(held)).toMatchObject([{ permission_denials: [{ tool_use_id: 'w1' }] }]);
  });

  it('that changes the input has the rules asked about what will run', async () => {
    const harmless = call('Write', { file_path: 'b.txt', content: 'asked for' }, 'w1');
    const updatedInput = { file_path: 'a.txt', content: 'changed' };
    const held = await play([harmless, say('Done.')], {
      hooks: { PreToolUse: beforeTool({ permissionDecision: 'allow', updatedInput }) },
      flags: ['--disallowed-tools', 'Edit(a.txt)'],
    });
    expect(written(held)).toBeUndefined();
    expect(held.last).toContain('Edit(a.txt)');
  });

  it('is asked about calls that run side by side without waiting for the others', async () => {
    const reads = ['r1', 'r2'].map((id) => call('Read', { file_path: 'script.json' }, id));
    const asked: OutputLine[] = [];
    const held = await play([reads, say('Done.')], {
      hooks: { PreToolUse: () => 'silence' },
      reply(line) {
        if (line['type'] === 'control_request') asked.push(line);
        return asked.length === 2 ? asked.splice(0).map((one) => answerWith(one, {})) : undefined;
      },
    });
    expect(held.inputs.map(({ tool_use_id: id }) => id)).toEqual(['r1', 'r2']);
    expect(resultsOf(held)).toMatchObject([{ result: 'Done.' }]);
  });

  it('is called after the call was told', async () => {
    const held = await play(script, { hooks: { PreToolUse: () => ({}) } });
    const toolUseAt = held.lines.findIndex((line) => JSON.stringify(line).includes('"tool_use"'));
    const asked = held.lines.findIndex(({ type }) => type === 'control_request');
    expect(toolUseAt).toBeGreaterThan(-1);
    expect(asked).toBeGreaterThan(toolUseAt);
  });

  it('may request that the user is asked, with a reason', async () => {
    const asked: unknown[] = [];
    const held = await play(script, {
      hooks: {
        PreToolUse: beforeTool({ permissionDecision: 'ask', permissionDecisionReason: 'It is Friday.' }),
      },
      flags: ['--permission-prompt-tool', 'stdio'],
      reply(line) {
        const request = lineIn(line['request']);
        if (request?.['subtype'] !== 'can_use_tool') return undefined;
        asked.push(request['decision_reason']);
        return answerWith(line, { behavior: 'allow' });
      },
    });
    expect(asked).toEqual(['A hook wants it to be asked. It is Friday.']);
    expect(written(held)).toBe('asked for');
  });

  it('may end the run', async () => {
    const held = await play([write], {
      hooks: { PreToolUse: () => ({ continue: false, stopReason: 'Enough.' }) },
    });
    expect(written(held)).toBeUndefined();
    expect(resultsOf(held)).toMatchObject([{ subtype: 'success', terminal_reason: 'hook_stopped' }]);
  });

  it('is only called where its matcher fits', async () => {
    const held = await play(script, {
      hooks: { PreToolUse: beforeTool({ permissionDecision: 'deny' }) },
      matcher: { matcher: 'Bash|Read' },
    });
    expect(held.inputs).toEqual([]);
    expect(written(held)).toBe('asked for');
  });
});

describe('a hook that gives no word', () => {
  const boom = { PreToolUse: () => new Error('boom') };

  it('has no say if it failed, and the host is told', async () => {
    const held = await play(script, { hooks: boom });
    expect(written(held)).toBe('asked for');
    expect(held.lines).toContainEqual(
      expect.objectContaining({ subtype: 'informational', content: expect.stringContaining('boom') }),
    );
  });

  it('forbids the call where the host cannot do without it', async () => {
    expect(written(await play(script, { hooks: boom, matcher: { onFailure: 'block' } }))).toBeUndefined();
  });

  it('forbids the call at its deadline, and the run continues', async () => {
    const held = await play(script, { hooks: { PreToolUse: () => 'silence' }, matcher: { timeout: 0.05 } });
    expect(written(held)).toBeUndefined();
    expect(held.lines.some(({ type }) => type === 'control_cancel_request')).toBe(true);
    expect(resultsOf(held)).toMatchObject([{ result: 'Done.' }]);
  });
});

it('after a call a hook may replace the output; a field for servers does not concern other tools', async () => {
  const shell = (id: string) => call('Bash', { command: `echo secret ${id}` }, id);
  const held = await play([shell('b1'), shell('b2'), say('Done.')], {
    hooks: {
      PostToolUse: ({ tool_use_id: id }) =>
        specific(
          'PostToolUse',
          id === 'b1' ? { updatedToolOutput: 'hidden' } : { updatedMCPToolOutput: 'no' },
        ),
    },
  });
  expect(held.last).toContain('hidden');
  expect(held.last).not.toContain('"content":"secret b1"');
  expect(held.last).toContain('"content":"secret b2"');
});

it('after a call a hook hears how it went, and the model reads what it says', async () => {
  const read = call('Read', { file_path: 'none.txt' }, 'r1');
  const held = await play([[write, read], say('Done.')], {
    hooks: {
      PostToolUse: () => ({ decision: 'block', reason: 'Wrong style.' }),
      PostToolUseFailure: () => specific('PostToolUseFailure', { additionalContext: 'It is elsewhere.' }),
    },
  });
  expect(held.inputs).toMatchObject([
    { tool_name: 'Write', tool_response: { type: 'create', originalFile: null } },
    { tool_name: 'Read', error: expect.stringMatching(/none\.txt cannot be read: there is no such file\.$/) },
  ]);
  expect(held.last).toContain('Wrong style.');
  expect(held.last).toContain('It is elsewhere.');
});

it('at the end a hook may send the model back to work', async () => {
  const held = await play([say('First.'), say('Second.')], {
    hooks: {
      Stop: ({ stop_hook_active: isAgain }) =>
        isAgain === true ? {} : { decision: 'block', reason: 'Take one more step.' },
    },
  });
  expect(held.inputs).toMatchObject([
    { stop_hook_active: false, last_assistant_message: 'First.' },
    { stop_hook_active: true, last_assistant_message: 'Second.' },
  ]);
  expect(held.last).toContain('Take one more step.');
  expect(resultsOf(held)).toMatchObject([{ result: 'Second.' }]);
});

it('at the end a hook that never has enough is not obeyed for ever, also in a bare run', async () => {
  const held = await play(
    Array.from({ length: 20 }, (_, index) => say(`Answer ${index}.`)),
    { hooks: { Stop: () => ({ decision: 'block', reason: 'Not yet.' }) }, flags: ['--bare'] },
  );
  expect(held.inputs.map(({ stop_hook_active: isAgain }) => isAgain)).toEqual([
    false,
    ...Array(8).fill(true),
  ]);
  expect(resultsOf(held)).toHaveLength(1);
});

describe('a prompt', () => {
  it('comes with what hooks add to it, and to the beginning of the session', async () => {
    const held = await play([say('Hello.'), say('Again.')], {
      hooks: {
        SessionStart: () => specific('SessionStart', { additionalContext: 'It is raining.' }),
        UserPromptSubmit: ({ prompt: text }) =>
          specific('UserPromptSubmit', {
            additionalContext: `Be brief: ${String(text).replaceAll(' ', '_')}`,
          }),
      },
      prompts: [prompt('go'), prompt([{ type: 'text', text: 'continue' }], { priority: 'later' })],
    });
    expect(held.inputs).toMatchObject([
      { hook_event_name: 'SessionStart', source: 'startup' },
      { hook_event_name: 'UserPromptSubmit', prompt: 'go' },
      { hook_event_name: 'UserPromptSubmit', prompt: 'continue' },
    ]);
    // Each prompt with its own, however early the next one came.
    expect(JSON.stringify(held.api.requests[0]?.body).match(/It is raining\.|Be brief: \w+/g)).toEqual([
      'It is raining.',
      'Be brief: go',
    ]);
    expect(held.last.match(/It is raining\.|Be brief: \w+/g)).toHaveLength(3);
  });

  it('is not taken up in a session that a hook does not let begin', async () => {
    const held = await play([], {
      hooks: { SessionStart: () => ({ continue: false, stopReason: 'Not today.' }) },
    });
    expect(resultsOf(held)).toMatchObject([{ result: expect.stringContaining('Not today.') }]);
    expect(held.api.requests).toEqual([]);
  });

  it('that a hook blocks reaches no model, and has a result that says so; the next one is taken up', async () => {
    const held = await play([say('That one.')], {
      hooks: {
        UserPromptSubmit: ({ prompt: text }) =>
          text === 'bad' ? { decision: 'block', reason: 'Not that.' } : {},
      },
      prompts: [prompt('bad'), prompt('good', { priority: 'later' })],
    });
    expect(resultsOf(held)).toMatchObject([
      { subtype: 'success', is_error: false, num_turns: 0, result: expect.stringContaining('Not that.') },
      { result: 'That one.' },
    ]);
    expect(held.api.requests).toHaveLength(1);
    expect(held.last).not.toContain('bad');
    expect(held.code).toBe(0);
  });
});

it('a compaction may be forbidden', async () => {
  const held = await play([say('Hello.')], {
    hooks: { PreCompact: () => ({ decision: 'block', reason: 'Not now.' }) },
    prompts: [prompt('go'), prompt('/compact')],
  });
  expect(held.inputs).toMatchObject([{ hook_event_name: 'PreCompact', trigger: 'manual' }]);
  expect(JSON.stringify(resultsOf(held).at(-1))).toContain('Not now.');
});
