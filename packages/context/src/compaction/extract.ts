/**
 * Extracts by rule the facts that must survive a compaction: requests of the user, the todo list, files, failed calls and
 * open calls. The boundary stores them as data, so that the next compaction finds them complete.
 */
import { type History, isJsonObject, type JsonObject, type Message, omitUndefined } from '@heddle/core';
import { estimateMessage } from '../estimate/message.ts';
import { estimateText } from '../estimate/text.ts';
import type { HistoryReader } from '../history/history-reader.ts';
import { decodeMessage, requestText, resultText } from '../history/decode-message.ts';
import { beginning } from '../history/result-notes.ts';

export interface WorkExtract {
  /** The texts of the user, in order. */
  readonly requests: readonly string[];
  /** The last todo list, as JSON. */
  readonly todos: string | undefined;
  /** Paths in the order of their last use: those of writing tools, and those of read-only tools. */
  readonly changed: readonly string[];
  readonly read: readonly string[];
  /** Calls that failed and did not succeed later. */
  readonly failing: readonly string[];
  /** Calls without a result. */
  readonly open: readonly string[];
}

/** The oldest entries above these numbers are dropped. */
const MOST_PATHS = 200;
const MOST_FAILURES = 8;
const ERROR_LENGTH = 300;

export function extractOf(
  messages: Iterable<Message>,
  isCompactable: (tool: string) => boolean,
): WorkExtract {
  const found = new Found(isCompactable);
  for (const message of messages) found.note(message);
  return found.extract();
}

class Found {
  readonly #isCompactable: (tool: string) => boolean;
  #requests: string[] = [];
  #todos: string | undefined;
  readonly #changed = new Set<string>();
  readonly #read = new Set<string>();
  readonly #failing = new Map<string, string>();
  readonly #open = new Map<string, string>();

  constructor(isCompactable: (tool: string) => boolean) {
    this.#isCompactable = isCompactable;
  }

  note(message: Message): void {
    if (message?.type === 'system' && message.subtype === 'compact_boundary')
      return this.#recall(message.details);
    const words = requestText(message);
    if (words !== undefined && words.trim() !== '') this.#requests.push(words);
    for (const call of decodeMessage(message).calls) {
      this.#open.set(call.id, `${call.name} ${mainInput(call.input)}`);
      if (Array.isArray(call.input?.['todos'])) this.#todos = JSON.stringify(call.input['todos']);
      const path = pathOf(call.input);
      if (path === undefined) continue;
      if (this.#isCompactable(call.name)) touch(this.#read, path);
      else {
        touch(this.#changed, path);
        this.#read.delete(path);
      }
    }
    for (const result of decodeMessage(message).results) {
      const call = this.#open.get(result.tool_use_id);
      this.#open.delete(result.tool_use_id);
      if (call === undefined) continue;
      this.#failing.delete(call);
      if (result.is_error === true)
        this.#failing.set(call, beginning(resultText(result).trim(), ERROR_LENGTH));
    }
  }

  extract(): WorkExtract {
    return {
      requests: this.#requests,
      todos: this.#todos,
      changed: [...this.#changed].slice(-MOST_PATHS),
      read: [...this.#read].filter((path) => !this.#changed.has(path)).slice(-MOST_PATHS),
      failing: [...this.#failing].slice(-MOST_FAILURES).map(([call, error]) => `${call}: ${error}`),
      open: [...this.#open].map(([id, call]) => `${id} (${call})`),
    };
  }

  /** Restores the facts that an earlier compaction stored. */
  #recall(details: JsonObject | undefined): void {
    const kept = details?.['kept'];
    if (!isJsonObject(kept)) return;
    this.#requests = texts(kept['requests']);
    this.#todos = typeof kept['todos'] === 'string' ? kept['todos'] : undefined;
    for (const path of texts(kept['changed'])) this.#changed.add(path);
    for (const path of texts(kept['read'])) this.#read.add(path);
    for (const failure of texts(kept['failing'])) {
      const end = failure.indexOf(': ');
      this.#failing.set(failure.slice(0, end), failure.slice(end + 2));
    }
  }
}

/** Returns the facts as the boundary stores them. */
export function keptOf({ requests, todos, changed, read, failing }: WorkExtract): JsonObject {
  return { requests, ...omitUndefined({ todos }), changed, read, failing };
}

function texts(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((item) => typeof item === 'string') : [];
}

function touch(paths: Set<string>, path: string): void {
  paths.delete(path);
  paths.add(path);
}

/** The input fields in which tools take the path of a file. */
const PATHS = ['file_path', 'notebook_path', 'path'];

function pathOf(input: JsonObject | undefined): string | undefined {
  for (const name of PATHS) {
    const path = input?.[name];
    if (typeof path === 'string' && path !== '') return path;
  }
  return undefined;
}

const LONGEST_INPUT = 200;

function mainInput(input: JsonObject | undefined): string {
  const command = input?.['command'] ?? pathOf(input);
  return beginning(typeof command === 'string' ? command : JSON.stringify(input ?? {}), LONGEST_INPUT);
}

// Requests of the user within a budget. They are never summarized. The newest stay word for word as far as they fit, and the
// last one always does. Older ones keep their beginnings. If that is still too much, the oldest are only counted.

/** The share of the budget for requests that stay word for word, if not all fit. */
const WHOLE_SHARE = 0.75;
const SHORT_LENGTH = 200;
const SHORTENED = / \[… \d+ characters in all\]$/;
const COUNTED = /^\[(\d+) older messages? of the user (?:is|are) only in the session log\]$/;

export function keptRequests(all: readonly string[], tokens: number): readonly string[] {
  const { requests, counted } = withoutCount(all);
  const whole = newest(requests, tokens);
  if (whole === 0) return counted === 0 ? requests : [countNote(counted), ...requests];
  const split = newest(requests, tokens * WHOLE_SHARE);
  const short = requests.slice(0, split).map(shortened);
  const dropped = newest(short, tokens * (1 - WHOLE_SHARE), 0);
  const missing = counted + dropped;
  return [...(missing === 0 ? [] : [countNote(missing)]), ...short.slice(dropped), ...requests.slice(split)];
}

/** Returns the index of the first request that fits, counted from the end. At least `least` requests are included. */
function newest(requests: readonly string[], tokens: number, least = 1): number {
  let left = tokens;
  let first = requests.length;
  while (first > 0) {
    left -= estimateText(requests[first - 1] ?? '');
    if (left < 0 && first <= requests.length - least) break;
    first--;
  }
  return first;
}

function shortened(request: string): string {
  if (request.length <= SHORT_LENGTH + 40 || SHORTENED.test(request)) return request;
  return `${beginning(request, SHORT_LENGTH)} [… ${request.length} characters in all]`;
}

function countNote(count: number): string {
  return count === 1
    ? '[1 older message of the user is only in the session log]'
    : `[${count} older messages of the user are only in the session log]`;
}

/** Separates the count note that an earlier compaction put at the beginning. */
function withoutCount(all: readonly string[]): {
  readonly requests: readonly string[];
  readonly counted: number;
} {
  const counted = Number(COUNTED.exec(all[0] ?? '')?.[1] ?? 0);
  return { requests: counted === 0 ? all : all.slice(1), counted };
}

/** Returns the start of the longest tail that fits, or the end of the history if none does. */
export function tailFrom(messages: History<Message>, { cuts }: HistoryReader, tokens: number): number {
  let start = messages.length;
  let [left, next] = [tokens, cuts.length - 1];
  for (let index = messages.length - 1; index > 0 && next >= 0; index--) {
    const message = messages.at(index);
    left -= message ? estimateMessage(message) : 0;
    if (left < 0) break;
    if (index !== cuts[next]) continue;
    start = index;
    next--;
  }
  return start;
}
