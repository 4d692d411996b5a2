/** Searches earlier prompts with Ctrl-R, the newest first. Pure. */
import type { Key } from './editor.ts';

export interface Search {
  readonly query: string;
  /** The number of matches that were skipped. */
  readonly passed: number;
}

export type Searched =
  | { readonly kind: 'search'; readonly search: Search }
  /** Puts the match into the input line. `submit`: also sends it. */
  | { readonly kind: 'take'; readonly submit: boolean }
  | { readonly kind: 'cancel' };

export const NEW_SEARCH: Search = { query: '', passed: 0 };

export function searchKey({ query, passed }: Search, key: Key): Searched {
  const { name = '', sequence = '' } = key;
  if (key.ctrl && name === 'r') return on(query, query === '' ? 0 : passed + 1);
  if (key.ctrl && name === 's') return on(query, Math.max(0, passed - 1));
  if (key.ctrl && (name === 'c' || name === 'g')) return { kind: 'cancel' };
  if (name === 'backspace' || (key.ctrl && name === 'h')) return on(query.slice(0, -1), 0);
  if (name === 'return') return { kind: 'take', submit: true };
  const isTyped = !key.ctrl && !key.meta && sequence !== '' && !/^\p{Cc}/u.test(sequence);
  return isTyped ? on(query + sequence, 0) : { kind: 'take', submit: false };
}

/** Returns the selected match, at most the last one. Undefined if no prompt contains the text. */
export function found({ query, passed }: Search, newestFirst: readonly string[]): string | undefined {
  if (query === '') return undefined;
  const wanted = query.toLowerCase();
  const matches = newestFirst.filter((prompt) => prompt.toLowerCase().includes(wanted));
  return matches[Math.min(passed, matches.length - 1)];
}

/** The line of a prompt that contains the search text. */
export interface HistoryHit {
  readonly line: string;
  /** The start and the end of the match. */
  readonly from: number;
  readonly to: number;
}

export function hitOf({ query }: Search, prompt: string): HistoryHit {
  const wanted = query.toLowerCase();
  const line = prompt.split('\n').find((one) => one.toLowerCase().includes(wanted)) ?? '';
  const from = Math.max(0, line.toLowerCase().indexOf(wanted));
  return { line, from, to: from + query.length };
}

function on(query: string, passed: number): Searched {
  return { kind: 'search', search: { query, passed } };
}
