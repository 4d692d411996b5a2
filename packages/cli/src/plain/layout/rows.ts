/**
 * The rows of a terminal, filled word by word: a word that would cross the edge begins the next row. A word that is longer
 * than a row is left for the terminal to break, so that it can be copied in one piece. Nothing is ever drawn again.
 */
import { stripVTControlCharacters } from 'node:util';
import { charactersOf, mostCellsOf, mostWidthOf, widthOf, withoutTabs } from '../../terminal/width.ts';

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
/** How a text that is still coming is laid out. What it answers with stands on the screen for good. */
export interface Layout {
  /** What may be shown now. */
  add(text: string): string;
  /** The rest, where nothing more comes. */
  end(): string;
  /** Something else was written in between: the text goes on in a new row. */
  tearOff(): void;
}

/** Longer runs without a space are no words: scripts without spaces, tokens, paths. */
const LONGEST_WORD = 40;

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
    // A row is as good as any other.
  }
}

/** Looked for from its end: what comes in one piece may be long. */
function endOfWords(text: string): number {
  let end = text.length;
  while (end > 0 && !/\s/.test(text.charAt(end - 1))) {
    end--;
    if (text.length - end > LONGEST_WORD) return text.length;
  }
  return end;
}

/** Our own colours: they take no room. */
const COLOR = '\u001b[';
// oxlint-disable-next-line no-control-regex -- colours are the point
const PIECES = /\u001b\[[\d;]*m|[^\u001b]+/g;

/** Each row after the first begins with `hang`, and has room for so many cells beside it. Not a character is left out. */
function breakRows(line: string, room: number, { hang = '', atWords = false } = {}): string {
  const rows: string[] = [];
  let row = '';
  let used = 0;
  /** The word that stands last in the row. */
  let word = { start: 0, cells: 0 };
  for (const [piece] of line.matchAll(PIECES)) {
    if (piece.startsWith(COLOR)) {
      row += piece;
      continue;
    }
    for (const character of charactersOf(piece)) {
      const cells = mostCellsOf(character);
      if (used > 0 && used + cells > room) {
        // A long word is broken: it would leave a row behind that is almost empty.
        const movesWord = atWords && word.start > 0 && word.cells <= room / 2;
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

/** Up to the end of the last whole row: the next one is still coming. */
export function wholeRows(text: string, columns: number): { readonly now: string; readonly later: string } {
  const start = text.lastIndexOf('\n') + 1;
  const rows = text.slice(0, start) + breakRows(withoutTabs(text.slice(start)), columns);
  const end = rows.lastIndexOf('\n') + 1;
  return { now: rows.slice(0, end), later: rows.slice(end) };
}

/** What a call would do is shown behind a bar: every character of it, and no row without the bar. */
const BAR = '  | ';

const SHALLOW = 4;

export function printedRows(text: string, columns: number): string {
  return text
    .split('\n')
    .map((line) => (line.startsWith(BAR) ? barred(line, columns) : open(withoutTabs(line), columns)))
    .join('\n');
}

/** Where terminals disagree about a width, the larger one counts: else what they break themselves has no bar. */
function barred(line: string, columns: number): string {
  const text = withoutTabs(line.slice(BAR.length));
  const room = columns - BAR.length;
  if (mostWidthOf(stripVTControlCharacters(text)) <= room) return BAR + text;
  const lead = leadOf(text, room);
  const hang = ' '.repeat(stripVTControlCharacters(lead).length);
  const rows = breakRows(text.slice(lead.length), room - hang.length, { hang: BAR + hang, atWords: true });
  return BAR + lead + rows;
}

/** The number and the sign of a changed line, and its indentation: nothing of the text gets below them. */
function leadOf(text: string, room: number): string {
  const leads = LEAD.exec(text) ?? [];
  return leads.find((lead) => stripVTControlCharacters(lead).length <= room / 2) ?? '';
}

/** With the indentation, then without it. Our own colour may stand before them. */
// oxlint-disable-next-line no-control-regex -- colours are the point
const LEAD = /^((?:\u001b\[[\d;]*m)*(?:(?: *\d+ )?[-+ ] )?) */;

function open(line: string, columns: number): string {
  return widthOf(stripVTControlCharacters(line)) <= columns ? line : wrapped(line, columns);
}

function wrapped(line: string, columns: number): string {
  const rows = new Rows(() => columns);
  rows.begin(' '.repeat(hangOf(stripVTControlCharacters(line), columns)));
  const words = line.matchAll(/( *)([^ ]+)/g);
  return Array.from(words, ([, gap = '', word = '']) => rows.put(gap, word)).join('');
}

/** Rows hang below the text: behind a sign or a number, or in the second column where that leaves them room. */
function hangOf(line: string, columns: number): number {
  const lead = /^\s*/.exec(line)?.[0].length ?? 0;
  const text = widthOf(/^\s*(?:[^\s\w(] +|\S+(?: \S+)* {2,})?/.exec(line)?.[0] ?? '');
  return text <= columns / 2 ? text : Math.min(lead, Math.floor(columns / 4)) + SHALLOW;
}
