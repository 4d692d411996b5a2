/** WebSearch through everything: the loop, the tool, a request of its own over real HTTP, and the bill. */
import { once } from 'node:events';
import type { ModelPort } from '@heddle/core';
import {
  type ApiScript,
  call,
  contextOf,
  createClock,
  fail,
  type FakeApi,
  foreignBlock,
  pauseTurn,
  say,
  startFakeApi,
  usage,
} from '@heddle/testing';
import { chooseModel } from '@heddle/models';
import { builtinToolSet } from '@heddle/tools';
import { afterEach, describe, expect, it } from 'vitest';
import { createAgent } from '../create-agent.ts';
import type { SdkResult } from '../sdk/message.ts';
import type { AgentOptions } from './options.ts';

const MODEL = 'claude-sonnet-4-5';
const open: FakeApi[] = [];
afterEach(async () => {
  for (const api of open.splice(0)) await api.close();
});

async function run(script: ApiScript, more: Partial<AgentOptions> = {}) {
  const api = await startFakeApi(script);
  open.push(api);
  const chosen = await chooseModel(
    MODEL,
    {},
    { baseUrl: api.url, apiKey: 'k', environment: {}, clock: createClock() },
  );
  if (!chosen.ok) throw new Error(chosen.message);
  const { port } = chosen;
  const tools = builtinToolSet({
    web: port.searchesWeb ? { search: { model: port, modelName: MODEL } } : {},
  });
  const agent = createAgent({
    model: port,
    modelName: MODEL,
    tools: [...tools.active, ...tools.deferred],
    cwd: '/',
    rules: { allow: [{ text: 'WebSearch', source: 'user' }], ask: [], deny: [] },
    price: (_model, { output_tokens }) => output_tokens / 1_000,
    ...more,
  });
  let result: SdkResult | undefined;
  let content = '';
  for await (const line of agent.submit('What is new?')) {
    if (line.type === 'user') content += JSON.stringify(line.message.content);
    if (line.type === 'result') result = line;
  }
  return { api, content, result, body: (index: number) => bodyOf(api, index) };
}

function bodyOf(api: FakeApi, index: number): Readonly<Record<string, unknown>> {
  const body = api.requests[index]?.body;
  return typeof body === 'object' && body !== null ? { ...body } : {};
}

/** A model that says nothing until it is told to stop; `gone` does that as soon as it is asked. */
function hanging(gone?: AbortController): ModelPort {
  return async function* (_request, signal) {
    gone?.abort();
    if (!signal.aborted) await once(signal, 'abort');
    yield { type: 'model_error', class: 'aborted', message: 'aborted' };
  };
}

const search = call('WebSearch', { query: 'heddle' }, 'w1');
const searched = foreignBlock({
  type: 'server_tool_use',
  id: 'srvtoolu_1',
  name: 'web_search',
  input: { query: 'heddle' },
});
const found = foreignBlock({
  type: 'web_search_tool_result',
  tool_use_id: 'srvtoolu_1',
  content: [
    {
      type: 'web_search_result',
      title: 'A loom\npart',
      url: 'https://a.example/1',
      page_age: '2 days',
      encrypted_content: 'x',
    },
    {
      type: 'web_search_result',
      title: 'Again',
      url: 'https://a.example/1',
      page_age: null,
      encrypted_content: 'y',
    },
    {
      type: 'web_search_result',
      title: 'B',
      url: 'https://b.example/',
      page_age: null,
      encrypted_content: 'z',
    },
  ],
});

describe('WebSearch', () => {
  it('asks the server in a request of its own, shows the links, and is on the bill', async () => {
    const { api, body, content, result } = await run([
      search,
      [
        searched,
        found,
        say('A heddle guides a thread.'),
        usage({ input_tokens: 10, output_tokens: 7, server_tool_use: { web_search_requests: 1 } }),
      ],
      say('It guides a thread.'),
    ]);
    api.assertNoViolations();
    expect(body(1)).toMatchObject({
      model: MODEL,
      tools: [{ type: 'web_search_20250305', name: 'web_search' }],
      messages: [{ role: 'user' }],
    });
    expect(JSON.stringify(body(0)['tools'])).not.toContain('web_search_20250305');
    expect(content).toContain(
      JSON.stringify(
        '- A loom part: https://a.example/1 (2 days)\n- B: https://b.example/\n\nA heddle guides a thread.',
      ).slice(1, -1),
    );
    expect(result).toMatchObject({
      result: 'It guides a thread.',
      modelUsage: { [MODEL]: { webSearchRequests: 1 } },
    });
    expect(result?.total_cost_usd).toBeGreaterThanOrEqual(0.007);
  });

  it('hands on the domains', async () => {
    const { body } = await run([
      call('WebSearch', { query: 'heddle', blocked_domains: ['ads.example'] }, 'w1'),
      say('Nothing.'),
      say('So.'),
    ]);
    expect(body(1)['tools']).toEqual([expect.objectContaining({ blocked_domains: ['ads.example'] })]);
  });

  it.each([
    [{ query: 'x y', allowed_domains: ['a.example'], blocked_domains: ['b.example'] }, 'either'],
    [{ query: 'x y', allowed_domains: ['https://a.example'] }, 'a domain such as example.com'],
    [{ query: 'x' }, 'query'],
  ])('refuses %j', async (input, why) => {
    const { api, content } = await run([call('WebSearch', input, 'w1'), say('So.')]);
    expect(content).toContain(why);
    expect(api.requests).toHaveLength(2);
  });

  it('continues after a pause of the server', async () => {
    const { api, content, body } = await run([
      search,
      [searched, found, pauseTurn()],
      say('That is all.'),
      say('So.'),
    ]);
    api.assertNoViolations();
    expect(body(2)['messages']).toMatchObject([{ role: 'user' }, { role: 'assistant' }]);
    expect(content).toContain('That is all.');
    expect(content).toContain('https://b.example/');
  });

  it('says why there is nothing, and is still on the bill', async () => {
    const refused = foreignBlock({
      type: 'web_search_tool_result',
      tool_use_id: 'srvtoolu_1',
      content: { type: 'web_search_tool_result_error', error_code: 'too_many_requests' },
    });
    const { content, result } = await run([
      search,
      [
        searched,
        refused,
        usage({ input_tokens: 1, output_tokens: 1, server_tool_use: { web_search_requests: 1 } }),
      ],
      say('So.'),
    ]);
    expect(content).toContain('too many searches in a short time');
    expect(result).toMatchObject({ modelUsage: { [MODEL]: { webSearchRequests: 1 } } });
    const broken = await run([
      search,
      fail('bad_request', { message: 'web_search is not enabled' }),
      say('So.'),
    ]);
    expect(broken.content).toContain('web_search is not enabled');
    expect(broken.result?.subtype).toBe('success');
  });

  it('ends with the turn', async () => {
    const gone = new AbortController();
    const { active, deferred } = builtinToolSet({
      web: { search: { model: hanging(gone), modelName: MODEL } },
    });
    const tool = [...active, ...deferred].find(({ name }) => name === 'WebSearch');
    const context = { ...contextOf({ signal: gone.signal }), toolUseId: 'w1' };
    await expect(tool?.call({ query: 'heddle' }, context, () => undefined)).rejects.toThrow(/abort/);
  });

  it('does not wait for ever', async () => {
    const search = { model: hanging(), modelName: MODEL, timeoutMs: 20 };
    const { active, deferred } = builtinToolSet({ web: { search } });
    const tool = [...active, ...deferred].find(({ name }) => name === 'WebSearch');
    const output = await tool?.call({ query: 'x y' }, { ...contextOf(), toolUseId: 'w1' }, () => undefined);
    expect(tool?.toResult(output?.data)).toMatchObject({
      isError: true,
      content: expect.stringContaining('20 ms'),
    });
  });

  it('is asked about, and not there at all where the server cannot search', async () => {
    const { api, content } = await run([search, say('So.')], { rules: { allow: [], ask: [], deny: [] } });
    expect(content).toContain('No rule allows a web search.');
    expect(api.requests).toHaveLength(2);
    const { active, deferred } = builtinToolSet();
    expect([...active, ...deferred].map(({ name }) => name)).not.toContain('WebSearch');
  });
});
