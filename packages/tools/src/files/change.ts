/** The road of every change: look, refuse what was not read or has changed since, keep the old content, write as a whole. */
import { access, constants, stat } from 'node:fs/promises';
import type { CallContext, JsonObject, ToolUseContext, Validation } from '@heddle/core';
import { writeAtomically } from './atomic.ts';
import { type Content, hashOf, hashOfFile, readContent } from './content.ts';
import type { FileTools } from './doors.ts';
import { decodeText } from './encoding.ts';
import { FileError, fileError, reasonOf, shownPath } from './errors.ts';
import { shortDiff } from './line-diff.ts';
import { realTarget, resolvePath } from './path.ts';
import { inOrder } from './queue.ts';

/** What a tool makes of a file's content. Pure; throws to refuse. */
export type Change<About> = (current: Content | undefined) => {
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
  change: Change<About>,
  context: ToolUseContext,
  tools: FileTools,
): Promise<PlannedChange<About>> {
  const file = await realTarget(resolvePath(given, context.workingDirectory));
  return planAt(file, change, context, tools);
}

/** Everything a plan would refuse is refused before anybody is asked for permission. */
export async function validateChange(plan: () => Promise<unknown>): Promise<Validation> {
  try {
    await plan();
    return { ok: true };
  } catch (thrown) {
    return { ok: false, message: reasonOf(thrown) };
  }
}

export function intentOf({ file, current, hash }: PlannedChange<unknown>): JsonObject {
  return { path: file, before: current?.hash ?? null, after: hash };
}

export async function performChange<About>(
  given: string,
  change: Change<About>,
  context: CallContext,
  tools: FileTools,
): Promise<PlannedChange<About>> {
  const { signal, toolUseId } = context;
  const file = await realTarget(resolvePath(given, context.workingDirectory));
  return inOrder(file, signal, async () => {
    const planned = await planAt(file, change, context, tools);
    const { current, bytes, hash } = planned;
    if (hash !== current?.hash) {
      await keepOld(file, toolUseId, hash, tools);
      await writeAtomically({
        file,
        bytes,
        signal,
        ...(current === undefined ? {} : { keep: current }),
        ...(tools.sync === undefined ? {} : { sync: tools.sync }),
        confirm: () => stillSame(file, current?.hash ?? null, signal),
      });
    }
    await remember(file, bytes, hash, context, tools);
    return planned;
  });
}

/** After a crash: the file itself says whether it happened. */
export async function recallChange(
  details: JsonObject,
  { signal }: ToolUseContext,
): Promise<'done' | 'not_done' | 'unknown'> {
  const { path: file, before, after } = details;
  if (typeof file !== 'string' || typeof after !== 'string') return 'unknown';
  try {
    const hash = await hashOfFile(file, signal);
    return hash === after ? 'done' : hash === before ? 'not_done' : 'unknown';
  } catch {
    return 'unknown';
  }
}

async function planAt<About>(
  file: string,
  change: Change<About>,
  context: ToolUseContext,
  tools: FileTools,
): Promise<PlannedChange<About>> {
  const current = await readContent(file, context.signal);
  if (current !== undefined) {
    await refuseReadOnly(file, current);
    await refuseUnknown(file, current, context, tools);
  }
  const { bytes, about } = change(current);
  return { file, current, bytes, hash: hashOf(bytes), about };
}

/** A rename asks only whether the folder may be written. */
async function refuseReadOnly(file: string, { mode }: Content): Promise<void> {
  const name = shownPath(file);
  if ((mode & 0o222) === 0)
    throw new FileError(
      `${name} is read-only, so nothing was written. If it is meant to be changed, make it writable first.`,
    );
  try {
    await access(file, constants.W_OK);
  } catch (thrown) {
    throw fileError('may not be written', file, thrown);
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
    throw new FileError(`${name} has not been read yet. Read it first, so that nothing unseen is changed.`);
  }
  if (known.hash === hash) return;
  const before = tools.knownTexts.get(known.hash);
  const after = decodeText(bytes)?.text;
  const changes =
    before === undefined || after === undefined ? ' ' : ` What changed:\n${await shortDiff(before, after)}\n`;
  throw new FileError(
    `${name} has changed since it was read, so nothing was written.${changes}Read it again before you change it.`,
  );
}

async function keepOld(
  file: string,
  toolUseId: string,
  after: string,
  { checkpoints }: FileTools,
): Promise<void> {
  try {
    await checkpoints?.before(file, toolUseId, after);
  } catch (thrown) {
    throw new FileError(
      `${shownPath(file)} was not changed: its old content could not be kept (${reasonOf(thrown)}).`,
    );
  }
}

async function stillSame(file: string, before: string | null, signal: AbortSignal): Promise<void> {
  if ((await hashOfFile(file, signal)) === before) return;
  throw new FileError(
    `${shownPath(file)} was changed by somebody else at the same moment, so nothing was written. Read it again.`,
  );
}

async function remember(
  file: string,
  bytes: Buffer,
  hash: string,
  context: ToolUseContext,
  tools: FileTools,
): Promise<void> {
  // The time is what tells the engine that the file was touched after this; where it cannot be had, it looks.
  const readAt = await modifiedAt(file);
  context.fileState.set(file, { hash, readAt });
  const text = decodeText(bytes)?.text;
  if (text !== undefined) tools.knownTexts.keep(hash, text);
}

async function modifiedAt(file: string): Promise<number> {
  try {
    return (await stat(file)).mtimeMs;
  } catch {
    return 0;
  }
}
