/**
 * An internal error at any point of a call ends the call as a model error. Nothing is thrown and nothing
 * hangs.
 */
import type { ModelRequest } from '@heddle/core';
import { answer, begin, createClock, createTestGate, raw, requestOf, say } from '@heddle/testing';
import { afterEach, describe, expect, it } from 'vitest';
import { ask, closeStages, failureOf, HELLO, stageApi, stagePort, TEST_KEY } from '../test/stage-api.ts';

afterEach(closeStages);

const BUG = {
  type: 'model_error',
  class: 'internal',
  message: expect.stringContaining('bug in Heddle (RangeError: what a bug, with [redacted] in it)'),
};

function strike(): never {
  throw new RangeError(`what a bug, with ${TEST_KEY} in it`);
}

/**
 * A clock that throws from the moment that a test chooses. It represents any failing part of the program.
 */
function faultyClock() {
  const clock = createClock();
  let isBroken = false;
  return {
    clock: { now: () => (isBroken ? strike() : clock.now()), sleep: clock.sleep.bind(clock) },
    breakDown: () => void (isBroken = true),
  };
}

/** A request that fails when it is searched for images. The adapter searches only to classify an error. */
const UNREADABLE: ModelRequest = {
  ...HELLO,
  get messages() {
    return strike();
  },
};

const TOO_LARGE = JSON.stringify({
  type: 'error',
  error: { type: 'request_too_large', message: 'an image is too large' },
});

describe('an internal error that occurs while', () => {
  it.each([
    ['the key is fetched', { apiKey: undefined as never, keyHelper: 'echo key' }],
    ['the request is sent', {}],
  ])('%s is reported as a model error', async (_when, options) => {
    const { clock, breakDown } = faultyClock();
    const { port, api } = await stageApi([], { clock, ...options });
    breakDown();
    expect(await ask(port)).toEqual([BUG]);
    expect(api.requests).toEqual([]);
  });

  it('the request is written is reported as a model error', async () => {
    const { port } = await stageApi([]);
    const metadata: Record<string, never> = {};
    Object.assign(metadata, { metadata });
    const circular = requestOf([['user', 'x']], { options: { metadata } });
    expect(await failureOf(port, circular)).toMatchObject({ class: 'internal' });
  });

  it('a response begins is reported as a model error', async () => {
    const { clock, breakDown } = faultyClock();
    const reply = () => {
      breakDown();
      return say('hello');
    };
    const { port } = await stageApi([reply], { clock });
    expect(await ask(port)).toEqual([BUG]);
  });

  it('a response is read is reported as a model error', async () => {
    const { clock, breakDown } = faultyClock();
    const gate = createTestGate();
    const { port } = await stageApi([answer(begin(), gate, say('hello'))], { clock });
    const records = port(HELLO, new AbortController().signal)[Symbol.asyncIterator]();
    expect(await records.next()).toMatchObject({ value: { type: 'message_start' } });
    breakDown();
    gate.open();
    let last = await records.next();
    while (last.done !== true && last.value.type !== 'model_error') last = await records.next();
    expect(last.value).toMatchObject(BUG);
    expect(await records.next()).toMatchObject({ done: true });
  });

  it.each([
    ['an error', raw(413, TOO_LARGE)],
    ['an error inside a stream', raw(200, `data: ${TOO_LARGE}\n\n`, { 'content-type': 'text/event-stream' })],
  ])('%s is classified is reported as a model error', async (_what, reply) => {
    const { port } = await stageApi([reply]);
    expect(await ask(port, UNREADABLE)).toEqual([expect.objectContaining(BUG)]);
  });
});

describe('a failure that is not an internal error', () => {
  it('a key helper that cannot be started is reported as such', async () => {
    const keyHelper = 'echo \0';
    const { port } = stagePort({ apiKey: undefined as never, keyHelper, baseUrl: 'http://127.0.0.1:9' });
    expect(await failureOf(port)).toMatchObject({
      class: 'auth',
      message: expect.stringContaining('The key helper gave no key: it could not be started'),
    });
  });
});
