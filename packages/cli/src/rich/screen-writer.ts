/**
 * Writes output above the input line. Only the input line is redrawn: it is erased before output is written, and drawn
 * again below it. Written output is never changed.
 */
import { type Layout, printedRows, RawLayout, wholeRows } from '../terminal/layout/rows.ts';
import { Prose } from '../terminal/layout/prose.ts';
import type { Style } from '../terminal/style.ts';
import { type ScreenFrame, rowsAbove } from '../terminal/input/frame.ts';

/** Returns the current input line, or undefined if it is hidden. */
export type DrawFrame = () => ScreenFrame | undefined;

const ERASE_BELOW = '\u001b[J';
/** The number of rows that the input line may need. Text above them can be erased. */
const ROWS_BELOW = 3;
const CLEAR = '\u001b[H\u001b[2J';

export class ScreenWriter {
  readonly #output: NodeJS.WriteStream;
  readonly #draw: DrawFrame;
  readonly #prose: Layout;
  readonly #asItComes: Layout = new RawLayout();
  /** The layout of the current stream. */
  #layout: Layout;
  /** Text that is laid out but not written. Above an input line, only complete rows can be written. */
  #held = '';
  /** The output ends inside a row. */
  #isMidRow = false;
  /** The input line on the screen. */
  #shown: ScreenFrame | undefined;
  /** Output that waits while another program uses the terminal. */
  #kept: string | undefined;
  /** The text that was streamed since the mark. Undefined if other output followed or the rows may have moved. */
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
    // A closed terminal is reported by the input side.
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

  /** Marks the start of an answer. The text after it can be erased until other output is written. */
  markAnswer(): void {
    this.endStream();
    this.#retractable = '';
  }

  /** Erases the text since the mark, if all of it is still on the screen. */
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

  /** Ends the row for other output. The stream continues below it. */
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

  /** Holds output back while another program uses the terminal. */
  pause(): void {
    this.#retractable = undefined;
    this.#write(this.#erased());
    this.#kept = '';
  }

  resume(): void {
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

  /** Writes everything at once, to avoid flicker. */
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
