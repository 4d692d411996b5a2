/** Reads the settings of a provider from the environment. */
import { type Environment, readVariable } from '../secrets/environment.ts';
import type { Package } from './load.ts';
import { AWS_CREDENTIALS, packageOf, type Provider } from '../provider.ts';

export interface FoundKey {
  readonly variable: string;
  readonly value: string;
}

export function providerKey({ keys }: Provider, environment: Environment): FoundKey | undefined {
  return findFirstSet(keys, environment);
}

/** Returns the first of these variables that is set. */
export function findFirstSet(names: readonly string[], environment: Environment): FoundKey | undefined {
  for (const name of names) {
    const value = readVariable(environment, name);
    if (value !== undefined) return { variable: name, value };
  }
  return undefined;
}

/** Returns the address, or undefined if the package determines it. */
export function providerAddress(provider: Provider, environment: Environment): string | undefined {
  const own = readVariable(environment, provider.baseUrlVariable);
  if (provider.id === 'ollama') return `${ollamaAddress(own ?? provider.baseUrl ?? '')}/v1`;
  return (own ?? provider.baseUrl)?.replace(/(?<!\/)\/+$/, '');
}

/**
 * OLLAMA_HOST is also the setting of the server. It may lack a scheme or port, and may name all
 * interfaces, which is an address to listen on but not to call.
 */
function ollamaAddress(host: string): string {
  const withScheme = /^[a-z]+:\/\//i.test(host) ? host : `http://${host}`;
  const url = URL.parse(withScheme);
  if (url === null) return withScheme;
  if (url.hostname === '0.0.0.0' || url.hostname === '[::]') url.hostname = '127.0.0.1';
  if (url.port === '' && url.protocol === 'http:') url.port = '11434';
  return url.href.replace(/(?<!\/)\/+$/, '');
}

/** Returns all packages that the present configuration needs. */
export function packagesFor(provider: Provider, environment: Environment): readonly Package[] {
  const readiness = readinessOf(provider, environment);
  const isFoundByAws =
    provider.id === 'bedrock' && readiness.is === 'configured' && !provider.keys.includes(readiness.by);
  return isFoundByAws ? [packageOf(provider), AWS_CREDENTIALS] : [packageOf(provider)];
}

export type ProviderReadiness =
  /** `by`: the variable that was found. */
  | { readonly is: 'configured'; readonly by: string }
  /** A server that may or may not be running. */
  | { readonly is: 'perhaps' }
  /** The variables to set. */
  | { readonly is: 'missing'; readonly set: string };

/**
 * Returns the message for a provider that is not configured. Failing requests and `doctor` both use it.
 */
export function describeNotConfigured({ name }: Provider, set: string): string {
  return `${name} is not configured. Set ${set}.`;
}

export function readinessOf(provider: Provider, environment: Environment): ProviderReadiness {
  if (provider.needs === 'server') return { is: 'perhaps' };
  const wanted = provider.needs === 'key' ? [provider.keys] : (provider.settings ?? []);
  const found = wanted.map((names) => findFirstSet(names, environment));
  const missing = wanted.filter((_, at) => found[at] === undefined);
  const [first] = found;
  if (missing.length > 0) return { is: 'missing', set: missing.map((names) => names[0]).join(' and ') };
  return { is: 'configured', by: first?.variable ?? '' };
}
