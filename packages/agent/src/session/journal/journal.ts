/**
 * The journal: where entries are stored, one after another, by one writer. `append` returns only when the entry is stored;
 * if it cannot be, it throws a `JournalError`, and whatever the entry announced must not happen.
 */
import { type Entry, type EntryBody, isToolResult } from '@heddle/core';

export interface Journal {
  readonly sessionId: string;
  /** Where people find it; undefined for one that is kept in memory only. */
  readonly path: string | undefined;
  append(body: EntryBody): void;
  close(): void;
}

export class JournalError extends Error {
  override readonly name = 'JournalError';
}

/** Keeps the session for as long as the process lives. */
export interface MemoryJournal extends Journal {
  readonly entries: readonly Entry[];
}

export function memoryJournal(sessionId: string, now: () => number): MemoryJournal {
  const entries: Entry[] = [];
  return {
    sessionId,
    path: undefined,
    entries,
    append: (body) => void entries.push({ ...body, at: now() }),
    close: () => undefined,
  };
}

/** `process`: survives the death of the process. `power`: what must not be lost also survives the machine's. */
export type Durability = 'process' | 'power';

/** User input, effects and their outcomes, approvals and the end: what nobody can work out again. */
export class PowerPolicy {
  /** Calls with effects that have begun and have no stored result. */
  readonly #effects = new Set<string>();

  /** Must this entry, and all before it, be on the disk before anything else happens? Ask once for each entry, in order. */
  mustSync(entry: EntryBody): boolean {
    switch (entry.type) {
      case 'ask_answer':
      case 'end':
        return true;
      case 'intent':
        if (entry.effect === 'read_only') return false;
        this.#effects.add(entry.toolUseId);
        return true;
      case 'user': {
        // An outcome is followed by the message with its result: one wait for the disk serves both.
        const { content, isMeta } = entry.message;
        const results = typeof content === 'string' ? [] : content.filter(isToolResult);
        if (results.length === 0) return isMeta !== true;
        return results.some((result) => this.#effects.delete(result.tool_use_id));
      }
      default:
        return false;
    }
  }
}

// Whom the next conversation line names as its parent. What was taken back is left out, so that following the parents
// from the last line gives the conversation.

export class EntryChain {
  #uuids: string[];

  constructor(parent: string | null = null) {
    this.#uuids = parent === null ? [] : [parent];
  }

  get parent(): string | null {
    return this.#uuids.at(-1) ?? null;
  }

  follow(entry: EntryBody): void {
    switch (entry.type) {
      case 'user':
      case 'assistant':
      case 'system':
      case 'attachment':
        this.#uuids.push(entry.message.uuid);
        return;
      case 'tombstone': {
        const gone = new Set(entry.uuids);
        this.#uuids = this.#uuids.filter((uuid) => !gone.has(uuid));
        return;
      }
      case 'rewind':
        this.#uuids = [entry.to];
        return;
      default:
        return;
    }
  }
}
