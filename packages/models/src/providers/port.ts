/** Opens a provider of the table as a port, with its package, key, address, deadlines and error texts. */
import type { Clock, ModelError, ModelPort } from '@heddle/core';
import { createBridgePort } from '../bridge/port.ts';
import type { IdForm } from '../bridge/request/names.ts';
import type { OwnOptions } from '../bridge/request/options.ts';
import type { Metadata } from '../bridge/signature.ts';
import {
  configFolderIn,
  type Environment,
  proxySecrets,
  readMilliseconds,
  readVariable,
} from '../secrets/environment.ts';
import { Secrets } from '../secrets/secrets.ts';
import { loadPackage } from './load.ts';
import { createFetch } from './fetch.ts';
import { makeModel, type MakeOptions } from './make.ts';
import { packageOf, type Provider } from '../provider.ts';
import { useProxies } from './proxies.ts';
import { describeNotConfigured, providerAddress, providerKey, readinessOf } from './settings.ts';
import { readModelName } from './providers.ts';
import { omitUndefined } from '@heddle/core';

export interface ProviderOptions {
  readonly environment?: Environment;
  /** Collects secrets that the port finds. */
  readonly secrets?: Secrets;
  readonly clock?: Clock;
  readonly firstByteMs?: number;
  readonly idleMs?: number;
}

/**
 * A local model may have to be loaded from disk first, and a CPU takes minutes for the work of a server.
 */
const LOCAL_PATIENCE_MS = 10 * 60_000;

/** A model with hidden thinking is silent for minutes. A retry would repeat the whole cost. */
const THINKING_MS = 5 * 60_000;

/** Loads the package. Throws if it is not installed, with the command that installs it. */
export async function openProvider(provider: Provider, options: ProviderOptions = {}): Promise<ModelPort> {
  const environment = options.environment ?? process.env;
  const wanted = packageOf(provider);
  const folder = configFolderIn(environment);
  const loaded = await loadPackage(wanted, folder);
  const scene = providerInfoOf(provider, environment, options.secrets ?? new Secrets());
  const own = await lookedUp(provider, environment, scene.secrets);
  useProxies(environment);
  const making: MakeOptions = {
    environment,
    headers: { 'user-agent': 'heddle/0.1.0' },
    fetch: createFetch(environment),
    own,
    loadEntry: (entry) => loadPackage({ ...wanted, entry }, folder),
  };
  const firstByteMs =
    options.firstByteMs ??
    readMilliseconds(environment, 'HEDDLE_FIRST_BYTE_TIMEOUT_MS') ??
    ((provider.local && LOCAL_PATIENCE_MS) || (provider.thinksInSilence && THINKING_MS));
  const idleMs =
    options.idleMs ??
    readMilliseconds(environment, 'HEDDLE_STREAM_IDLE_TIMEOUT_MS') ??
    (provider.local && LOCAL_PATIENCE_MS);
  const thinkingMs = idleMs ?? (provider.thinksInSilence && THINKING_MS);
  return createBridgePort((name) => makeModel(provider, loaded, readModelName(name)?.model ?? name, making), {
    provider: provider.id,
    features: provider.features,
    ownOptions: ownOptionsOf(provider),
    mustSayStrict: provider.id === 'openai',
    hasExtras: provider.hasExtras ?? false,
    marksParts: provider.id === 'openrouter',
    tellsCost: provider.tellsCost ?? false,
    ...(mayPassMarkup(provider) ? { markupAdvice: adviceFor(provider) } : {}),
    idsFor: (model) => idsFor(provider, model),
    markFor: (model) => cacheMarkFor(provider, model),
    scene,
    refusal: () => refusalOf(provider, environment),
    ...omitUndefined({ firstByteMs, idleMs, thinkingMs, clock: options.clock }),
  });
}

/** Servers that users run themselves may not know the template of a model. */
function mayPassMarkup({ id, local }: Provider): boolean {
  return local !== undefined || id === 'openai-compatible';
}

function adviceFor({ name, local }: Provider): string {
  const start = local ? ` ${local.howToStart}.` : '';
  return `${name} passed a tool call on as text, so it was not run. Let the server parse tool calls.${start} Or choose a model whose template it knows.`;
}

/** A provider that is not configured is rejected with a message instead of a lookup. */
async function lookedUp(
  provider: Provider,
  environment: Environment,
  secrets: Secrets,
): Promise<MakeOptions['own']> {
  if (provider.id !== 'bedrock' || readinessOf(provider, environment).is === 'missing') return {};
  const { findAwsCredentials } = await import('./aws.ts');
  return findAwsCredentials(environment, configFolderIn(environment), secrets);
}

function providerInfoOf(provider: Provider, environment: Environment, secrets: Secrets) {
  secrets.add(
    ...provider.keys.map((name) => environment[name]),
    ...AWS_SECRETS.map((name) => environment[name]),
    ...proxySecrets(environment),
  );
  const address = providerAddress(provider, environment);
  const url = URL.parse(address ?? '');
  secrets.add(url?.password);
  return {
    name: provider.name,
    connection: {
      origin: url?.origin ?? provider.name,
      isOwnAddress: address !== provider.baseUrl,
    },
    secrets,
    key: providerKey(provider, environment)?.variable ?? provider.keys.join(' or '),
    address: provider.baseUrlVariable,
    ...(provider.local === undefined ? {} : { howToStart: provider.local.howToStart }),
    // A server that is only compatible rarely supports the Responses API.
    ...(provider.id === 'openai' && address !== provider.baseUrl ? { howElse: ONLY_CHAT } : {}),
  };
}

const ONLY_CHAT =
  'A server that speaks only Chat Completions is reached as openai-chat/MODEL or openai-compatible/MODEL.';
const AWS_SECRETS = ['AWS_SECRET_ACCESS_KEY', 'AWS_SESSION_TOKEN'];

function refusalOf(provider: Provider, environment: Environment): ModelError | undefined {
  const readiness = readinessOf(provider, environment);
  if (readiness.is === 'missing') {
    return refused(describeNotConfigured(provider, readiness.set));
  }
  const address = providerAddress(provider, environment);
  if (address !== undefined && !/^https?:$/.test(URL.parse(address)?.protocol ?? '')) {
    const message = `${provider.baseUrlVariable} is not the address of a server. It begins with https:// or http://.`;
    return { type: 'model_error', class: 'bad_request', message };
  }
  if (provider.id === 'bedrock' && isHalf(environment)) {
    return refused('AWS_ACCESS_KEY_ID is set without AWS_SECRET_ACCESS_KEY. Set both, or neither.');
  }
  const key = providerKey(provider, environment);
  // A key that is not valid in a header would throw later.
  if (key !== undefined && !/^[\x21-\x7e]+$/.test(key.value)) {
    return refused(
      `The key from ${key.variable} has a space, a line break or another character that no key has. Set it anew.`,
    );
  }
  return undefined;
}

function isHalf(environment: Environment): boolean {
  const isSet = (name: string) => readVariable(environment, name) !== undefined;
  return !isSet('AWS_BEARER_TOKEN_BEDROCK') && isSet('AWS_ACCESS_KEY_ID') && !isSet('AWS_SECRET_ACCESS_KEY');
}

function refused(message: string): ModelError {
  return { type: 'model_error', class: 'auth', message };
}

const NOTHING: OwnOptions = () => ({});

function ownOptionsOf({ id }: Provider): OwnOptions {
  return Object.hasOwn(OWN, id) ? (OWN[id] ?? NOTHING) : NOTHING;
}

const OWN: Readonly<Record<string, OwnOptions>> = {
  // Disables storage at the provider: thinking comes back encrypted and is kept in the history. Summaries
  // need a verified organization, so they are requested only if thinking is shown.
  openai: ({ isShown }) => ({ openai: { store: false, reasoningSummary: isShown ? 'auto' : null } }),
  xai: () => ({ xai: { store: false } }),
  // Without this option some models are not billed in the response.
  openrouter: () => ({ openrouter: { usage: { include: true } } }),
  google: ({ isShown }) => (isShown ? { google: { thinkingConfig: { includeThoughts: true } } } : {}),
  vertex: ({ isShown }) => (isShown ? { vertex: { thinkingConfig: { includeThoughts: true } } } : {}),
};

/** Mistral models reject every other id format, also when another provider serves them. */
function idsFor({ wire }: Provider, model: string): IdForm {
  const isMistral = /(mistral|mixtral|ministral|magistral|codestral|devstral|pixtral)/i.test(model);
  return wire === 'chat' && isMistral ? 'nine letters or digits' : 'any';
}

/**
 * Most providers cache automatically. Others need a mark for some models, and reject it for models without
 * a cache.
 */
function cacheMarkFor({ id }: Provider, model: string): Metadata | undefined {
  if (id === 'bedrock' && /anthropic\.claude|amazon\.nova/.test(model)) {
    return { bedrock: { cachePoint: { type: 'default' } } };
  }
  if (id === 'vertex' && /^vertex[/:]claude-/.test(model)) {
    return { anthropic: { cacheControl: { type: 'ephemeral' } } };
  }
  if (id === 'openrouter' && /^openrouter[/:]~?anthropic\//.test(model)) {
    return { openaiCompatible: { cache_control: { type: 'ephemeral' } } };
  }
  return undefined;
}
