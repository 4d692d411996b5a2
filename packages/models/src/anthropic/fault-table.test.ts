/**
 * Every fault at every place, over real HTTP, through the loop. Each is recovered or ends with the right
 * terminal. No request is invalid.
 */
import { type ContextPort, type LoopEvent, query, type QueryParams, type Terminal } from '@heddle/core';
import {
  actsOf,
  allowAll,
  answer,
  type ApiScript,
  call,
  collect,
  compactorTo,
  contextOf,
  createClock,
  fail,
  failingCompactor,
  type FakeApi,
  fakeContext,
  fakeDeps,
  fakeTool,
  html,
  raw,
  type Reply,
  say,
  type ScriptStep,
  TEST_MODEL,
  unfinished,
} from '@heddle/testing';
import { afterEach, describe, expect, it } from 'vitest';
import { EVERYWHERE, REQUESTS, TRANSIENT } from '../test/faults.ts';
import { closeStages, stageApi } from '../test/stage-api.ts';

afterEach(closeStages);

interface Ran {
  readonly api: FakeApi;
  readonly events: readonly LoopEvent[];
  readonly terminal: Terminal;
  readonly text: string;
}

type Silence = (step: ScriptStep) => ScriptStep;

/**
 * Runs the loop on the fake API. The loop's waits take no time. The port's clock moves only for a step
 * wrapped in `silence`: the deadline passes after all its records arrived.
 */
async function run(
  script: (silence: Silence) => ApiScript,
  { context = fakeContext(), ...params }: Partial<QueryParams> & { readonly context?: ContextPort } = {},
  models: readonly string[] = [TEST_MODEL, 'spare-1'],
): Promise<Ran> {
  const awaited = { events: 0 };
  const passWhenHeard = () => void (awaited.events === 0 && clock.advance(90_000));
  const silence: Silence = (step) => {
    const acts = actsOf(step, { call: 1, model: TEST_MODEL, inputTokens: 0, sign: () => '' });
    awaited.events = acts.filter(({ act }) => act === 'event').length;
    passWhenHeard();
    return step;
  };
  const { api, port, clock } = await stageApi(script(silence), {}, { models });
  const loop = query({
    messages: [{ type: 'user', uuid: 'u1', at: 0, content: 'go' }],
    systemPrompt: ['You are tested.'],
    userContext: {},
    systemContext: {},
    authorizeCall: allowAll,
    toolUseContext: contextOf({ tools: [fakeTool({ name: 'Look', result: 'seen' })] }),
    querySource: 'sdk',
    ...params,
    config: { sessionId: 's', partialMessages: true, ...params.config },
    deps: fakeDeps({ model: port, context, clock: createClock({ auto: true }) }),
  });
  const { yielded, returned } = await collect(loop, (event) => {
    if (event.type !== 'stream_event' || awaited.events === 0) return;
    awaited.events--;
    passWhenHeard();
  });
  api.assertNoViolations();
  return { api, events: yielded, terminal: returned, text: lastText(yielded) };
}

/** Returns the text of the responses without retracted parts. */
function lastText(events: readonly LoopEvent[]): string {
  const gone = new Set(events.flatMap((event) => (event.type === 'tombstone' ? event.uuids : [])));
  return events
    .flatMap((event) =>
      event.type === 'message' && event.message.type === 'assistant' ? [event.message] : [],
    )
    .filter(({ uuid, apiError }) => !gone.has(uuid) && apiError === undefined)
    .flatMap(({ content }) =>
      content.map((block) => (block.type === 'text' ? block.text : `<${String(block.type)}>`)),
    )
    .join('|');
}

describe('a transient fault', () => {
  describe.each(TRANSIENT)('$fault', ({ end, error, isSilence }) => {
    it.each(EVERYWHERE)('at $place of $request is recovered', async ({ before, turns }) => {
      const { events, terminal, text, api } = await run((silence) => [
        ...turns,
        () => (isSilence ? silence(answer(...before, end)) : answer(...before, end)),
        say('The answer.'),
      ]);
      expect(terminal.reason).toBe('completed');
      expect(text).toBe(turns.length === 0 ? 'The answer.' : 'I look|<tool_use>|The answer.');
      const retries = events.filter((event) => event.type === 'retry');
      expect(retries.map((event) => event.error.class)).toEqual([error]);
      expect(api.requests).toHaveLength(turns.length + 2);
    });

    it('that persists ends the run with its class', async () => {
      const { terminal, events } = await run((silence) => () => (isSilence ? silence(end) : end), {
        config: { sessionId: 's', retry: { maxAttempts: 3 } },
      });
      expect(terminal).toMatchObject({ reason: 'api_error', error: { class: error } });
      expect(events.filter((event) => event.type === 'retry')).toHaveLength(2);
    });
  });
});

describe('a stream that breaks after complete calls', () => {
  it.each(TRANSIENT)('is not repeated: $fault', async ({ end, isSilence }) => {
    const step = answer(say('I look'), call('Look', {}, 't1'), unfinished(say('and then I')), end);
    const { terminal, api, text } = await run((silence) => [
      () => (isSilence ? silence(step) : step),
      say('Seen.'),
    ]);
    expect(terminal.reason).toBe('completed');
    expect(text).toBe('I look|<tool_use>|Seen.');
    expect(api.requests).toHaveLength(2);
  });
});

const lasting: readonly { readonly fault: string; readonly reply: Reply; readonly terminal: object }[] = [
  {
    fault: 'a key that is refused',
    reply: fail('auth'),
    terminal: { reason: 'api_error', error: { class: 'auth', status: 401 } },
  },
  {
    fault: 'no permission',
    reply: fail('permission'),
    terminal: { reason: 'api_error', error: { class: 'permission', status: 403 } },
  },
  {
    fault: 'a request that is refused',
    reply: fail('bad_request'),
    terminal: { reason: 'api_error', error: { class: 'bad_request', status: 400 } },
  },
  {
    fault: 'a model that is not there',
    reply: fail('not_found'),
    terminal: { reason: 'api_error', error: { class: 'not_found', status: 404 } },
  },
  {
    fault: 'a page in place of the API',
    reply: html(200),
    terminal: { reason: 'api_error', error: { class: 'network' } },
  },
  {
    fault: 'a wait that is too long',
    reply: fail('rate_limit', { retryAfterMs: 3_600_000 }),
    terminal: { reason: 'api_error', error: { class: 'rate_limit', status: 429 } },
  },
  ...(['auth', 'permission', 'bad_request', 'not_found'] as const).map((errorClass) => ({
    fault: `${errorClass}, from a server that says to try again`,
    reply: fail(errorClass, { shouldRetry: true }),
    terminal: { reason: 'api_error', error: { class: errorClass } },
  })),
  {
    fault: 'a server that says not to try again',
    reply: fail('server', { shouldRetry: false }),
    terminal: { reason: 'api_error', error: { class: 'server' } },
  },
];

describe('a persistent fault ends the run at once', () => {
  it.each(lasting.flatMap((row) => REQUESTS.map((request) => Object.assign({}, row, request))))(
    '$fault, at $request',
    async ({ reply, terminal: expected, turns }) => {
      const { terminal, api, events } = await run(() => [...turns, reply]);
      expect(terminal).toMatchObject(expected);
      expect(api.requests).toHaveLength(turns.length + 1);
      const [shown] = events.flatMap((event) =>
        event.type === 'message' && event.message.type === 'assistant' && event.message.apiError !== undefined
          ? [event.message]
          : [],
      );
      expect(shown).toBeDefined();
    },
  );

  it('and a limit reports the time of its reset', async () => {
    const { events } = await run(() => [fail('rate_limit', { retryAfterMs: 3_600_000 })]);
    expect(JSON.stringify(events)).toMatch(/It resets at \d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC, in 60 minutes/);
  });
});

describe('a fault that the loop can recover from', () => {
  describe.each([
    ['by its words', fail('overflow')],
    ['by its size', raw(413, JSON.stringify({ error: { type: 'request_too_large', message: 'x' } }))],
  ])('a prompt that is too long %s', (_how, reply) => {
    it.each(REQUESTS)('at $request is compacted without an error event', async ({ turns }) => {
      const context = fakeContext({ compact: compactorTo('Summary of the conversation.') });
      const config = { sessionId: 's', gates: { reactiveCompact: true } };
      const { terminal, text, api, events } = await run(() => [...turns, reply, say('Shorter.')], {
        config,
        context,
      });
      expect(terminal.reason).toBe('completed');
      expect(text.split('|').at(-1)).toBe('Shorter.');
      expect(context.asked.filter((what) => what === 'compact')).toHaveLength(1);
      expect(api.requests).toHaveLength(turns.length + 2);
      expect(api.requests.at(-1)?.body).toMatchObject({
        messages: [{ role: 'user', content: [{ type: 'text', text: 'Summary of the conversation.' }] }],
      });
      expect(JSON.stringify(events)).not.toContain('apiError');
    });

    it('ends the run as such if compaction is off', async () => {
      const config = { sessionId: 's', gates: { reactiveCompact: false } };
      const { terminal, api } = await run(() => [reply], { config });
      expect(terminal).toMatchObject({ reason: 'prompt_too_long' });
      expect(api.requests).toHaveLength(1);
    });

    it('ends the run as such if compaction fails', async () => {
      const context = fakeContext({ compact: failingCompactor() });
      const config = { sessionId: 's', gates: { reactiveCompact: true } };
      const { terminal } = await run(() => [reply], { config, context });
      expect(terminal).toMatchObject({ reason: 'prompt_too_long' });
    });
  });

  it('x-should-retry does not prevent the compaction of a prompt that is too long', async () => {
    const config = { sessionId: 's', gates: { reactiveCompact: true } };
    const { terminal, api } = await run(() => [fail('overflow', { shouldRetry: true }), say('Shorter.')], {
      config,
    });
    expect(terminal.reason).toBe('completed');
    expect(api.requests).toHaveLength(2);
  });

  it('a block that is rejected by position is replaced, and the request is sent again', async () => {
    const { terminal, text, api } = await run(() => [
      answer(say('I look'), call('Look', {}, 't1')),
      fail('refused_block', { block: { message: 1, block: 0 } }),
      say('Done.'),
    ]);
    expect(terminal.reason).toBe('completed');
    expect(text).toBe('I look|<tool_use>|Done.');
    expect(api.requests).toHaveLength(3);
  });

  it('persistent overload switches to the fallback model', async () => {
    const { terminal, text, api } = await run(
      () => [fail('overloaded'), fail('overloaded'), fail('overloaded'), say('From the spare.')],
      {
        fallbackModel: 'spare-1',
      },
    );
    expect(terminal.reason).toBe('completed');
    expect(text).toBe('From the spare.');
    expect(api.requests.map(({ body }) => (body as { model: string }).model)).toEqual([
      TEST_MODEL,
      TEST_MODEL,
      TEST_MODEL,
      'spare-1',
    ]);
  });

  it('an unknown model switches to the fallback model, too', async () => {
    const { terminal, text } = await run(() => () => say('From the spare.'), { fallbackModel: 'spare-1' }, [
      'spare-1',
    ]);
    expect(terminal.reason).toBe('completed');
    expect(text).toBe('From the spare.');
  });
});
