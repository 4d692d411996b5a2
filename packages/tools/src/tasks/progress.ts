/** Tells of new output at once and then at most ten times a second, however fast it comes. */
const EVERY_MS = 100;

export class Coalescer {
  readonly #tell: () => void;
  #timer: NodeJS.Timeout | undefined;
  #isDue = false;

  constructor(tell: () => void) {
    this.#tell = tell;
  }

  poke(): void {
    if (this.#timer) {
      this.#isDue = true;
      return;
    }
    this.#tell();
    this.#timer = setTimeout(() => this.#rest(), EVERY_MS);
  }

  /** Nothing is told any more. */
  stop(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  #rest(): void {
    this.#timer = undefined;
    if (!this.#isDue) return;
    this.#isDue = false;
    this.poke();
  }
}
