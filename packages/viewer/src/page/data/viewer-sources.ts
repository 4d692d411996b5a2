/** Asks the server for data. The key is exchanged for the one-time token in the fragment of the link. */
import type { ExportedSession, SearchHit, ViewerSource } from '../../model/api.ts';
import { parseOwn } from '../../model/parse-own.ts';
import { digestOf } from '../../model/statistics.ts';

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

/** Answers from the data in an exported file. */

const MAX_HITS = 200;
const EXCERPT_BEFORE = 60;
const EXCERPT_LENGTH = 200;

/** Returns undefined if the page is not an exported file. */
export function fileSource(): ViewerSource | undefined {
  const text = document.getElementById('heddle-data')?.textContent;
  if (!text) return undefined;
  const data = parseOwn<ExportedSession>(text);
  const rows = new Map(data.rows.map((row) => [row.line, row]));
  return {
    kind: 'file',
    info: async () => data.info,
    sessions: async () => [data.card],
    facts: async (id) => {
      const child = data.subagents.find(({ card }) => card.id === id);
      if (child)
        return { facts: child.facts, next: child.facts.length, more: false, torn: false, version: 0 };
      return { facts: data.facts, next: data.lines, more: false, torn: data.torn, version: 0 };
    },
    rows: async (_id, from, to) => data.rows.filter(({ line }) => line >= from && line < to),
    text: async (_id, line, part) => rows.get(line)?.parts[part]?.text ?? '',
    search: async (_id, words) => {
      const hits = [...hitsIn(data, words)];
      return { hits: hits.slice(0, MAX_HITS), more: hits.length > MAX_HITS };
    },
    subagents: async () => data.subagents.map(({ card }) => card),
    decisions: async (_id, { run }) => {
      const found = data.decisions[run];
      if (!found) throw new Error('There is no such turn.');
      return { ...found, stepCount: found.steps.length, next: null };
    },
    digest: async () => digestOf(data.facts),
    fork: () => Promise.reject(new Error('An exported file cannot start a session.')),
  };
}

/** Words without a capital letter match in any case, as on the server. */
function* hitsIn({ rows }: ExportedSession, words: string): Generator<SearchHit> {
  const ignoresCase = words === words.toLowerCase();
  for (const { line, at, role, parts } of rows) {
    for (const part of parts) {
      if (part.kind === 'media') continue;
      const found = (ignoresCase ? part.text.toLowerCase() : part.text).indexOf(words);
      if (found < 0) continue;
      const from = Math.max(0, found - EXCERPT_BEFORE);
      const excerpt = part.text.slice(from, from + EXCERPT_LENGTH).replaceAll(/\s/g, ' ');
      yield { line, at, role, excerpt, start: found - from, end: found - from + words.length };
      break;
    }
  }
}
