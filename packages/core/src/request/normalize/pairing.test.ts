import { describe, expect, it } from 'vitest';
import { answer, build, call, linesOf, odd, result, say, user } from '../test/samples.ts';
import { ensureToolResultPairing } from './pairing.ts';

const MISSING = expect.stringMatching(
  /^U result x! \[The result of this call is missing: .*may or may not have taken effect/,
);

describe('a call', () => {
  it('without a result is closed as interrupted', () => {
    const messages = [user('go'), answer('r', [call('x')]), user('on')];
    expect(linesOf(messages)).toEqual(['U go', 'A call x', MISSING, 'U on']);
    expect(build(messages).repairs).toEqual([
      'message 1: the call x of Read had no result and was closed as interrupted',
    ]);
  });

  it('at the end of a history that was cut is closed, too', () => {
    expect(linesOf([user('go'), answer('r', [call('x')])])).toEqual(['U go', 'A call x', MISSING]);
  });

  it('that repeats the id of an earlier answer gets another one, and so does its result', () => {
    const messages = [
      user('go'),
      answer('r1', [call('x')]),
      user([result('x', 'one')]),
      answer('r2', [call('x')]),
      user([result('x', 'two')]),
      answer('r3', [call('x')]),
      user([result('x', 'three')]),
    ];
    expect(linesOf(messages)).toEqual([
      'U go',
      'A call x',
      'U result x one',
      'A call x_2',
      'U result x_2 two',
      'A call x_3',
      'U result x_3 three',
    ]);
  });

  it('that repeats an id of its own answer is left out', () => {
    const messages = [user('go'), answer('r', [call('x'), call('x')]), user([result('x')])];
    expect(linesOf(messages)).toEqual(['U go', 'A call x', 'U result x done']);
  });

  it.each([
    ['a b', 'a_b'],
    ['\ud800', '_'],
    ['', 'toolu_mended'],
  ])('with the id %j is sent with another one, and so is its result', (id, sent) => {
    const messages = [user('go'), answer('r', [call(id)]), user([result(id)])];
    expect(linesOf(messages)).toEqual(['U go', `A call ${sent}`, `U result ${sent} done`]);
  });
});

describe('results', () => {
  it('come first and in the order of the calls', () => {
    const messages = [
      user('go'),
      answer('r', [call('x'), call('y')]),
      user([say('and'), result('y')]),
      user([result('x')]),
    ];
    expect(linesOf(messages).slice(3)).toEqual(['U result x done', 'U result y done', 'U and']);
  });

  it('without a call are left out', () => {
    const messages = [user('go'), answer('r', [say('ok')]), user([result('x'), say('on')])];
    expect(linesOf(messages)).toEqual(['U go', 'A ok', 'U on']);
    expect(build(messages).repairs).toEqual(['message 1: a result without its call "x" was left out']);
  });

  it('without a call leave a note if the message has no other content', () => {
    const messages = [
      user('go'),
      answer('r', [say('ok')]),
      user([result('x')]),
      answer('s', [say('so')]),
      user('on'),
    ];
    expect(linesOf(messages)[2]).toBe('U [A tool result whose call is missing was left out.]');
  });

  it('that come a second time are left out', () => {
    const messages = [user('go'), answer('r', [call('x')]), user([result('x', 'one'), result('x', 'two')])];
    expect(linesOf(messages)).toEqual(['U go', 'A call x', 'U result x one']);
  });

  it('are ignored before their call or after another answer', () => {
    const messages = [
      user([result('x', 'early')]),
      answer('r', [call('x')]),
      user('wait'),
      answer('s', [say('hm')]),
      user([result('x', 'late')]),
    ];
    expect(linesOf(messages)).toContainEqual(MISSING);
    expect(linesOf(messages).join()).not.toMatch(/early|late/);
  });
});

describe('calls of tools on the server', () => {
  const search = odd({ type: 'server_tool_use', id: 's1', name: 'web_search', input: {} });
  const found = odd({ type: 'web_search_tool_result', tool_use_id: 's1', content: [] });
  const sent = (...blocks: ReturnType<typeof odd>[]) =>
    linesOf([user('go'), answer('r', [...blocks, say('ok')]), user('on')]).slice(1, -1);

  it('pass with their result', () => expect(sent(search, found)).toHaveLength(3));
  it('are left out without it', () => expect(sent(search)).toEqual(['A ok']));
  it('are left out when it comes first', () => expect(sent(found, search)).toEqual(['A ok']));
  it('keep their bytes', () => {
    const { request } = build([user('go'), answer('r', [search, found]), user('on')]);
    expect(request.messages.at(1)?.content).toEqual([search, found]);
  });
  it('may wait for later answers when they execute code', () => {
    expect(sent(odd({ type: 'server_tool_use', id: 's1', name: 'code_execution', input: {} }))).toHaveLength(
      2,
    );
  });
});

describe('the step alone', () => {
  it('repairs any list of messages and reports the repairs', () => {
    const { messages, repairs } = ensureToolResultPairing([
      { role: 'user', content: [result('z')] },
      { role: 'assistant', content: [call('x'), call('y')] },
      { role: 'user', content: [say('on'), result('y')] },
    ]);
    expect(messages.map(({ content }) => content.map(({ type }) => type))).toEqual([
      ['tool_use', 'tool_use'],
      ['tool_result', 'tool_result', 'text'],
    ]);
    expect(repairs).toHaveLength(2);
  });
});
