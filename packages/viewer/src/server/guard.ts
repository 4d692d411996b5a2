/**
 * Decides whether a request may be answered. Only a page of this server may ask, and only with the key that it got for
 * the one-time token of the link. Pure except for the random values.
 */
import { randomBytes, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';

export type Verdict =
  | { readonly ok: true }
  | { readonly ok: false; readonly status: 403 | 401; readonly message: string };

const OK: Verdict = { ok: true };

/**
 * Checks the origin of a request. A page of another site can reach a loopback port through its own name (DNS rebinding),
 * so the name in `Host` must be ours.
 */
export function checkOrigin(headers: IncomingHttpHeaders, port: number): Verdict {
  const hosts = [`127.0.0.1:${port}`, `localhost:${port}`];
  const { host = '', origin } = headers;
  if (!hosts.includes(host)) return refused('The Host header is not the address of this server.');
  if (origin !== undefined && origin !== `http://${host}`)
    return refused('The request is from another site.');
  const site = headers['sec-fetch-site'];
  if (site !== undefined && site !== 'same-origin' && site !== 'none')
    return refused('The request is from another site.');
  return OK;
}

function refused(message: string): Verdict {
  return { ok: false, status: 403, message };
}

/** Exchanges one-time tokens for keys. A key is valid until the server stops. */
export class Tokens {
  readonly #unused = new Set<string>();
  readonly #keys = new Set<string>();

  /** Creates the token of a link. It works once. */
  create(): string {
    const token = randomText();
    this.#unused.add(token);
    return token;
  }

  /** Returns undefined if the token is unknown or was used. */
  redeem(token: string): string | undefined {
    const known = [...this.#unused].find((one) => isEqual(one, token));
    if (known === undefined) return undefined;
    this.#unused.delete(known);
    const key = randomText();
    this.#keys.add(key);
    return key;
  }

  check(authorization: string | undefined): Verdict {
    const key = /^Bearer (.+)$/.exec(authorization ?? '')?.[1] ?? '';
    if ([...this.#keys].some((one) => isEqual(one, key))) return OK;
    return { ok: false, status: 401, message: 'This link was used or has expired. Run heddle view again.' };
  }
}

function randomText(): string {
  return randomBytes(24).toString('base64url');
}

function isEqual(left: string, right: string): boolean {
  const [one, two] = [Buffer.from(left), Buffer.from(right)];
  return one.length === two.length && timingSafeEqual(one, two);
}

/** Scripts and styles only from this server, no frames, no forms, no other host. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  'img-src data:',
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join('; ');

export const SECURITY_HEADERS: Readonly<Record<string, string>> = {
  'content-security-policy': POLICY,
  'cache-control': 'no-store',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
};
