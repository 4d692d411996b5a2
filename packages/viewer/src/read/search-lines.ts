/** Searches the conversation of one session, in slices, so that other requests are answered in between. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { textMatcherOf } from '@heddle/agent/sessions';
import type { SearchHit, SearchPage } from '../model/api.ts';
import type { SessionIndex } from './session-index.ts';
import { rowOf } from './transcript-rows.ts';

const MAX_HITS = 200;
const SLICE_LINES = 200;
const EXCERPT_BEFORE = 60;
const EXCERPT_LENGTH = 200;

/** Words without a capital letter match in any case. */
export async function searchLines(
  index: SessionIndex,
  words: string,
  isCancelled: () => boolean,
): Promise<SearchPage> {
  const matched = textMatcherOf(words, false);
  if (!matched.ok) return { hits: [], more: false };
  const { matcher } = matched;
  const hits: SearchHit[] = [];
  let count = 0;
  for (const { line, decoded } of index.lines(0)) {
    if (++count % SLICE_LINES === 0) {
      await nextTurn();
      if (isCancelled()) break;
    }
    const row = rowOf(decoded, line, Number.POSITIVE_INFINITY);
    for (const part of row?.parts ?? []) {
      const found = part.kind === 'media' ? undefined : matcher.find(part.text);
      if (!row || !found) continue;
      if (hits.length >= MAX_HITS) return { hits, more: true };
      hits.push({ line, at: row.at, role: row.role, ...excerptOf(part.text, found) });
      break;
    }
  }
  return { hits, more: false };
}

function excerptOf(
  text: string,
  { start, end }: { readonly start: number; readonly end: number },
): Pick<SearchHit, 'excerpt' | 'start' | 'end'> {
  const from = Math.max(0, start - EXCERPT_BEFORE);
  const excerpt = text
    .slice(from, from + EXCERPT_LENGTH)
    .replaceAll(/\s/g, ' ')
    .toWellFormed();
  return { excerpt, start: start - from, end: Math.min(end - from, excerpt.length) };
}
