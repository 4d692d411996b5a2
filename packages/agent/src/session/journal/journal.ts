/**
 * The journal stores entries in order, by one writer. `append` returns when the entry is stored, or accepted in order by a
 * journal with a barrier. If that fails, it throws a `JournalError`, and the announced action must not happen.
 */
import { type Entry, type EntryBody, isToolResult } from '@heddle/core';

export interface Journal {
  readonly sessionId: string;
  /** The path of the file. Undefined for a journal in memory. */
  readonly path: string | undefined;
  append(body: EntryBody): void;
  /**
   * The barrier of a journal that stores in the background. Undefined: everything that must be stored before the next step
   * is stored. The promise rejects with a `JournalError`. A journal without this method stores in `append`.
   */
  stored?(): Promise<void> | undefined;
  close(): void;
}

export class JournalError extends Error {
  override readonly name = 'JournalError';
}

/** Keeps the session until the process ends. */
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

/** `process`: survives the end of the process. `power`: important entries also survive a power failure. */
export type Durability = 'process' | 'power';

/** Selects the entries that cannot be reconstructed: user input, effects and their outcomes, approvals and the end. */
export class PowerPolicy {
  /** Calls with effects that have started and have no stored result. */
  readonly #effects = new Set<string>();

  /**
   * Returns whether this entry, and all before it, must be on disk before the next step. Call it once per entry, in
   * order.
   */
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
        // The message with the result follows an outcome. One sync is enough for both.
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

// Tracks the parent of the next conversation line. Retracted messages are left out, so that the chain of parents is the
// conversation.

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
