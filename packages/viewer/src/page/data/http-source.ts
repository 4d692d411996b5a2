/** Asks the server for data. The key is exchanged for the one-time token in the fragment of the link. */
import type { ViewerSource } from '../../model/api.ts';
import { parseOwn } from '../../model/parse-own.ts';

const STORED_KEY = 'heddle-key';

/** An answer that is not the data. */
class AnswerError extends Error {
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

/** Returns a source. The token leaves the address, so that it is not in a bookmark or a screenshot. */
export async function httpSource(): Promise<ViewerSource> {
  const [, token, rest = ''] = /^#token=([\w-]+)(.*)$/.exec(location.hash) ?? [];
  if (token !== undefined) {
    history.replaceState(null, '', `${location.pathname}#${rest.replace(/^&/, '')}`);
    const response = await fetch('/api/login', { method: 'POST', body: token });
    if (response.ok) sessionStorage.setItem(STORED_KEY, await response.text());
    else if (sessionStorage.getItem(STORED_KEY) === null)
      throw new AnswerError(response.status, await response.text());
  }
  const key = sessionStorage.getItem(STORED_KEY) ?? '';

  async function ask<T>(path: string, signal?: AbortSignal, body?: string): Promise<T> {
    const response = await fetch(`/api/${path}`, {
      headers: { authorization: `Bearer ${key}` },
      ...(body === undefined ? {} : { method: 'POST', body }),
      ...(signal ? { signal } : {}),
    });
    if (!response.ok) throw new AnswerError(response.status, await response.text());
    return parseOwn<T>(await response.text());
  }

  const of = (id: string, question: string, query: Record<string, string | number>): string => {
    const parameters = Object.entries(query).map(([name, value]) => [name, String(value)]);
    return `sessions/${encodeURIComponent(id)}/${question}?${new URLSearchParams(parameters)}`;
  };
  return {
    kind: 'server',
    info: () => ask('info'),
    sessions: () => ask('sessions'),
    facts: (id, from, wait, signal) => ask(of(id, 'facts', wait ? { from, wait: 1 } : { from }), signal),
    rows: (id, from, to, signal) => ask(of(id, 'rows', { from, to }), signal),
    text: (id, line, part) => ask(of(id, 'text', { line, part })),
    search: (id, words, signal) => ask(of(id, 'search', { words }), signal),
    subagents: (id) => ask(of(id, 'subagents', {})),
    decisions: (id, { run, from, line }, signal) => ask(of(id, 'decisions', { run, from, line }), signal),
    digest: (id, signal) => ask(of(id, 'digest', {}), signal),
    fork: (id, uuid, prompt) => ask(of(id, 'fork', {}), undefined, JSON.stringify({ uuid, prompt })),
  };
}
