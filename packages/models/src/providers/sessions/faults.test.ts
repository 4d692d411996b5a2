/**
 * Every fault that a wire format can express, at every place, with the real package of a provider, through
 * the loop. Each is recovered or ends with the right terminal. The table is the same as for the Messages
 * API. Faults in the bytes of one format are in wire-faults.test.ts.
 */
import type { ApiEvent } from '@heddle/core';
import {
  actsOf,
  answer,
  type ApiScript,
  call,
  compactorTo,
  cut,
  fail,
  fakeContext,
  hang,
  html,
  ping,
  refuse,
  type Reply,
  say,
  type ScriptStep,
  unfinished,
} from '@heddle/testing';
import { afterEach, describe, expect, it } from 'vitest';
import { EVERYWHERE, TRANSIENT } from '../../test/faults.ts';
import { closeStages } from '../../test/stage-api.ts';
import {
  CHAT,
  COMPATIBLE,
  conversationOf,
  CONVERSE,
  GEMINI,
  type Ran,
  RESPONSES,
  type RunOptions,
  runOn,
  type TestWire,
} from '../../test/wires.ts';
import { providerNamed } from '../providers.ts';

afterEach(closeStages);

const BRIDGED: readonly TestWire[] = [CHAT, COMPATIBLE, RESPONSES, GEMINI, CONVERSE];

/**
 * Returns the deadline of this wire format. It is longer before the first content if its models think
 * silently.
 */
function patienceOf({ id }: TestWire, hasBegun: boolean): number {
  return !hasBegun && providerNamed(id)?.thinksInSilence ? 300_000 : 90_000;
}

type Silence = (step: ScriptStep) => ScriptStep;

/**
 * The port's clock moves only for a step wrapped in `silence`: the deadline passes after its text arrived.
 */
function run(
  wire: TestWire,
  script: (silence: Silence) => ApiScript,
  options: RunOptions = {},
): Promise<Ran> {
  let awaited: string | undefined;
  let hasBegun = false;
  let pass = () => {};
  const answered = (text: string) => {
    awaited = awaited?.slice(text.length);
    if (awaited === '') pass();
  };
  const silence: Silence = (step) => {
    const acts = actsOf(step, { call: 1, model: '', inputTokens: 0, sign: () => '' });
    awaited = acts.map((act) => (act.act === 'event' ? textIn(act.event) : '')).join('');
    hasBegun = awaited !== '';
    answered('');
    return step;
  };
  return runOn(wire, script(silence), {
    ...options,
    onStaged: ({ clock }) => {
      pass = () => {
        awaited = undefined;
        void clock.advance(patienceOf(wire, hasBegun));
      };
    },
    onEvent: (event) => void (event.type === 'stream_event' && answered(textIn(event.event))),
  });
}

function textIn(event: ApiEvent): string {
  return event.type === 'content_block_delta' && event.delta.type === 'text_delta' ? event.delta.text : '';
}

/** The conversation of the turn before. */
const TOLD_BEFORE = ['assistant: I look', 'assistant: Look {}', 'user: seen nothing'];

describe.each(BRIDGED)('over $id', (wire) => {
  describe.each(TRANSIENT)('a transient fault: $fault', ({ end, error, isSilence }) => {
    it.each(EVERYWHERE)('at $place of $request is recovered', async ({ before, turns }) => {
      const earlier = turns.length === 0 ? [] : TOLD_BEFORE;
      const { events, terminal, server } = await run(wire, (silence) => [
        ...turns,
        () => (isSilence ? silence(answer(...before, end)) : answer(...before, end)),
        say('The answer.'),
      ]);
      expect(terminal.reason).toBe('completed');
      expect(conversationOf(events)).toEqual([...earlier, 'assistant: The answer.']);
      const retries = events.filter((event) => event.type === 'retry');
      expect(retries.map((event) => event.error.class)).toEqual([error]);
      expect(server.requests).toHaveLength(turns.length + 2);
    });

    it('that persists ends the run with its class', async () => {
      const { terminal, events } = await run(wire, (silence) => () => (isSilence ? silence(end) : end), {
        params: { config: { sessionId: 's', retry: { maxAttempts: 3 } } },
      });
      expect(terminal).toMatchObject({ reason: 'api_error', error: { class: error } });
      expect(events.filter((event) => event.type === 'retry')).toHaveLength(2);
    });

    it('after a complete call is not repeated', async () => {
      const step = answer(say('I look'), call('Look', { at: 'a' }, 't1'), unfinished(say('and then I')), end);
      const { terminal, server, events } = await run(wire, (silence) => [
        () => (isSilence ? silence(step) : step),
        say('Seen.'),
      ]);
      expect(terminal.reason).toBe('completed');
      expect(conversationOf(events)).toEqual([
        'assistant: I look',
        'assistant: Look {"at":"a"}',
        'user: seen a',
        'assistant: Seen.',
      ]);
      expect(server.requests).toHaveLength(2);
    });
  });

  it('keep-alive data is not a response', async () => {
    const { terminal, events } = await run(wire, (silence) => [
      () => silence(answer(unfinished(say('half an answer')), ping(), ping(), hang())),
      say('The answer.'),
    ]);
    expect(terminal.reason).toBe('completed');
    const retries = events.filter((event) => event.type === 'retry');
    expect(retries.map((event) => event.error.class)).toEqual(['stall']);
  });

  it('the delay that the server asks for is applied', async () => {
    const { events } = await run(wire, () => [fail('rate_limit', { retryAfterMs: 7_000 }), say('Now.')]);
    expect(events.find((event) => event.type === 'retry')).toMatchObject({ delayMs: 7_000 });
  });

  const lasting: readonly { readonly fault: string; readonly reply: Reply; readonly error: object }[] = [
    { fault: 'a key that is refused', reply: fail('auth'), error: { class: 'auth' } },
    { fault: 'no permission', reply: fail('permission'), error: { class: 'permission', status: 403 } },
    { fault: 'a request that is refused', reply: fail('bad_request'), error: { class: 'bad_request' } },
    {
      fault: 'a model that is not there',
      reply: fail('not_found'),
      error: { class: 'not_found', status: 404 },
    },
    { fault: 'a page in place of the provider', reply: html(200), error: { class: 'network' } },
    {
      fault: 'a wait that is too long',
      reply: fail('rate_limit', { retryAfterMs: 3_600_000 }),
      error: { class: 'rate_limit', status: 429 },
    },
    {
      fault: 'a server that says not to try again',
      reply: fail('server', { shouldRetry: false }),
      error: { class: 'server', status: 500 },
    },
  ];

  it.each(lasting)('a persistent fault ends the run at once: $fault', async ({ reply, error }) => {
    const { terminal, server } = await run(wire, () => [reply]);
    expect(terminal).toMatchObject({ reason: 'api_error', error });
    expect(server.requests).toHaveLength(1);
  });

  it('a prompt that is too long is compacted without an error event', async () => {
    const context = fakeContext({ compact: compactorTo('Summary of the conversation.') });
    const { terminal, events, server } = await run(wire, () => [fail('overflow'), say('Shorter.')], {
      context,
      params: { config: { sessionId: 's', gates: { reactiveCompact: true } } },
    });
    expect(terminal.reason).toBe('completed');
    expect(conversationOf(events).at(-1)).toBe('assistant: Shorter.');
    expect(context.asked.filter((what) => what === 'compact')).toHaveLength(1);
    expect(JSON.stringify(server.requests[1]?.body)).toContain('Summary of the conversation.');
    expect(JSON.stringify(events)).not.toContain('apiError');
  });

  it('an empty response is requested again, once', async () => {
    const { terminal, events, server } = await run(wire, () => [answer(), say('Here.')]);
    expect(terminal.reason).toBe('completed');
    expect(conversationOf(events)).toEqual(['assistant: Here.']);
    expect(server.requests).toHaveLength(2);
  });

  it('a refusal is reported as such and not repeated', async () => {
    const { events, server } = await run(wire, () => [answer(say('I will'), refuse())]);
    expect(server.requests).toHaveLength(1);
    expect(events).toContainEqual(expect.objectContaining({ type: 'answer_end', stopReason: 'refusal' }));
  });

  it('a response that was cut is continued', async () => {
    const { terminal, events, server } = await run(wire, () => [
      answer(unfinished(say('A long tale that is cut')), cut()),
      () => say('And its end.'),
      () => say('And its end.'),
    ]);
    expect(terminal.reason).toBe('completed');
    expect(conversationOf(events).at(-1)).toBe('assistant: And its end.');
    expect(server.requests.length).toBeGreaterThan(1);
  });

  it('persistent overload switches to the fallback model', async () => {
    const { terminal, events, server } = await run(
      wire,
      () => [fail('overloaded'), fail('overloaded'), fail('overloaded'), say('From the spare.')],
      { params: { fallbackModel: `${wire.id}/spare-1` } },
    );
    expect(terminal.reason).toBe('completed');
    expect(conversationOf(events)).toEqual(['assistant: From the spare.']);
    expect(server.requests).toHaveLength(4);
  });
});

/** Gemini sends a call whole, with its input as an object, so it can be neither cut nor broken. */
describe.each([CHAT, COMPATIBLE, RESPONSES, CONVERSE])('over $id', (wire) => {
  it('complete calls run if the response was cut in a later call', async () => {
    const half = unfinished(call('Look', { at: 'a place with a long name' }, 't2'));
    const { terminal, events } = await run(wire, () => [
      answer(call('Look', { at: 'a' }, 't1'), half, cut()),
      say('Seen.'),
    ]);
    expect(terminal.reason).toBe('completed');
    expect(conversationOf(events)).toEqual([
      'assistant: Look {"at":"a"}',
      'user: seen a',
      'assistant: Seen.',
    ]);
  });

  it('invalid JSON is an error that is reported to the model', async () => {
    const { terminal, events } = await run(wire, () => [
      call('Look', {}, 't1', { json: ['{"at": oops}'] }),
      say('I see.'),
    ]);
    expect(terminal.reason).toBe('completed');
    expect(conversationOf(events)).toEqual([
      'assistant: Look {}',
      expect.stringContaining('The input is not a JSON object: {"at": oops}'),
      'assistant: I see.',
    ]);
  });
});
