import { shapeOf, shapesOf } from '@heddle/testing';
import { describe, expect, it } from 'vitest';
import { History } from '../messages/history.ts';
import type { Message } from '../messages/message.ts';
import type { ModelRequest } from '../model/port.ts';
import { buildRequest, createRequestBuilder } from './builder.ts';
import { rejectedBlockName } from './normalize/model-steps.ts';
import {
  answer,
  build,
  call,
  complaints,
  failure,
  history,
  image,
  isPrefix,
  lines,
  odd,
  plainBytes,
  remind,
  result,
  say,
  sentBytes,
  system,
  think,
  tombstone,
  user,
  view,
} from './test/samples.ts';

const RULES = { rules: 'be kind' };

/** Requests of one builder for a history that grows step by step. */
function grow(...steps: readonly (readonly Message[])[]): ModelRequest[] {
  const builder = createRequestBuilder();
  let messages = History.of<Message>([]);
  return steps.map((step) => {
    messages = messages.append(step);
    return builder.build(view({ userContext: RULES }), messages).request;
  });
}

const step = (number: number, calls = 1): Message[] => {
  const ids = Array.from({ length: calls }, (_, index) => `t${number}_${index}`);
  return [...ids.map((id) => answer(`r${number}`, [call(id)])), ...ids.map((id) => user([result(id)]))];
};

describe('the worked trace', () => {
  it('gives the expected shapes', () => {
    const builder = createRequestBuilder();
    const failed = odd({ ...result('b1'), is_error: true });
    const first = history(user('the test fails, fix it'));
    const second = first.append([
      answer('r1', [say('I read the test first')]),
      answer('r1', [call('r1')]),
      answer('r1', [call('b1')]),
      user([result('r1')]),
      user([failed]),
      remind('test.js changed'),
    ]);
    const third = second.append([answer('r2', [call('e1')]), user([result('e1')])]);
    const small = view({ userContext: RULES });
    const large = { ...small, maxOutputTokens: 64_000 };
    const requests = [
      builder.build(small, first),
      builder.build(small, first),
      builder.build(small, second),
      builder.build(large, second),
      builder.build(small, third),
    ].map(({ request }) => request);
    expect(shapesOf(requests)).toEqual([
      'system[m] | user:reminder text[m]',
      'same bytes as 1',
      '… [m] | assistant:text tool_use(r1) tool_use(b1) | user:tool_result(r1) tool_result(b1)! reminder[m]',
      'same messages as 3, max_tokens 64000',
      '… [m] | assistant:tool_use(e1) | user:tool_result(e1)[m], max_tokens 8192',
    ]);
  });
});

describe('the head of a request', () => {
  it('contains the system prompt in layers, with the marked context last', () => {
    const { request } = build([user('a')], {
      systemPrompt: ['one', ' ', 'two'],
      systemContext: { os: 'x', cwd: '/' },
    });
    expect(request.system).toEqual([
      { type: 'text', text: 'one' },
      { type: 'text', text: 'two' },
      { type: 'text', text: 'os: x\ncwd: /', cache_control: { type: 'ephemeral' } },
    ]);
  });

  it('sorts the tools by name', () => {
    const tool = (name: string) => ({ name, description: 'd', input_schema: { type: 'object' } });
    const { request, repairs } = build([user('a')], { tools: ['b', 'a', 'B', 'a', 'no name'].map(tool) });
    expect(request.tools.map(({ name }) => name)).toEqual(['B', 'a', 'b']);
    expect(repairs).toEqual([
      'a second tool a was left out',
      'the tool "no name" was left out: its name is refused',
    ]);
  });

  it('carries its mark on the last tool when there is no system prompt', () => {
    const tools = [{ name: 'a', description: 'd', input_schema: {} }];
    const { request } = build([user('a')], { systemPrompt: [], tools });
    expect(shapeOf(request)).toBe('tools[m] | user:text[m]');
    expect(complaints(request)).toBe('');
  });

  it('is followed by the user context, before the first message', () => {
    const { request } = build([user('a')], { userContext: { rules: 'be kind', empty: '' } });
    expect(lines(request)).toEqual([
      expect.stringMatching(
        /^U <system-reminder>[^]*# rules\nbe kind[^]*may or may not be relevant[^]*<\/system-reminder>$/,
      ),
      'U a',
    ]);
  });

  it('contains the model, the options and the output limit', () => {
    const options = { effort: 'high', betas: ['b'] } as const;
    const { request } = build([user('a')], { model: 'm', maxOutputTokens: 7, options });
    expect([request.model, request.max_tokens, request.options]).toEqual(['m', 7, options]);
  });
});

describe('cache marks', () => {
  const ends = (requests: readonly ModelRequest[]) => requests.map(({ marks }) => marks.at(-1));

  it('are at the end, and at the ends of the two previous requests', () => {
    const requests = grow([user('go')], step(1), step(2), step(3));
    const [one, two, three, four] = ends(requests);
    expect(requests.map(({ marks }) => marks)).toEqual([
      [one],
      [one, two],
      [one, two, three],
      [two, three, four],
    ]);
  });

  it('match the stored prefix of the previous request, however many calls a turn makes', () => {
    const requests = grow([user('go')], ...Array.from({ length: 20 }, (_, turn) => step(turn, 12)));
    for (const [index, request] of requests.entries()) {
      if (index > 0) expect(request.marks).toContainEqual(ends(requests)[index - 1]);
      expect(complaints(request)).toBe('');
    }
  });

  it('are the same when a request is built again', () => {
    const builder = createRequestBuilder();
    const messages = history(user('go'), ...step(1));
    builder.build(view(), history(user('go')));
    const [first, second] = [builder.build(view(), messages), builder.build(view(), messages)];
    expect(sentBytes(second.request)).toBe(sentBytes(first.request));
  });

  it('are not set on blocks that cannot carry one', () => {
    const { request } = build([user([say('go'), odd({ type: 'poem' })])]);
    expect(request.marks).toEqual([{ message: 0, block: 0 }]);
    expect(build([user([odd({ type: 'poem' })])]).request.marks).toEqual([]);
  });

  it('do not move for a fork that skips cache writes', () => {
    const builder = createRequestBuilder();
    const trunk = history(user('go'));
    const { request: before } = builder.build(view(), trunk);
    const fork = builder.build(
      view({ skipCacheWrite: true }),
      trunk.append([answer('r', [say('a')]), user('btw')]),
    );
    expect(fork.request.marks).toEqual(before.marks);
    const { request: after, rewrotePrefix } = builder.build(view(), trunk.append(step(1)));
    expect(after.marks).toEqual([...before.marks, { message: 2, block: 0 }]);
    expect(rewrotePrefix).toBe(false);
    expect(buildRequest(view({ skipCacheWrite: true }), trunk).request.marks).toEqual([]);
  });

  it('return to the last stored place when the prefix was rewritten', () => {
    const builder = createRequestBuilder();
    const picture = user([image()]);
    const one = history(user('go'));
    const two = one.append([...step(1), picture]);
    const three = two.append(step(2));
    const [first] = [one, two, three].map((messages) => builder.build(view(), messages).request);
    const { request, rewrotePrefix } = builder.build(view(), three.append([failure('media')]));
    expect(rewrotePrefix).toBe(true);
    expect(request.marks).toEqual([...(first?.marks ?? []), { message: 4, block: 0 }]);
  });
});

describe('the past', () => {
  it('is sent with the same bytes, and older requests do not change', () => {
    const requests = grow(
      [user('go')],
      step(1),
      [...step(2), remind('x')],
      [answer('r3', [say('é👍')]), user('on')],
    );
    const bytes = requests.map(sentBytes);
    for (const [index, request] of requests.entries()) {
      const before = requests[index - 1];
      if (before !== undefined) expect(isPrefix(before, request)).toBe(true);
      expect(JSON.parse(plainBytes(request))).toEqual([...request.messages]);
    }
    expect(requests.map(sentBytes)).toEqual(bytes);
  });

  it('shares its objects from request to request', () => {
    const requests = grow([user('go')], step(1), step(2));
    expect(requests[2]?.messages.at(1)).toBe(requests[1]?.messages.at(1));
    expect(requests[1] !== undefined && requests[2]?.messages.extends(requests[1].messages)).toBe(true);
  });

  it.each<[string, (before: History<Message>) => History<Message>]>([
    ['a tombstone of something sealed', (before) => before.append([tombstone(before.at(1) as Message)])],
    ['a compact boundary', (before) => before.append([system('compact_boundary'), user('summary')])],
    ['refused media', (before) => before.append([failure('media')])],
    ['another history', (before) => History.of([...before].slice(2))],
  ])('is rewritten by %s, which is reported', (_name, change) => {
    const builder = createRequestBuilder();
    const before = history(user([image(), say('go')]), ...step(1), ...step(2), ...step(3));
    builder.build(view(), before);
    const after = change(before);
    const { request, rewrotePrefix } = builder.build(view(), after);
    expect(rewrotePrefix).toBe(true);
    expect(plainBytes(request)).toBe(plainBytes(buildRequest(view(), after).request));
    expect(complaints(request)).toBe('');
  });

  it('is not rewritten by a copy of the same history, nor by another model without thinking', () => {
    const builder = createRequestBuilder();
    const messages = [user('go'), ...step(1)];
    builder.build(view(), History.of(messages));
    expect(builder.build(view(), History.of([...messages, ...step(2)])).rewrotePrefix).toBe(false);
    expect(builder.build(view({ model: 'model-two' }), History.of(messages)).rewrotePrefix).toBe(true);
    expect(builder.build(view({ model: 'model-three' }), History.of(messages)).rewrotePrefix).toBe(false);
  });

  it('is rewritten by other tools, another system prompt and another context', () => {
    const messages = history(user('go'));
    const tools = [{ name: 'a', description: 'd', input_schema: {} }];
    for (const change of [{ tools }, { systemPrompt: ['other'] }, { userContext: RULES }]) {
      const builder = createRequestBuilder();
      builder.build(view(), messages);
      expect(builder.build(view(change), messages).rewrotePrefix).toBe(true);
    }
  });

  it('opens again when the answer that closed it is retracted', () => {
    const builder = createRequestBuilder();
    const lost = answer('r1', [say('half')]);
    const before = history(user('go'), lost, user('and'));
    builder.build(view(), before);
    const after = before.append([tombstone(lost), user('more')]);
    expect(lines(builder.build(view(), after).request)).toEqual(['U go', 'U and', 'U more']);
  });
});

describe('a repair', () => {
  it('is reported once', () => {
    const builder = createRequestBuilder();
    const messages = history(user('go'), answer('r', [call('x')]), user('on'));
    expect(builder.build(view(), messages).repairs).toHaveLength(1);
    expect(builder.build(view(), messages.append([user('more')])).repairs).toEqual([]);
    expect(builder.build(view(), messages.append(step(2))).repairs).toEqual([]);
  });
});

describe('a block that the API refused by name', () => {
  const search = odd({ type: 'server_tool_use', id: 's1', name: 'web_search', input: {} });
  const found = odd({ type: 'web_search_tool_result', tool_use_id: 's1', content: [] });
  const NOTE = '[The API refused a part of the conversation here. It was left out.]';
  const messages = history(
    user([image(), say('go')]),
    answer('r', [think('hm'), search, found, call('x'), call('y')]),
    user([result('x'), result('y')]),
  );

  it.each([
    ['image', 0, 0, /^U \[An image was left out[^]*U go A thinking/],
    ['text', 0, 1, /^U image U \[The API/],
    ['thinking', 1, 0, /U go A server_tool_use/],
    ['a tool of the server', 1, 1, /A thinking A \[The API[^\]]*\] A call x/],
    ['its result', 1, 2, /A thinking A \[The API[^\]]*\] A call x/],
    [
      'call',
      1,
      3,
      /A \[This call of \w+ was made[^\]]*\] A call y U result y done U \[The result of the call[^\]]*\] U done$/,
    ],
    [
      'result',
      2,
      0,
      /U result x \[The API refused this result.*U result y done U \[The result of the call above[^\]]*\] U done$/,
    ],
  ])('is replaced by a note: %s', (_name, message, block, expected) => {
    const builder = createRequestBuilder();
    const { request } = builder.build(view(), messages);
    const refusedBlocks = new Set([
      rejectedBlockName(request.messages.at(message)?.content[block] ?? say('nothing')),
    ]);
    const again = builder.build(view({ refusedBlocks }), messages);
    expect(lines(again.request).join(' ')).toMatch(expected);
    expect(complaints(again.request)).toBe('');
    expect(again.repairs).toEqual([expect.stringContaining('a block that the API refused')]);
    const later = builder.build(view({ refusedBlocks }), messages.append(step(2)));
    expect([later.rewrotePrefix, later.repairs]).toEqual([false, []]);
  });

  it('keeps the content of a finished call and of its result as text', () => {
    const builder = createRequestBuilder();
    const messages = history(user('go'), answer('r', [call('x')]), user([result('x')]));
    const refusedBlocks = new Set([rejectedBlockName(call('x'))]);
    const { request } = builder.build(view({ refusedBlocks }), messages);
    const asText = [
      'U go',
      expect.stringMatching(/^A \[This call of \w+ was made, and the API refused .* Its input: \{.*\}\]$/),
      expect.stringMatching(/^U \[The result of the call of \w+ above, as text/),
      'U done',
    ];
    expect(lines(request)).toEqual(asText);
    const later = builder.build(view({ refusedBlocks }), messages.append([user('and now?')]));
    expect(lines(later.request)).toEqual([...asText, 'U and now?']);
    expect(later.rewrotePrefix).toBe(false);
  });

  it('sends a block of a result as text if only results may contain it', () => {
    const definition = { description: 'Reads.', input_schema: { type: 'object' } };
    const found = [{ type: 'tool_reference', tool_name: 'Read', definition }];
    const tools = [{ name: 'Find', ...definition }];
    const seen = odd({ type: 'tool_result', tool_use_id: 'x', content: found });
    const messages = history(user('go'), answer('r', [call('x')]), user([seen]));
    const { request } = buildRequest(
      view({ refusedBlocks: new Set([rejectedBlockName(call('x'))]), referencesTools: true, tools }),
      messages,
    );
    expect(lines(request).at(-1)).toBe('U {"type":"tool_reference","tool_name":"Read"}');
    expect(complaints(request)).toBe('');
  });

  it('keeps the text of a result whose image was refused, and sends it as text if that is refused, too', () => {
    const seen = odd({ type: 'tool_result', tool_use_id: 'x', content: [say('a chart'), image()] });
    const messages = history(user('go'), answer('r', [call('x')]), user([seen]));
    const refusedBlocks = new Set([rejectedBlockName(seen)]);
    const { request } = buildRequest(view({ refusedBlocks }), messages);
    const kept = request.messages.at(2)?.content[0];
    expect(JSON.stringify(kept)).toMatch(/a chart.*An image was left out/);
    refusedBlocks.add(rejectedBlockName(kept ?? say('nothing')));
    const again = buildRequest(view({ refusedBlocks }), messages).request;
    expect(lines(again).join(' ')).toMatch(/U result x \[The API refused.*U a chart U \[An image/);
    expect(complaints(again)).toBe('');
  });

  it('is replaced as soon as it is in the set of the view', () => {
    const builder = createRequestBuilder();
    const refusedBlocks = new Set<string>();
    const messages = history(user('go'));
    builder.build(view({ refusedBlocks }), messages);
    refusedBlocks.add(rejectedBlockName(say('go')));
    expect(lines(builder.build(view({ refusedBlocks }), messages).request)).toEqual([`U ${NOTE}`]);
  });
});

describe('a paused answer', () => {
  const search = odd({ type: 'server_tool_use', id: 's1', name: 'web_search', input: {} });
  const found = odd({ type: 'web_search_tool_result', tool_use_id: 's1', content: [] });
  const paused = history(user('go'), answer('r1', [search]));

  it('stays last, so that the model continues it', () => {
    const builder = createRequestBuilder();
    const { request } = builder.build(view({ continuesAnswer: true }), paused);
    expect(lines(request)).toEqual(['U go', 'A server_tool_use']);
    expect(complaints(request, { prefill: true })).toBe('');
    const resumed = builder.build(view(), paused.append([answer('r2', [found, say('ok')]), user('on')]));
    expect(lines(resumed.request)).toEqual([
      'U go',
      'A server_tool_use',
      'A web_search_tool_result',
      'A ok',
      'U on',
    ]);
    expect([resumed.rewrotePrefix, resumed.repairs]).toEqual([false, []]);
  });

  it('may have several open calls on the server', () => {
    const second = odd({ type: 'server_tool_use', id: 's2', name: 'web_search', input: {} });
    const { request } = build([user('go'), answer('r1', [search, second])], { continuesAnswer: true });
    expect(lines(request)).toEqual(['U go', 'A server_tool_use', 'A server_tool_use']);
  });

  it('is followed by a user message if the view does not mark it as paused', () => {
    const builder = createRequestBuilder();
    builder.build(view({ continuesAnswer: true }), paused);
    expect(lines(builder.build(view(), paused).request)).toEqual(['U go', 'A (no content)', 'U Continue.']);
  });

  it('cannot be continued if it ends with white space', () => {
    const { request } = build([user('go'), answer('r', [say('so ')])], { continuesAnswer: true });
    expect(lines(request)).toEqual(['U go', 'A so ', 'U Continue.']);
  });
});

describe('thinking in a tool turn', () => {
  const enabled = { options: { thinking: { type: 'enabled', budget_tokens: 1_024 } } } as const;
  const adaptive = { options: { thinking: { type: 'adaptive' } } } as const;
  const MINE = view().model;
  const turn = (...writers: readonly (readonly [model: string, thinks: boolean])[]): Message[] => [
    user('go'),
    ...writers.flatMap(([model, thinks], index): Message[] => [
      {
        type: 'assistant',
        uuid: `w${index}`,
        at: 0,
        responseId: `w${index}`,
        model,
        content: thinks ? [think('hm'), call(`c${index}`)] : [call(`c${index}`)],
      },
      user([result(`c${index}`)]),
    ]),
  ];

  it.each([
    ['a new turn', turn(), 'enabled', 'adaptive'],
    ['a turn that begins with thinking', turn([MINE, true]), 'enabled', 'adaptive'],
    ['one whose later answers do not think', turn([MINE, true], [MINE, false]), 'enabled', 'adaptive'],
    ['one that never thought', turn([MINE, false]), 'disabled', 'adaptive'],
    ['one by another model', turn(['other', true]), 'disabled', 'disabled'],
    ['one by another model at its end', turn([MINE, true], ['other', false]), 'disabled', 'disabled'],
    ['one by another model at its beginning', turn(['other', true], [MINE, true]), 'disabled', 'disabled'],
    ['a prompt behind results', [...turn(['other', true]), user('next')], 'disabled', 'disabled'],
    [
      'the turn after one by another model',
      [...turn(['other', true]), answer('done', [say('Done.')]), user('next')],
      'enabled',
      'adaptive',
    ],
  ])('is requested in the form that the API accepts: %s', (_turn, messages, ifEnabled, ifAdaptive) => {
    const thinkingOf = (options: typeof enabled | typeof adaptive): string | undefined => {
      const { request } = build(messages, options);
      expect(complaints(request)).toBe('');
      return request.options.thinking?.type;
    };
    expect([thinkingOf(enabled), thinkingOf(adaptive)]).toEqual([ifEnabled, ifAdaptive]);
  });

  it('stays on if the model cannot switch it off', () => {
    const { request } = build(turn(['other', true]), { ...adaptive, thinkingAfterLoss: undefined });
    expect(request.options.thinking).toEqual({ type: 'adaptive' });
  });

  it('is lost with a thinking block that the API refused', () => {
    const messages = turn([MINE, true]);
    const refusedBlocks = new Set([rejectedBlockName(think('hm'))]);
    expect(build(messages, { ...enabled, refusedBlocks }).request.options.thinking).toEqual({
      type: 'disabled',
    });
  });
});
