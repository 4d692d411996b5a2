/** What is read again from disk after a compaction, rather than remembered by a summary. */
import { readFile } from 'node:fs/promises';
import type { Attachment, ReadAgain, Reread } from '@heddle/core';
import { pinFile, realTarget, resolvePath } from '@heddle/tools/files';

export interface RereadSetup {
  readonly cwd: string;
  /** Files whose rules hold for the whole conversation, where they are not part of the prompt. */
  readonly instructions: readonly string[];
  /** Tells, by the rules as they are now, whether a file may not be shown. */
  readonly deniedFiles?: (() => Promise<(file: string) => boolean>) | undefined;
  /** Plan, invoked skills, running tasks. */
  readonly standing: () => Promise<readonly Attachment[]>;
}

/** A larger file would be cut to a fraction: its beginning alone is not worth a place. */
const MAX_FILE = 512 * 1024;

export function rereadFrom({ cwd, instructions, standing, deniedFiles }: RereadSetup): Reread {
  return {
    instructions: () => readAll(instructions, cwd, Number.POSITIVE_INFINITY, () => false),
    // A rule, or a link in the path, may have changed since a file was read.
    files: async (paths) => readAll(paths, cwd, MAX_FILE, (await deniedFiles?.()) ?? (() => false)),
    standing: async () => {
      try {
        return await standing();
      } catch {
        // Reminders are a comfort: a compaction does not fail for want of one.
        return [];
      }
    },
  };
}

async function readAll(
  paths: readonly string[],
  cwd: string,
  limit: number,
  isDenied: (file: string) => boolean,
): Promise<readonly ReadAgain[]> {
  const read = await Promise.all(paths.map((file) => readText(resolvePath(file, cwd), limit, isDenied)));
  return read.filter((file) => file !== undefined);
}

/** Left out: files that are gone, unreadable, binary, denied, or not plain files (a pipe would be waited for). */
async function readText(
  file: string,
  limit: number,
  isDenied: (file: string) => boolean,
): Promise<ReadAgain | undefined> {
  try {
    const real = realTarget(file);
    if (isDenied(file) || isDenied(real)) return undefined;
    // Not by its path: a link that is put there now would lead to a file that was not looked at.
    const pinned = pinFile(real);
    try {
      if (!pinned.about.isFile() || pinned.about.size > limit) return undefined;
      const text = await readFile(pinned.path, 'utf8');
      return text.trim() === '' || text.includes('\0') ? undefined : { path: file, text };
    } finally {
      pinned.close();
    }
  } catch {
    return undefined;
  }
}
