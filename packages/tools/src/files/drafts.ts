/** Drafts of files that are written as a whole, and what a crash leaves of them. */
import { randomBytes } from 'node:crypto';
import { lstat, readdir, rm } from 'node:fs/promises';
import path from 'node:path';
import type { PinnedPlace } from './pinned-place.ts';

const DRAFT = /^\.heddle-[0-9a-f]{12}\.tmp$/;

export function draftName(): string {
  return `.heddle-${randomBytes(6).toString('hex')}.tmp`;
}

/** A draft lives for less than a second. One this old has nobody who would still put it in its place. */
const LEFT_BEHIND_MS = 60 * 60 * 1_000;

const swept = new Set<string>();

/** Removes what crashed runs left beside a file. Looked for once per folder, after a write there; never throws. */
export async function sweepDrafts(place: PinnedPlace, now = Date.now()): Promise<void> {
  const folder = path.dirname(place.file);
  if (swept.has(folder)) return;
  swept.add(folder);
  try {
    for (const name of await readdir(place.at('.'))) {
      if (!DRAFT.test(name)) continue;
      const draft = place.at(name);
      const about = await lstat(draft);
      const isOurs = about.isFile() && about.uid === (process.getuid?.() ?? about.uid);
      if (isOurs && now - about.mtimeMs > LEFT_BEHIND_MS) await rm(draft);
    }
  } catch {
    // Gone in the meantime, or not ours to look at: a draft in the way does no harm.
  }
}
