import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import manifest from '../../package.json' with { type: 'json' };
import { createPrices } from '../prices/prices.ts';
import { SECRET_VARIABLES } from '../secrets/environment.ts';
import { type Features, PACKAGES, type Provider } from '../provider.ts';
import { providerAddress, readinessOf } from './settings.ts';
import { PROVIDERS, providerNamed, readModelName } from './providers.ts';

const prices = createPrices();

describe('the table of providers', () => {
  it('names the tested versions', () => {
    expect(manifest.peerDependencies).toEqual(PACKAGES);
    expect(manifest.devDependencies).toMatchObject(PACKAGES);
  });

  it.each(PROVIDERS.filter(({ usual }) => usual !== undefined))(
    '$id has a default model whose price and window are known',
    ({ id, usual }) => {
      const used = {
        input_tokens: 1_000,
        output_tokens: 1_000,
        cache_creation_input_tokens: 0,
        cache_read_input_tokens: 0,
      };
      expect(prices.priceOf(`${id}/${usual}`, used)).toBeGreaterThan(0);
      expect(prices.windowOf(`${id}/${usual}`)).toBeGreaterThan(100_000);
    },
  );

  /** The keys of a cloud account are not only for models: the user's commands need them. */
  const CLOUD = new Set(['AWS_ACCESS_KEY_ID']);

  it('has no key that a child process would see', () => {
    const keys = PROVIDERS.flatMap((provider) => provider.keys).filter((key) => !CLOUD.has(key));
    expect(SECRET_VARIABLES).toEqual(expect.arrayContaining([...new Set(keys)]));
  });
});

describe('a name', () => {
  it.each([
    ['openai/gpt-5', 'openai', 'gpt-5'],
    ['openai:gpt-5', 'openai', 'gpt-5'],
    ['gpt-5', 'openai', 'gpt-5'],
    ['o3', 'openai', 'o3'],
    ['gemini-2.5-pro', 'google', 'gemini-2.5-pro'],
    ['grok-4.6', 'xai', 'grok-4.6'],
    ['openrouter/z-ai/glm-5.3', 'openrouter', 'z-ai/glm-5.3'],
    ['OpenRouter/z-ai/glm-5.3', 'openrouter', 'z-ai/glm-5.3'],
    ['ollama/qwen3:8b', 'ollama', 'qwen3:8b'],
    ['bedrock/us.anthropic.claude-opus-5-5-v1:0', 'bedrock', 'us.anthropic.claude-opus-5-5-v1:0'],
    ['groq', 'groq', ''],
  ])('%s belongs to %s', (name, provider, model) => {
    expect(readModelName(name)).toMatchObject({ provider: { id: provider }, model });
  });

  it.each(['gpt', 'openais', 'unknown/m', '', '/', 'opus'])('%s does not belong to a provider', (name) => {
    expect(readModelName(name)).toBeUndefined();
  });
});

describe('an address', () => {
  it.each([
    ['ollama', {}, 'http://127.0.0.1:11434/v1'],
    ['ollama', { OLLAMA_HOST: '0.0.0.0' }, 'http://127.0.0.1:11434/v1'],
    ['ollama', { OLLAMA_HOST: 'gpu.local:8000' }, 'http://gpu.local:8000/v1'],
    ['ollama', { OLLAMA_HOST: 'https://ollama.example.org/api/' }, 'https://ollama.example.org/api/v1'],
    ['openai', { OPENAI_BASE_URL: 'http://127.0.0.1:1/v1/' }, 'http://127.0.0.1:1/v1'],
    ['bedrock', {}, undefined],
  ])('of %s with %j is %s', (id, environment, address) => {
    expect(providerAddress(named(id), environment)).toBe(address);
  });
});

describe('readiness', () => {
  it.each([
    ['openai', {}, { is: 'missing', set: 'OPENAI_API_KEY' }],
    ['openai', { OPENAI_API_KEY: 'k' }, { is: 'configured', by: 'OPENAI_API_KEY' }],
    ['openai', { OPENAI_API_KEY: ' ' }, { is: 'missing', set: 'OPENAI_API_KEY' }],
    ['google', { GOOGLE_API_KEY: 'k' }, { is: 'configured', by: 'GOOGLE_API_KEY' }],
    ['bedrock', {}, { is: 'missing', set: 'AWS_BEARER_TOKEN_BEDROCK and AWS_REGION' }],
    ['bedrock', { AWS_ACCESS_KEY_ID: 'a', AWS_REGION: 'r' }, { is: 'configured', by: 'AWS_ACCESS_KEY_ID' }],
    ['ollama', {}, { is: 'perhaps' }],
  ])('of %s with %j is %j', (id, environment, readiness) => {
    expect(readinessOf(named(id), environment)).toEqual(readiness);
  });
});

function named(id: string): Provider {
  const provider = providerNamed(id);
  if (provider === undefined) throw new Error(id);
  return provider;
}

describe('the documentation', () => {
  const text = readFileSync(new URL('../../../../docs/models.md', import.meta.url), 'utf8');

  it.each(PROVIDERS)('describes $id as the table does', (provider) => {
    expect(text).toContain(setupRow(provider));
    expect(text).toContain(featureRow(provider));
  });

  it('describes no other provider', () => {
    const listed = [...text.slice(text.indexOf('## Providers')).matchAll(/^\| `([a-z-]+)` \|/gm)].map(
      ([, id]) => id,
    );
    expect(new Set(listed)).toEqual(new Set([...PROVIDERS.map(({ id }) => id), 'anthropic']));
  });
});

function setupRow(provider: Provider): string {
  const { id, name, package: own, keys, needs, settings = [], baseUrlVariable, baseUrl } = provider;
  const variables =
    needs === 'settings'
      ? settings.map((names) => names.map(code).join(' or ')).join(', ')
      : `${keys.map(code).join(' or ')}${needs === 'server' ? ' (if it wants one)' : ''}`;
  const address = `${code(baseUrlVariable)}${baseUrl === undefined ? '' : ` (${baseUrl})`}`;
  return `| ${code(id)} | ${name} | ${code(own)} | ${variables} | ${address} |`;
}

function featureRow({ id, wire, features }: Provider): string {
  const yes = (has: boolean) => (has ? 'yes' : 'no');
  const { images, documents, mediaInResults, thinking, effort }: Features = features;
  const cells = [WIRE[wire], yes(images), yes(documents), yes(mediaInResults), thinking, yes(effort)];
  return `| ${code(id)} | ${cells.join(' | ')} |`;
}

const WIRE = {
  responses: 'Responses',
  chat: 'Chat Completions',
  gemini: 'Gemini',
  converse: 'Converse',
} as const;

function code(word: string): string {
  return `\`${word}\``;
}
