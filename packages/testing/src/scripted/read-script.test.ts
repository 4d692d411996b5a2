import { describe, expect, it } from 'vitest';
import { call, fail, pause, say, think } from './builders.ts';
import { parseScript } from './read-script.ts';

describe('a script from a file', () => {
  it('is a list of steps, optionally with the window of its model', () => {
    const steps = [
      [think('Hm.'), say('One ', pause(5), 'two'), call('Read', {}, 'r1')],
      [fail('overloaded')],
    ];
    expect(parseScript(JSON.stringify(steps))).toEqual({ steps, window: undefined });
    expect(parseScript(JSON.stringify({ window: 9_000, steps }))).toEqual({ steps, window: 9_000 });
  });

  it.each([
    ['{"a":1}', 'a script is a JSON list with one step for each call'],
    ['{"window":"large","steps":[]}', 'the window of a script is a number of tokens'],
    ['[[], 1]', 'step 2: 1 is not a part; a part is an object whose "part" is one of text,'],
    [
      '[{"part":"text"}]',
      'step 1: {"part":"text"} is not a complete text; it has "pieces" (a list of texts)',
    ],
    [
      '[[{"part":"ping"},{"part":"txet","pieces":[]}]]',
      'step 1, part 2: there is no part txet; there are text, thinking,',
    ],
    ['[{"part":"toString"}]', 'there is no part toString'],
    ['[[{"part":', 'it is not JSON: '],
  ])('that is invalid is rejected with the position: %s', (text, message) => {
    expect(() => parseScript(text)).toThrow(message);
  });
});
