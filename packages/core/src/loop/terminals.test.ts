/**
 * The terminals of a run through the public `query`: the events in order, and the terminal. Aborted runs are in `abort.test.ts`.
 * The engine returns `max_budget_usd`.
 */
import {
  call,
  cut,
  fail,
  failingCompactor,
  fakeContext,
  fakeTool,
  fakeToolHooks,
  fakeTurnEnd,
  hang,
  refuse,
  say,
  scriptedModel,
  stopMessage,
  think,
  unfinished,
} from '@heddle/testing';
import { describe, expect, it } from 'vitest';
import { LocalMediaError } from './params.ts';
import { play } from './test/play.ts';

const read = fakeTool({ name: 'Read', result: 'three lines' });
const write = fakeTool({ name: 'Write', readOnly: false });

describe('completed', () => {
  it('ends a run whose answer passed the stop hooks', async () => {
    const turnEnd = fakeTurnEnd({ progress: [{ type: 'hook_progress', hook: 'lint', text: 'clean' }] });
    const { lines, requests, terminal } = await play([say('Done.')], { deps: { turnEnd } });
    expect(lines).toEqual(['request', 'a1 text "Done."', 'answer_end end_turn', 'hook lint "clean"']);
    expect(requests).toEqual(['user:text']);
    expect(terminal).toEqual({ reason: 'completed' });
    expect(turnEnd.stopFailures).toEqual([]);
  });

  it('also ends a refusal, without hooks and retries', async () => {
    const turnEnd = fakeTurnEnd();
    const { lines, terminal } = await play([[say('I will not'), refuse()]], { deps: { turnEnd } });
    expect(lines).toEqual(['request', 'a1 text "I will not"', 'answer_end refusal', 'a2 error refusal']);
    expect(terminal).toEqual({ reason: 'completed', refused: true });
    expect(turnEnd.steps).toEqual([]);
  });

  it('also ends an answer that is still cut after every recovery', async () => {
    const turnEnd = fakeTurnEnd();
    const tooLong = [unfinished(say('and then'), 1), cut()];
    const { lines, requests, terminal } = await play([tooLong, tooLong, tooLong, tooLong, tooLong], {
      deps: { turnEnd },
    });
    expect(lines.filter((line) => !line.startsWith('meta') && line !== 'spent')).toEqual([
      'request',
      '→ max_output_tokens_escalate',
      'request',
      'a1 text "and then"',
      '→ max_output_tokens_recovery',
      'request',
      'a2 text "and then"',
      '→ max_output_tokens_recovery',
      'request',
      'a3 text "and then"',
      '→ max_output_tokens_recovery',
      'request',
      'a4 text "and then"',
      'a5 error output_cap',
    ]);
    expect(requests.at(-1)).toBe(
      'user:text | assistant:text | user:text | assistant:text | user:text | assistant:text | user:text',
    );
    expect(terminal).toEqual({ reason: 'completed', truncated: true });
    expect(turnEnd.steps).toEqual(['stopFailure']);
  });
});

describe('api_error', () => {
  it('ends a run after a permanent error, with advice', async () => {
    const turnEnd = fakeTurnEnd();
    const { lines, terminal, events } = await play([fail('auth')], { deps: { turnEnd } });
    expect(lines).toEqual(['request', 'a1 error auth']);
    expect(terminal).toMatchObject({
      reason: 'api_error',
      error: { class: 'auth', status: 401, requestId: 'req_1' },
    });
    expect(turnEnd.steps).toEqual(['stopFailure']);
    expect(events.at(-1)).toMatchObject({
      message: { type: 'assistant', apiError: 'auth', model: '<synthetic>', requestId: 'req_1' },
    });
  });

  it('ends a run if the network fails at every retry', async () => {
    const { lines, terminal } = await play(
      Array.from({ length: 3 }, () => fail('network')),
      { config: { retry: { maxAttempts: 3 } } },
    );
    expect(lines).toEqual([
      'request',
      'retry network 2/3 in 563 ms',
      'retry network 3/3 in 1125 ms',
      'a1 error network',
    ]);
    expect(terminal).toMatchObject({ reason: 'api_error', error: { class: 'network' } });
  });

  it('ends a run whose answer was empty twice', async () => {
    const turnEnd = fakeTurnEnd();
    const { lines, terminal } = await play([[think('Hm.')], []], { deps: { turnEnd } });
    expect(lines).toEqual([
      'request',
      'a1 thinking',
      'spent',
      'tombstone a1',
      'meta "Your last answer was empty. Continue…"',
      'spent',
      'a2 error empty',
    ]);
    expect(terminal).toMatchObject({ reason: 'api_error', error: { class: 'empty' } });
    expect(turnEnd.steps).toEqual(['stopFailure']);
  });
});

describe('max_turns', () => {
  it('ends before a call over the limit, with all results', async () => {
    const { lines, requests, terminal } = await play([call('Read', { path: 'a' }, 'r1')], {
      tools: [read],
      params: { maxTurns: 1 },
    });
    expect(lines).toEqual([
      'request',
      'a1 call r1 Read',
      'intent r1',
      'answer_end tool_use',
      't1 result r1 "three lines"',
      'attachment max_turns_reached 2 of 1',
    ]);
    expect(requests).toEqual(['user:text']);
    expect(terminal).toEqual({ reason: 'max_turns', turnCount: 2, maxTurns: 1 });
  });

  it('does not count recoveries, hooks and budgets', async () => {
    const { terminal } = await play([[unfinished(say('Too')), cut()], say('Done.'), say('Really done.')], {
      params: { maxTurns: 1 },
      deps: { turnEnd: fakeTurnEnd({ stopHooks: [{ block: 'Are you sure?' }] }) },
    });
    expect(terminal).toEqual({ reason: 'completed' });
  });

  it('means no limit when it is 0', async () => {
    const { terminal } = await play([call('Read', { path: 'a' }, 'r1'), say('Done.')], {
      tools: [read],
      params: { maxTurns: 0 },
    });
    expect(terminal).toEqual({ reason: 'completed' });
  });
});

describe('blocking_limit', () => {
  it('makes no call that must fail if no recovery is left', async () => {
    const turnEnd = fakeTurnEnd();
    const { lines, terminal, model } = await play([], {
      config: { gates: { autoCompact: false, reactiveCompact: false } },
      deps: { context: fakeContext({ overLimit: true }), turnEnd },
    });
    expect(lines).toEqual(['request', 'a1 error overflow']);
    expect(terminal).toEqual({ reason: 'blocking_limit' });
    expect(model.calls).toEqual([]);
    expect(turnEnd.steps).toEqual([]);
  });

  it('allows the call while reactive compaction is available', async () => {
    const { terminal } = await play([say('It fitted.')], {
      config: { gates: { autoCompact: false } },
      deps: { context: fakeContext({ overLimit: true }) },
    });
    expect(terminal).toEqual({ reason: 'completed' });
  });
});

describe('stop_hook_prevented', () => {
  it('ends a run if a stop hook prevents its continuation', async () => {
    const turnEnd = fakeTurnEnd({ stopHooks: [{ prevent: 'Enough for today.' }] });
    const { lines, terminal } = await play([say('Done.')], { deps: { turnEnd } });
    expect(lines).toEqual([
      'request',
      'a1 text "Done."',
      'answer_end end_turn',
      'system informational "stop-hook: Enough for today."',
    ]);
    expect(terminal).toEqual({
      reason: 'stop_hook_prevented',
      hook: 'stop-hook',
      message: 'Enough for today.',
    });
  });

  it('ends a run that hooks blocked too often, and names the hook', async () => {
    const turnEnd = fakeTurnEnd({ stopHooks: () => ({ block: 'Not yet.' }) });
    const { lines, terminal, model } = await play(() => say('Done.'), { deps: { turnEnd } });
    expect(lines.filter((line) => line === '→ stop_hook_blocking')).toHaveLength(8);
    expect(model.calls).toHaveLength(9);
    expect(terminal).toMatchObject({ reason: 'stop_hook_prevented', hook: 'stop-hook' });
    expect(terminal).toMatchObject({ message: expect.stringContaining('8 times') });
  });
});

describe('hook_stopped', () => {
  it('ends after the batch of the tool hook, when the other tools have finished', async () => {
    const toolHooks = fakeToolHooks({ after: { Read: { stop: stopMessage('Leave that file alone.') } } });
    const { lines, terminal } = await play(
      [[call('Read', { path: 'a' }, 'r1'), call('Write', { path: 'b' }, 'w1')]],
      {
        tools: [read, write],
        deps: { toolHooks },
      },
    );
    expect(lines).toContain('t1 result r1 "three lines"');
    expect(lines.slice(-4)).toEqual([
      'answer_end tool_use',
      'intent w1',
      't2 result w1 "Write ok"',
      'attachment hook_stopped_continuation',
    ]);
    expect(terminal).toEqual({
      reason: 'hook_stopped',
      hook: 'tool-hook',
      message: 'Leave that file alone.',
    });
  });
});

describe('prompt_too_long', () => {
  it('releases the withheld error once if neither draining nor compaction helped', async () => {
    const turnEnd = fakeTurnEnd();
    const { lines, terminal } = await play([fail('overflow'), fail('overflow'), fail('overflow')], {
      config: { gates: { contextCollapse: true } },
      deps: { turnEnd, context: fakeContext({ staged: 1 }) },
    });
    expect(lines).toEqual([
      'request',
      'context drain',
      '→ collapse_drain_retry',
      'request',
      'compacting reactive',
      'context reactive_compact',
      '→ reactive_compact_retry',
      'request',
      'prefix rewritten',
      'a1 error overflow',
    ]);
    expect(terminal).toEqual({ reason: 'prompt_too_long' });
    expect(turnEnd.stopFailures.map((error) => error.class)).toEqual(['overflow']);
    expect(turnEnd.steps).toEqual(['stopFailure']);
  });

  it('ends a run if compaction failed', async () => {
    const { lines, terminal } = await play([fail('overflow')], {
      deps: { context: fakeContext({ compact: failingCompactor() }) },
    });
    expect(lines).toEqual(['request', 'compacting reactive', 'a1 error overflow']);
    expect(terminal).toEqual({ reason: 'prompt_too_long' });
  });
});

describe('image_error', () => {
  it('releases the withheld error once if the media still does not fit', async () => {
    const turnEnd = fakeTurnEnd();
    const { lines, terminal } = await play([fail('media'), fail('media')], { deps: { turnEnd } });
    expect(lines).toEqual([
      'request',
      'compacting reactive',
      'context reactive_compact',
      '→ reactive_compact_retry',
      'request',
      'prefix rewritten',
      'a1 error media',
    ]);
    expect(terminal).toMatchObject({ reason: 'image_error' });
    expect(turnEnd.steps).toEqual(['stopFailure']);
  });

  it('reports media that could not be processed on this machine', async () => {
    const turnEnd = fakeTurnEnd();
    const context = fakeContext();
    const prepare = () => {
      throw new LocalMediaError('photo.heic cannot be decoded');
    };
    const { lines, terminal } = await play([], { deps: { turnEnd, context: { ...context, prepare } } });
    expect(lines).toEqual(['request', 'a1 error internal']);
    expect(terminal).toEqual({ reason: 'image_error', message: 'photo.heic cannot be decoded' });
    expect(turnEnd.steps).toEqual([]);
  });
});

describe('model_error', () => {
  it('closes the open calls and reports an internal exception', async () => {
    const turnEnd = fakeTurnEnd();
    const attachments = throwingGather();
    const { lines, terminal } = await play([call('Read', { path: 'a' }, 'r1')], {
      tools: [read],
      deps: { turnEnd, attachments },
    });
    expect(lines.slice(-2)).toEqual(['t1 result r1 "three lines"', 'a2 error internal']);
    expect(terminal).toEqual({ reason: 'model_error', message: 'no such queue' });
    expect(turnEnd.steps).toEqual([]);
  });

  it('closes waiting calls if a port throws', async () => {
    const model = scriptedModel([[call('Write', { path: 'a' }, 'w1'), hang()]]);
    const { lines, terminal } = await play([], {
      tools: [write],
      port: async function* (request, signal) {
        for await (const record of model(request, signal)) {
          yield record;
          if (record.type === 'content_block_stop') throw new Error('socket hang up');
        }
      },
    });
    expect(lines).toEqual([
      'request',
      'a1 call w1 Write',
      't1 result w1! "The call was not run: an internal er…"',
      'a2 error internal',
    ]);
    expect(terminal).toEqual({ reason: 'model_error', message: 'socket hang up' });
  });

  it('ends a run if any port throws', async () => {
    const broken = () => {
      throw new Error('broken port');
    };
    const brokenDeps = [
      { attachments: { begin: broken, takeQueued: () => [], gather: () => Promise.resolve([]) } },
      { context: { ...fakeContext(), prepare: broken } },
      { context: { ...fakeContext(), staged: broken } },
    ];
    for (const deps of brokenDeps) {
      const { terminal } = await play(() => say('Done.'), { deps });
      expect(terminal).toEqual({ reason: 'model_error', message: 'broken port' });
    }
  });

  it('does not replace the terminal if StopFailure hooks cannot start', async () => {
    const stopFailure = () => {
      throw new Error('broken port');
    };
    const { terminal } = await play([fail('auth')], { deps: { turnEnd: { ...fakeTurnEnd(), stopFailure } } });
    expect(terminal).toMatchObject({ reason: 'api_error' });
  });
});

describe('repetition_stopped', () => {
  it('ends a run that makes the same call with the same result again and again', async () => {
    let calls = 0;
    const { lines, terminal, model } = await play(() => call('Read', { path: 'a' }, `r${++calls}`), {
      tools: [read],
    });
    expect(model.calls).toHaveLength(12);
    expect(lines.filter((line) => line === 'attachment reminder repetition')).toHaveLength(1);
    expect(lines.slice(-2)).toEqual([
      't12 result r12 "three lines"',
      'system informational "Stopped: the same calls kept returni…"',
    ]);
    expect(terminal).toEqual({ reason: 'repetition_stopped', calls: [{ tool: 'Read', count: 12 }] });
  });
});

function throwingGather() {
  return {
    begin: () => undefined,
    takeQueued: () => [],
    gather: () => Promise.reject(new Error('no such queue')),
  };
}

describe('an exception during the report of an exception', () => {
  it('ends the run with `model_error`, and yields nothing', async () => {
    const uuid = (): string => {
      throw new Error('out of ids');
    };
    const { lines, terminal } = await play([say('Done.')], { deps: { ids: { uuid } } });
    expect(lines).toEqual(['request']);
    expect(terminal).toEqual({ reason: 'model_error', message: 'out of ids' });
  });
});
