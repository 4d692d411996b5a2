/** Files that were read and have changed on disk since: told once per change, so that the model does not work on old text. */
import { createHash } from 'node:crypto';
import { statSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import type { Attachment, FileStateCache } from '@heddle/core';

export async function changedFiles(fileState: FileStateCache): Promise<Attachment[]> {
  const found = await Promise.all(fileState.paths().map((path) => changeOf(path, fileState)));
  return found.filter((attachment) => attachment !== undefined);
}

/** Larger files are not worth a read at every turn. */
const MAX_BYTES = 32 * 1024 * 1024;

async function changeOf(path: string, fileState: FileStateCache): Promise<Attachment | undefined> {
  const known = fileState.get(path);
  if (!known) return undefined;
  try {
    // Asked of every file at every turn: a thread for each question would cost far more than the question.
    const { mtimeMs, size } = statSync(path);
    if (mtimeMs === known.readAt || size > MAX_BYTES) return undefined;
    const hash = createHash('sha256')
      .update(await readFile(path))
      .digest('hex');
    // The hash stays that of the text the model saw: an edit of anything newer must be refused.
    fileState.set(path, { ...known, readAt: mtimeMs });
    if (hash === known.hash) return undefined;
    return {
      kind: 'changed_file',
      path,
      note: `${path} changed on disk since it was read. Read it again before relying on it.`,
    };
  } catch {
    // Gone or unreadable: the next Read says so better than a reminder could.
    return undefined;
  }
}
