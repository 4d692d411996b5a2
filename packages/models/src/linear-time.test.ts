/** The time for text of a model or a server grows in proportion to its length. */
import { cpuMsOf } from '@heddle/testing';
import { expect, it } from 'vitest';
import { CALL_MARKUPS } from './bridge/answer/markup-calls.ts';
import { readErrorResponse } from './bridge/errors/error-response.ts';
import { readStatedWindow } from './errors/stated-window.ts';

const LONG = 50_000;
const MOST_MS = 1_000;

const PUMPS = [
  '<function=',
  '<function=a>',
  '<parameter=',
  '<parameter=a>',
  '<parameter name="a">',
  '<invoke name="a">',
  '<arg_key>',
  '<arg_key></arg_key>',
  '<arg_key></arg_key><arg_value>',
  '[ARGS]',
  'a.',
  '<｜tool▁call▁begin｜>a',
  '<|tool_call_begin|>a:1',
  '<|tool_call_begin|>a:1<|tool_call_argument_begin|>',
  'a-',
  '<|message|>',
  '<|message|> ',
  '<|call|> ',
];

function errorWith(text: string): unknown {
  return readErrorResponse(new Error(text), (written) => written);
}

it.each(PUMPS)('reads calls in time proportional to the length: %s', async (pump) => {
  const text = pump.repeat(Math.ceil(LONG / pump.length));
  const used = await cpuMsOf(() => {
    for (const { calls } of CALL_MARKUPS) {
      calls(text);
      calls(`a${text}\u0001`);
      calls(`<function=a>${text}</function>`);
    }
  });
  expect(used).toBeLessThan(3 * MOST_MS);
});

it.each(['<title', '<title>', '<', ' ', 'try again in 1'])(
  'reads errors in time proportional to the length: %s',
  async (pump) => {
    const text = pump.repeat(Math.ceil(LONG / pump.length));
    expect(await cpuMsOf(() => errorWith(text))).toBeLessThan(MOST_MS);
  },
);

it.each(['1,', '1', 'context size ', 'context length of '])(
  'reads windows in time proportional to the length: %s',
  async (pump) => {
    const text = pump.repeat(Math.ceil(LONG / pump.length));
    expect(await cpuMsOf(() => readStatedWindow(text))).toBeLessThan(MOST_MS);
  },
);
