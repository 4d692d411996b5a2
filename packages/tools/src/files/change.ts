/**
 * The steps of every file change: check the file, reject it if it was not read or has changed since, store
 * the old content, write it whole.
 */
import type { CallContext, JsonObject, ToolUseContext, Validation } from '@heddle/core';
import { access, constants, lstat } from 'node:fs/promises';
import { waitOrInterrupt } from './abort.ts';
import { writeAtomically } from './atomic.ts';
import { type Content, hashOf, hashOfFile, readContent } from './content.ts';
import type { FileTools } from './deps.ts';
import { decodeText } from './encoding.ts';
import { inEditTurn } from './edit-turns.ts';
import { binaryFileError, FileError, fileError, fileErrorReason, shownPath } from './errors.ts';
import { shortDiff } from './line-diff.ts';
import { permittedPlace } from './path.ts';
import { PinnedPlace } from './pinned-place.ts';
import { omitUndefined } from '@heddle/core';

/** Computes the new content of a file. Pure. Throws to reject the change. */
export type FileChange<About> = (current: Content | undefined) => {
  readonly bytes: Buffer;
  readonly about: About;
};

export interface PlannedChange<About> {
  readonly file: string;
  readonly current: Content | undefined;
  readonly bytes: Buffer;
  readonly hash: string;
  readonly about: About;
}

export async function planChange<About>(
  given: string,
  change: FileChange<About>,
  context: ToolUseContext,
  tools: FileTools,
): Promise<PlannedChange<About>> {
  return withPlace(permittedPlace(given, context), (place) => planAt(place, change, context, tools));
}

/** Rejects an invalid change before the user is asked for permission. */
export async function validateChange(plan: () => Promise<unknown>): Promise<Validation> {
  try {
    await plan();
    return { ok: true };
  } catch (thrown) {
    return { ok: false, message: fileErrorReason(thrown) };
  }
}

export function intentOf({ file, current, hash }: PlannedChange<unknown>): JsonObject {
  return { path: file, before: current?.hash ?? null, after: hash };
}

export async function performChange<About>(
  given: string,
  change: FileChange<About>,
  context: CallContext,
  tools: FileTools,
): Promise<PlannedChange<About>> {
  const { signal, toolUseId } = context;
  const perform = async (place: PinnedPlace): Promise<PlannedChange<About>> => {
    const { file } = place;
    const planned = await planAt(place, change, context, tools);
    const { current, bytes, hash } = planned;
    if (hash !== current?.hash) {
      await keepOld(file, toolUseId, hash, current, tools);
      await writeAtomically({
        place,
        bytes,
        signal,
        ...omitUndefined({ old: current, sync: tools.sync }),
        keepCopy: () => keepCopy(file, current, tools),
        confirm: () => stillSame(place, current?.hash ?? null, signal),
      });
    }
    await remember(place, bytes, hash, context, tools);
    return planned;
  };
  return inEditTurn(context, () => {
    // Another edit may have changed where the path leads.
    const file = permittedPlace(given, context);
    return runInOrder(file, signal, () => withPlace(file, perform));
  });
}

/** After a crash: the file itself shows whether the change happened. */
export async function settleInterruptedChange(
  details: JsonObject,
  { signal }: ToolUseContext,
): Promise<'done' | 'not_done' | 'unknown'> {
  const { path: file, before, after } = details;
  if (typeof file !== 'string' || typeof after !== 'string') return 'unknown';
  try {
    const hash = await withPlace(file, (place) => hashOfFile(place, signal));
    return hash === after ? 'done' : hash === before ? 'not_done' : 'unknown';
  } catch {
    return 'unknown';
  }
}

/** Works in one and the same folder from the first check to the last step. */
async function withPlace<T>(file: string, work: (place: PinnedPlace) => Promise<T>): Promise<T> {
  const place = openPlace(file);
  try {
    return await work(place);
  } finally {
    place.close();
  }
}

function openPlace(file: string): PinnedPlace {
  try {
    return PinnedPlace.open(file);
  } catch (thrown) {
    throw fileError('cannot be reached', file, thrown);
  }
}

async function planAt<About>(
  place: PinnedPlace,
  change: FileChange<About>,
  context: ToolUseContext,
  tools: FileTools,
): Promise<PlannedChange<About>> {
  const { file } = place;
  const current = await readContent(place, context.signal);
  if (current !== undefined) {
    await refuseReadOnly(place, current);
    await refuseUnknown(file, current, context, tools);
  }
  const { bytes, about } = await changed(file, current, change, context);
  return { file, current, bytes, hash: hashOf(bytes), about };
}

/** Computes the new content. The message of a failure contains text of the file only if no rule is about reading it. */
async function changed<About>(
  file: string,
  current: Content | undefined,
  change: FileChange<About>,
  context: ToolUseContext,
): Promise<ReturnType<FileChange<About>>> {
  try {
    return change(current);
  } catch (thrown) {
    if (current === undefined || !(await isTextHidden(file, context))) throw thrown;
    throw new FileError(
      `${shownPath(file)} was not changed, because the change does not fit its content. A rule about reading the file keeps its text out of this message.`,
    );
  }
}

async function isTextHidden(file: string, { unaskedFiles }: ToolUseContext): Promise<boolean> {
  return (await unaskedFiles?.())?.(file) ?? false;
}

/** A rename only checks whether the folder is writable. */
async function refuseReadOnly(place: PinnedPlace, { mode }: Content): Promise<void> {
  const name = shownPath(place.file);
  if ((mode & 0o222) === 0)
    throw new FileError(
      `${name} is read-only, so nothing was written. If it is meant to be changed, make it writable first.`,
    );
  try {
    await access(place.at(), constants.W_OK);
  } catch (thrown) {
    throw fileError('may not be written', place.file, thrown);
  }
}

async function refuseUnknown(
  file: string,
  { bytes, hash }: Content,
  context: ToolUseContext,
  tools: FileTools,
): Promise<void> {
  const known = context.fileState.get(file);
  const name = shownPath(file);
  if (known === undefined) {
    // Read rejects such a file as well, so advice to read it cannot be followed.
    if (decodeText(bytes) === undefined) throw binaryFileError(file);
    throw new FileError(`${name} has not been read yet. Read it first, so that nothing unseen is changed.`);
  }
  if (known.hash === hash) return;
  const before = tools.knownTexts.get(known.hash);
  const after = decodeText(bytes)?.text;
  const isUnknown = before === undefined || after === undefined || (await isTextHidden(file, context));
  const changes = isUnknown ? ' ' : ` The change:\n${await shortDiff(before, after)}\n`;
  throw new FileError(
    `${name} has changed since it was read, so nothing was written.${changes}Read it again before you change it.`,
  );
}

async function keepOld(
  file: string,
  toolUseId: string,
  after: string,
  current: Content | undefined,
  { checkpoints }: FileTools,
): Promise<void> {
  try {
    await checkpoints?.before(file, toolUseId, after, current);
  } catch (thrown) {
    throw notKept(file, thrown);
  }
}

async function keepCopy(
  file: string,
  current: Content | undefined,
  { checkpoints }: FileTools,
): Promise<void> {
  try {
    if (current !== undefined) await checkpoints?.keepCopy?.(current);
  } catch (thrown) {
    throw notKept(file, thrown);
  }
}

function notKept(file: string, thrown: unknown): FileError {
  return new FileError(
    `${shownPath(file)} was not changed: its old content could not be kept (${fileErrorReason(thrown)}).`,
  );
}

async function stillSame(place: PinnedPlace, before: string | null, signal: AbortSignal): Promise<void> {
  if ((await hashOfFile(place, signal)) === before) return;
  throw new FileError(
    `${shownPath(place.file)} was changed by another program at the same moment, so nothing was written. Read it again.`,
  );
}

/** Longer texts are not compared later. In characters. */
const MAX_KEPT_TEXT = 1024 * 1024;

async function remember(
  place: PinnedPlace,
  bytes: Buffer,
  hash: string,
  context: ToolUseContext,
  tools: FileTools,
): Promise<void> {
  // The engine detects later changes by this time. If it is not available, the engine compares the content.
  const readAt = await modifiedAt(place);
  const text = decodeText(bytes)?.text;
  const isKept = text !== undefined && text.length <= MAX_KEPT_TEXT;
  context.fileState.set(place.file, { hash, readAt, ...(isKept ? { text } : {}) });
  if (text !== undefined) tools.knownTexts.keep(hash, text);
}

async function modifiedAt(place: PinnedPlace): Promise<number> {
  try {
    return (await lstat(place.at())).mtimeMs;
  } catch {
    return 0;
  }
}

const lines = new Map<string, Promise<void>>();

/** `file` is a real path. An abort while waiting leaves the queue. */
export async function runInOrder<T>(file: string, signal: AbortSignal, work: () => Promise<T>): Promise<T> {
  const before = lines.get(file);
  const turn = Promise.withResolvers<void>();
  // The next in the queue also waits for the earlier ones, because this one may leave early.
  const end = before === undefined ? turn.promise : before.then(() => turn.promise);
  lines.set(file, end);
  // The queue is empty when its last entry has ended, not when it leaves: earlier ones may still run.
  void end.then(() => lines.get(file) === end && lines.delete(file));
  try {
    if (before !== undefined) await waitOrInterrupt(before, signal);
    return await work();
  } finally {
    turn.resolve();
  }
}
