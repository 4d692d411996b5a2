/** What the web tools need from the house around them. */
import type { Resolve } from './address.ts';
import type { SearchDoor } from './search/ask-server.ts';

export interface WebDoors {
  /** Private addresses are refused, unless this says otherwise for a host. */
  readonly allowsPrivate: (host: string) => boolean;
  readonly resolve: Resolve;
  readonly now: () => number;
  /** Answers a question about a page, by a small model for instance. Without it the page itself is the answer. */
  readonly digest?:
    | ((page: { url: string; text: string; prompt: string }, signal: AbortSignal) => Promise<string>)
    | undefined;
  /** A model whose server searches the web. Without it there is no WebSearch. */
  readonly search?: SearchDoor | undefined;
  readonly timeoutMs: number;
  readonly maxBytes: number;
  readonly userAgent: string;
}

export function webDoors(given: Partial<WebDoors> = {}): WebDoors {
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
