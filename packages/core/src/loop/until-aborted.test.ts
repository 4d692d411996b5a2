/** Every port that the loop waits for. A port that never answers does not block an aborted run. */
import {
  call,
  createClock,
  fail,
  fakeAttachments,
  fakeContext,
  fakeTool,
  fakeTurnEnd,
  say,
  type Script,
} from '@heddle/testing';
import { describe, expect, it } from 'vitest';
import { DEFAULT_LIMITS, type LoopEvent, type Terminal } from '../index.ts';
import { stage, type PlayOptions } from './test/play.ts';

/** A port function that never returns. */
function silence() {
  const reached = Promise.withResolvers<void>();
  const never = Promise.withResolvers<never>().promise;
  const port = (): Promise<never> => {
    reached.resolve();
    return never;
  };
  // oxlint-disable-next-line require-yield -- it never yields
  const steps = async function* (): AsyncGenerator<never, never> {
    return port();
  };
  return { reached: reached.promise, port, steps };
}

type Deps = (silent: ReturnType<typeof silence>) => { script: Script; options: PlayOptions };

const read = fakeTool({ name: 'Read' });
const atTheEnd = (turnEnd: (silent: ReturnType<typeof silence>) => object): Deps => {
  return (silent) => ({
    script: [say('Done.')],
    options: { deps: { turnEnd: { ...fakeTurnEnd(), ...turnEnd(silent) } } },
  });
};

const DEPS: Readonly<Record<string, Deps>> = {
  prepare: ({ steps }) => ({
    script: [],
    options: { deps: { context: { ...fakeContext(), prepare: steps } } },
  }),
  drain: ({ port }) => ({
    script: [fail('overflow')],
    options: {
      config: { gates: { contextCollapse: true } },
      deps: { context: { ...fakeContext({ staged: 1 }), drain: port } },
    },
  }),
  compact: ({ port }) => ({
    script: [fail('overflow')],
    options: { deps: { context: { ...fakeContext(), compact: port } } },
  }),
  gather: ({ port }) => ({
    script: [call('Read', {}, 'r1')],
    options: { tools: [read], deps: { attachments: { ...fakeAttachments(), gather: port } } },
  }),
  askToContinue: ({ port }) => ({
    script: [call('Read', {}, 'r1')],
    options: {
      tools: [read],
      config: { canAsk: true, limits: { repetitionNudge: 1, repetitionStop: 1 } },
      deps: { askToContinue: port },
    },
  }),
  classifyJob: atTheEnd(({ port }) => ({ classifyJob: port })),
  releaseTurnResources: atTheEnd(({ port }) => ({ releaseTurnResources: port })),
  userStopHooks: atTheEnd(({ steps }) => ({ userStopHooks: steps })),
  teamHooks: atTheEnd(({ steps }) => ({ teamHooks: steps })),
};

describe('an aborted run', () => {
  it.each(Object.entries(DEPS))('does not wait for `%s` longer than the grace period', async (name, deps) => {
    const silent = silence();
    const { script, options } = deps(silent);
    const clock = createClock();
    const { run, controller } = stage(script, { ...options, clock });
    const end = terminalOf(run);
    await silent.reached;
    const abortedAt = clock.now();
    controller.abort();
    const terminal = await clock.run(end);
    const isAfterTools = name === 'gather' || name === 'askToContinue';
    expect(terminal).toEqual({ reason: isAfterTools ? 'aborted_tools' : 'aborted_streaming' });
    expect(clock.now() - abortedAt).toBe(DEFAULT_LIMITS.abortGraceMs);
    expect(clock.pending).toEqual([]);
  });

  it('runs no further step at the end of its turn', async () => {
    const controller = new AbortController();
    const fake = fakeTurnEnd();
    const turnEnd = {
      ...fake,
      classifyJob: (): Promise<void> => {
        controller.abort();
        return Promise.resolve();
      },
    };
    const { run } = stage([say('Done.')], { controller, deps: { turnEnd } });
    expect(await terminalOf(run)).toEqual({ reason: 'aborted_streaming' });
    expect(fake.steps).toEqual(['saveCacheSafeParams']);
  });
});

async function terminalOf(run: AsyncGenerator<LoopEvent, Terminal>): Promise<Terminal> {
  let next = await run.next();
  while (!next.done) next = await run.next();
  return next.value;
}
