export interface FileToolDeps {
  /**
   * Stores a file's old content before it is changed. A change whose old content cannot be stored does not
   * happen.
   */
  readonly checkpoints?: Checkpoints | undefined;
  /** Waits until written data is on disk. */
  readonly sync?: boolean;
}

export interface Checkpoints {
  /**
   * `after` is the hash of the new content. `current` is the replaced content, undefined for a new file.
   */
  before(file: string, toolUseId: string, after: string, current: KeptContent | undefined): Promise<void>;
  /** Called before a file is written in place, which a crash can interrupt. */
  keepCopy?(current: KeptContent): Promise<void>;
}

export interface KeptContent {
  readonly bytes: Buffer;
  readonly hash: string;
  readonly mode: number;
}

export interface FileTools extends FileToolDeps {
  readonly knownTexts: KnownTexts;
}

export function fileToolDeps(deps: FileToolDeps = {}): FileTools {
  return { ...deps, knownTexts: new KnownTexts() };
}

// The texts behind the hashes of the file-state cache, as far as they fit. Used to show changes since a
// file was read.

/** The limits in characters: for all texts, and for one. */
const MAX_TOTAL = 8_000_000;
const MAX_TEXT = 500_000;

class KnownTexts {
  readonly #texts = new Map<string, string>();
  #total = 0;

  keep(hash: string, text: string): void {
    if (text.length > MAX_TEXT) return;
    this.#forget(hash);
    this.#texts.set(hash, text);
    this.#total += text.length;
    for (const [oldest] of this.#texts) {
      if (this.#total <= MAX_TOTAL) return;
      this.#forget(oldest);
    }
  }

  get(hash: string): string | undefined {
    return this.#texts.get(hash);
  }

  #forget(hash: string): void {
    this.#total -= this.#texts.get(hash)?.length ?? 0;
    this.#texts.delete(hash);
  }
}
