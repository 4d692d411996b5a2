/** Proxy settings for our own requests and for requests that packages send themselves. */
import type { Environment } from '../secrets/environment.ts';

const NAMES = ['HTTP_PROXY', 'HTTPS_PROXY', 'http_proxy', 'https_proxy'];
const LOOPBACK = ['localhost', '127.0.0.1', '[::1]', '::1'];

/** A server on this machine is never behind a proxy, even if NO_PROXY does not list it. */
export function proxiesIn(environment: Environment): Environment {
  const direct = [environment['no_proxy'] ?? environment['NO_PROXY'], ...LOOPBACK].filter(Boolean).join(',');
  const named = NAMES.map((name) => [name, environment[name]] as const).filter(([, value]) => value);
  return { ...Object.fromEntries(named), no_proxy: direct, NO_PROXY: direct };
}

/**
 * Google and AWS logins use the global `fetch`, which uses proxies only if it is configured. Older
 * versions of Node cannot be configured.
 */
export function useProxies(environment: Environment): void {
  if (!NAMES.some((name) => environment[name])) return;
  const http: { readonly setGlobalProxyFromEnv?: (environment: Environment) => unknown } =
    process.getBuiltinModule('node:http');
  try {
    http.setGlobalProxyFromEnv?.({ ...environment, ...proxiesIn(environment) });
  } catch {
    // The original message quotes the address, including its password.
    throw new Error('HTTP_PROXY or HTTPS_PROXY is not the address of a proxy');
  }
}
