/** Hosts that answer their hooks badly, late, twice or never, and turns that are interrupted meanwhile. */
import { call, say } from '@heddle/testing';
import { describe, expect, it } from 'vitest';
import type { OutputLine } from '../../../test/program.ts';
import { control, prompt, resultsOf } from '../test/conversation.ts';
import { answerWith, hookedStage, specific, written } from '../test/hooked.ts';

const play = hookedStage();

const write = call('Write', { file_path: 'a.txt', content: 'asked for' }, 'w1');
const script = [write, say('Done.')];
const deny = specific('PreToolUse', { permissionDecision: 'deny' });
const silent = () => 'silence' as const;
const isAsked = (line: OutputLine): boolean => line['type'] === 'control_request';
const isWithdrawn = (line: OutputLine): boolean => line['type'] === 'control_cancel_request';
const interrupt = control('i2', { subtype: 'interrupt' });

describe('an answer', () => {
  it('that is not an object counts as a failure: a call that needs the answer does not run', async () => {
    const held = await play(script, {
      hooks: { PreToolUse: silent },
      matcher: { onFailure: 'block' },
      reply: (line) => (isAsked(line) ? answerWith(line, 'deny') : undefined),
    });
    expect(written(held)).toBeUndefined();
    expect(held.last).toContain('something that is not an object');
  });

  it('with an unknown decision asks the user, and denies the call if there is no user to ask', async () => {
    const held = await play(script, {
      hooks: { PreToolUse: () => specific('PreToolUse', { permissionDecision: 'Deny!' }) },
    });
    expect(written(held)).toBeUndefined();
    expect(resultsOf(held)).toMatchObject([{ permission_denials: [{ tool_use_id: 'w1' }] }]);
  });

  it('that comes twice counts once, and one to no question is passed over', async () => {
    const held = await play(script, {
      hooks: { PreToolUse: silent },
      reply: (line) =>
        isAsked(line)
          ? [answerWith({ request_id: 'unknown' }, {}), answerWith(line, deny), answerWith(line, {})]
          : undefined,
    });
    expect(written(held)).toBeUndefined();
    expect(resultsOf(held)).toMatchObject([{ result: 'Done.' }]);
  });

  it('that comes after its deadline changes nothing', async () => {
    const asked: OutputLine[] = [];
    const held = await play(script, {
      hooks: { PreToolUse: silent },
      matcher: { timeout: 0.05 },
      reply: (line) => {
        if (isAsked(line)) asked.push(line);
        return isWithdrawn(line) ? asked.map((late) => answerWith(late, {})) : undefined;
      },
    });
    expect(written(held)).toBeUndefined();
    expect(resultsOf(held)).toMatchObject([{ result: 'Done.' }]);
  });

  it('is waited for, however long the host wants to wait', async () => {
    const held = await play(script, {
      hooks: { PreToolUse: () => ({}) },
      matcher: { timeout: 1e9 },
    });
    expect(written(held)).toBe('asked for');
  });
});

describe('a host that goes away', () => {
  it('while a hook stands before a call has forbidden it; the turn still ends with its result', async () => {
    const held = await play(script, { hooks: { PreToolUse: () => 'close' } });
    expect(written(held)).toBeUndefined();
    expect(resultsOf(held)).toMatchObject([{ subtype: 'success', result: 'Done.' }]);
  });

  it('while a hook stands before a prompt has not run it, and that is an error', async () => {
    const held = await play([], { hooks: { UserPromptSubmit: () => 'close' } });
    expect(resultsOf(held)).toMatchObject([
      { is_error: true, errors: [expect.stringContaining('The host went away.')] },
    ]);
    expect(held.code).toBe(1);
  });
});

describe('an interrupt', () => {
  it('before a hook has let the prompt pass keeps it from being taken up, and withdraws the question', async () => {
    const held = await play([], {
      hooks: { UserPromptSubmit: silent },
      reply: (line) => (isAsked(line) ? interrupt : undefined),
    });
    expect(resultsOf(held)).toMatchObject([
      { is_error: true, errors: [expect.stringContaining('interrupted')] },
    ]);
    expect(held.lines.filter(isWithdrawn)).toHaveLength(1);
  });

  it('that drops what waits withdraws the questions about it, too', async () => {
    let asked = 0;
    const held = await play([], {
      hooks: { UserPromptSubmit: silent },
      prompts: [prompt('first'), prompt('second')],
      reply(line) {
        if (isAsked(line) && ++asked === 2)
          return control('i2', { subtype: 'interrupt', cancel_queued: true });
        return line['type'] === 'result' ? 'close' : undefined;
      },
    });
    expect(held.lines.filter(isWithdrawn)).toHaveLength(2);
    expect(resultsOf(held)).toHaveLength(1);
  });

  it('withdraws what was asked before a call', async () => {
    const held = await play([write], {
      hooks: { PreToolUse: silent },
      reply: (line) => (isAsked(line) ? interrupt : undefined),
    });
    expect(written(held)).toBeUndefined();
    expect(held.lines.some(isWithdrawn)).toBe(true);
    expect(resultsOf(held)).toMatchObject([{ terminal_reason: 'aborted_tools' }]);
  });

  it('withdraws what was asked before a compaction, which then does not happen', async () => {
    const held = await play([say('Hello.')], {
      hooks: { PreCompact: silent },
      prompts: [prompt('go'), prompt('/compact')],
      reply: (line) => (isAsked(line) ? interrupt : undefined),
    });
    expect(held.lines.filter(isWithdrawn)).toHaveLength(1);
    expect(resultsOf(held).at(-1)).toMatchObject({ is_error: true });
  });

  it('withdraws what was asked at the end of a turn', async () => {
    const held = await play([say('Done.')], {
      hooks: { Stop: silent },
      reply: (line) => (isAsked(line) ? interrupt : undefined),
    });
    expect(held.lines.filter(isWithdrawn)).toHaveLength(1);
    expect(resultsOf(held)).toMatchObject([{ terminal_reason: 'aborted_streaming' }]);
  });
});
