/** Creates a model of each provider after its package was loaded. */
import type { LanguageModelV4 } from '@ai-sdk/provider';
import { isRecord, omitUndefined } from '@heddle/core';
import { type Environment, readVariable } from '../secrets/environment.ts';
import type { LoadedPackage } from './load.ts';
import type { Provider } from '../provider.ts';
import { findFirstSet, providerAddress, providerKey } from './settings.ts';

export interface MakeOptions {
  readonly environment: Environment;
  readonly headers: Readonly<Record<string, string>>;
  readonly fetch: typeof globalThis.fetch;
  /** Fields that had to be looked up first. */
  readonly own: Fields;
  /** Loads another entry point of the same package. */
  readonly loadEntry: (entry: string) => Promise<LoadedPackage>;
}

type Fields = Readonly<Record<string, unknown>>;
/** Called with a model's name, it returns a model. Some makers have further methods. */
type Maker = (name: string) => unknown;

export async function makeModel(
  provider: Provider,
  loaded: LoadedPackage,
  name: string,
  options: MakeOptions,
): Promise<LanguageModelV4> {
  const maker =
    provider.id === 'vertex' && isClaude(name)
      ? await claudeMaker(options)
      : makerOf(provider, loaded, options);
  const model = provider.id === 'openai-chat' ? wayOf(maker, 'chat')(name) : maker(name);
  if (isModel(model)) return model;
  throw new Error(
    `${provider.package} does not speak version 4 of the provider interface: install another version of it`,
  );
}

function makerOf(provider: Provider, loaded: LoadedPackage, options: MakeOptions): Maker {
  const { environment, headers, fetch, own } = options;
  const address = given('baseURL', providerAddress(provider, environment));
  const common = {
    headers,
    fetch,
    ...address,
    ...given('apiKey', providerKey(provider, environment)?.value),
  };
  switch (provider.package) {
    case '@ai-sdk/openai':
      return call(loaded, 'createOpenAI', common);
    case '@ai-sdk/google':
      return call(loaded, 'createGoogleGenerativeAI', common);
    case '@ai-sdk/mistral':
      return call(loaded, 'createMistral', common);
    case '@ai-sdk/groq':
      return call(loaded, 'createGroq', common);
    case '@ai-sdk/xai':
      return call(loaded, 'createXai', common);
    case '@ai-sdk/deepseek':
      return call(loaded, 'createDeepSeek', common);
    case '@ai-sdk/amazon-bedrock':
      return call(loaded, 'createAmazonBedrock', { headers, fetch, ...address, ...own });
    case '@ai-sdk/google-vertex':
      return call(loaded, 'createVertex', { headers, fetch, ...geminiFields(environment) });
    case '@ai-sdk/openai-compatible':
      return call(loaded, 'createOpenAICompatible', {
        ...common,
        name: provider.id,
        // Without this option the server does not count tokens in a stream.
        includeUsage: true,
        ...(provider.id === 'openrouter' ? { transformRequestBody: withMarkedParts } : {}),
      });
  }
}

async function claudeMaker({ environment, headers, fetch, loadEntry }: MakeOptions): Promise<Maker> {
  const fields = { headers, fetch, ...claudeFields(environment) };
  return call(await loadEntry('anthropic'), 'createVertexAnthropic', fields);
}

function given(name: string, value: string | undefined): Fields {
  return value === undefined ? {} : { [name]: value };
}

function call(loaded: LoadedPackage, name: string, fields: Fields): Maker {
  const create = loaded[name];
  const maker: unknown = isFunction(create) ? create(fields) : undefined;
  if (isFunction(maker)) return maker;
  throw new Error(`the package has no ${name}: install another version of it`);
}

function wayOf(maker: Maker, way: string): Maker {
  const found: unknown = Object.entries(maker).find(([name]) => name === way)?.[1];
  if (isFunction(found)) return found;
  throw new Error(`the package has no way to make a ${way} model: install another version of it`);
}

function isFunction(value: unknown): value is (argument: unknown) => unknown {
  return typeof value === 'function';
}

function isModel(value: unknown): value is LanguageModelV4 {
  return isRecord(value) && value['specificationVersion'] === 'v4' && isFunction(value['doStream']);
}

// OpenRouter expects cache marks on parts, but the package writes a single text as a string with the mark
// beside it.

function withMarkedParts(body: Fields): Fields {
  const { messages } = body;
  return Array.isArray(messages) ? { ...body, messages: messages.map(markedParts) } : body;
}

function markedParts(message: Fields): Fields {
  const { content, cache_control, ...rest } = message;
  if (cache_control === undefined || typeof content !== 'string') return message;
  return { ...rest, content: [{ type: 'text', text: content, cache_control }] };
}

function isClaude(model: string): boolean {
  return model.startsWith('claude-');
}

/** Without a key, the Google Cloud login of this machine is used. */
function geminiFields(environment: Environment): Fields {
  const baseURL = readVariable(environment, 'GOOGLE_VERTEX_BASE_URL')?.replace(/(?<!\/)\/+$/, '');
  const apiKey = readVariable(environment, 'GOOGLE_VERTEX_API_KEY');
  return {
    ...omitUndefined({ baseURL, apiKey }),
    ...placeIn(environment),
  };
}

/** Keys are not accepted there. */
function claudeFields(environment: Environment): Fields {
  const { project, location } = placeIn(environment);
  if (project === undefined) {
    throw new Error('Claude on Vertex needs a project of Google Cloud: set GOOGLE_VERTEX_PROJECT');
  }
  const own = readVariable(environment, 'ANTHROPIC_VERTEX_BASE_URL')?.replace(/(?<!\/)\/+$/, '');
  const path = `projects/${project}/locations/${location}/publishers/anthropic/models`;
  return { project, location, ...(own === undefined ? {} : { baseURL: `${own}/${path}` }) };
}

function placeIn(environment: Environment): { readonly project?: string; readonly location: string } {
  const project = findFirstSet(['GOOGLE_VERTEX_PROJECT', 'GOOGLE_CLOUD_PROJECT'], environment)?.value;
  const location = findFirstSet(['GOOGLE_VERTEX_LOCATION', 'GOOGLE_CLOUD_LOCATION'], environment)?.value;
  return { location: location ?? 'global', ...omitUndefined({ project }) };
}
