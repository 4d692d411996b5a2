/** Finds the sessions that the server shows, and keeps the index of those in use. */
import { existsSync } from 'node:fs';
import path from 'node:path';
import { listSessions, sessionFilesOf, type SessionPlace, type SessionSummary } from '@heddle/agent/sessions';
import type { SessionCard, SubagentCard } from '../model/api.ts';
import type { LoadPrice } from '../read/priced-facts.ts';
import { countRead } from '../read/release-memory.ts';
import { SessionIndex } from '../read/session-index.ts';
import { RunReplays } from './run-replays.ts';
import { openSubagent, subagentIds, subagentsBeside } from '../read/subagents.ts';

/** The number of sessions whose index stays in memory, and of subagents. The page shows the subagents of one session. */
const MAX_OPEN = 4;
const MAX_OPEN_SUBAGENTS = 20;

/** The separator between a session and its subagent, in an id. */
const CHILD = '~';

export class SessionStore {
  readonly replays = new RunReplays();
  readonly #place: Omit<SessionPlace, 'cwd'>;
  /** Files outside of the folder of sessions, by id. */
  readonly #extra: ReadonlyMap<string, string>;
  #files = new Map<string, string>();
  #listedBytes = 0;
  readonly #sessions = new Map<string, SessionIndex>();
  readonly #subagents = new Map<string, SessionIndex>();

  /** The prices for logs without costs. */
  readonly loadPrice: LoadPrice | undefined;

  constructor(
    place: Omit<SessionPlace, 'cwd'>,
    extra: ReadonlyMap<string, string>,
    loadPrice: LoadPrice | undefined,
  ) {
    this.#place = place;
    this.#extra = extra;
    this.loadPrice = loadPrice;
  }

  /** Newest first. */
  list(): SessionCard[] {
    const sessions = listSessions(this.#place);
    const bytes = sessions.reduce((sum, session) => sum + session.bytes, 0);
    // A list reads only the bytes that are new since the last one.
    countRead(Math.max(0, bytes - this.#listedBytes));
    this.#listedBytes = bytes;
    this.#files = new Map(sessions.map(({ id, path: file }) => [id, file]));
    const cards = sessions.map(cardOf);
    const own = [...this.#extra].filter(([id]) => !this.#files.has(id));
    return [...own.map(([id, file]) => emptyCard(id, file)), ...cards];
  }

  /** Returns undefined if there is no such session. */
  find(id: string): SessionIndex | undefined {
    const isSubagent = id.includes(CHILD);
    const open = isSubagent ? this.#subagents : this.#sessions;
    const known = open.get(id);
    open.delete(id);
    const index = known ?? this.#create(id);
    if (!index || !existsSync(index.file)) return undefined;
    // The map keeps the order of use: the first one was used longest ago.
    open.set(id, index);
    const [oldest] = open.keys();
    if (open.size > (isSubagent ? MAX_OPEN_SUBAGENTS : MAX_OPEN) && oldest !== undefined) open.delete(oldest);
    return index;
  }

  subagents(id: string): readonly SubagentCard[] {
    const file = this.#fileOf(id);
    return file === undefined ? [] : subagentsBeside(file, `${id}${CHILD}`);
  }

  #create(id: string): SessionIndex | undefined {
    const [parent = '', child] = id.split(CHILD);
    const file = this.#fileOf(parent);
    if (file === undefined) return undefined;
    if (child === undefined) return new SessionIndex(file);
    return subagentIds(file).includes(child) ? openSubagent(file, child) : undefined;
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
