/** Old contents under their hashes: the same content is kept once. */
import { mkdir, readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import { writeAtomically } from '../files/atomic.ts';
import { hashOf } from '../files/content.ts';

/** Private: what was in somebody's files is nobody else's business. */
export const PRIVATE_FOLDER = { recursive: true, mode: 0o700 } as const;

const NEVER = new AbortController().signal;

export class ContentBlobs {
  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = folder;
  }

  async keep(hash: string, bytes: Buffer): Promise<void> {
    const file = this.#fileOf(hash);
    if (await isWhole(file, bytes.length)) return;
    await mkdir(this.#folder, PRIVATE_FOLDER);
    await writeAtomically({ file, bytes, signal: NEVER });
  }

  /** Throws where it is gone or damaged. */
  async read(hash: string): Promise<Buffer> {
    const bytes = await readFile(this.#fileOf(hash));
    if (hashOf(bytes) !== hash) throw new Error('the content that was kept is damaged');
    return bytes;
  }

  #fileOf(hash: string): string {
    return path.join(this.#folder, path.basename(hash));
  }
}

async function isWhole(file: string, size: number): Promise<boolean> {
  try {
    return (await stat(file)).size === size;
  } catch {
    return false;
  }
}
