/**
 * The model's words while they come: wrapped at words, with bold, code and headings painted where there are colours. Lines
 * of code and of tables stay as they are. However the text is cut into pieces, the same comes out.
 */
import { stripVTControlCharacters } from 'node:util';
import { widthOf } from '../../terminal/width.ts';
import type { Style } from '../style.ts';
import type { Layout } from './layout.ts';
import { type LineKind, lineKind, NOTHING_BEGUN, type Surroundings, TAB } from './line-kind.ts';
import { partsOf } from './parts.ts';
import { Rows } from './rows.ts';
import { nextToken, NO_SPANS, type Spans, type Token } from './spans.ts';

interface Piece {
  readonly text: string;
  readonly look: 'bold' | 'cyan' | undefined;
}

export class Prose implements Layout {
  readonly #style: Style;
  readonly #columns: () => number;
  readonly #rows: Rows;
  #held = '';
  #around: Surroundings = NOTHING_BEGUN;
  /** The line that is being shown; undefined at the beginning of one. */
  #line: LineKind | undefined;
  #spans: Spans = NO_SPANS;
  /** The character that was taken last. */
  #before = '';
  #gap = '';
  /** The text itself came in grey. */
  #isDim = false;
  /** The word that is still growing. */
  #word: Piece[] = [];
  /** A part of that word stands there already: it is longer than a row. */
  #isOverlong = false;

  constructor(style: Style, columns: () => number) {
    this.#style = style;
    this.#columns = columns;
    this.#rows = new Rows(columns);
  }

  add(text: string): string {
    this.#held += text;
    return this.#flow(false);
  }

  end(): string {
    const rest = this.#flow(true) + this.#place();
    this.#line = undefined;
    this.#around = NOTHING_BEGUN;
    this.#spans = NO_SPANS;
    this.#before = '';
    this.#isDim = false;
    this.#gap = '';
    this.#rows.begin();
    return rest;
  }

  tearOff(): void {
    this.#rows.tearOff();
  }

  #flow(isWhole: boolean): string {
    let shown = '';
    while (this.#held !== '') {
      if (!this.#line && !this.#begin(isWhole)) break;
      if (this.#line?.kind === 'verbatim') shown += this.#verbatim();
      else {
        const token = this.#token(isWhole);
        if (!token) break;
        this.#held = this.#held.slice(token.text.length);
        shown += this.#take(token);
        this.#spans = token.spans;
        this.#before = stripVTControlCharacters(token.text).at(-1) ?? this.#before;
      }
    }
    return shown;
  }

  #begin(isWhole: boolean): boolean {
    const begun = lineKind(this.#held, this.#around, isWhole);
    if (!begun) return false;
    this.#line = begun.line;
    this.#around = begun.next;
    this.#rows.begin(begun.line.kind === 'prose' ? begun.line.hang : '');
    return true;
  }

  #verbatim(): string {
    const end = this.#held.indexOf('\n') + 1;
    const shown = end > 0 ? this.#held.slice(0, end) : this.#held;
    this.#held = this.#held.slice(shown.length);
    if (end > 0) this.#line = undefined;
    return shown;
  }

  /** Without colours every mark stays where it is. */
  #token(isWhole: boolean): Token | undefined {
    if (this.#style.colours) return nextToken(this.#held, this.#spans, { before: this.#before, isWhole });
    const [text = ''] = /^(?:\n|[^\S\n]+|\S+)/.exec(this.#held) ?? [];
    const kind = text === '\n' ? 'newline' : /^\s/.test(text) ? 'gap' : 'text';
    return { kind, text, spans: NO_SPANS };
  }

  #take({ kind, text }: Token): string {
    switch (kind) {
      case 'mark':
        return '';
      case 'gap': {
        const shown = this.#place();
        this.#gap += text.replaceAll('\t', TAB);
        return shown;
      }
      case 'newline': {
        const shown = this.#place();
        this.#gap = '';
        this.#line = undefined;
        return `${shown}\n`;
      }
      case 'text':
        return this.#grow(text);
    }
  }

  #grow(text: string): string {
    const look = this.#look();
    let shown = '';
    for (const part of partsOf(this.#word.at(-1)?.text.slice(-2) ?? '', text)) {
      if (part.mayBreakBefore) shown += this.#place();
      this.#word.push({ text: part.text, look });
    }
    const width = this.#word.reduce((sum, piece) => sum + widthOf(piece.text), 0);
    if (!this.#isOverlong && width < this.#columns()) return shown;
    shown += this.#place();
    this.#isOverlong = true;
    return shown;
  }

  #look(): Piece['look'] {
    if (this.#spans.code !== '') return 'cyan';
    const isHeading = this.#line?.kind === 'prose' && this.#line.isHeading;
    return this.#spans.bold || isHeading ? 'bold' : undefined;
  }

  /** The word is complete. */
  #place(): string {
    const { paint } = this.#style;
    const word = joined(this.#word)
      .map(({ text, look }) => {
        this.#isDim = isDimAfter(text, this.#isDim);
        if (look === undefined) return text;
        // The end of bold is the end of dim too.
        return paint(look, text) + (look === 'bold' && this.#isDim ? DIM : '');
      })
      .join('');
    const [gap, isRest] = [this.#gap, this.#isOverlong];
    this.#isOverlong = false;
    if (word === '') return '';
    this.#word = [];
    this.#gap = '';
    return isRest ? this.#rows.continue(word) : this.#rows.put(gap, word);
  }
}

const DIM = '\u001b[2m';
const NOT_DIM = '\u001b[22m';

function isDimAfter(text: string, isDim: boolean): boolean {
  const [on, off] = [text.lastIndexOf(DIM), text.lastIndexOf(NOT_DIM)];
  return on === off ? isDim : on > off;
}

/** Neighbours of one look are painted as one. */
function joined(pieces: readonly Piece[]): Piece[] {
  const all: Piece[] = [];
  for (const piece of pieces) {
    const last = all.at(-1);
    if (last && last.look === piece.look) all.splice(-1, 1, { ...last, text: last.text + piece.text });
    else all.push(piece);
  }
  return all;
}
