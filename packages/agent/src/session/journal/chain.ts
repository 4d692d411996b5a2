/**
 * Whom the next conversation line names as its parent. What was taken back is left out, so that following the parents
 * from the last line gives the conversation.
 */
import type { EntryBody } from '@heddle/core';

export class Chain {
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
