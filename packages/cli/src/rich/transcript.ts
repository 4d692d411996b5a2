/**
 * Lays out the transcript: finished rows wait here until they are written, and the unfinished end stays in the region.
 * The first rows of an answer are held for a moment, so that a retracted answer disappears without a trace.
 */
import { printedRows, RawLayout, type Layout } from '../terminal/layout/rows.ts';
import type { Style } from '../terminal/style.ts';
import { MarkdownLayout } from './markdown.ts';

/** An answer is held until it has more rows, or is older, than this. */
const HELD_ROWS = 3;
export const HELD_MS = 1_000;

type Ready =
  | { readonly kind: 'row'; readonly text: string }
  /** A printed line, which is laid out when it is written. */
  | { readonly kind: 'line'; readonly text: string };

export class Transcript {
  readonly #columns: () => number;
  readonly #markdown: MarkdownLayout;
  readonly #raw = new RawLayout();
  #layout: Layout;
  #ready: Ready[] = [];
  /** The index of the first row that was not taken yet. */
  #taken = 0;
  /** The end of the streaming text, without a line break. */
  #tail = '';
  /** The rows of the current answer that can be retracted. Undefined if some of them are final. */
  #held: string[] | undefined;

  constructor(style: Style, columns: () => number) {
    this.#columns = columns;
    this.#markdown = new MarkdownLayout(style, columns);
    this.#layout = this.#markdown;
  }

  /** Rows wait to be written. */
  get hasRows(): boolean {
    return this.#taken < this.#ready.length;
  }

  get isHolding(): boolean {
    return this.#held !== undefined && (this.#held.length > 0 || this.#tail !== '');
  }

  /** The rows that are not final yet. */
  get openRows(): readonly string[] {
    const open = this.#layout === this.#markdown ? this.#markdown.openRows : [];
    const held = this.#held ?? [];
    return this.#tail === '' ? [...held, ...open] : [...held, this.#tail, ...open];
  }

  print(text: string): void {
    this.tearOff();
    this.release();
    for (const line of text.split('\n')) this.#ready.push({ kind: 'line', text: line });
  }

  stream(text: string): void {
    this.#flow(this.#markdown, text);
  }

  output(text: string): void {
    this.release();
    this.#flow(this.#raw, text);
  }

  endStream(): void {
    this.#add(this.#layout.end());
    this.#endRow();
  }

  /** Ends the row for other output. The stream continues below it. */
  tearOff(): void {
    if (this.#tail === '') return;
    this.#endRow();
    this.#layout.tearOff();
  }

  markAnswer(): void {
    this.endStream();
    this.release();
    this.#held = [];
  }

  /** Drops the current answer. Returns false if a part of it is final. */
  retractAnswer(): boolean {
    if (this.#held === undefined) {
      this.endStream();
      return false;
    }
    this.#layout.end();
    this.#tail = '';
    this.#held = [];
    return true;
  }

  /** Makes the held rows final. */
  release(): void {
    const held = this.#held;
    this.#held = undefined;
    if (held) this.#push(held);
  }

  /** Takes rows to write, at most about this many bytes. */
  takeRows(maxBytes: number): string[] {
    const rows: string[] = [];
    let bytes = 0;
    while (this.hasRows && bytes < maxBytes) {
      const next = this.#ready[this.#taken++];
      if (!next) break;
      const text = next.kind === 'row' ? next.text : printedRows(next.text, this.#columns());
      bytes += text.length;
      rows.push(...text.split('\n'));
    }
    if (!this.hasRows) {
      this.#ready = [];
      this.#taken = 0;
    }
    return rows;
  }

  #flow(layout: Layout, text: string): void {
    if (this.#layout !== layout) this.endStream();
    this.#layout = layout;
    this.#add(layout.add(text));
  }

  #add(laidOut: string): void {
    if (laidOut === '') return;
    const rows = (this.#tail + laidOut).split('\n');
    this.#tail = rows.pop() ?? '';
    this.#finish(rows);
  }

  #endRow(): void {
    if (this.#tail === '') return;
    const tail = this.#tail;
    this.#tail = '';
    this.#finish([tail]);
  }

  #finish(rows: readonly string[]): void {
    if (this.#held === undefined) return this.#push(rows);
    this.#held.push(...rows);
    if (this.#held.length > HELD_ROWS) this.release();
  }

  #push(rows: readonly string[]): void {
    for (const text of rows) this.#ready.push({ kind: 'row', text });
  }
}
