/** Old contents under their hashes: the same content is kept once. */
import path from 'node:path';
import { writeAtomically } from '../files/atomic.ts';
import { withContent } from '../files/content.ts';
import { realTarget } from '../files/path.ts';
import { PinnedPlace } from '../files/pinned-place.ts';

/** Private: what was in somebody's files is nobody else's business. */
export const PRIVATE_MODE = 0o700;

const NEVER = new AbortController().signal;

export class ContentBlobs {
  readonly #given: string;
  /** Real. Links are followed once: the folder that was found first is the one that is used. */
  #folder: string | undefined;

  constructor(folder: string) {
    this.#given = folder;
  }

  async keep(hash: string, bytes: Buffer): Promise<void> {
    const place = PinnedPlace.open(this.#fileOf(hash));
    try {
      if (sizeOf(place) === bytes.length) return;
      await writeAtomically({ place, bytes, folderMode: PRIVATE_MODE, signal: NEVER });
    } finally {
      place.close();
    }
  }

  /** Throws if it is gone or damaged. */
  async read(hash: string): Promise<Buffer> {
    const { bytes, hash: found } = await withContent(
      this.#fileOf(hash),
      NEVER,
      (content) => content,
      () => {
        throw new Error('the content that was kept is damaged');
      },
    );
    if (found !== hash) throw new Error('the content that was kept is damaged');
    return bytes;
  }

  #fileOf(hash: string): string {
    this.#folder ??= realTarget(this.#given);
    return path.join(this.#folder, path.basename(hash));
  }
}

function sizeOf(place: PinnedPlace): number | undefined {
  const pinned = place.pin();
  pinned?.close();
  return pinned?.about.isFile() === true ? pinned.about.size : undefined;
}
