import { describe, expect, it } from 'vitest';
import type { ContentBlock } from '../../messages/blocks.ts';
import { answer, build, call, image, odd, result, say, user } from '../test/samples.ts';

/** Returns the sent form of a block in a user message, or `undefined` if it is left out. */
const asked = (block: unknown): ContentBlock | undefined =>
  build([user([say('first'), odd(block)])]).request.messages.at(0)?.content[1];
/** Returns the sent form of a block in an answer that ends with text. */
const answered = (block: unknown): ContentBlock | undefined =>
  build([user('go'), answer('r', [say('first'), odd(block), say('last')]), user('on')])
    .request.messages.at(1)
    ?.content.at(-2);
const returned = (content: unknown, more: object = {}): unknown => {
  const block = odd({ ...result('x'), content, ...more });
  const { request } = build([user('go'), answer('r', [call('x')]), user([block])]);
  return (request.messages.at(2)?.content[0] as { content?: unknown } | undefined)?.content;
};

describe('a block', () => {
  it('is sent with the fields the API knows and no others', () => {
    expect(
      asked({ type: 'text', text: 'a', uuid: 'u', at: 3, cache_control: { type: 'ephemeral' } }),
    ).toEqual(say('a'));
  });

  it('is sent in a fixed order of its fields, whatever order it came in', () => {
    const { request } = build([
      user('go'),
      answer('r', [odd({ input: {}, name: 'N', id: 'x', type: 'tool_use' })]),
    ]);
    expect(JSON.stringify(request.messages.at(1)?.content[0])).toBe(
      '{"type":"tool_use","id":"x","name":"N","input":{}}',
    );
  });

  it('of an unknown kind passes as it came, but for the cache mark', () => {
    const poem = { type: 'poem', lines: ['a', { b: 1 }] };
    expect(asked({ ...poem, cache_control: {} })).toEqual(poem);
    expect(answered(poem)).toEqual(poem);
  });

  it.each([
    [null],
    [7],
    [{}],
    [{ type: 5 }],
    [{ type: 'text' }],
    [{ type: 'text', text: 5 }],
    [{ type: ' ' }],
  ])('that is none (%j) is left out', (block) => expect(asked(block)).toBeUndefined());

  it('that may stand only in answers is left out of a user message', () => {
    expect(asked(call('x'))).toBeUndefined();
    expect(asked({ type: 'thinking', thinking: 'a', signature: 'b' })).toBeUndefined();
    expect(asked({ type: 'web_search_tool_result', tool_use_id: 'x', content: [] })).toBeUndefined();
  });

  it('that is an image becomes a note in an answer', () => {
    expect(answered(image())).toEqual(say('[An image was left out: an answer cannot hold it.]'));
  });
});

describe('texts', () => {
  it('lose half characters, in inputs and keys, too', () => {
    expect(asked({ type: 'text', text: 'a\ud83d' })).toEqual(say('a\ufffd'));
    expect(answered({ ...call('x'), input: { 'k\udc00': ['v\ud800'] } })).toEqual({
      ...call('x'),
      input: { 'k\ufffd': ['v\ufffd'] },
    });
  });

  it('keep the citations of the API, with the fields it accepts in a request', () => {
    const cited = {
      type: 'page_location',
      cited_text: 'a',
      document_index: 0,
      start_page_number: 1,
      end_page_number: 2,
    };
    expect(
      answered({ type: 'text', text: 'a', citations: [{ ...cited, file_id: 'f' }, { type: 'new' }, null] }),
    ).toEqual({ ...say('a'), citations: [{ ...cited, document_title: null }] });
  });
});

describe('inputs', () => {
  it.each<[unknown, unknown]>([
    [undefined, {}],
    [null, {}],
    ['words', { input: 'words' }],
    [[1], { input: [1] }],
    [
      { a: Number.NaN, b: 10n, c: () => 1, d: undefined },
      { a: null, b: '10' },
    ],
  ])('that are no plain objects become some: %o', (input, expected) => {
    expect(answered({ ...call('x'), input })).toEqual({ ...call('x'), input: expected });
  });

  it('that hold themselves are cut', () => {
    const circle: Record<string, unknown> = { a: 1 };
    circle['self'] = circle;
    expect(answered({ ...call('x'), input: circle })).toEqual({ ...call('x'), input: { a: 1, self: null } });
  });

  it('keep a key that is called __proto__', () => {
    const input: unknown = JSON.parse('{"__proto__":{"a":"\\ud800"}}');
    expect(JSON.stringify(answered({ ...call('x'), input }))).toContain('"__proto__":{"a":"\ufffd"}');
  });
});

describe('results', () => {
  it.each([[''], [' \n'], [[]], [undefined], [[say(' ')]], [[null]]])(
    'without content (%j) say so',
    (content) => expect(returned(content)).toBe('(no output)'),
  );

  it('hold text and media, and notes for the rest when the call failed', () => {
    expect(returned([say('a'), image()])).toEqual([say('a'), image()]);
    expect(returned([say('a'), image()], { is_error: true })).toEqual([
      say('a'),
      say('[An image was left out: the call failed.]'),
    ]);
  });

  it('do not hold calls or thinking', () => expect(returned([call('y'), say('a')])).toEqual([say('a')]));
});

describe('media', () => {
  it.each([
    ['its type is not supported', image('aGVk', 'image/tiff')],
    ['its data was damaged', image('no base64')],
    ['its data was damaged', image('aGV')],
    ['it was too large', image('A'.repeat(5 * 1024 * 1024 + 4))],
    ['its source was not readable', odd({ type: 'image', source: { type: 'url', url: 'file:///a' } })],
    ['its source was not readable', odd({ type: 'image' })],
  ])('are replaced by a note: %s', (why, block) => {
    expect(asked(block)).toEqual(say(`[An image was left out: ${why}.]`));
  });

  it('may come in wrapped lines', () => expect(asked(image('aG\r\nVk'))).toEqual(image('aGVk')));

  it('may be documents of all the kinds that the API reads', () => {
    const pdf = { type: 'base64', media_type: 'application/pdf', data: 'aGVk' };
    const plain = { type: 'text', media_type: 'text/plain', data: 'words' };
    const parts = { type: 'content', content: [say('words')] };
    for (const source of [pdf, plain, parts, { type: 'file', file_id: 'f' }])
      expect(asked({ type: 'document', source, title: 't', at: 1 })).toEqual({
        type: 'document',
        source,
        title: 't',
      });
    expect(asked({ type: 'document', source: { ...plain, data: '' } })).toEqual(
      say('[A document was left out: it was empty.]'),
    );
  });
});
