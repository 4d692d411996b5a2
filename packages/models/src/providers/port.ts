/** A provider of the table as a port: its package, key, address, patience and words. */
import type { Clock, ModelError, ModelPort } from '@heddle/core';
import { proxySecrets } from '../anthropic/proxy-secrets.ts';
import { createBridgePort } from '../bridge/port.ts';
import { type Environment, milliseconds } from '../secrets/environment.ts';
import { Secrets } from '../secrets/secrets.ts';
import { configFolderIn } from './config-folder.ts';
import { loadPackage } from './load.ts';
import { makeModel } from './make.ts';
import { cacheMarkFor, ownOptionsOf } from './own-options.ts';
import { packageOf, type Provider } from './provider.ts';
import { addressOf, keyOf, readinessOf } from './settings.ts';
import { readModelName } from './table.ts';

export interface ProviderOptions {
  readonly environment?: Environment;
  readonly clock?: Clock;
  readonly firstByteMs?: number;
  readonly idleMs?: number;
}

/**
 * A model on this machine may have to be read from disk first, and a processor takes minutes for what a server does in one.
 * Node's `fetch` gives up after five.
 */
const LOCAL_PATIENCE_MS = 4.5 * 60_000;

/** Loads the package. Throws where it cannot be had, with the command that installs it. */
export async function openProvider(provider: Provider, options: ProviderOptions = {}): Promise<ModelPort> {
  const environment = options.environment ?? process.env;
  const loaded = await loadPackage(packageOf(provider), configFolderIn(environment));
  useProxies(environment);
  const headers = { 'user-agent': 'heddle/0.1.0' };
  const firstByteMs =
    options.firstByteMs ??
    milliseconds(environment, 'HEDDLE_FIRST_BYTE_TIMEOUT_MS') ??
    (provider.local && LOCAL_PATIENCE_MS);
  const idleMs =
    options.idleMs ??
    milliseconds(environment, 'HEDDLE_STREAM_IDLE_TIMEOUT_MS') ??
    (provider.local && LOCAL_PATIENCE_MS);
  return createBridgePort(
    (name) => makeModel(provider, loaded, readModelName(name)?.model ?? name, { environment, headers }),
    {
      provider: provider.id,
      features: provider.features,
      ownOptions: ownOptionsOf(provider),
      mustSayStrict: provider.id === 'openai',
      markFor: (model) => cacheMarkFor(provider, model),
      scene: sceneOf(provider, environment),
      refusal: () => refusalOf(provider, environment),
      ...(firstByteMs === undefined ? {} : { firstByteMs }),
      ...(idleMs === undefined ? {} : { idleMs }),
      ...(options.clock === undefined ? {} : { clock: options.clock }),
    },
  );
}

function sceneOf(provider: Provider, environment: Environment) {
  const secrets = new Secrets();
  secrets.add(
    ...provider.keys.map((name) => environment[name]),
    ...AWS_SECRETS.map((name) => environment[name]),
    ...proxySecrets(environment),
  );
  const address = addressOf(provider, environment);
  const url = URL.parse(address ?? '');
  secrets.add(url?.password);
  return {
    name: provider.name,
    connection: {
      origin: url?.origin ?? provider.name,
      isOwnAddress: address !== provider.baseUrl,
    },
    secrets,
    key: keyOf(provider, environment)?.variable ?? provider.keys.join(' or '),
    address: provider.baseUrlVariable,
    ...(provider.local === undefined ? {} : { howToStart: provider.local.howToStart }),
  };
}

const AWS_SECRETS = ['AWS_SECRET_ACCESS_KEY', 'AWS_SESSION_TOKEN'];

function refusalOf(provider: Provider, environment: Environment): ModelError | undefined {
  const readiness = readinessOf(provider, environment);
  if (readiness.is === 'missing') {
    return refused(`${provider.name} is not configured. Set ${readiness.set}.`);
  }
  const address = addressOf(provider, environment);
  if (address !== undefined && !/^https?:$/.test(URL.parse(address)?.protocol ?? '')) {
    const message = `${provider.baseUrlVariable} is not the address of a server. It begins with https:// or http://.`;
    return { type: 'model_error', class: 'bad_request', message };
  }
  const key = keyOf(provider, environment);
  // What cannot stand in a header would throw there.
  if (key !== undefined && !/^[\x21-\x7e]+$/.test(key.value)) {
    return refused(
      `The key from ${key.variable} has a space, a line break or another character that no key has. Set it anew.`,
    );
  }
  return undefined;
}

function refused(message: string): ModelError {
  return { type: 'model_error', class: 'auth', message };
}

const LOOPBACK = ['localhost', '127.0.0.1', '[::1]', '::1'];

/** The packages use `fetch`, which heeds proxies only when it is told to. Older versions of Node cannot be told. */
function useProxies(environment: Environment): void {
  const names = ['HTTP_PROXY', 'HTTPS_PROXY', 'http_proxy', 'https_proxy'];
  if (!names.some((name) => environment[name])) return;
  const http: { readonly setGlobalProxyFromEnv?: (environment: Environment) => unknown } =
    process.getBuiltinModule('node:http');
  // A server on this machine is not behind any proxy, whatever was left out of NO_PROXY.
  const direct = [environment['no_proxy'] ?? environment['NO_PROXY'], ...LOOPBACK].filter(Boolean).join(',');
  try {
    http.setGlobalProxyFromEnv?.({ ...environment, no_proxy: direct, NO_PROXY: direct });
  } catch {
    // Its own words quote the address, and with it the password.
    throw new Error('HTTP_PROXY or HTTPS_PROXY is not the address of a proxy');
  }
}
