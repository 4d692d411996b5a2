/** Files of a session that hold outputs too large for the conversation. Named after their call, so a repeat changes nothing. */
import { createHash } from 'node:crypto';
import { mkdir, rename, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { SpillFiles } from '@heddle/core';

export function spillFiles(folder: string): SpillFiles {
  const pathOf = (toolUseId: string): string => path.join(folder, `${fileName(toolUseId)}.txt`);
  return {
    pathOf,
    async write(toolUseId, text) {
      const file = pathOf(toolUseId);
      const draft = `${file}.${process.pid}`;
      try {
        await mkdir(folder, { recursive: true, mode: 0o700 });
        // Under another name first: nobody must read half of it and take it for the whole.
        await writeFile(draft, text, { mode: 0o600 });
        await rename(draft, file);
        return true;
      } catch {
        await rm(draft, { force: true }).catch(() => undefined);
        return false;
      }
    },
  };
}

/** Ids come from a server: one that is no plain name must not lead elsewhere. */
function fileName(toolUseId: string): string {
  if (/^[a-zA-Z0-9][a-zA-Z0-9_-]{0,99}$/.test(toolUseId)) return toolUseId;
  return createHash('sha256').update(toolUseId).digest('hex').slice(0, 32);
}
