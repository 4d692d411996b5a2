/**
 * Fills the rows of a terminal word by word. A word that does not fit starts a new row. The terminal wraps a word that is
 * longer than a row, so that it can be copied as a whole. Rows are never redrawn.
 */
import { stripVTControlCharacters } from 'node:util';
import { charactersOf, mostCellsOf, mostWidthOf, widthOf, withoutTabs } from '../width.ts';

export class Rows {
  readonly #columns: () => number;
  /** The column of the next character. */
  #column = 0;
  /** The text at the start of each continuation row. */
  #hang = '';
  /** Other output interrupted the line, so the line continues in a new row. */
  #isTornOff = false;

  /** `columns` is called for each word, because the terminal may be resized during a text. */
  constructor(columns: () => number) {
    this.#columns = columns;
  }

  /** Starts a new line of the text. */
  begin(hang = ''): void {
    this.#column = 0;
    this.#isTornOff = false;
    this.#hang = hang.length > this.#columns() / 2 ? '' : hang;
  }

  tearOff(): void {
    this.#column = 0;
    this.#isTornOff = true;
  }

  /** Adds a word and the space before it. Returns the text to write. */
  put(gap: string, word: string): string {
    const columns = this.#columns();
    const bare = stripVTControlCharacters(word);
    // A terminal that became narrower has wrapped the current row.
    if (this.#column > columns) this.#column %= columns;
    const start = this.#column + gap.length;
    const isEmptyRow = start <= this.#hang.length || this.#column === 0;
    // Uses the largest possible width: a short row is better than a word that the terminal breaks.
    const fits = start + mostWidthOf(bare) <= columns;
    if (!this.#isTornOff && (fits || isEmptyRow)) return this.#write(gap + word, gap + bare);
    const broken = this.#isTornOff ? '' : '\n';
    this.#isTornOff = false;
    this.#column = 0;
    return broken + this.#write(this.#hang + word, this.#hang + bare);
  }

  /** Adds the rest of a word that is partly written. */
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

/** Formats a streaming text. The returned text is final. */
export interface Layout {
  /** Adds text. Returns the part that can be shown now. */
  add(text: string): string;
  /** Ends the text. Returns the rest. */
  end(): string;
  /** Continues in a new row, because other output was written. */
  tearOff(): void;
}

/** Longer runs without a space, such as paths, are not held back. */
const MAX_WORD_LENGTH = 40;

export class RawLayout implements Layout {
  #held = '';

  add(text: string): string {
    const all = this.#held + text;
    const end = endOfWords(all);
    this.#held = all.slice(end);
    return all.slice(0, end);
  }

  end(): string {
    const rest = this.#held;
    this.#held = '';
    return rest;
  }

  tearOff(): void {
    // The layout does not track rows.
  }
}

/** Searches from the end, because the text may be long. */
function endOfWords(text: string): number {
  let end = text.length;
  while (end > 0 && !/\s/.test(text.charAt(end - 1))) {
    end--;
    if (text.length - end > MAX_WORD_LENGTH) return text.length;
  }
  return end;
}

/** The start of our own color codes, which take no cells. */
const COLOR = '\u001b[';
// oxlint-disable-next-line no-control-regex -- the pattern matches color codes
const PIECES = /\u001b\[[\d;]*m|[^\u001b]+/g;

/** Breaks a line into rows of `width` cells. Each row after the first starts with `hang`. No character is dropped. */
function breakRows(line: string, width: number, { hang = '', atWords = false } = {}): string {
  const rows: string[] = [];
  let row = '';
  let used = 0;
  /** The last word of the row. */
  let word = { start: 0, cells: 0 };
  for (const [piece] of line.matchAll(PIECES)) {
    if (piece.startsWith(COLOR)) {
      row += piece;
      continue;
    }
    for (const character of charactersOf(piece)) {
      const cells = mostCellsOf(character);
      if (used > 0 && used + cells > width) {
        // A long word is broken, because moving it would leave a row almost empty.
        const movesWord = atWords && word.start > 0 && word.cells <= width / 2;
        const end = movesWord ? word.start : row.length;
        rows.push(row.slice(0, end));
        row = row.slice(end);
        used = movesWord ? word.cells : 0;
        word = { start: 0, cells: used };
      }
      row += character;
      used += cells;
      word = character === ' ' ? { start: row.length, cells: 0 } : { ...word, cells: word.cells + cells };
    }
  }
  return [...rows, row].join(`\n${hang}`);
}

/** Splits a text after its last complete row. */
export function wholeRows(text: string, columns: number): { readonly now: string; readonly later: string } {
  const start = text.lastIndexOf('\n') + 1;
  const rows = text.slice(0, start) + breakRows(withoutTabs(text.slice(start)), columns);
  const end = rows.lastIndexOf('\n') + 1;
  return { now: rows.slice(0, end), later: rows.slice(end) };
}

/** The bar before each row of a call, so that no text of the call looks like the question. */
export const BAR = '  | ';

const SHALLOW = 4;

export function printedRows(text: string, columns: number): string {
  return text
    .split('\n')
    .map((line) => (line.startsWith(BAR) ? barred(line, columns) : open(withoutTabs(line), columns)))
    .join('\n');
}

/** Uses the largest possible width, because a row that the terminal wraps itself would have no bar. */
function barred(line: string, columns: number): string {
  const text = withoutTabs(line.slice(BAR.length));
  const width = columns - BAR.length;
  if (mostWidthOf(stripVTControlCharacters(text)) <= width) return BAR + text;
  const lead = leadOf(text, width);
  const hang = ' '.repeat(stripVTControlCharacters(lead).length);
  const rows = breakRows(text.slice(lead.length), width - hang.length, { hang: BAR + hang, atWords: true });
  return BAR + lead + rows;
}

/** Returns the number, the sign and the indentation of a changed line. Continuation rows start after them. */
function leadOf(text: string, width: number): string {
  const leads = LEAD.exec(text) ?? [];
  return leads.find((lead) => stripVTControlCharacters(lead).length <= width / 2) ?? '';
}

/** Matches the lead with the indentation, then without it. A color code may precede it. */
// oxlint-disable-next-line no-control-regex -- the pattern matches color codes
const LEAD = /^((?:\u001b\[[\d;]*m)*(?:(?: *\d+ )?[-+ ] )?) */;

function open(line: string, columns: number): string {
  return widthOf(stripVTControlCharacters(line)) <= columns ? line : wrapped(line, columns);
}

function wrapped(line: string, columns: number): string {
  const rows = new Rows(() => columns);
  rows.begin(' '.repeat(hangOf(stripVTControlCharacters(line), columns)));
  const words = line.matchAll(/(?<! )( *)([^ ]+)/g);
  return Array.from(words, ([, gap = '', word = '']) => rows.put(gap, word)).join('');
}

/** Returns the indentation of continuation rows: after a sign or a number, or in the second column if it fits. */
function hangOf(line: string, columns: number): number {
  const lead = /^\s*/.exec(line)?.[0].length ?? 0;
  const text = widthOf(/^\s*(?:[^\s\w(] +|\S+(?: \S+)* {2,})?/.exec(line)?.[0] ?? '');
  return text <= columns / 2 ? text : Math.min(lead, Math.floor(columns / 4)) + SHALLOW;
}
