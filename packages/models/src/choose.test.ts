import type { ModelPort } from '@heddle/core';
import { scriptedModel } from '@heddle/testing';
import { describe, expect, it } from 'vitest';
import { fullModelName, modelFromEnvironment } from './aliases.ts';
import { chooseModel } from './choose.ts';
import type { PriceOverrides } from './prices/prices.ts';
import type { Environment } from './secrets/environment.ts';
import { collectProviders } from './models.ts';

const environment = {};
const port: ModelPort = scriptedModel([]);
const kinds = {
  rehearsal: () => Promise.resolve(port),
  scripted: (rest: string) =>
    rest === 'missing' ? Promise.reject(new Error('no such file')) : Promise.resolve(port),
};

describe('choosing a model', () => {
  it.each([
    ['claude-opus-5-5', 'claude-opus-5-5'],
    ['anthropic/claude-opus-5-5', 'claude-opus-5-5'],
    ['anthropic:claude-opus-5-5', 'claude-opus-5-5'],
    ['anthropic/of-my-gateway', 'of-my-gateway'],
    ['anthropic/sonnet', 'claude-sonnet-5-5'],
    ['anthropic', 'claude-sonnet-5-5'],
    ['opus', 'claude-opus-5-5'],
    ['Haiku', 'claude-haiku-5-5'],
  ])('%s means %s of the Messages API', async (name, model) => {
    const chosen = await chooseModel(name, kinds, { environment });
    expect(chosen).toMatchObject({ ok: true, name: model });
    expect(chosen.ok && chosen.preconnect).toBeTypeOf('function');
  });

  it.each(['rehearsal', 'scripted:a/b.json', 'scripted/a'])(
    '%s is made by the kind that the caller brought',
    async (name) => {
      const chosen = await chooseModel(name, kinds, { environment });
      expect(chosen).toMatchObject({ ok: true, name });
      expect(chosen.ok && 'shapes' in chosen.port).toBe(true);
    },
  );

  it('shows no password of a proxy whose address is wrong', async () => {
    const wrong = { OPENAI_API_KEY: 'a-key', HTTPS_PROXY: 'http://user:hunter2-secret@:99999' };
    const chosen = await chooseModel('openai/gpt-5', kinds, { environment: wrong });
    expect(chosen).toMatchObject({ ok: false, message: expect.stringContaining('HTTPS_PROXY') });
    expect(JSON.stringify(chosen)).not.toContain('hunter2');
  });

  it('says what there is when a name means nothing', async () => {
    expect(await chooseModel('my-own-thing', kinds, { environment })).toEqual({
      ok: false,
      message:
        'There is no model named my-own-thing. Known: opus, sonnet, haiku, fable, claude-…, PROVIDER/MODEL, rehearsal, scripted. See: heddle models',
    });
  });

  it.each([
    ['opnai/gpt-5', 'openai/gpt-5'],
    ['openruoter/anthropic/claude-sonnet-5', 'openrouter/anthropic/claude-sonnet-5'],
    ['olama/qwen3:8b', 'ollama/qwen3:8b'],
    ['mistrall', 'mistral'],
    ['sonet', 'sonnet'],
    ['rehersal', 'rehearsal'],
    ['antropic/opus', 'anthropic/opus'],
    ['gemini/gemini-3.8-flash', 'google/gemini-3.8-flash'],
    ['aws:anthropic.claude-sonnet-5', 'bedrock:anthropic.claude-sonnet-5'],
    ['lm-studio/any', 'lmstudio/any'],
    ['grok', 'xai'],
  ])('%s was meant to be %s', async (name, meant) => {
    expect(await chooseModel(name, kinds, { environment })).toEqual({
      ok: false,
      message: `There is no model named ${name}. Did you mean ${meant}? See: heddle models`,
    });
  });

  it('says which variable named a model that is not there', async () => {
    const misled = { ...environment, HEDDLE_MODEL: 'my-own-thing' };
    expect(await chooseModel('my-own-thing', kinds, { environment: misled })).toMatchObject({
      message: expect.stringContaining('There is no model named my-own-thing (HEDDLE_MODEL says so). '),
    });
  });

  it('says why a model could not be loaded', async () => {
    expect(await chooseModel('scripted:missing', kinds, { environment })).toEqual({
      ok: false,
      message: 'The model scripted:missing could not be loaded: no such file',
    });
  });

  it('follows the environment', () => {
    expect(fullModelName('opus', { ANTHROPIC_DEFAULT_OPUS_MODEL: 'claude-opus-9' })).toBe('claude-opus-9');
    expect(modelFromEnvironment({ ANTHROPIC_MODEL: 'opus' })).toBe('opus');
    expect(modelFromEnvironment({})).toBeUndefined();
  });
});

async function listModels(environment: Environment, overrides: PriceOverrides = {}) {
  const [anthropic] = await collectProviders(environment, { only: 'anthropic', overrides });
  return anthropic?.models ?? [];
}

describe('the list of models', () => {
  it('shows each with its window, price and short names', async () => {
    const listed = await listModels({});
    expect(listed.find(({ id }) => id === 'claude-opus-5-5')).toEqual({
      id: 'claude-opus-5-5',
      name: 'Claude Opus 5.5',
      contextWindow: 1_000_000,
      inputPerMillion: 4,
      outputPerMillion: 20,
      aliases: ['opus'],
    });
  });

  it('has lines for models that only the user knows', async () => {
    const listed = await listModels(
      { ANTHROPIC_DEFAULT_OPUS_MODEL: 'of-my-gateway' },
      { 'my-model': { inputPerMillion: 1, outputPerMillion: 2, contextWindow: 9 } },
    );
    expect(listed.find(({ id }) => id === 'of-my-gateway')).toMatchObject({
      aliases: ['opus'],
      contextWindow: undefined,
    });
    expect(listed.find(({ id }) => id === 'my-model')).toMatchObject({
      inputPerMillion: 1,
      contextWindow: 9,
    });
    expect(listed.find(({ id }) => id === 'claude-opus-5-5')).toMatchObject({ aliases: [] });
  });
});
