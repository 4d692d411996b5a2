/** Files of a session that hold outputs too large for the conversation. Named after their call, so a repeat changes nothing. */
import { createHash } from 'node:crypto';
import { rename, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { SpillFiles } from '@heddle/core';
import { PinnedPlace } from '@heddle/tools/files';
import { realFolder } from '../session/files/blobs.ts';

export function spillFiles(folder: string): SpillFiles {
  const pathOf = (toolUseId: string): string => path.join(folder, `${fileName(toolUseId)}.txt`);
  const real = realFolder(folder);
  return {
    pathOf,
    async write(toolUseId, text) {
      try {
        await store(path.join(real(), `${fileName(toolUseId)}.txt`), text);
        return true;
      } catch {
        return false;
      }
    },
  };
}

/** `file` is a real path; its folder is held open, and no link that appears in it is followed. */
async function store(file: string, text: string): Promise<void> {
  const place = PinnedPlace.open(file);
  try {
    place.makeFolders(0o700);
    const draft = place.at(`${place.name}.${process.pid}`);
    try {
      // Under another name first: half of it must not be taken for the whole. `wx` follows no link.
      await rm(draft, { force: true });
      await writeFile(draft, text, { mode: 0o600, flag: 'wx' });
      await rename(draft, place.at());
    } catch (thrown) {
      await rm(draft, { force: true }).catch(() => undefined);
      throw thrown;
    }
  } finally {
    place.close();
  }
}

/** Ids come from a server: one that is no plain name must not lead elsewhere. */
function fileName(toolUseId: string): string {
  if (/^[a-zA-Z0-9][a-zA-Z0-9_-]{0,99}$/.test(toolUseId)) return toolUseId;
  return createHash('sha256').update(toolUseId).digest('hex').slice(0, 32);
}
