import { cacheBlocksOf } from '@heddle/testing';
import { describe, expect, it } from 'vitest';
import type { Message } from '../messages/message.ts';
import type { ModelRequest, ToolSpec } from '../model/port.ts';
import { buildRequest, createRequestBuilder } from './builder.ts';
import { rejectedBlockName } from './normalize/model-steps.ts';
import {
  answer,
  call,
  complaints,
  history,
  isPrefix,
  lines,
  odd,
  result,
  say,
  user,
  view,
} from './test/samples.ts';

const spec = (name: string, description = 'Does it.'): ToolSpec => ({
  name,
  description,
  input_schema: { type: 'object' },
});
const SEARCH = spec('ToolSearch');
const reference = (name: string, description = 'Does it.') => ({
  type: 'tool_reference',
  tool_name: name,
  definition: { description, input_schema: { type: 'object' } },
});

/** A call of ToolSearch and its result, as the log contains them. */
function search(id: string, ...found: readonly object[]): Message[] {
  const content = [say('These tools can be called now.'), ...found];
  return [answer(id, [call(id)]), user([odd({ type: 'tool_result', tool_use_id: id, content })])];
}

const referring = (tools: readonly ToolSpec[] = [SEARCH]) => view({ tools, referencesTools: true });
const namesOf = ({ tools }: ModelRequest) =>
  tools.map(({ name, defer_loading }) => (defer_loading ? `${name} (deferred)` : name));

/** Returns true if the API would read everything before the new messages from its cache. */
function readsAll(before: ModelRequest, after: ModelRequest): boolean {
  const prefixes = (request: ModelRequest) =>
    cacheBlocksOf({ ...request, messages: [...request.messages] }).map(({ prefix }) => prefix);
  const known = prefixes(after);
  return prefixes(before).every((prefix, index) => known[index] === prefix);
}

describe('a tool that a result refers to', () => {
  it('is loaded without a change of the prefix, before and after its first call', () => {
    const builder = createRequestBuilder();
    let messages = history(user('go'));
    const sent = [builder.build(referring(), messages)];
    const tools = [SEARCH, spec('Fetch')];
    for (const [step, added] of [
      search('s1', reference('Fetch')),
      [answer('f1', [call('f1')]), user([result('f1')])],
      search('s2', reference('Ask')),
    ].entries()) {
      messages = messages.append(added);
      sent.push(builder.build(referring(step < 2 ? tools : [...tools, spec('Ask')]), messages));
    }
    expect(sent.map(({ request }) => namesOf(request))).toEqual([
      ['ToolSearch'],
      ['ToolSearch', 'Fetch (deferred)'],
      ['ToolSearch', 'Fetch (deferred)'],
      ['ToolSearch', 'Fetch (deferred)', 'Ask (deferred)'],
    ]);
    for (const [index, { request, rewrotePrefix }] of sent.entries()) {
      const before = sent[index - 1]?.request;
      expect([complaints(request), rewrotePrefix]).toEqual(['', false]);
      if (before) expect([isPrefix(before, request), readsAll(before, request)]).toEqual([true, true]);
    }
  });

  it('keeps the definition of the log if the tool changes or disappears', () => {
    const messages = history(user('go'), ...search('s1', reference('Fetch')));
    const [there, changed, gone] = [[SEARCH, spec('Fetch')], [SEARCH, spec('Fetch', 'New.')], [SEARCH]].map(
      (tools) => buildRequest(referring(tools), messages).request,
    );
    expect(namesOf(there as ModelRequest)).toEqual(['ToolSearch', 'Fetch (deferred)']);
    expect([changed?.tools, gone?.tools]).toEqual([there?.tools, there?.tools]);
  });

  it('gets its new definition from a second search, which rewrites the prefix', () => {
    const builder = createRequestBuilder();
    const messages = history(user('go'), ...search('s1', reference('Fetch')));
    builder.build(referring(), messages);
    const again = messages.append(search('s2', reference('Fetch', 'New.')));
    const { request, rewrotePrefix } = builder.build(referring(), again);
    expect([request.tools.at(-1)?.description, rewrotePrefix, complaints(request)]).toEqual([
      'New.',
      true,
      '',
    ]);
  });

  it('is part of the prefix if no sent message refers to it any more', () => {
    const { request } = buildRequest(referring([SEARCH, spec('Fetch')]), history(user('The summary.')));
    expect(namesOf(request)).toEqual(['Fetch', 'ToolSearch']);
  });

  it('stays in the request of a model that knows no references, with its definition as text', () => {
    const messages = history(user('go'), ...search('s1', reference('Fetch'), reference('Ask')));
    const { request } = buildRequest(view({ tools: [SEARCH, spec('Fetch')] }), messages);
    expect(namesOf(request)).toEqual(['Fetch', 'ToolSearch']);
    expect(lines(request).at(-1)).toContain(
      'These tools can be called now.\n\nFetch: Does it.\n{"type":"object"}\n\nAsk: Does it.',
    );
    expect(complaints(request)).toBe('');
  });

  it.each([
    ['has no definition', [SEARCH], [{ type: 'tool_reference', tool_name: 'Fetch' }]],
    ['is the only tool', [spec('Fetch')], [reference('Fetch')]],
  ])('is not deferred if it %s', (_why, tools, found) => {
    const { request } = buildRequest(referring(tools), history(user('go'), ...search('s1', ...found)));
    expect(request.tools.some(({ defer_loading }) => defer_loading)).toBe(false);
    expect(complaints(request)).toBe('');
  });

  it('is part of the prefix if the API refused the result that refers to it', () => {
    const messages = history(user('go'), ...search('s1', reference('Fetch')));
    const tools = [SEARCH, spec('Fetch')];
    const sent = buildRequest(referring(tools), messages).request.messages.at(2)?.content[0] ?? say('');
    const refusedBlocks = new Set([rejectedBlockName(sent)]);
    const { request } = buildRequest({ ...referring(tools), refusedBlocks }, messages);
    expect(namesOf(request)).toEqual(['Fetch', 'ToolSearch']);
    expect(complaints(request)).toBe('');
  });

  it('is referred to again if the API refuses another result of tools that were all loaded', () => {
    const tools = [spec('Fetch'), spec('Ask')];
    const messages = history(
      user('go'),
      ...search('s1', reference('Fetch')),
      ...search('s2', reference('Ask')),
    );
    const builder = createRequestBuilder();
    const sent = builder.build(referring(tools), messages).request.messages.at(1)?.content[0] ?? say('');
    const refused = { ...referring(tools), refusedBlocks: new Set([rejectedBlockName(sent)]) };
    const { request } = builder.build(refused, messages);
    expect(namesOf(request)).toEqual(['Fetch', 'Ask (deferred)']);
    expect(request.messages).toEqual(buildRequest(refused, messages).request.messages);
  });
});
