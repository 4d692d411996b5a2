/** Proxies, for our own requests and for what packages send by themselves. */
import type { Environment } from '../secrets/environment.ts';

const NAMES = ['HTTP_PROXY', 'HTTPS_PROXY', 'http_proxy', 'https_proxy'];
const LOOPBACK = ['localhost', '127.0.0.1', '[::1]', '::1'];

/** A server on this machine is not behind any proxy, whatever was left out of NO_PROXY. */
export function proxiesIn(environment: Environment): Environment {
  const direct = [environment['no_proxy'] ?? environment['NO_PROXY'], ...LOOPBACK].filter(Boolean).join(',');
  const named = NAMES.map((name) => [name, environment[name]] as const).filter(([, value]) => value);
  return { ...Object.fromEntries(named), no_proxy: direct, NO_PROXY: direct };
}

/** Logins at Google and AWS use `fetch`, which heeds proxies only when it is told to. Older versions of Node cannot be told. */
export function useProxies(environment: Environment): void {
  if (!NAMES.some((name) => environment[name])) return;
  const http: { readonly setGlobalProxyFromEnv?: (environment: Environment) => unknown } =
    process.getBuiltinModule('node:http');
  try {
    http.setGlobalProxyFromEnv?.({ ...environment, ...proxiesIn(environment) });
  } catch {
    // Its own words quote the address, and with it the password.
    throw new Error('HTTP_PROXY or HTTPS_PROXY is not the address of a proxy');
  }
}
