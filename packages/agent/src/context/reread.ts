/** What is read again from disk after a compaction, rather than remembered by a summary. */
import { readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import type { Attachment, ReadAgain, Reread } from '@heddle/core';

export interface RereadSetup {
  readonly cwd: string;
  /** Files whose rules hold for the whole conversation, where they are not part of the prompt. */
  readonly instructions: readonly string[];
  /** Plan, invoked skills, running tasks. */
  readonly standing: () => Promise<readonly Attachment[]>;
}

/** A larger file would be cut to a fraction: its beginning alone is not worth a place. */
const MAX_FILE = 512 * 1024;

export function rereadFrom({ cwd, instructions, standing }: RereadSetup): Reread {
  return {
    instructions: () => readAll(instructions, cwd, Number.POSITIVE_INFINITY),
    files: (paths) => readAll(paths, cwd, MAX_FILE),
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

async function readAll(paths: readonly string[], cwd: string, limit: number): Promise<readonly ReadAgain[]> {
  const read = await Promise.all(paths.map((file) => readText(path.resolve(cwd, file), limit)));
  return read.filter((file) => file !== undefined);
}

/** Gone, unreadable, binary or no plain file (a pipe would be waited for): left out. */
async function readText(file: string, limit: number): Promise<ReadAgain | undefined> {
  try {
    const about = await stat(file);
    if (!about.isFile() || about.size > limit) return undefined;
    const text = await readFile(file, 'utf8');
    return text.trim() === '' || text.includes('\0') ? undefined : { path: file, text };
  } catch {
    return undefined;
  }
}
