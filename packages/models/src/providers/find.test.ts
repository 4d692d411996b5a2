import { say, startFakeApi, startFakeProvider } from '@heddle/testing';
import { afterEach, describe, expect, it } from 'vitest';
import { chooseModel } from '../choose.ts';
import { findModel } from '../default-models.ts';
import { collectProviders } from '../models.ts';
import { ask, requestTo } from '../test/bridge.ts';
import { closeStages, closing, TEST_KEY, textIn } from '../test/stage-api.ts';

afterEach(closeStages);

/** No server listens at this address. */
const NOBODY = 'http://127.0.0.1:9';

async function ollama(
  models: readonly string[],
): Promise<{ readonly OLLAMA_HOST: string; readonly HEDDLE_LOCAL_TIMEOUT_MS: string }> {
  const server = closing(await startFakeProvider('chat', [say('From my own machine.')], { models }));
  return { OLLAMA_HOST: server.url, HEDDLE_LOCAL_TIMEOUT_MS: '20000' };
}

describe('if the user did not name a model', () => {
  it.each([
    [{ HEDDLE_MODEL: 'opus', OPENAI_API_KEY: 'k' }, 'opus'],
    [{ ANTHROPIC_MODEL: 'claude-x' }, 'claude-x'],
    [{ ANTHROPIC_API_KEY: 'k', OPENAI_API_KEY: 'k' }, 'sonnet'],
    [{ OPENAI_API_KEY: 'k', GEMINI_API_KEY: 'k' }, 'openai/gpt-6-sol'],
    [{ GEMINI_API_KEY: 'k' }, 'google/gemini-3.8-flash'],
    [{ OPENROUTER_API_KEY: 'k' }, 'openrouter/anthropic/claude-sonnet-5'],
    // Bedrock has no default model, so it must be named. Many users have these variables for other
    // purposes.
    [{ AWS_ACCESS_KEY_ID: 'k', AWS_REGION: 'r', OLLAMA_HOST: NOBODY }, undefined],
    [{ OLLAMA_HOST: NOBODY }, undefined],
  ])('%j means %s', async (environment, name) => {
    expect(await findModel(environment)).toBe(name);
  });

  it('a running Ollama is found', async () => {
    expect(await findModel(await ollama(['qwen3:8b', 'gemma4']))).toBe('ollama/qwen3:8b');
    expect(await findModel(await ollama([]))).toBeUndefined();
  });

  it('another server on this machine is found if its address was set', async () => {
    const server = closing(await startFakeProvider('chat', [], { models: ['own'] }));
    const environment = {
      OLLAMA_HOST: NOBODY,
      VLLM_BASE_URL: `${server.url}/v1`,
      HEDDLE_LOCAL_TIMEOUT_MS: '20000',
    };
    expect(await findModel(environment)).toBe('vllm/own');
  });
});

describe('choosing', () => {
  const KEYS = { OPENAI_API_KEY: TEST_KEY, GEMINI_API_KEY: TEST_KEY, MISTRAL_API_KEY: TEST_KEY };

  it.each([
    ['openai/gpt-5', 'openai/gpt-5', 'OPENAI_API_KEY'],
    ['openai:gpt-5', 'openai/gpt-5', 'OPENAI_API_KEY'],
    ['gpt-5', 'openai/gpt-5', 'OPENAI_API_KEY'],
    ['gemini-2.5-pro', 'google/gemini-2.5-pro', 'GEMINI_API_KEY'],
    ['mistral', 'mistral/mistral-medium-3-5', 'MISTRAL_API_KEY'],
  ])('%s means %s', async (name, full, keySource) => {
    expect(await chooseModel(name, {}, { environment: KEYS })).toMatchObject({
      ok: true,
      name: full,
      keySource,
    });
  });

  it('a server alone means the first model that it has', async () => {
    const environment = await ollama(['qwen3:8b']);
    const chosen = await chooseModel('ollama', {}, { environment });
    if (!chosen.ok) throw new Error(chosen.message);
    expect(chosen).toMatchObject({ name: 'ollama/qwen3:8b', keySource: 'none' });
    expect(await chosen.local?.window).toBeUndefined();
    const records = await ask(chosen.port, requestTo({ model: chosen.name }));
    expect(textIn(records)).toBe('From my own machine.');
  });

  it('a provider without a default model requires a model name', async () => {
    expect(await chooseModel('bedrock', {}, { environment: {} })).toMatchObject({
      ok: false,
      message: expect.stringContaining('say which model of Amazon Bedrock: bedrock/MODEL'),
    });
  });

  it('a server that is not running, or has no models, is reported', async () => {
    expect(await chooseModel('ollama', {}, { environment: { OLLAMA_HOST: NOBODY } })).toMatchObject({
      ok: false,
      message: `The model ollama could not be loaded: Ollama does not answer at ${NOBODY}/v1. Start it with: ollama serve`,
    });
    const environment = await ollama([]);
    expect(await chooseModel('ollama', {}, { environment })).toMatchObject({
      message: `The model ollama could not be loaded: Ollama at ${environment.OLLAMA_HOST}/v1 has no model yet`,
    });
  });

  it("the caller's own kind precedes a provider of the same name", async () => {
    const own = () =>
      Promise.resolve(() => {
        throw new Error('never asked');
      });
    expect(await chooseModel('openai/x', { openai: own }, {})).toMatchObject({ ok: true, name: 'openai/x' });
  });
});

describe('a run that switches to another model', () => {
  it('finds it at its own provider, in both directions', async () => {
    const api = closing(await startFakeApi(() => say('From Claude.'), { models: ['claude-sonnet-5'] }));
    const openai = closing(await startFakeProvider('responses', () => say('From OpenAI.')));
    const environment = {
      ANTHROPIC_API_KEY: TEST_KEY,
      ANTHROPIC_BASE_URL: api.url,
      OPENAI_API_KEY: TEST_KEY,
      OPENAI_BASE_URL: `${openai.url}/v1`,
    };
    for (const first of ['sonnet', 'openai/gpt-5']) {
      const chosen = await chooseModel(first, {}, { environment });
      if (!chosen.ok) throw new Error(chosen.message);
      const claude = await ask(chosen.port, requestTo({ model: 'claude-sonnet-5' }));
      const gpt = await ask(chosen.port, requestTo({ model: 'openai/gpt-5' }));
      expect([textIn(claude), textIn(gpt)]).toEqual(['From Claude.', 'From OpenAI.']);
    }
  });

  it('asks the chosen port for unknown names', async () => {
    const api = closing(await startFakeApi(() => say('Mine.'), { models: ['of-my-gateway', 'its-spare'] }));
    const environment = { ANTHROPIC_API_KEY: TEST_KEY, ANTHROPIC_BASE_URL: api.url };
    const chosen = await chooseModel('anthropic/of-my-gateway', {}, { environment });
    if (!chosen.ok) throw new Error(chosen.message);
    expect(textIn(await ask(chosen.port, requestTo({ model: 'its-spare' })))).toBe('Mine.');
  });
});

describe('the list of providers', () => {
  it('reports which are usable, why, and advice for the others; never a key', async () => {
    const environment = { ...(await ollama(['qwen3:8b'])), OPENAI_API_KEY: TEST_KEY, HOME: '/nowhere' };
    const listed = await collectProviders(environment);
    const found = Object.fromEntries(
      listed.map(({ id, isUsable, because, advice }) => [id, { isUsable, because, advice }]),
    );
    expect(found).toMatchObject({
      anthropic: { isUsable: false, advice: 'set ANTHROPIC_API_KEY' },
      openai: { isUsable: true, because: 'OPENAI_API_KEY' },
      google: { isUsable: false, advice: 'set GEMINI_API_KEY' },
      ollama: { isUsable: true, because: `running at ${environment.OLLAMA_HOST}/v1` },
      vllm: { isUsable: false, advice: expect.stringContaining('vllm serve') },
    });
    expect(JSON.stringify(listed)).not.toContain(TEST_KEY);
  });

  it('reports other required packages for the present configuration', async () => {
    const environment = { AWS_PROFILE: 'work', AWS_REGION: 'eu-central-1', HOME: '/nowhere' };
    const [bedrock] = await collectProviders(environment, { only: 'bedrock' });
    expect(bedrock).toMatchObject({
      isUsable: false,
      advice: expect.stringMatching(/^npm install --prefix .*@aws-sdk\/credential-providers@/),
    });
    const [keyed] = await collectProviders({ ...environment, AWS_ACCESS_KEY_ID: 'k' }, { only: 'bedrock' });
    expect(keyed).toMatchObject({ isUsable: true, because: 'AWS_ACCESS_KEY_ID' });
  });

  it('has models under the names that --model accepts, with window and price', async () => {
    const [openai] = await collectProviders({}, { only: 'openai' });
    expect(openai?.models.find(({ id }) => id === 'openai/gpt-6-sol')).toEqual({
      id: 'openai/gpt-6-sol',
      name: 'GPT-6 Sol',
      contextWindow: 1_050_000,
      inputPerMillion: 2,
      outputPerMillion: 10,
      aliases: ['openai'],
    });
    const ids = async (only: string) => (await collectProviders({}, { only }))[0]?.models.map(({ id }) => id);
    expect(await ids('vertex')).toContain('vertex/claude-opus-5-5');
    expect(await ids('google')).not.toContain('google/claude-opus-5-5');
    const [mine] = await collectProviders(await ollama(['qwen3:8b']), { only: 'ollama' });
    expect(mine?.models).toEqual([
      expect.objectContaining({ id: 'ollama/qwen3:8b', inputPerMillion: 0, contextWindow: undefined }),
    ]);
  });
});
