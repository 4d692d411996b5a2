/** The order of user messages and of the files changed after each, and what going back to one of them means. Pure. */

/** A file as it was before the first change after a message. */
export interface FileVersion {
  /** A real path. */
  readonly path: string;
  /** Null: there was no such file. */
  readonly hash: string | null;
  readonly mode: number;
}

export type TimelineEntry =
  | { readonly type: 'message'; readonly id: string }
  | ({ readonly type: 'file'; readonly toolUseId: string } & FileVersion);

export class Timeline {
  readonly #entries: TimelineEntry[] = [];
  /** Paths kept since the last message. */
  #kept = new Set<string>();

  add(entry: TimelineEntry): void {
    this.#entries.push(entry);
    if (entry.type === 'message') this.#kept = new Set();
    else this.#kept.add(entry.path);
  }

  /** Only the first change after a message needs a checkpoint: later ones start from what the agent itself wrote. */
  isKept(path: string): boolean {
    return this.#kept.has(path);
  }

  get hasMessage(): boolean {
    return this.#entries.length > 0;
  }

  /**
   * The files changed since a message, each as it was when the message came: the first version kept after it. Later
   * rewinds are changes too, so any point can be gone back to, also one that was left by a rewind. Undefined for an unknown
   * message.
   */
  versionsAt(messageId: string): readonly FileVersion[] | undefined {
    const start = this.#entries.findLastIndex((entry) => entry.type === 'message' && entry.id === messageId);
    if (start === -1) return undefined;
    const versions = new Map<string, FileVersion>();
    for (const entry of this.#entries.slice(start + 1)) {
      if (entry.type !== 'file' || versions.has(entry.path)) continue;
      const { path, hash, mode } = entry;
      versions.set(path, { path, hash, mode });
    }
    return [...versions.values()];
  }
}

/** A line of the index; undefined where it is torn or foreign. */
export function parseEntry(line: string): TimelineEntry | undefined {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    return undefined;
  }
  if (typeof value !== 'object' || value === null || !('type' in value)) return undefined;
  if (value.type === 'message' && 'id' in value && typeof value.id === 'string')
    return { type: 'message', id: value.id };
  if (
    value.type !== 'file' ||
    !('path' in value && 'hash' in value && 'mode' in value && 'toolUseId' in value)
  )
    return undefined;
  const { path, hash, mode, toolUseId } = value;
  if (typeof path !== 'string' || typeof mode !== 'number' || typeof toolUseId !== 'string') return undefined;
  if (hash !== null && typeof hash !== 'string') return undefined;
  return { type: 'file', path, hash, mode, toolUseId };
}
