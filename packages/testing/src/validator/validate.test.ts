import { describe, expect, it } from 'vitest';
import { type RequestRule, RULES } from './rules.ts';
import { createSignatures } from './signatures.ts';
import { explainViolations, type ValidationOptions, validateRequest } from './validate.ts';

type Body = Record<string, unknown>;

const user = (...content: unknown[]) => ({ role: 'user', content });
const assistant = (...content: unknown[]) => ({ role: 'assistant', content });
const text = (text: string, more = {}) => ({ type: 'text', text, ...more });
const toolUse = (id: string, more = {}) => ({ type: 'tool_use', id, name: 'Read', input: {}, ...more });
const result = (id: string, more = {}) => ({ type: 'tool_result', tool_use_id: id, content: 'ok', ...more });
const image = (source: unknown) => ({ type: 'image', source });
const png = (data = 'aGVkZGxl', media_type = 'image/png') => image({ type: 'base64', media_type, data });
const mark = { cache_control: { type: 'ephemeral' } };
const tool = (name: string, input_schema: unknown = { type: 'object' }) => ({
  name,
  description: 'd',
  input_schema,
});

const deferred = (name: string) => ({ ...tool(name), defer_loading: true });
const found = (tool_name: string) =>
  turn(toolUse('t1'), result('t1', { content: [{ type: 'tool_reference', tool_name }] }));

function body(...messages: unknown[]): Body {
  return { model: 'm', max_tokens: 8_192, stream: true, messages };
}

const hello = body(user(text('hello')));
const turn = (call: unknown, ...answer: unknown[]) =>
  body(user(text('go')), assistant(call), user(...answer));

const signatures = createSignatures();
const signature = signatures.sign('m', 'hm');
const foreign = signatures.sign('other', 'hm');
const thinking = (thinking: string, signature: string, model = 'm') => ({
  ...body(
    user(text('go')),
    assistant({ type: 'thinking', thinking, signature }, text('ok')),
    user(text('on')),
  ),
  model,
});

/** A request that breaks this rule only, and a similar valid one. */
const SAMPLES: Record<RequestRule, { bad: unknown; good: unknown; options?: ValidationOptions }> = {
  'body-form': { bad: [], good: hello },
  'unknown-field': { bad: { ...hello, betas: [] }, good: { ...hello, temperature: 1 } },
  'request-size': {
    bad: body(user(text('x'.repeat(33_554_432)))),
    good: body(user(text('x'.repeat(33_554_000)))),
  },
  unicode: { bad: body(user(text('a\uD83D'))), good: body(user(text('a👍'))) },
  model: { bad: { ...hello, model: '' }, good: hello },
  'max-tokens': { bad: { ...hello, max_tokens: 0 }, good: { ...hello, max_tokens: 1 } },
  thinking: {
    bad: { ...hello, thinking: { type: 'enabled', budget_tokens: 8_192 } },
    good: { ...hello, thinking: { type: 'enabled', budget_tokens: 8_191 } },
  },
  effort: {
    bad: { ...hello, output_config: { effort: 'huge' } },
    good: { ...hello, output_config: { effort: 'max' } },
  },
  system: { bad: { ...hello, system: [{ type: 'image' }] }, good: { ...hello, system: [text('be kind')] } },
  'tool-name': {
    bad: { ...hello, tools: [tool('Read file')] },
    good: { ...hello, tools: [tool('Read_file')] },
  },
  'tool-duplicate': {
    bad: { ...hello, tools: [tool('A'), tool('A')] },
    good: { ...hello, tools: [tool('A'), tool('B')] },
  },
  'tool-schema': {
    bad: { ...hello, tools: [tool('A', { type: 'string' })] },
    good: { ...hello, tools: [{ name: 'web_search', type: 'web_search_20260318' }] },
  },
  'tool-deferred': {
    bad: { ...hello, tools: [deferred('A')] },
    good: { ...hello, tools: [deferred('A'), tool('B')] },
  },
  'tool-reference': {
    bad: { ...found('A'), tools: [tool('A'), deferred('B')] },
    good: { ...found('A'), tools: [tool('B'), deferred('A')] },
  },
  messages: { bad: body(), good: hello },
  role: {
    bad: body(user(text('a')), { role: 'tool', content: 'b' }),
    good: body({ role: 'user', content: 'b' }),
  },
  'message-field': { bad: body({ ...user(text('a')), uuid: 'u1' }), good: hello },
  'first-role': { bad: body(assistant(text('a')), user(text('b'))), good: hello },
  alternation: {
    bad: body(user(text('a')), user(text('b'))),
    good: body(user(text('a')), assistant(text('b')), user(text('c'))),
  },
  'last-role': { bad: body(user(text('a')), assistant(text('b'))), good: hello },
  'trailing-space': {
    bad: body(user(text('a')), assistant(text('b '))),
    good: body(user(text('a')), assistant(text('b'))),
    options: { prefill: true },
  },
  content: { bad: body(user()), good: body({ role: 'user', content: 'a' }) },
  'empty-text': { bad: body(user(text(' \n'))), good: body(user(text(' .'))) },
  'block-type': {
    bad: body(user({ type: 'poem' })),
    good: body(user({ type: 'container_upload', file_id: 'f' })),
  },
  'block-role': { bad: body(user(text('a')), assistant(png()), user(text('b'))), good: body(user(png())) },
  'block-field': {
    bad: body(user(text('a', { isMeta: true }))),
    good: body(user(text('a', { citations: null }))),
  },
  'block-form': { bad: body(user({ type: 'text' })), good: hello },
  'tool-id': { bad: turn(toolUse('a b'), result('a b')), good: turn(toolUse('a-b_1'), result('a-b_1')) },
  'tool-id-duplicate': {
    bad: body(
      user(text('a')),
      assistant(toolUse('t')),
      user(result('t')),
      assistant(toolUse('t')),
      user(result('t')),
    ),
    good: body(
      user(text('a')),
      assistant(toolUse('t')),
      user(result('t')),
      assistant(toolUse('s')),
      user(result('s')),
    ),
  },
  'tool-input': {
    bad: turn(toolUse('t', { input: '{}' }), result('t')),
    good: turn(toolUse('t', { input: { a: 1 } }), result('t')),
  },
  'result-missing': { bad: turn(toolUse('t'), text('no')), good: turn(toolUse('t'), result('t')) },
  'result-order': {
    bad: turn(toolUse('t'), text('first'), result('t')),
    good: turn(toolUse('t'), result('t'), text('then')),
  },
  'result-orphan': { bad: turn(text('none'), result('t')), good: turn(toolUse('t'), result('t')) },
  'result-duplicate': {
    bad: turn(toolUse('t'), result('t'), result('t')),
    good: turn(toolUse('t'), result('t')),
  },
  'result-content': {
    bad: turn(toolUse('t'), result('t', { content: '', is_error: true })),
    good: turn(toolUse('t'), result('t', { content: [text('no'), png()], is_error: true })),
  },
  'thinking-signature': { bad: thinking('hm', ''), good: thinking('hm', signature) },
  'thinking-unknown': {
    bad: thinking('hm', 'forged'),
    good: thinking('hm', signature),
    options: { signatures },
  },
  'thinking-changed': {
    bad: thinking('hm!', signature),
    good: thinking('hm', signature),
    options: { signatures },
  },
  'thinking-model': {
    bad: thinking('hm', foreign),
    good: thinking('hm', foreign, 'other'),
    options: { signatures },
  },
  'thinking-mode': {
    bad: { ...hello, model: 'claude-opus-5-5', thinking: { type: 'disabled' } },
    good: { ...hello, model: 'claude-opus-5-5', thinking: { type: 'adaptive' } },
  },
  'thinking-first': {
    bad: { ...turn(toolUse('x'), result('x')), thinking: { type: 'enabled', budget_tokens: 1_024 } },
    good: { ...turn(toolUse('x'), result('x')), thinking: { type: 'adaptive' } },
  },
  'thinking-last': {
    bad: body(user(text('a')), assistant({ type: 'redacted_thinking', data: 'x' }), user(text('b'))),
    good: body(
      user(text('a')),
      assistant({ type: 'redacted_thinking', data: 'x' }, text('y')),
      user(text('b')),
    ),
  },
  'mark-count': {
    bad: {
      ...body(user(...'abcd'.split('').map((letter) => text(letter, mark)))),
      system: [text('s', mark)],
    },
    good: {
      ...body(user(...'abc'.split('').map((letter) => text(letter, mark)))),
      system: [text('s', mark)],
    },
  },
  'mark-place': {
    bad: body(
      user(text('a')),
      assistant({ type: 'redacted_thinking', data: 'x', ...mark }, text('y')),
      user(text('b')),
    ),
    good: body(user(text('a', mark))),
  },
  'mark-form': {
    bad: body(user(text('a', { cache_control: { type: 'forever' } }))),
    good: body(user(text('a', { cache_control: { type: 'ephemeral', ttl: '1h' } }))),
  },
  'media-type': { bad: body(user(png('aGVk', 'image/tiff'))), good: body(user(png('aGVk', 'image/webp'))) },
  'media-data': {
    bad: body(user(png('not base64!'))),
    good: body(user(image({ type: 'url', url: 'https://example.org/a.png' }))),
  },
  'media-size': { bad: body(user(png('A'.repeat(5_242_884)))), good: body(user(png('A'.repeat(5_242_880)))) },
  'media-count': {
    bad: body(user(...Array.from({ length: 101 }, () => png()))),
    good: body(user(...Array.from({ length: 100 }, () => png()))),
  },
};

describe('the validator', () => {
  it.each(Object.entries(SAMPLES))('checks the rule %s', (rule, { bad, good, options }) => {
    expect([...new Set(validateRequest(bad, options).map(({ rule }) => rule))]).toEqual([rule]);
    expect(explainViolations(validateRequest(good, options))).toBe('');
  });

  it('reports the position in the notation of the API', () => {
    expect(explainViolations(validateRequest(turn(toolUse('t'), text('no'))))).toBe(
      'messages.1.content.0  result-missing  tool_use t has no tool_result in the next message',
    );
  });

  it('is total: no value makes it throw', () => {
    const oddities = [
      null,
      7,
      'x',
      {},
      { messages: [null, 7, { content: [null, {}] }] },
      { tools: [1], system: [2] },
    ];
    for (const oddity of oddities) expect(validateRequest(oddity)).not.toEqual([]);
  });

  it('checks inside results: their media, marks and texts', () => {
    const within = (block: unknown) => turn(toolUse('t'), result('t', { content: [block] }));
    const rules = (block: unknown) =>
      validateRequest(within(block)).map(({ path, rule }) => `${path} ${rule}`);
    expect(rules(text(''))).toEqual(['messages.2.content.0.content.0 empty-text']);
    expect(rules(png('aGVk', 'image/x'))).toEqual([
      'messages.2.content.0.content.0.source.media_type media-type',
    ]);
    expect(rules(toolUse('x'))).toEqual(['messages.2.content.0.content.0 result-content']);
  });

  it('accepts block types that this server has sent itself', () => {
    const foreign = body(user(text('a')), assistant({ type: 'poem', lines: 3 }), user(text('b')));
    expect(explainViolations(validateRequest(foreign, { knownBlockTypes: new Set(['poem']) }))).toBe('');
  });

  it('names every rule in a sentence', () => {
    expect(Object.keys(SAMPLES).sort()).toEqual(Object.keys(RULES).sort());
  });
});
