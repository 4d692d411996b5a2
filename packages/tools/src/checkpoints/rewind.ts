/**
 * Restores files one by one. A file that cannot be restored is reported and does not prevent the others.
 */
import { unlink } from 'node:fs/promises';
import { writeAtomically } from '../files/atomic.ts';
import { type Content, readContent } from '../files/content.ts';
import { decodeText } from '../files/encoding.ts';
import { FileError, fileErrorReason } from '../files/errors.ts';
import { countLines } from '../files/line-diff.ts';
import { PinnedPlace } from '../files/pinned-place.ts';
import { MovedError } from '../files/pinned.ts';
import { runInOrder } from '../files/change.ts';
import type { FileVersion } from './timeline.ts';

export interface RewoundFiles {
  /** In a dry run: those that would be changed. */
  readonly filesChanged: readonly string[];
  readonly insertions: number;
  readonly deletions: number;
  /** Symbolic links that replaced the files. They were not changed. */
  readonly skippedLinks: readonly string[];
  /**
   * Files that the user or another program changed since the agent wrote them: kept, or restored with the
   * others.
   */
  readonly changedByOthers: readonly string[];
  readonly failed: readonly { readonly path: string; readonly why: string }[];
}

interface RewindDeps {
  readonly dryRun: boolean;
  readonly spareOthers: boolean;
  isByOthers(file: string, hash: string): Promise<boolean>;
  contentOf(hash: string): Promise<Buffer>;
  /**
   * Called before a file is changed, so that the rewind can be undone. `after` is the hash of the new
   * content.
   */
  keep(file: string, after: string | null, current: Content | undefined): Promise<void>;
}

const NEVER = new AbortController().signal;

export async function restoreCheckpoints(
  versions: readonly FileVersion[],
  deps: RewindDeps,
): Promise<RewoundFiles> {
  const filesChanged: string[] = [];
  const skippedLinks: string[] = [];
  const changedByOthers: string[] = [];
  const failed: { path: string; why: string }[] = [];
  let insertions = 0;
  let deletions = 0;
  for (const version of versions) {
    const { path: file } = version;
    try {
      const step = await runInOrder(file, NEVER, () => rewindFile(version, deps));
      if (step === undefined) continue;
      if (step.do === 'leave_link') skippedLinks.push(file);
      else if (step.do === 'leave') failed.push({ path: file, why: step.why });
      else {
        if (step.isByOthers) changedByOthers.push(file);
        if (step.do === 'spared') continue;
        filesChanged.push(file);
        insertions += step.insertions;
        deletions += step.deletions;
      }
    } catch (thrown) {
      failed.push({ path: file, why: fileErrorReason(thrown) });
    }
  }
  return { filesChanged, insertions, deletions, skippedLinks, changedByOthers, failed };
}

type Done =
  | {
      readonly do: 'changed';
      readonly insertions: number;
      readonly deletions: number;
      readonly isByOthers: boolean;
    }
  | { readonly do: 'spared'; readonly isByOthers: true };

async function rewindFile(
  version: FileVersion,
  deps: RewindDeps,
): Promise<Done | Extract<RewindStep, { do: 'leave' | 'leave_link' }> | undefined> {
  const place = placeOf(version.path);
  if (place === undefined) {
    const step = planStep(version, { kind: 'link' });
    return step?.do === 'leave' ? step : { do: 'leave_link' };
  }
  try {
    return await rewindAt(place, version, deps);
  } finally {
    place.close();
  }
}

/**
 * Returns undefined if the path, or a folder above it, has become a link: a write would change another
 * file.
 */
function placeOf(file: string): PinnedPlace | undefined {
  try {
    return PinnedPlace.open(file);
  } catch (thrown) {
    if (thrown instanceof MovedError) return undefined;
    throw thrown;
  }
}

/** Works in one and the same folder from the check of the file to its change. */
async function rewindAt(
  place: PinnedPlace,
  version: FileVersion,
  deps: RewindDeps,
): Promise<Done | Extract<RewindStep, { do: 'leave' | 'leave_link' }> | undefined> {
  const { present, content } = await lookAt(place);
  const step = planStep(version, present);
  if (step === undefined || step.do === 'leave' || step.do === 'leave_link') return step;
  const isByOthers = present.kind === 'file' && (await deps.isByOthers(version.path, present.hash));
  if (isByOthers && deps.spareOthers) return { do: 'spared', isByOthers };
  const wanted = step.do === 'restore' ? await deps.contentOf(step.version.hash) : undefined;
  const counts = await countLines(textOf(content?.bytes), textOf(wanted));
  if (!deps.dryRun) {
    await deps.keep(version.path, version.hash, content);
    await put(place, version.mode, wanted, content);
  }
  return { do: 'changed', ...counts, isByOthers };
}

async function put(
  place: PinnedPlace,
  mode: number,
  wanted: Buffer | undefined,
  content: Content | undefined,
): Promise<void> {
  if (wanted === undefined) return unlink(place.at());
  const owner = content ?? { uid: process.getuid?.() ?? 0, gid: process.getgid?.() ?? 0 };
  const { uid, gid } = owner;
  const old = { mode, uid, gid, ...(content === undefined ? {} : { bytes: content.bytes }) };
  await writeAtomically({ place, bytes: wanted, old, signal: NEVER });
}

async function lookAt(place: PinnedPlace): Promise<{ present: Present; content?: Content }> {
  try {
    const content = await readContent(place, NEVER);
    if (content === undefined) return { present: { kind: 'absent' } };
    return { present: { kind: 'file', hash: content.hash }, content };
  } catch (thrown) {
    if (thrown instanceof MovedError) return { present: { kind: 'link' } };
    if (thrown instanceof FileError) return { present: { kind: 'other', what: thrown.message } };
    throw thrown;
  }
}

/** Binary content counts as one line. */
function textOf(bytes: Buffer | undefined): string {
  if (bytes === undefined) return '';
  return decodeText(bytes)?.text ?? `binary content of ${bytes.length} bytes`;
}

/** The present state of a path. */
type Present =
  | { readonly kind: 'file'; readonly hash: string }
  | { readonly kind: 'absent' }
  /** The path, or a folder above it, has become a symbolic link: a write would change another file. */
  | { readonly kind: 'link' }
  | { readonly kind: 'other'; readonly what: string };

type RewindStep =
  | { readonly do: 'restore'; readonly version: FileVersion & { readonly hash: string } }
  | { readonly do: 'remove'; readonly version: FileVersion }
  | { readonly do: 'leave_link' }
  | { readonly do: 'leave'; readonly why: string };

/** Returns undefined for a file that is unchanged. */
function planStep(version: FileVersion, present: Present): RewindStep | undefined {
  const { path, hash } = version;
  if (isInGit(path)) return { do: 'leave', why: 'it lies inside .git' };
  switch (present.kind) {
    case 'link':
      return { do: 'leave_link' };
    case 'other':
      return { do: 'leave', why: present.what };
    case 'absent':
      return hash === null ? undefined : { do: 'restore', version: { ...version, hash } };
    case 'file':
      if (hash === present.hash) return undefined;
      return hash === null ? { do: 'remove', version } : { do: 'restore', version: { ...version, hash } };
  }
}

/** Git's own files are never restored. */
function isInGit(path: string): boolean {
  return path.split(/[\\/]/).includes('.git');
}
