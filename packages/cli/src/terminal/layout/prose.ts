/**
 * Formats the text of the model while it streams: wraps it at words, and paints bold, code and headings if colors are on.
 * Code blocks and tables stay unchanged. The result does not depend on how the text is split into deltas.
 */
import { stripVTControlCharacters } from 'node:util';
import { cellsOf, charactersOf, widthOf } from '../width.ts';
import type { Style } from '../style.ts';
import { type Layout, Rows } from './rows.ts';
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
  #around: LineContext = NOTHING_BEGUN;
  /** The kind of the current line; undefined at the start of a line. */
  #line: LineKind | undefined;
  #spans: Spans = NO_SPANS;
  /** The last character that was read. */
  #before = '';
  #gap = '';
  /** The text itself contains the color code for dim. */
  #isDim = false;
  /** The parts of the current word. */
  #word: Piece[] = [];
  /** The word is longer than a row, and a part of it is already shown. */
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

  /** Without colors, all Markdown marks are kept. */
  #token(isWhole: boolean): Token | undefined {
    if (this.#style.colors) return nextToken(this.#held, this.#spans, { before: this.#before, isWhole });
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
    for (const part of splitParts(this.#word.at(-1)?.text.slice(-2) ?? '', text)) {
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

  /** Writes the current word. */
  #place(): string {
    const { paint } = this.#style;
    const word = joined(this.#word)
      .map(({ text, look }) => {
        this.#isDim = isDimAfter(text, this.#isDim);
        if (look === undefined) return text;
        // The code that ends bold also ends dim.
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

/** Joins adjacent parts with the same look. */
function joined(pieces: readonly Piece[]): Piece[] {
  const all: Piece[] = [];
  for (const piece of pieces) {
    const last = all.at(-1);
    if (last && last.look === piece.look) all.splice(-1, 1, { ...last, text: last.text + piece.text });
    else all.push(piece);
  }
  return all;
}

/** The kind of a line, found from its first word. Prose is wrapped; code and tables are not. */
type LineKind =
  | {
      readonly kind: 'prose';
      /** The text at the start of each continuation row. */
      readonly hang: string;
      readonly isHeading: boolean;
    }
  | { readonly kind: 'verbatim' };

/** The blocks that earlier lines opened. */
interface LineContext {
  /** The fence that ends the code block. */
  readonly fence: string | undefined;
  readonly isInList: boolean;
}

interface OpenBlock {
  readonly line: LineKind;
  readonly next: LineContext;
}

const NOTHING_BEGUN: LineContext = { fence: undefined, isInList: false };

/** A longer first word is not a list sign or a fence. */
const MAX_SIGN_LENGTH = 40;
/** The replacement of a tab. */
const TAB = '    ';
const VERBATIM: LineKind = { kind: 'verbatim' };

/** Returns undefined if more text is needed. */
function lineKind(text: string, around: LineContext, isWhole: boolean): OpenBlock | undefined {
  const [, lead = '', word = '', after = ''] = /^([ \t]*)(\S*)(\s?)/.exec(text) ?? [];
  if (after === '' && !isWhole && word.length < MAX_SIGN_LENGTH) return undefined;
  const indent = lead.replaceAll('\t', TAB);
  if (word === '') return { line: around.fence === undefined ? prose('') : VERBATIM, next: around };
  if (around.fence !== undefined) {
    const isEnd = word.startsWith(around.fence) && /^(`+|~+)$/.test(word);
    return { line: VERBATIM, next: isEnd ? { ...around, fence: undefined } : around };
  }
  const fence = /^(?:`{3,}(?!.*`)|~{3,})/.exec(word)?.[0];
  if (fence !== undefined) return { line: VERBATIM, next: { ...around, fence } };
  if (word.startsWith('|')) return { line: VERBATIM, next: around };
  if (/^(?:[-*+]|\d{1,9}[.)])$/.test(word)) {
    const hang = ' '.repeat(indent.length + word.length + 1);
    return { line: prose(hang), next: { ...around, isInList: true } };
  }
  const isInList = around.isInList && lead !== '';
  if (!isInList && /^(?: {4}|\t)/.test(lead)) return { line: VERBATIM, next: around };
  const next = { ...around, isInList };
  if (word.startsWith('>')) return { line: prose(`${indent}> `), next };
  const isHeading = /^#{1,6}$/.test(word) && /[^\S\n]/.test(after);
  return { line: prose(indent, isHeading), next };
}

function prose(hang: string, isHeading = false): LineKind {
  return { kind: 'prose', hang, isHeading };
}

interface WordPart {
  readonly text: string;
  readonly mayBreakBefore: boolean;
}

/** Splits a text where a line break is allowed. `before`: the end of the word so far. */
function splitParts(before: string, text: string): WordPart[] {
  if (/^[\x20-\x7e]*$/.test(before + text)) return [{ text, mayBreakBefore: false }];
  const parts: WordPart[] = [];
  let previous = before;
  for (const character of charactersOf(text)) {
    const last = parts.at(-1);
    if (mayBreak(previous, character)) parts.push({ text: character, mayBreakBefore: true });
    else if (last) parts.splice(-1, 1, { ...last, text: last.text + character });
    else parts.push({ text: character, mayBreakBefore: false });
    previous = character;
  }
  return parts;
}

function mayBreak(left: string, right: string): boolean {
  if (left === '' || left.endsWith('\u200d') || cellsOf(right) === 0) return false;
  const isWide = cellsOf(right) === 2 || cellsOf(charactersOf(left).at(-1) ?? '') === 2;
  return isWide && !ENDS.test(right) && !OPENS.test(left);
}

/** A row does not start with a character of `ENDS`, and does not end with one of `OPENS`. */
const ENDS = /^[\p{Pe}\p{Pf}\p{Po}ーぁぃぅぇぉっゃゅょァィゥェォッャュョ]/u;
const OPENS = /[\p{Ps}\p{Pi}]$/u;
