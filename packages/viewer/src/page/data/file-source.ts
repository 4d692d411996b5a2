/** Answers from the data in an exported file. */
import type { ExportedSession, SearchHit, ViewerSource } from '../../model/api.ts';
import { digestOf } from '../../model/digest.ts';
import { parseOwn } from '../../model/parse-own.ts';

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
