/**
 * What must survive a compaction, taken from the history by rule and not by a model: what the user asked, the todo list, the
 * files that were touched, commands that failed, calls without a result. It is kept as data in the boundary, so that the next
 * compaction finds it whole however often the words around it are summarised.
 */
import type { JsonObject } from '../../json.ts';
import type { Message } from '../../messages/message.ts';
import { callsIn, requestText, resultsIn, resultText } from '../reading/read.ts';
import { beginning } from '../reading/shorten.ts';

export interface WorkExtract {
  /** The user's own words, in order. */
  readonly requests: readonly string[];
  /** The last todo list, as JSON. */
  readonly todos: string | undefined;
  /** Paths that calls named, in the order of their last use: those of tools that only look, and the others. */
  readonly changed: readonly string[];
  readonly read: readonly string[];
  /** Calls that failed and were not seen to succeed since. */
  readonly failing: readonly string[];
  /** Calls whose result has not come. */
  readonly open: readonly string[];
}

/** Of more than this many, the oldest are forgotten. */
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
    for (const call of callsIn(message)) {
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
    for (const result of resultsIn(message)) {
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

  /** What an earlier compaction kept. */
  #recall(details: JsonObject | undefined): void {
    const kept = details?.['kept'];
    if (typeof kept !== 'object' || kept === null || !isObject(kept)) return;
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

/** As it is kept in the boundary. */
export function keptOf({ requests, todos, changed, read, failing }: WorkExtract): JsonObject {
  return { requests, ...(todos === undefined ? {} : { todos }), changed, read, failing };
}

function isObject(value: object): value is JsonObject {
  return !Array.isArray(value);
}

function texts(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((item) => typeof item === 'string') : [];
}

function touch(paths: Set<string>, path: string): void {
  paths.delete(path);
  paths.add(path);
}

/** The names under which tools take the path of a file. */
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
