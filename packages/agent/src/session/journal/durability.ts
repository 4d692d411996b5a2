/** What must survive more than the death of the process. */
import { type EntryBody, isToolResult } from '@heddle/core';

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
