/** The library as a program uses it: a tool, an agent, an answer. The real engine against a fake Messages API. */
import { mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { isRecord } from '@heddle/core';
import { call, fail, type FakeApi, say, scriptedModel, startFakeApi } from '@heddle/testing';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import * as z from 'zod';
import { agent, AgentError, openSession, tool } from '../index.ts';

let cwd = '';
let api: FakeApi | undefined;
beforeEach(() => {
  cwd = mkdtempSync(path.join(os.tmpdir(), 'heddle-library-'));
});
afterEach(async () => {
  rmSync(cwd, { recursive: true });
  await api?.close();
  api = undefined;
  vi.unstubAllEnvs();
});

const weather = tool({
  name: 'weather',
  description: 'Returns the weather of a city.',
  input: z.object({ city: z.string() }),
  run: ({ city }) => `Rain in ${city}.`,
});

describe('an agent in a few lines', () => {
  it('answers with the help of its own tool, without a question', async () => {
    api = await startFakeApi([call('weather', { city: 'Oslo' }, 'w1'), say('Take an umbrella.')], {
      models: ['claude-sonnet-4-5'],
    });
    vi.stubEnv('ANTHROPIC_API_KEY', 'key');
    vi.stubEnv('ANTHROPIC_BASE_URL', api.url);
    const assistant = agent({ model: 'claude-sonnet-4-5', tools: [weather], cwd });
    expect(await assistant.text('Umbrella?')).toBe('Take an umbrella.');
    api.assertNoViolations();
    const [first, second] = api.requests.map(({ body }) => JSON.stringify(body));
    expect(first).toContain('"city":{"type":"string"}');
    expect(second).toContain('Rain in Oslo.');
  });

  it('streams messages, with parts of the answer if asked for them', async () => {
    const assistant = agent({
      model: scriptedModel([say('Hello.')]),
      tools: [],
      includePartialMessages: true,
      cwd,
    });
    const types: string[] = [];
    for await (const message of assistant.stream('Hi.')) types.push(message.type);
    expect(types).toEqual(expect.arrayContaining(['system', 'stream_event', 'assistant', 'result']));
    expect(types.at(-1)).toBe('result');
  });

  it('keeps the conversation from prompt to prompt', async () => {
    const assistant = agent({ model: scriptedModel([say('One.'), say('Two.')]), tools: [], cwd });
    await assistant.text('First.');
    await assistant.text('Second.');
    expect((await assistant.start()).messages).toHaveLength(4);
  });

  it('continues a stored session in another agent', async () => {
    const id = '11111111-2222-4333-8444-555555555555';
    for (const expected of [2, 4]) {
      const session = openSession(id, { cwd, configDir: cwd });
      const assistant = agent({ model: scriptedModel([say('Noted.')]), tools: [], session, cwd });
      await assistant.text('Remember this.');
      expect((await assistant.start()).messages).toHaveLength(expected);
      session.journal.close();
    }
  });

  it('rejects with the reason if there is no answer', async () => {
    const assistant = agent({
      model: scriptedModel([
        call('weather', { city: 'Rome' }, 'w1'),
        call('weather', { city: 'Bern' }, 'w2'),
      ]),
      tools: [weather],
      maxTurns: 1,
      cwd,
    });
    await expect(assistant.text('Go.')).rejects.toSatisfy(
      (thrown) => thrown instanceof AgentError && thrown.result.subtype === 'error_max_turns',
    );
  });

  it('ends a prompt when its signal aborts', async () => {
    const controller = new AbortController();
    const slow = tool({
      name: 'slow',
      description: 'Never ends by itself.',
      input: z.object({}),
      run: (_, { signal }) => {
        controller.abort();
        return new Promise((_resolve, reject) => {
          signal.addEventListener('abort', () => reject(new Error('aborted')), { once: true });
          if (signal.aborted) reject(new Error('aborted'));
        });
      },
    });
    const assistant = agent({ model: scriptedModel([call('slow', {}, 's1')]), tools: [slow], cwd });
    const { subtype } = await assistant.run('Go.', { signal: controller.signal });
    expect(subtype).toBe('error_during_execution');
  });

  it('asks about calls that no rule decides, and obeys rules first', async () => {
    const asked: string[] = [];
    const { builtinTools } = await import('../index.ts');
    const assistant = agent({
      model: scriptedModel([
        call('Bash', { command: 'touch a' }, 'b1'),
        call('Bash', { command: 'curl x' }, 'b2'),
        say('Done.'),
      ]),
      tools: builtinTools(),
      permissions: {
        deny: ['Bash(curl *)'],
        canUseTool: ({ input }) => {
          asked.push(JSON.stringify(input['command']));
          return Promise.resolve(false);
        },
      },
      cwd,
    });
    const { permission_denials: denials } = await assistant.run('Go.');
    expect(asked).toEqual(['"touch a"']);
    expect(denials).toHaveLength(2);
  });
});

describe('a tool', () => {
  it.each([
    ['a string', 'text', 'text'],
    ['JSON', { a: 1 }, '{"a":1}'],
    ['nothing', undefined, 'Done.'],
    ['blocks', [{ type: 'text' as const, text: 'block' }], [{ type: 'text', text: 'block' }]],
    ['an empty list', [], '[]'],
  ])('may return %s', (_, data, content) => {
    expect(weather.toResult(data)).toEqual({ content });
  });

  it('gives the model the problem with an invalid input', async () => {
    const model = scriptedModel([call('weather', { city: 3 }, 'w1'), say('Sorry.')]);
    const assistant = agent({ model, tools: [weather], cwd });
    await assistant.text('Go.');
    expect(JSON.stringify([...(await assistant.start()).messages])).toMatch(/city.*expected string/i);
  });
});

describe('an option that cannot work', () => {
  const any = (value: unknown): never => value as never;
  it.each([
    ['maxTurns: -1', () => agent({ maxTurns: -1 }), /maxTurns must be a whole number/],
    ['maxBudgetUsd: 0', () => agent({ maxBudgetUsd: 0 }), /maxBudgetUsd must be an amount over 0/],
    ['a missing cwd', () => agent({ cwd: '/does/not/exist' }), /cwd must be an existing folder/],
    ['an unknown option', () => agent(any({ prompt: 'x' })), /The option prompt does not exist/],
    ['a model that is a number', () => agent({ model: any(3) }), /model must be the name/],
    ['a tool without run', () => agent({ tools: [any({ name: 'x' })] }), /Make each tool with tool/],
    [
      'a tool without a schema',
      () => tool(any({ name: 'x', description: 'y', run: () => '' })),
      /needs an input/,
    ],
    [
      'a tool with a plain object',
      () => tool({ name: 'x', description: 'y', input: any({}), run: () => '' }),
      /needs an input/,
    ],
    [
      'a tool whose input is not an object',
      () => tool({ name: 'x', description: 'y', input: z.string(), run: () => '' }),
      /needs an input/,
    ],
    [
      'a tool without a description',
      () => tool({ name: 'x', description: '', input: z.object({}), run: () => '' }),
      /needs a description/,
    ],
    [
      'a name with a space',
      () => tool({ name: 'a b', description: 'y', input: z.object({}), run: () => '' }),
      /letters, digits/,
    ],
  ])('is rejected with a sentence: %s', (_, make, message) => {
    expect(make).toThrow(message);
  });

  it('falls back to a model by its short name, in the order of the list', async () => {
    api = await startFakeApi(({ model }) =>
      String(model).startsWith('claude-haiku') ? say(`I am ${String(model)}.`) : fail('not_found'),
    );
    vi.stubEnv('ANTHROPIC_API_KEY', 'key');
    vi.stubEnv('ANTHROPIC_BASE_URL', api.url);
    const fallbackModel = ['anthropic/claude-opus-4-1', 'anthropic/haiku', 'sonnet'];
    const assistant = agent({ model: 'claude-sonnet-4-5', fallbackModel, tools: [], cwd });
    expect(await assistant.text('Hi.')).toMatch(/^I am claude-haiku-[\d-]+\.$/);
    expect(api.requests.map(({ body }) => (isRecord(body) ? body['model'] : undefined))).toEqual([
      'claude-sonnet-4-5',
      'claude-opus-4-1',
      expect.stringMatching(/^claude-haiku-/),
    ]);
  });

  it('rejects the first prompt if there is no such fallback', async () => {
    vi.stubEnv('ANTHROPIC_API_KEY', 'key');
    const assistant = agent({ model: 'claude-sonnet-4-5', fallbackModel: 'nonsense', tools: [], cwd });
    await expect(assistant.text('Hi.')).rejects.toThrow(/^fallbackModel: There is no model named nonsense/);
  });

  it('rejects the first prompt if there is no such model', async () => {
    await expect(agent({ model: 'nowhere/none', tools: [], cwd }).text('Hi.')).rejects.toThrow(/nowhere/);
  });
});
