/**
 * The order of user messages and of the files changed after each, and the file versions at each message.
 * Pure.
 */
import { isRecord } from '@heddle/core';

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
  /** The content that the agent or a rewind is about to write. Null: the file is removed. */
  | { readonly type: 'written'; readonly path: string; readonly hash: string | null }
  | ({ readonly type: 'file'; readonly toolUseId: string } & FileVersion);

export class Timeline {
  readonly #entries: TimelineEntry[] = [];
  /** Paths stored since the last message. */
  #kept = new Set<string>();
  readonly #written = new Map<string, string | null>();
  readonly #lastKept = new Map<string, string | null>();

  add(entry: TimelineEntry): void {
    this.#entries.push(entry);
    if (entry.type === 'message') this.#kept = new Set();
    if (entry.type === 'written') this.#written.set(entry.path, entry.hash);
    if (entry.type !== 'file') return;
    this.#kept.add(entry.path);
    this.#lastKept.set(entry.path, entry.hash);
  }

  /**
   * Returns true if another program changed a file that the agent had written. After a failed write the
   * file has its stored content.
   */
  isByOthers(path: string, hash: string): boolean {
    const written = this.#written.get(path);
    return written !== undefined && hash !== written && hash !== this.#lastKept.get(path);
  }

  /** Returns the messages whose ids begin with this text. A complete id matches only itself. */
  idsLike(beginning: string): readonly string[] {
    const ids = new Set(this.#entries.flatMap((entry) => (entry.type === 'message' ? [entry.id] : [])));
    return ids.has(beginning) ? [beginning] : [...ids].filter((id) => id.startsWith(beginning));
  }

  /**
   * Only the first change after a message needs a checkpoint: later ones start from the agent's own
   * content.
   */
  isKept(path: string): boolean {
    return this.#kept.has(path);
  }

  get hasMessage(): boolean {
    return this.#entries.length > 0;
  }

  /**
   * Returns the files changed since a message, each as it was when the message came: the first version
   * stored after it. Rewinds are changes too, so any point can be restored, also one that a rewind left.
   * Undefined for an unknown message.
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

/** Parses a line of the index. Undefined if it is truncated or unknown. */
export function parseEntry(line: string): TimelineEntry | undefined {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    return undefined;
  }
  if (!isRecord(value)) return undefined;
  if (value.type === 'message' && 'id' in value && typeof value.id === 'string')
    return { type: 'message', id: value.id };
  if (value.type === 'written' && 'path' in value && 'hash' in value) {
    const { path, hash } = value;
    return typeof path === 'string' && isHash(hash) ? { type: 'written', path, hash } : undefined;
  }
  if (
    value.type !== 'file' ||
    !('path' in value && 'hash' in value && 'mode' in value && 'toolUseId' in value)
  )
    return undefined;
  const { path, hash, mode, toolUseId } = value;
  if (typeof path !== 'string' || typeof mode !== 'number' || typeof toolUseId !== 'string') return undefined;
  return isHash(hash) ? { type: 'file', path, hash, mode, toolUseId } : undefined;
}

function isHash(value: unknown): value is string | null {
  return value === null || typeof value === 'string';
}
