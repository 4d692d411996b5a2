/**
 * Text that comes in very many pieces. Strings that are only added to form a chain that holds every piece; joined now and
 * then, the text weighs no more than its characters.
 */
export class GatheredText {
  #whole = '';
  #pieces: string[] = [];

  add(piece: string): void {
    this.#pieces.push(piece);
    if (this.#pieces.length === MOST_PIECES) this.#join();
  }

  toString(): string {
    this.#join();
    return this.#whole;
  }

  #join(): void {
    this.#whole += this.#pieces.join('');
    this.#pieces = [];
  }
}

const MOST_PIECES = 1_024;
