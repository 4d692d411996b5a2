/** Finds the sessions that the server shows, and keeps the index of those in use. */
import { existsSync, readdirSync } from 'node:fs';
import path from 'node:path';
import {
  folderBeside,
  listSessions,
  sessionFilesOf,
  type SessionPlace,
  type SessionSummary,
} from '@heddle/agent/sessions';
import type { SessionCard } from '../model/api.ts';
import { SessionIndex } from '../read/session-index.ts';

/** The number of sessions whose index stays in memory. */
const MAX_OPEN = 4;

/** The separator between a session and its subagent, in an id. */
const CHILD = '~';

export class SessionStore {
  readonly #place: Omit<SessionPlace, 'cwd'>;
  /** Files outside of the folder of sessions, by id. */
  readonly #extra: ReadonlyMap<string, string>;
  #files = new Map<string, string>();
  readonly #open = new Map<string, SessionIndex>();

  constructor(place: Omit<SessionPlace, 'cwd'>, extra: ReadonlyMap<string, string>) {
    this.#place = place;
    this.#extra = extra;
  }

  /** Newest first. */
  list(): SessionCard[] {
    const sessions = listSessions(this.#place);
    this.#files = new Map(sessions.map(({ id, path: file }) => [id, file]));
    const cards = sessions.map(cardOf);
    const own = [...this.#extra].filter(([id]) => !this.#files.has(id));
    return [...own.map(([id, file]) => emptyCard(id, file)), ...cards];
  }

  /** Returns undefined if there is no such session. */
  find(id: string): SessionIndex | undefined {
    const known = this.#open.get(id);
    this.#open.delete(id);
    const index = known ?? this.#create(id);
    if (!index || !existsSync(index.file)) return undefined;
    // The map keeps the order of use: the first one was used longest ago.
    this.#open.set(id, index);
    const [oldest] = this.#open.keys();
    if (this.#open.size > MAX_OPEN && oldest !== undefined) this.#open.delete(oldest);
    return index;
  }

  /** The ids of a session's subagents. */
  subagents(id: string): string[] {
    const file = this.#fileOf(id);
    if (file === undefined) return [];
    return namesIn(path.join(folderBeside(file), 'subagents'))
      .filter((name) => /^[\w-]+\.jsonl$/.test(name))
      .map((name) => `${id}${CHILD}${name.slice(0, -'.jsonl'.length)}`);
  }

  #create(id: string): SessionIndex | undefined {
    const [parent = '', child] = id.split(CHILD);
    const file = this.#fileOf(parent);
    if (file === undefined) return undefined;
    if (child === undefined) return new SessionIndex(file);
    if (!this.subagents(parent).includes(id)) return undefined;
    return new SessionIndex(path.join(folderBeside(file), 'subagents', `${child}.jsonl`), true);
  }

  #fileOf(id: string): string | undefined {
    const extra = this.#extra.get(id);
    if (extra !== undefined) return extra;
    if (!this.#files.has(id))
      this.#files = new Map(sessionFilesOf(this.#place).map((file) => [file.id, file.path]));
    return this.#files.get(id);
  }
}

function cardOf(summary: SessionSummary): SessionCard {
  const { id, title, cwd = '', model = '', startedAt, lastAt, messages, bytes, costUsd, isFork } = summary;
  return { id, title, cwd, model, startedAt, lastAt, messages, bytes, costUsd, isFork };
}

function emptyCard(id: string, file: string): SessionCard {
  return {
    id,
    title: path.basename(file),
    cwd: path.dirname(file),
    model: '',
    startedAt: undefined,
    lastAt: 0,
    messages: 0,
    bytes: 0,
    costUsd: undefined,
    isFork: false,
  };
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder).sort();
  } catch {
    return [];
  }
}
