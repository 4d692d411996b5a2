/**
 * The rows of a terminal, filled word by word: a word that would cross the edge begins the next row. A word that is longer
 * than a row is left for the terminal to break, so that it can be copied in one piece. Nothing is ever drawn again.
 */
import { stripVTControlCharacters } from 'node:util';
import { charactersOf, mostCellsOf, mostWidthOf } from '../../terminal/width.ts';

export class Rows {
  readonly #columns: () => number;
  /** Where the next character goes. */
  #column = 0;
  /** What rows begin with that a line runs over into. */
  #hang = '';
  /** Something else was written in the middle of the line: it goes on in a row of its own. */
  #isTornOff = false;

  /** Asked for each word: the terminal may become another size in the middle of a text. */
  constructor(columns: () => number) {
    this.#columns = columns;
  }

  /** A new line of the text. */
  begin(hang = ''): void {
    this.#column = 0;
    this.#isTornOff = false;
    this.#hang = hang.length > this.#columns() / 2 ? '' : hang;
  }

  tearOff(): void {
    this.#column = 0;
    this.#isTornOff = true;
  }

  /** A word, with the space before it. Answers with what to write. */
  put(gap: string, word: string): string {
    const columns = this.#columns();
    const bare = stripVTControlCharacters(word);
    // A narrower terminal has broken the row that was being filled.
    if (this.#column > columns) this.#column %= columns;
    const start = this.#column + gap.length;
    const isEmptyRow = start <= this.#hang.length || this.#column === 0;
    // A row that ends early does less harm than one that the terminal breaks within a word.
    const fits = start + mostWidthOf(bare) <= columns;
    if (!this.#isTornOff && (fits || isEmptyRow)) return this.#write(gap + word, gap + bare);
    const broken = this.#isTornOff ? '' : '\n';
    this.#isTornOff = false;
    this.#column = 0;
    return broken + this.#write(this.#hang + word, this.#hang + bare);
  }

  /** The rest of a word of which a part stands there already. */
  continue(rest: string): string {
    return this.#isTornOff ? this.put('', rest) : this.#write(rest, stripVTControlCharacters(rest));
  }

  #write(drawn: string, bare: string): string {
    const columns = this.#columns();
    const width = mostWidthOf(bare);
    if (this.#column + width <= columns) this.#column += width;
    else
      for (const character of charactersOf(bare)) {
        const cells = mostCellsOf(character);
        if (this.#column + cells > columns) this.#column = 0;
        this.#column += cells;
      }
    return drawn;
  }
}
