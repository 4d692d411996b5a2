/**
 * What is written, and the line being typed below it. Only that line is ever drawn again: it is erased before anything is
 * written above it, and what was written stays as it is.
 */
import { type Layout, printedRows, RawLayout, wholeRows } from '../layout/rows.ts';
import { Prose } from '../layout/prose.ts';
import type { Style } from '../../terminal/style.ts';
import { type ScreenFrame, rowsAbove } from './frame.ts';

/** The line being typed, as it should stand now; undefined where none should. */
export type DrawFrame = () => ScreenFrame | undefined;

const ERASE_BELOW = '\u001b[J';
/** Rows that the line being typed may need: what is above them can be reached. */
const ROWS_BELOW = 3;
const CLEAR = '\u001b[H\u001b[2J';

export class ScreenWriter {
  readonly #output: NodeJS.WriteStream;
  readonly #draw: DrawFrame;
  readonly #prose: Layout;
  readonly #asItComes: Layout = new RawLayout();
  /** How what streams now is laid out. */
  #layout: Layout;
  /** Laid out, but not shown yet: while something is typed, only whole rows can be written above it. */
  #held = '';
  /** The output stands within a row. */
  #isMidRow = false;
  /** The line being typed, as it stands on the screen. */
  #shown: ScreenFrame | undefined;
  /** Written while somebody else had the terminal. */
  #kept: string | undefined;
  /** What was streamed since the mark; undefined if something else was written since, or the rows may have moved. */
  #retractable: string | undefined;

  constructor(output: NodeJS.WriteStream, style: Style, draw: DrawFrame) {
    this.#output = output;
    this.#draw = draw;
    this.#prose = new Prose(style, () => this.columns);
    this.#layout = this.#prose;
    output.on('resize', () => {
      this.#retractable = undefined;
      this.redraw();
    });
    // A terminal that went away takes nothing more; whoever waits for its input is told by that side.
    output.on('error', () => undefined);
  }

  get columns(): number {
    return this.#output.columns || 80;
  }

  get rows(): number {
    return this.#output.rows || 24;
  }

  print(text: string): void {
    this.tearOff();
    this.#above(`${printedRows(text, this.columns)}\n`);
    this.#retractable = undefined;
  }

  /** What is streamed from here on can be erased, until something else is written. */
  markAnswer(): void {
    this.endStream();
    this.#retractable = '';
  }

  /** Erases what was streamed since the mark, if all of it is still within the screen. */
  retractAnswer(): boolean {
    const rows = (this.#retractable ?? '').split('\n').length - 1;
    if (this.#retractable === undefined || rows >= this.rows - ROWS_BELOW) {
      this.endStream();
      return false;
    }
    this.#layout.end();
    this.#held = '';
    const erased = this.#erased();
    const start = `${up(rows)}\r${ERASE_BELOW}`;
    this.#isMidRow = false;
    this.#retractable = '';
    this.#write(erased + start + this.#drawn());
    return true;
  }

  stream(text: string): void {
    this.#flow(this.#prose, text);
  }

  output(text: string): void {
    this.#retractable = undefined;
    this.#flow(this.#asItComes, text);
  }

  endStream(): void {
    this.#show(this.#layout.end());
    this.#endRow();
  }

  /** Something else comes in the middle of what streams, which goes on below it. */
  tearOff(): void {
    if (this.#held === '' && !this.#isMidRow) return;
    this.#endRow();
    this.#layout.tearOff();
  }

  redraw(): void {
    const erased = this.#erased();
    this.#write(erased + this.#drawn());
  }

  clear(): void {
    this.#retractable = undefined;
    this.#shown = undefined;
    if (this.#isMidRow) this.#layout.tearOff();
    this.#isMidRow = false;
    this.#write(CLEAR + this.#drawn());
  }

  /** Somebody else has the terminal: what is written waits. */
  putAside(): void {
    this.#retractable = undefined;
    this.#write(this.#erased());
    this.#kept = '';
  }

  takeBack(): void {
    const kept = this.#kept ?? '';
    this.#kept = undefined;
    this.#write(kept);
    this.redraw();
  }

  #flow(layout: Layout, text: string): void {
    if (this.#layout !== layout) this.endStream();
    this.#layout = layout;
    this.#show(layout.add(text));
  }

  #show(laidOut: string): void {
    const text = this.#held + laidOut;
    const { now, later } = this.#shown ? wholeRows(text, this.columns) : { now: text, later: '' };
    this.#held = later;
    if (now !== '') this.#above(now);
  }

  #endRow(): void {
    if (this.#held !== '' || this.#isMidRow) this.#above(`${this.#held}\n`);
    this.#held = '';
  }

  /** In one go: nothing flickers. */
  #above(text: string): void {
    const erased = this.#erased();
    this.#isMidRow = !text.endsWith('\n');
    if (this.#retractable !== undefined) this.#retractable += text;
    this.#write(erased + text + this.#drawn());
  }

  #erased(): string {
    if (!this.#shown) return '';
    const above = rowsAbove(this.#shown, this.columns);
    this.#shown = undefined;
    return `${up(above)}\r${ERASE_BELOW}`;
  }

  #drawn(): string {
    const frame = this.#kept === undefined ? this.#draw() : undefined;
    if (!frame) return '';
    this.#shown = frame;
    const below = frame.rows.length - 1 - frame.cursorRow;
    const right = frame.cursorColumn > 0 ? `\u001b[${frame.cursorColumn}C` : '';
    return `${this.#toNewRow()}${frame.rows.join('\n')}${up(below)}\r${right}`;
  }

  #toNewRow(): string {
    if (!this.#isMidRow) return '';
    this.#isMidRow = false;
    this.#layout.tearOff();
    if (this.#retractable !== undefined) this.#retractable += '\n';
    return '\n';
  }

  #write(text: string): void {
    if (this.#kept !== undefined) this.#kept += text;
    else if (text !== '') this.#output.write(text);
  }
}

function up(rows: number): string {
  return rows > 0 ? `\u001b[${rows}A` : '';
}
