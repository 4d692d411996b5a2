/** Attachments that the engine adds between calls: files that changed on disk, and reminders of open steps. */
import { createHash } from 'node:crypto';
import { statSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import type { Attachment, FileState, FileStateCache, Message, MessageHistory } from '@heddle/core';
import { pinFile, shortDiff } from '@heddle/tools/files';
import { todosIn } from '@heddle/tools';
import { realPath } from '../settings/trust.ts';

/**
 * Leaves out files that a rule denies now or asks about, although the model has read them before: an answer of the user
 * was about one call.
 */
export async function changedFiles(
  fileState: FileStateCache,
  unaskedFiles: () => Promise<(file: string) => boolean>,
): Promise<Attachment[]> {
  const changed = fileState.paths().filter((path) => hasChanged(path, fileState));
  if (changed.length === 0) return [];
  const isUnasked = await unaskedFiles();
  const found = await Promise.all(
    changed.filter((path) => !isUnasked(path)).map((path) => changeOf(path, fileState)),
  );
  return found.filter((attachment) => attachment !== undefined);
}

/** Larger files are not read at every turn. */
const MAX_BYTES = 32 * 1024 * 1024;

function hasChanged(path: string, fileState: FileStateCache): boolean {
  try {
    // Synchronous, because a thread per file and turn would cost far more than the call.
    const about = statSync(path);
    return about.isFile() && about.mtimeMs !== fileState.get(path)?.readAt && about.size <= MAX_BYTES;
  } catch {
    return false;
  }
}

async function changeOf(path: string, fileState: FileStateCache): Promise<Attachment | undefined> {
  const known = fileState.get(path);
  if (!known) return undefined;
  try {
    // The file was read under its real path. A link there now leads to a file that no rule was asked about.
    const { bytes, mtimeMs } = await readWithoutLinks(path);
    const hash = createHash('sha256').update(bytes).digest('hex');
    // The hash stays that of the text the model saw, so that an edit of a newer text is rejected.
    fileState.set(path, { ...known, readAt: mtimeMs });
    if (hash === known.hash) return undefined;
    return { kind: 'changed_file', path, note: await describeChange(known.text, bytes) };
  } catch {
    // Removed or unreadable. The next Read reports it.
    return undefined;
  }
}

/** Throws if the path leads through a link, or is not a regular file: a pipe would block. */
async function readWithoutLinks(path: string): Promise<{ readonly bytes: Buffer; readonly mtimeMs: number }> {
  const pinned = pinFile(path);
  try {
    if (!pinned.about.isFile()) throw new Error('it is not a regular file');
    return { bytes: await readFile(pinned.path), mtimeMs: pinned.about.mtimeMs };
  } finally {
    pinned.close();
  }
}

/** Adds a file that the model has read elsewhere. Returns false if it changed after that, or cannot be read. */
export async function seedReadState(
  fileState: FileStateCache,
  file: string,
  readAt: number,
): Promise<boolean> {
  const path = realPath(file);
  try {
    const about = statSync(path);
    const { mtimeMs, size } = about;
    // Clients give whole milliseconds.
    if (!about.isFile() || Math.floor(mtimeMs) > readAt || size > MAX_BYTES) return false;
    const bytes = await readFile(path);
    const hash = createHash('sha256').update(bytes).digest('hex');
    const text = bytes.includes(0) ? {} : { text: bytes.toString('utf8') };
    fileState.set(path, { hash, readAt: mtimeMs, ...text });
    return true;
  } catch {
    return false;
  }
}

/** The difference is short. The model reads the file again before it relies on more. */
async function describeChange(before: string | undefined, bytes: Buffer): Promise<string> {
  if (before === undefined || bytes.includes(0)) return READ_AGAIN;
  return `The difference:\n${await shortDiff(before, bytes.toString('utf8'))}\n${READ_AGAIN}`;
}

const READ_AGAIN = 'Read it again before you edit it or rely on it.';

const MAX_FILES = 1_000;
/** The texts that are kept for differences, in characters. Those of the files that were read last stay. */
const MAX_TEXT = 16 * 1024 * 1024;

export function createReadFileState(): FileStateCache {
  const files = new Map<string, FileState>();
  let characters = 0;
  return {
    get(path) {
      const state = files.get(path);
      if (state) {
        files.delete(path);
        files.set(path, state);
      }
      return state;
    },
    set(path, state) {
      const before = files.get(path)?.text?.length ?? 0;
      files.delete(path);
      files.set(path, state);
      characters += (state.text?.length ?? 0) - before;
      const [oldest] = files.keys();
      if (files.size > MAX_FILES && oldest !== undefined) {
        characters -= files.get(oldest)?.text?.length ?? 0;
        files.delete(oldest);
      }
      for (const [other, { text, ...rest }] of files) {
        if (characters <= MAX_TEXT || other === path) break;
        if (text === undefined) continue;
        files.set(other, rest);
        characters -= text.length;
      }
    },
    paths: () => [...files.keys()],
  };
}

/** Answers without a change of the list, and without a reminder. */
const SILENT_ANSWERS = 10;
/** Messages that are searched for the last change, so that the cost of a turn stays bounded. */
const LOOK_BACK = 400;

const LIST_TOOLS: ReadonlySet<string> = new Set(['TodoWrite', 'TaskCreate', 'TaskUpdate']);

/**
 * Reminds the model of open steps when it has not touched its list for a while. One for each run. It searches each message once, because it is asked
 * after every call.
 */
export class TodoReminder {
  #searched = 0;
  /** The last message that changed the list or reminded of it. */
  #last: number | undefined;

  /** Returns a reminder if it is due. */
  attachments(messages: MessageHistory): readonly Attachment[] {
    if (!this.#isDue(messages)) return [];
    const open = todosIn(messages).filter(({ status }) => status !== 'completed');
    if (open.length === 0) return [];
    const steps = open.map(({ content, status }) => `- ${content} (${status})`).join('\n');
    const text = `The list of steps has not changed for a while. Update it if it is out of date. Open steps:\n${steps}`;
    return [{ kind: 'reminder', about: 'todo', text }];
  }

  #isDue(messages: MessageHistory): boolean {
    // A compaction replaced messages.
    if (messages.length < this.#searched) [this.#searched, this.#last] = [0, undefined];
    const start = Math.max(this.#searched, messages.length - LOOK_BACK);
    const found = messages
      .since(start)
      .findLastIndex((message) => changesList(message) || isReminder(message));
    if (found >= 0) this.#last = start + found;
    this.#searched = messages.length;
    if (this.#last === undefined) return false;
    const answers = new Set(
      messages
        .since(this.#last + 1)
        .flatMap((message) => (message.type === 'assistant' ? [message.responseId] : [])),
    );
    return answers.size >= SILENT_ANSWERS;
  }
}

function changesList(message: Message): boolean {
  return (
    message.type === 'assistant' &&
    message.content.some((block) => block.type === 'tool_use' && LIST_TOOLS.has(block.name))
  );
}

function isReminder(message: Message): boolean {
  if (message.type !== 'attachment') return false;
  const { attachment } = message;
  return attachment.kind === 'reminder' && attachment.about === 'todo';
}
