/** The work between calls: queued commands, attachments, summaries, the end of a turn, repetition. */
import {
  call,
  createClock,
  createTestGate,
  fail,
  fakeAttachments,
  fakeTool,
  fakeTurnEnd,
  queued,
  say,
} from '@heddle/testing';
import { describe, expect, it } from 'vitest';
import { linesOf } from './test/notation.ts';
import { abortAt, play, stage } from './test/play.ts';
import { DEFAULT_LIMITS } from '../machine/config.ts';
import type { Attachment } from '../messages/message.ts';
import type { LoopEvent } from './events.ts';

const read = fakeTool({ name: 'Read', result: 'three lines' });
const oneCall = [call('Read', { path: 'a' }, 'r1'), say('Done.')];

describe('a queued command', () => {
  it('joins the run between two calls, and is completed when the run has returned', async () => {
    const attachments = fakeAttachments({
      queue: [queued('c1', 'and add a test'), queued('c2', 'in French')],
    });
    const { lines, requests } = await play(oneCall, { tools: [read], deps: { attachments } });
    expect(lines).toEqual([
      'request',
      'a1 call r1 Read',
      'intent r1',
      'answer_end tool_use',
      't1 result r1 "three lines"',
      'command c1 started',
      'attachment queued_command c1',
      'command c2 started',
      'attachment queued_command c2',
      '→ next_turn',
      'request',
      'a2 text "Done."',
      'answer_end end_turn',
      'command c1 completed',
      'command c2 completed',
    ]);
    expect(requests.at(-1)).toMatch(
      /^user:text \| assistant:tool_use\(r1\) \| user:tool_result\(r1\) \w+ \w+$/,
    );
  });

  it('is completed with every terminal', async () => {
    const attachments = fakeAttachments({ queue: [queued('c1', 'hurry')] });
    const { lines, terminal } = await play([call('Read', {}, 'r1'), fail('auth')], {
      tools: [read],
      deps: { attachments },
    });
    expect(terminal).toMatchObject({ reason: 'api_error' });
    expect(lines.at(-1)).toBe('command c1 completed');
  });

  it('stays started when the consumer leaves', async () => {
    const attachments = fakeAttachments({ queue: [queued('c1', 'hurry')] });
    const { run } = stage(oneCall, { tools: [read], deps: { attachments } });
    const events: LoopEvent[] = [];
    for await (const event of run) {
      events.push(event);
      if (event.type === 'transition') break;
    }
    expect(linesOf(events).filter((line) => line.startsWith('command'))).toEqual(['command c1 started']);
  });

  it('stays in the queue if the run may not call the model again', async () => {
    const attachments = fakeAttachments({ queue: [queued('c1', 'hurry')] });
    const { lines } = await play([call('Read', {}, 'r1')], {
      tools: [read],
      params: { maxTurns: 1 },
      deps: { attachments },
    });
    expect(lines.filter((line) => line.includes('command'))).toEqual([]);
    expect(attachments.queue).toHaveLength(1);
  });

  it('stays in the queue if the run was aborted', async () => {
    const attachments = fakeAttachments({ queue: [queued('c1', 'hurry')] });
    const controller = new AbortController();
    await play([call('Read', {}, 'r1')], {
      tools: [read],
      deps: { attachments },
      controller,
      onEvent: abortAt(controller, 't1'),
    });
    expect(attachments.queue).toHaveLength(1);
  });
});

describe('attachments', () => {
  it('are prefetched per run and per iteration, and follow the results', async () => {
    const attachments = fakeAttachments({
      gathered: [
        [
          { kind: 'memory', path: 'MEMORY.md', text: 'The user likes tests.' },
          { kind: 'skills', text: 'A skill for tests.' },
        ],
      ],
    });
    const { lines, requests } = await play(oneCall, { tools: [read], deps: { attachments } });
    expect(attachments.begun).toEqual(['run', 'iteration', 'iteration']);
    expect(lines.slice(4, 8)).toEqual([
      't1 result r1 "three lines"',
      'attachment memory',
      'attachment skills',
      '→ next_turn',
    ]);
    expect(requests.at(-1)).toBe(
      'user:text | assistant:tool_use(r1) | user:tool_result(r1) reminder reminder',
    );
  });

  it('that take too long join the next turn, and sources are not asked twice', async () => {
    const clock = createClock({ auto: true });
    const slow = Promise.withResolvers<readonly Attachment[]>();
    let asked = 0;
    const attachments = { ...fakeAttachments(), gather: () => (asked++, slow.promise) };
    const script = [call('Read', {}, 'r1'), call('Read', {}, 'r2'), say('Done.')];
    const began = clock.now();
    const { lines, terminal } = await play(script, {
      clock,
      tools: [
        fakeTool({ name: 'Read', run: (_input, _context, at) => (at === 2 && slow.resolve([NOTE]), 'ok') }),
      ],
      deps: { attachments },
    });
    expect(terminal).toEqual({ reason: 'completed' });
    expect(clock.now() - began).toBe(DEFAULT_LIMITS.turnEndStepMs);
    expect(asked).toBe(1);
    const late = lines.findIndex((line) => line.includes('did not end within 5 s'));
    expect(late).toBeGreaterThan(0);
    expect(lines.indexOf('attachment skills')).toBeGreaterThan(late);
  });

  it('that are ready at once start no timer', async () => {
    const clock = createClock({ auto: true });
    const sleeps: number[] = [];
    const sleep: typeof clock.sleep = (ms, signal) => (sleeps.push(ms), clock.sleep(ms, signal));
    const attachments = fakeAttachments({ gathered: [[NOTE]] });
    const { lines } = await play(oneCall, {
      clock: { ...clock, sleep },
      tools: [read],
      deps: { attachments },
    });
    expect(lines).toContain('attachment skills');
    expect(sleeps).toEqual([]);
  });
});

const NOTE: Attachment = { kind: 'skills', text: 'A skill for tests.' };

describe('the summary of the last tools', () => {
  const config = { gates: { emitToolUseSummaries: true } };

  it('is yielded once, before the next call if it is ready', async () => {
    const { lines } = await play(oneCall, {
      tools: [read],
      config,
      deps: { summarizeTools: () => Promise.resolve('read a') },
    });
    expect(lines.slice(6)).toEqual(['request', 'summary "read a"', 'a2 text "Done."', 'answer_end end_turn']);
  });

  it('is yielded after the stream if it was not ready before', async () => {
    const written = createTestGate();
    const { lines } = await play(oneCall, {
      tools: [read],
      config,
      deps: {
        summarizeTools: async () => {
          await written.pass();
          return 'read a';
        },
      },
      onEvent: (_event, line) => {
        if (line.startsWith('a2')) written.open();
      },
    });
    expect(lines.slice(6)).toEqual(['request', 'a2 text "Done."', 'answer_end end_turn', 'summary "read a"']);
  });

  it('is yielded before a retry of a call', async () => {
    const written = createTestGate();
    const { lines } = await play([call('Read', {}, 'r1'), fail('network'), say('Done.')], {
      tools: [read],
      config,
      deps: {
        summarizeTools: async () => {
          await written.pass();
          return 'read a';
        },
      },
      onEvent: (event) => {
        if (event.type === 'retry') written.open();
      },
    });
    expect(lines.slice(6)).toEqual([
      'request',
      'retry network 2/11 in 563 ms',
      'summary "read a"',
      'a2 text "Done."',
      'answer_end end_turn',
    ]);
  });

  it('does not delay the run, and is dropped at a terminal', async () => {
    const { lines, terminal } = await play(oneCall, {
      tools: [read],
      config,
      deps: { summarizeTools: () => Promise.withResolvers<never>().promise },
    });
    expect(lines.filter((line) => line.startsWith('summary'))).toEqual([]);
    expect(terminal).toEqual({ reason: 'completed' });
  });

  it('does not affect the run if it fails', async () => {
    const failing = [
      () => Promise.reject(new Error('overloaded')),
      () => {
        throw new Error('broken port');
      },
    ];
    for (const summarizeTools of failing) {
      const { lines, terminal } = await play(oneCall, { tools: [read], config, deps: { summarizeTools } });
      expect(lines.filter((line) => line.startsWith('summary'))).toEqual([]);
      expect(terminal).toEqual({ reason: 'completed' });
    }
  });

  it('is not started if summaries are off', async () => {
    let asked = 0;
    const summarizeTools = () => {
      asked++;
      return Promise.resolve('read a');
    };
    await play(oneCall, { tools: [read], deps: { summarizeTools } });
    expect(asked).toBe(0);
  });
});

describe('the end of a turn', () => {
  const ALL = [
    'saveCacheSafeParams',
    'classifyJob',
    'suggestPrompt',
    'extractMemories',
    'consolidateMemories',
    'releaseTurnResources',
    'userStopHooks',
    'teamHooks',
  ];

  it('runs its steps in order', async () => {
    const turnEnd = fakeTurnEnd();
    await play([say('Done.')], { deps: { turnEnd } });
    expect(turnEnd.steps).toEqual(ALL);
  });

  it('skips background work in bare sessions', async () => {
    const turnEnd = fakeTurnEnd();
    await play([say('Done.')], { deps: { turnEnd }, config: { bare: true } });
    expect(turnEnd.steps).toEqual([
      'saveCacheSafeParams',
      'classifyJob',
      'releaseTurnResources',
      'userStopHooks',
      'teamHooks',
    ]);
  });

  it('skips the steps of the main thread in subagents', async () => {
    const turnEnd = fakeTurnEnd();
    await play([say('Done.')], {
      deps: { turnEnd },
      agentId: 'agent-1',
      params: { querySource: 'agent:explore' },
    });
    expect(turnEnd.steps).toEqual(['classifyJob', 'userStopHooks', 'teamHooks']);
  });

  it('saves the cache-safe parameters for the main thread and the sdk only', async () => {
    for (const querySource of ['repl_main_thread', 'sdk', 'compact'] as const) {
      const turnEnd = fakeTurnEnd();
      await play([say('Done.')], { deps: { turnEnd }, params: { querySource } });
      expect(turnEnd.steps.includes('saveCacheSafeParams')).toBe(querySource !== 'compact');
    }
  });

  it('runs team hooks only if the user hooks pass, under the same contract', async () => {
    const objecting = fakeTurnEnd({ stopHooks: [{ block: 'Not yet.' }] });
    await play([say('Done.'), say('Done.')], { deps: { turnEnd: objecting } });
    expect(objecting.steps.filter((step) => step.endsWith('Hooks'))).toEqual([
      'userStopHooks',
      'userStopHooks',
      'teamHooks',
    ]);
    const team = fakeTurnEnd({ teamHooks: [{ block: 'Your task is open.' }] });
    const { lines } = await play([say('Done.'), say('Done.')], { deps: { turnEnd: team } });
    expect(lines).toContain('→ stop_hook_blocking');
  });

  const STEPS = ALL.filter((step) => step !== 'userStopHooks' && step !== 'teamHooks');

  it.each(ALL)('continues without the step %s if it throws, and reports it', async (step) => {
    const fake = fakeTurnEnd();
    const broken = () => {
      throw new Error('a bug');
    };
    const { terminal, lines } = await play([say('Done.')], {
      deps: { turnEnd: { ...fake, [step]: broken } },
    });
    expect(terminal).toEqual({ reason: 'completed' });
    expect(fake.steps).toEqual(ALL.filter((name) => name !== step));
    expect(lines.some((line) => line.includes('failed: a bug'))).toBe(true);
  });

  it.each(STEPS)('waits at most five seconds for the step %s', async (step) => {
    const fake = fakeTurnEnd();
    const clock = createClock({ auto: true });
    const hanging = () => Promise.withResolvers<never>().promise;
    const began = clock.now();
    const { terminal, lines } = await play([say('Done.')], {
      clock,
      deps: { turnEnd: { ...fake, [step]: hanging } },
    });
    expect(terminal).toEqual({ reason: 'completed' });
    expect(fake.steps.at(-1)).toBe('teamHooks');
    expect(clock.now() - began).toBe(DEFAULT_LIMITS.turnEndStepMs);
    expect(lines.some((line) => line.includes('did not end within 5 s'))).toBe(true);
  });

  it('passes the whole conversation with the answer to hooks', async () => {
    const turnEnd = fakeTurnEnd();
    await play(oneCall, { tools: [read], deps: { turnEnd } });
    const [input] = turnEnd.stopHookInputs;
    expect([...(input?.messages ?? [])].map(({ type }) => type)).toEqual([
      'user',
      'assistant',
      'user',
      'assistant',
    ]);
    expect(input?.answer.map(({ content }) => content)).toEqual([[{ type: 'text', text: 'Done.' }]]);
  });
});

describe('repetition', () => {
  const again = () => {
    let count = 0;
    return () => call('Read', { path: 'a' }, `r${++count}`);
  };
  const limits = { repetitionNudge: 2, repetitionStop: 3 };

  it('is reported to the model once, with the attachments', async () => {
    const { lines, requests } = await play(again(), { tools: [read], config: { limits } });
    expect(lines.filter((line) => line === 'attachment reminder repetition')).toHaveLength(1);
    expect(requests.at(-1)).toMatch(/user:tool_result\(r2\) reminder$/);
  });

  it('ends the run if no user can be asked', async () => {
    const { terminal, lines } = await play(again(), { tools: [read], config: { limits } });
    expect(terminal).toEqual({ reason: 'repetition_stopped', calls: [{ tool: 'Read', count: 3 }] });
    expect(lines.at(-1)).toBe('system informational "Stopped: the same calls kept returni…"');
  });

  it('asks the user if possible, and counts from zero after a yes', async () => {
    const asked: unknown[] = [];
    const { terminal, model } = await play(again(), {
      tools: [read],
      config: { limits, canAsk: true },
      deps: {
        askToContinue: (calls) => {
          asked.push(...calls);
          return Promise.resolve(asked.length < 2);
        },
      },
    });
    expect(asked).toEqual([
      { tool: 'Read', count: 3 },
      { tool: 'Read', count: 3 },
    ]);
    expect(model.calls).toHaveLength(6);
    expect(terminal).toMatchObject({ reason: 'repetition_stopped' });
  });

  it('ends with an abort during the question', async () => {
    const controller = new AbortController();
    const { terminal } = await play(again(), {
      tools: [read],
      config: { limits, canAsk: true },
      controller,
      deps: {
        askToContinue: () => {
          controller.abort();
          return Promise.resolve(true);
        },
      },
    });
    expect(terminal).toEqual({ reason: 'aborted_tools' });
  });

  it('includes the result, so that changing results do not count', async () => {
    let line = 0;
    const tail = fakeTool({ name: 'Read', run: () => `line ${++line}` });
    const { terminal } = await play(again(), { tools: [tail], config: { limits }, params: { maxTurns: 5 } });
    expect(terminal).toMatchObject({ reason: 'max_turns' });
  });

  it('can be switched off', async () => {
    const { terminal } = await play(again(), {
      tools: [read],
      config: { limits, gates: { repetition: false } },
      params: { maxTurns: 5 },
    });
    expect(terminal).toMatchObject({ reason: 'max_turns' });
  });
});
