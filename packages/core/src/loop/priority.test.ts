/** If several ends apply at once, the first in a fixed order wins. Tests each adjacent pair that can occur. */
import {
  call,
  compactorTo,
  cut,
  fail,
  fakeContext,
  fakeTool,
  fakeToolHooks,
  fakeTurnEnd,
  say,
  stopMessage,
  unfinished,
  usage,
  windowFull,
} from '@heddle/testing';
import { describe, expect, it } from 'vitest';
import { LocalMediaError } from './params.ts';
import { abortAt, play } from './test/play.ts';

const read = fakeTool({ name: 'Read', result: 'three lines' });

describe('an abort wins', () => {
  it('over media that is too large', async () => {
    const controller = new AbortController();
    const { terminal, lines } = await play([[say('Nice picture'), fail('media')]], {
      controller,
      onEvent: abortAt(controller, 'a1'),
    });
    expect(terminal).toEqual({ reason: 'aborted_streaming' });
    expect(lines).not.toContain('a2 error media');
  });

  it('over an exception', async () => {
    const controller = new AbortController();
    const context = {
      ...fakeContext(),
      compact: () => {
        controller.abort();
        throw new Error('broken port');
      },
    };
    const { terminal } = await play([fail('overflow')], { controller, deps: { context } });
    expect(terminal).toEqual({ reason: 'aborted_streaming' });
  });

  it('over an answer that was complete, if it comes before the tools run', async () => {
    const controller = new AbortController();
    const { terminal, lines } = await play([call('Read', { path: 'a' }, 'r1')], {
      tools: [fakeTool({ name: 'Read', readOnly: false })],
      controller,
      onEvent: abortAt(controller, 'answer_end'),
    });
    expect(terminal).toEqual({ reason: 'aborted_streaming' });
    expect(lines.slice(-2)).toEqual([
      't1 result r1! "The call was not run: the turn was i…"',
      'user "[Request interrupted by user]"',
    ]);
  });

  it('over hooks that block, over the turn limit and over a tool hook that stops', async () => {
    for (const start of ['answer_end', 't1', 'attachment reminder hook']) {
      const controller = new AbortController();
      const { terminal } = await play([[say('I look.'), call('Read', { path: 'a' }, 'r1')]], {
        tools: [read],
        params: { maxTurns: 1 },
        deps: {
          toolHooks: fakeToolHooks({
            after: { Read: { additionalContext: 'Look away.', stop: stopMessage('No.') } },
          }),
        },
        controller,
        onEvent: abortAt(controller, start),
      });
      expect(terminal.reason).toBe(start === 'answer_end' ? 'aborted_streaming' : 'aborted_tools');
    }
  });
});

describe('a media error wins', () => {
  it('over the exception that carried it', async () => {
    const context = {
      ...fakeContext(),
      compact: () => {
        throw new LocalMediaError('photo.heic cannot be decoded');
      },
    };
    const { terminal } = await play([fail('media')], { deps: { context } });
    expect(terminal).toEqual({ reason: 'image_error', message: 'photo.heic cannot be decoded' });
  });
});

describe('an exception wins', () => {
  it('over the prompt that was too long when it was thrown', async () => {
    const context = {
      ...fakeContext(),
      compact: () => {
        throw new Error('broken port');
      },
    };
    const { terminal, lines } = await play([fail('overflow')], { deps: { context } });
    expect(terminal).toEqual({ reason: 'model_error', message: 'broken port' });
    expect(lines).toEqual(['request', 'compacting reactive', 'a1 error internal']);
  });
});

describe('a prompt that is too long wins', () => {
  it('over the output cap, because a longer answer does not fit a full window', async () => {
    const { lines } = await play([[unfinished(say('I was just')), windowFull()], say('It fits.')], {
      deps: { context: fakeContext({ compact: compactorTo('So far.') }) },
    });
    expect(lines.filter((line) => line.startsWith('→'))).toEqual(['→ reactive_compact_retry']);
  });

  it('and drains before it compacts, and compacts before it gives up', async () => {
    const context = fakeContext({ staged: 1 });
    const { terminal } = await play([fail('overflow'), fail('overflow'), fail('overflow')], {
      config: { gates: { contextCollapse: true } },
      deps: { context },
    });
    expect(context.asked).toEqual(['prepare', 'drain', 'prepare', 'compact', 'prepare']);
    expect(terminal).toEqual({ reason: 'prompt_too_long' });
  });
});

describe('the output cap wins', () => {
  it('over retries, and escalates before it resumes', async () => {
    const { lines } = await play([
      [unfinished(say('Too')), cut()],
      [unfinished(say('Too long'), 1), cut()],
      say('.'),
    ]);
    expect(lines.filter((line) => line.startsWith('→'))).toEqual([
      '→ max_output_tokens_escalate',
      '→ max_output_tokens_recovery',
    ]);
  });
});

describe('an error record wins', () => {
  it('over stop hooks, which do not run without an answer', async () => {
    const turnEnd = fakeTurnEnd({ stopHooks: [{ block: 'Not yet.' }] });
    const { terminal } = await play([fail('bad_request')], { deps: { turnEnd } });
    expect(terminal).toMatchObject({ reason: 'api_error' });
    expect(turnEnd.steps).toEqual(['stopFailure']);
  });
});

describe('stop hooks win', () => {
  it('over the token budget', async () => {
    const turnEnd = fakeTurnEnd({ stopHooks: [{ block: 'Not yet.' }] });
    const { lines } = await play([say('Done.'), [say('Really.'), usage({ output_tokens: 950 })]], {
      params: { tokenBudget: 1_000 },
      deps: { turnEnd },
    });
    expect(lines.filter((line) => line.startsWith('→'))).toEqual(['→ stop_hook_blocking']);
  });

  it('and prevent before they block', async () => {
    const turnEnd = fakeTurnEnd();
    async function* userStopHooks() {
      yield* [];
      return {
        blockingErrors: [{ hook: 'tests', message: 'Not yet.' }],
        preventContinuation: { hook: 'clock', message: 'Time is up.' },
      };
    }
    const { terminal } = await play([say('Done.')], {
      params: { tokenBudget: 1_000 },
      deps: { turnEnd: { ...turnEnd, userStopHooks } },
    });
    expect(terminal).toEqual({ reason: 'stop_hook_prevented', hook: 'clock', message: 'Time is up.' });
  });
});

describe('the token budget wins', () => {
  it('over the turn limit, which counts tool follow-ups only', async () => {
    const { lines, terminal } = await play(
      [
        [say('First.'), usage({ output_tokens: 500 })],
        [say('Second.'), usage({ output_tokens: 500 })],
      ],
      { params: { tokenBudget: 1_000, maxTurns: 1 } },
    );
    expect(lines.filter((line) => line.startsWith('→'))).toEqual(['→ token_budget_continuation']);
    expect(terminal).toMatchObject({ reason: 'completed' });
  });
});

describe('after the tools', () => {
  const again = () => {
    let count = 0;
    return () => call('Read', { path: 'a' }, `r${++count}`);
  };

  it('a hook that stops wins over repetition', async () => {
    const toolHooks = fakeToolHooks({ after: { Read: { stop: stopMessage('No.') } } });
    const { terminal } = await play(again(), {
      tools: [read],
      deps: { toolHooks },
      config: { limits: { repetitionStop: 1 } },
    });
    expect(terminal).toMatchObject({ reason: 'hook_stopped' });
  });

  it('repetition wins over the turn limit', async () => {
    const { terminal } = await play(again(), {
      tools: [read],
      params: { maxTurns: 2 },
      config: { limits: { repetitionNudge: 1, repetitionStop: 2 } },
    });
    expect(terminal).toMatchObject({ reason: 'repetition_stopped' });
  });
});
