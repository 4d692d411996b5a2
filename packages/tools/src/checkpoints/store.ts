/**
 * Stores the old contents of files that Write, Edit and NotebookEdit change, per user message and outside
 * the repository, and restores them. Changes by shell commands are not recorded. Nothing is ever written
 * into `.git`.
 */
import { randomUUID } from 'node:crypto';
import { closeSync, constants, openSync, writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { errorCode } from '@heddle/core';
import { writeAtomically } from '../files/atomic.ts';
import { withContent } from '../files/content.ts';
import type { KeptContent } from '../files/deps.ts';
import { realTarget } from '../files/path.ts';
import { PinnedPlace } from '../files/pinned-place.ts';
import { pinFile } from '../files/pinned.ts';
import { restoreCheckpoints, type RewoundFiles } from './rewind.ts';
import { parseEntry, Timeline, type TimelineEntry } from './timeline.ts';

export interface CheckpointOptions {
  /** For one session, such as `<config>/file-history/<session>`. Created when the first message comes. */
  readonly folder: string;
  /** Called after a version was stored and before the file is changed, for the session's log. */
  readonly onCheckpoint?: (checkpoint: {
    readonly toolUseId: string;
    readonly path: string;
    readonly hash: string | null;
  }) => void;
  readonly uuid?: () => string;
}

export type Rewound =
  | { readonly canRewind: false; readonly error: string }
  | ({
      readonly canRewind: true;
      /** A rewind to this id undoes the rewind. Undefined in a dry run, and if nothing changed. */
      readonly undoId?: string;
    } & RewoundFiles);

interface RewindOptions {
  readonly dryRun?: boolean;
  /** Keeps files that the user or another program changed since the agent wrote them. */
  readonly spareOthers?: boolean;
}

/** `O_NONBLOCK`: a pipe in place of the index is an error, and does not block the process. */
const APPEND =
  constants.O_WRONLY |
  constants.O_APPEND |
  constants.O_CREAT |
  (constants.O_NOFOLLOW ?? 0) |
  (constants.O_NONBLOCK ?? 0);

export class CheckpointStore {
  readonly #options: CheckpointOptions;
  /** A real path. Links are followed once, when the first entry is read or written. */
  #index: string | undefined;
  readonly #blobs: ContentBlobs;
  /** Undefined until it was read. */
  #timeline: Timeline | undefined;
  /** Runs one operation at a time, because the index is a sequence. */
  #last: Promise<unknown> = Promise.resolve();
  #lastRewind: Promise<unknown> = Promise.resolve();

  constructor(options: CheckpointOptions) {
    this.#options = options;
    this.#blobs = new ContentBlobs(path.join(options.folder, 'blobs'));
  }

  /** Called for a user message. Later changes are stored under it. */
  begin(messageId: string): Promise<void> {
    return this.#next(async (timeline) => this.#append(timeline, { type: 'message', id: messageId }));
  }

  /**
   * Stores the file's present content. `current` is undefined if there is no such file. `after` is the
   * hash of the new content, or null if the file is removed.
   * Contract: throws if that is not possible. The file must then not be changed.
   */
  before(
    file: string,
    toolUseId: string,
    after: string | null,
    current: KeptContent | undefined,
  ): Promise<void> {
    return this.#next(async (timeline) => {
      await this.#keep(timeline, file, toolUseId, current);
      if (timeline.hasMessage) this.#append(timeline, { type: 'written', path: file, hash: after });
    });
  }

  /** Stored under its hash, even if an earlier content of the file is already stored. */
  async keepCopy({ hash, bytes }: KeptContent): Promise<void> {
    await this.#blobs.keep(hash, bytes);
  }

  /** Returns the messages with a checkpoint whose ids begin with this text. */
  idsLike(beginning: string): Promise<readonly string[]> {
    return this.#next(async (timeline) => timeline.idsLike(beginning));
  }

  /**
   * Restores every file to its state when the message came. Never throws for a single file: the result
   * contains failures. Waits for the files one by one, like a change, so it must not block the checkpoints
   * of running changes.
   */
  rewind(messageId: string, options: RewindOptions = {}): Promise<Rewound> {
    const result = this.#lastRewind.then(() => this.#rewind(messageId, options));
    this.#lastRewind = result.catch(() => undefined);
    return result;
  }

  async #rewind(messageId: string, { dryRun = false, spareOthers = false }: RewindOptions): Promise<Rewound> {
    const versions = await this.#next(async (timeline) => timeline.versionsAt(messageId));
    if (versions === undefined)
      return { canRewind: false, error: `No files were kept under the message ${messageId}.` };
    const undoId = `rewind-${(this.#options.uuid ?? randomUUID)()}`;
    let begun = false;
    const files = await restoreCheckpoints(versions, {
      dryRun,
      spareOthers,
      isByOthers: (file, hash) => this.#next(async (timeline) => timeline.isByOthers(file, hash)),
      contentOf: (hash) => this.#blobs.read(hash),
      keep: async (file, after, current) => {
        if (!begun) await this.begin(undoId);
        begun = true;
        await this.before(file, undoId, after, current);
      },
    });
    return { canRewind: true, ...files, ...(begun ? { undoId } : {}) };
  }

  async #keep(
    timeline: Timeline,
    file: string,
    toolUseId: string,
    content: KeptContent | undefined,
  ): Promise<void> {
    if (!timeline.hasMessage || timeline.isKept(file)) return;
    if (content !== undefined) await this.#blobs.keep(content.hash, content.bytes);
    const hash = content?.hash ?? null;
    this.#append(timeline, { type: 'file', path: file, hash, mode: content?.mode ?? 0, toolUseId });
    this.#options.onCheckpoint?.({ toolUseId, path: file, hash });
  }

  #append(timeline: Timeline, entry: TimelineEntry): void {
    // A truncated last line of a crashed process ends here.
    this.#appendText(`${JSON.stringify(entry)}\n`);
    timeline.add(entry);
  }

  /** Synchronous, because every prompt waits for it. A first asynchronous call would start the threads of Node. */
  #appendText(text: string): void {
    const place = PinnedPlace.open(this.#indexFile());
    try {
      place.makeFolders(PRIVATE_MODE);
      const descriptor = openSync(place.at(), APPEND, 0o600);
      try {
        writeFileSync(descriptor, text);
      } finally {
        closeSync(descriptor);
      }
    } finally {
      place.close();
    }
  }

  #indexFile(): string {
    this.#index ??= realTarget(path.join(this.#options.folder, 'index.jsonl'));
    return this.#index;
  }

  #next<T>(work: (timeline: Timeline) => Promise<T>): Promise<T> {
    const run = async (): Promise<T> => {
      this.#timeline ??= await this.#load();
      return work(this.#timeline);
    };
    const result = this.#last.then(run);
    this.#last = result.catch(() => undefined);
    return result;
  }

  async #load(): Promise<Timeline> {
    const timeline = new Timeline();
    const text = await textOf(this.#indexFile());
    for (const line of text.split('\n')) {
      const entry = parseEntry(line);
      if (entry !== undefined) timeline.add(entry);
    }
    // A partial line left by a crash must not absorb the next one.
    if (text !== '' && !text.endsWith('\n')) this.#appendText('\n');
    return timeline;
  }
}

/** Returns an empty text if there is no such file. */
async function textOf(file: string): Promise<string> {
  try {
    const pinned = pinFile(file);
    try {
      return await readFile(pinned.path, 'utf8');
    } finally {
      pinned.close();
    }
  } catch (thrown) {
    if (errorCode(thrown) === 'ENOENT') return '';
    throw thrown;
  }
}

/** Private: the user's file contents must not be readable by other users. */
const PRIVATE_MODE = 0o700;

const NEVER = new AbortController().signal;

class ContentBlobs {
  readonly #given: string;
  /** A real path. Links are followed once: the folder that was found first is used. */
  #folder: string | undefined;

  constructor(folder: string) {
    this.#given = folder;
  }

  async keep(hash: string, bytes: Buffer): Promise<void> {
    const place = PinnedPlace.open(this.#fileOf(hash));
    try {
      if (sizeOf(place) === bytes.length) return;
      await writeAtomically({ place, bytes, folderMode: PRIVATE_MODE, signal: NEVER });
    } finally {
      place.close();
    }
  }

  /** Throws if it is gone or damaged. */
  async read(hash: string): Promise<Buffer> {
    const { bytes, hash: found } = await withContent(
      this.#fileOf(hash),
      NEVER,
      (content) => content,
      () => {
        throw new Error('the content that was kept is damaged');
      },
    );
    if (found !== hash) throw new Error('the content that was kept is damaged');
    return bytes;
  }

  #fileOf(hash: string): string {
    this.#folder ??= realTarget(this.#given);
    return path.join(this.#folder, path.basename(hash));
  }
}

function sizeOf(place: PinnedPlace): number | undefined {
  const pinned = place.pin();
  pinned?.close();
  return pinned?.about.isFile() === true ? pinned.about.size : undefined;
}
