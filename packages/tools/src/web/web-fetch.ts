/**
 * WebFetch: returns a page as Markdown. Every host is resolved and checked before it is contacted, also
 * after a redirect.
 */
import { errorMessage, type Tool } from '@heddle/core';
import { inputSchemas } from '../generated/schemas.ts';
import { parseFetchUrl, WEB_TOOL_TRAITS, type WebDeps } from './deps.ts';
import type { WebPage } from './markdown.ts';
import type { WebFetchInput } from './schema.ts';

interface WebFetchData {
  readonly url: string;
  readonly status: number;
  readonly statusText?: string;
  /** Bytes that the server sent, decompressed. */
  readonly bytes: number;
  readonly text: string;
  /** Another host, which was not contacted. */
  readonly redirectedTo?: string;
  readonly title?: string;
  readonly isCut?: boolean;
}

/** Characters shown of a page. */
const SHOWN = 30_000;

export function createWebFetchTool(deps: WebDeps): Tool<WebFetchInput, WebFetchData> {
  const cache = new PageCache<WebFetchData>(deps.now);
  return {
    name: 'WebFetch',
    description:
      'Fetches a web page as markdown. Private addresses are refused; a redirect to another host is reported.',
    inputJSONSchema: inputSchemas.WebFetch,
    inputSchema: async () => (await import('./schema.ts')).webFetchInput,
    ...WEB_TOOL_TRAITS,

    /**
     * Rejects invalid addresses before the user is asked. Names are resolved only for a call that may run.
     */
    async validateInput({ url }) {
      try {
        const { hostname } = parseFetchUrl(url);
        const { rejectKnownPrivate } = await import('./address.ts');
        rejectKnownPrivate(hostname, deps.allowsPrivate(hostname));
        return { ok: true };
      } catch (thrown) {
        return { ok: false, message: errorMessage(thrown) };
      }
    },

    async call({ url, prompt }, { signal }) {
      const key = parseFetchUrl(url).href;
      const known = cache.get(key);
      const page = known ?? (await fetchPage(key, deps, signal));
      const isPage = page.redirectedTo === undefined && page.status < 400;
      if (!known && isPage) cache.set(key, page, page.text.length);
      if (!deps.digest || !isPage) return { data: page };
      const text = await deps.digest({ url: page.url, text: page.text, prompt }, signal);
      return { data: { ...page, text, isCut: false } };
    },

    toResult({ url, status, text, redirectedTo, title, isCut }) {
      if (redirectedTo !== undefined) {
        return {
          content: `${url} redirects (${status}) to another host: ${redirectedTo}\nFetch that address if it is what you want.`,
        };
      }
      const head = `${title ? `${title}\n` : ''}${url}${status === 200 ? '' : ` (status ${status})`}`;
      const shown = text.slice(0, SHOWN);
      const notes = [
        ...(shown.length < text.length ? [`the first ${SHOWN} of ${text.length} characters`] : []),
        ...(isCut ? ['the page was too large to fetch whole'] : []),
      ];
      const cut = notes.length === 0 ? '' : `\n(${notes.join('; ')})`;
      return { content: `${head}\n\n${shown === '' ? '(no text)' : shown}${cut}`, isError: status >= 400 };
    },
  };
}

async function fetchPage(url: string, deps: WebDeps, signal: AbortSignal): Promise<WebFetchData> {
  const deadline = AbortSignal.timeout(deps.timeoutMs);
  const either = AbortSignal.any([signal, deadline]);
  try {
    // Network and decompression are loaded on demand.
    const { fetchLimited } = await import('./get.ts');
    const got = await fetchLimited(url, { ...deps, signal: either });
    if (got.kind === 'redirect')
      return { url: got.url, status: got.status, bytes: 0, text: '', redirectedTo: got.to };
    const { title, text } = await textOfBody(got, either);
    const { url: place, status, statusText, body, isCut } = got;
    return { url: place, status, statusText, bytes: body.length, text, title, isCut };
  } catch (thrown) {
    signal.throwIfAborted();
    if (deadline.aborted)
      throw new Error(`${url} did not answer within ${deps.timeoutMs} ms.`, { cause: thrown });
    throw new Error(`${url} could not be fetched: ${reasonOf(thrown)}`, { cause: thrown });
  }
}

function reasonOf(thrown: unknown): string {
  if (!(thrown instanceof Error)) return String(thrown);
  switch ('code' in thrown ? thrown.code : undefined) {
    case 'ENOTFOUND':
      return 'there is no such host';
    case 'EAI_AGAIN':
      return 'its name cannot be looked up now';
    case 'ECONNREFUSED':
      return 'the connection was refused';
    case 'ECONNRESET':
      return 'the connection was closed';
    default:
      return thrown.message;
  }
}
/** A cache of recent pages, limited in time and size. */
class PageCache<Value> {
  readonly #entries = new Map<string, { value: Value; size: number; until: number }>();
  readonly #now: () => number;
  #size = 0;

  constructor(now: () => number) {
    this.#now = now;
  }

  get(key: string): Value | undefined {
    const entry = this.#entries.get(key);
    if (!entry) return undefined;
    if (entry.until > this.#now()) return entry.value;
    this.#remove(key);
    return undefined;
  }

  set(key: string, value: Value, size: number): void {
    this.#remove(key);
    if (size > MAX_CHARACTERS) return;
    this.#entries.set(key, { value, size, until: this.#now() + KEPT_MS });
    this.#size += size;
    // The oldest first: a map keeps the order of insertion.
    for (const [oldest] of this.#entries) {
      if (this.#size <= MAX_CHARACTERS) return;
      this.#remove(oldest);
    }
  }

  #remove(key: string): void {
    this.#size -= this.#entries.get(key)?.size ?? 0;
    this.#entries.delete(key);
  }
}

const KEPT_MS = 15 * 60_000;
const MAX_CHARACTERS = 10_000_000;

// Returns the text of a body: HTML becomes Markdown, other text is unchanged, and other types are rejected.

interface DecodedBody {
  readonly url: string;
  readonly contentType: string;
  readonly body: Buffer;
}

const TEXT =
  /^(text\/|application\/(json|xml|javascript|ecmascript|x-ndjson|yaml|x-yaml|toml|sql|graphql|.*\+(json|xml|yaml)))/;

/** Throws if the body is not text. */
async function textOfBody({ url, contentType, body }: DecodedBody, signal: AbortSignal): Promise<WebPage> {
  const [type = '', ...parameters] = contentType
    .toLowerCase()
    .split(';')
    .map((part) => part.trim());
  const isHtml = type === 'text/html' || type === 'application/xhtml+xml';
  if (type !== '' && !isHtml && !TEXT.test(type)) throw new Error(`it is ${type}, which is not text`);
  if (body.subarray(0, 8_000).includes(0) && !isHtml) throw new Error('it is not text');
  const named = parameters
    .find((parameter) => parameter.startsWith('charset='))
    ?.slice(8)
    .replaceAll('"', '');
  const text = decode(body, named ?? (isHtml ? charsetIn(body) : undefined));
  if (!isHtml && !(type === '' && /^\s*<(!doctype html|html)/i.test(text))) return { title: '', text };
  const { markdownOf } = await import('./markdown.ts');
  return markdownOf(text, url, signal);
}

function charsetIn(body: Buffer): string | undefined {
  return /<meta[^<>]+charset=["']?([\w-]+)/i.exec(body.toString('latin1', 0, 2_048))?.[1];
}

function decode(body: Buffer, charset = 'utf-8'): string {
  try {
    return new TextDecoder(charset).decode(body);
  } catch {
    return new TextDecoder().decode(body);
  }
}
