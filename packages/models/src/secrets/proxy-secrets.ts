/** Finds passwords in the addresses of proxies. Node repeats these addresses in its errors. */
import type { Environment } from './environment.ts';

const VARIABLES = ['HTTP_PROXY', 'HTTPS_PROXY', 'http_proxy', 'https_proxy'];

export function proxySecrets(environment: Environment): readonly string[] {
  return VARIABLES.flatMap((name) => {
    const url = URL.parse(environment[name] ?? '');
    if (!url || url.password === '') return [];
    const password = decoded(url.password);
    const login = `${decoded(url.username)}:${password}`;
    return [password, url.password, Buffer.from(login).toString('base64')];
  });
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
