/** Files that were read and have changed on disk since: told once per change, so that the model does not work on old text. */
import { createHash } from 'node:crypto';
import { readFile, stat } from 'node:fs/promises';
import type { Attachment, FileStateCache } from '@heddle/core';

export async function changedFiles(fileState: FileStateCache): Promise<Attachment[]> {
  const found = await Promise.all(fileState.paths().map((path) => changeOf(path, fileState)));
  return found.filter((attachment) => attachment !== undefined);
}

async function changeOf(path: string, fileState: FileStateCache): Promise<Attachment | undefined> {
  const known = fileState.get(path);
  if (!known) return undefined;
  try {
    const { mtimeMs } = await stat(path);
    if (mtimeMs === known.readAt) return undefined;
    const hash = createHash('sha256')
      .update(await readFile(path))
      .digest('hex');
    fileState.set(path, { ...known, hash, readAt: mtimeMs });
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
