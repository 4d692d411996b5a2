/** The dependencies of the web tools. */
import type { Resolve } from './address.ts';
import type { SearchPort } from './ask-server.ts';

export interface WebDeps {
  /** Private addresses are rejected, unless this returns true for a host. */
  readonly allowsPrivate: (host: string) => boolean;
  readonly resolve: Resolve;
  readonly now: () => number;
  /**
   * Answers a question about a page, for example with a small model. Without it the page itself is the
   * result.
   */
  readonly digest?:
    | ((page: { url: string; text: string; prompt: string }, signal: AbortSignal) => Promise<string>)
    | undefined;
  /** A model whose server searches the web. Without it there is no WebSearch. */
  readonly search?: SearchPort | undefined;
  readonly timeoutMs: number;
  readonly maxBytes: number;
  readonly userAgent: string;
}

export function webDeps(given: Partial<WebDeps> = {}): WebDeps {
  return {
    allowsPrivate: () => false,
    resolve: async (host) => (await import('./address.ts')).systemResolve(host),
    now: Date.now,
    timeoutMs: 30_000,
    maxBytes: 10_000_000,
    userAgent: 'heddle/0.1',
    ...given,
  };
}
/** The shared traits of the web tools. */
export const WEB_TOOL_TRAITS = {
  // A request sends data to others, can have effects on a server, and may cost money.
  isReadOnly: () => false,
  isConcurrencySafe: () => true,
  isIdempotent: () => true,
  maxResultSize: 40_000,
  compactable: true,
  interruptBehavior: 'cancel',
} as const;

// Checks which addresses may be requested.

/** Throws if it is not an address that may be fetched. */
export function parseFetchUrl(address: string): URL {
  const url = URL.parse(address);
  if (!url) throw new Error(`"${address}" is not a complete address. It should begin with https://`);
  if (url.protocol !== 'https:' && url.protocol !== 'http:') {
    throw new Error(`Only http and https are fetched, not ${url.protocol}//`);
  }
  if (url.username !== '' || url.password !== '') {
    throw new Error('An address with a name or password in it is not fetched.');
  }
  url.hash = '';
  return url;
}
