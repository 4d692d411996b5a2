/**
 * Lays out the transcript: finished rows wait here until they are written, and the unfinished end stays in the region.
 * The first rows of an answer are held for a moment, so that a retracted answer disappears without a trace.
 *
 * Changes are queued, and applied only when rows are taken for a frame. So many small deltas are laid out together, and
 * the unfinished end is always the one that the screen shows.
 */
import { printedRows, RawLayout, type Layout } from '../terminal/layout/rows.ts';
import type { Style } from '../terminal/style.ts';
import { MarkdownLayout } from './markdown.ts';

/** An answer is held until it has more rows, or is older, than this. */
const HELD_ROWS = 3;
export const HELD_MS = 1_000;
/** A longer text is laid out in several steps. */
const MAX_STEP_LENGTH = 8_192;

type Ready =
  | { readonly kind: 'row'; readonly text: string }
  /** A printed line, which is laid out when it is written. */
  | { readonly kind: 'line'; readonly text: string };

type Change =
  | { readonly kind: 'print' | 'stream' | 'output'; readonly text: string }
  | { readonly kind: 'end' | 'mark' | 'release' | 'retract' };

type LastRows = 'empty' | 'lines' | 'text';

/** The rows of one unfinished part. They become final together. */
export type OpenPart = readonly string[];

export class Transcript {
  readonly #columns: () => number;
  readonly #markdown: MarkdownLayout;
  readonly #raw = new RawLayout();
  #layout: Layout;
  #changes: Change[] = [];
  #ready: Ready[] = [];
  /** The index of the first row that was not taken yet. */
  #taken = 0;
  /** The end of the streaming text, without a line break. */
  #tail = '';
  /** The rows of the current answer that can be retracted. Undefined if some of them are final. */
  #held: string[] | undefined;
  /** The kind of the last rows. An empty row separates text of the model from other lines. */
  #last: LastRows = 'empty';
  /** The same before the current answer, which may be retracted. */
  #lastBefore: LastRows = 'empty';

  constructor(style: Style, columns: () => number) {
    this.#columns = columns;
    this.#markdown = new MarkdownLayout(style, columns);
    this.#layout = this.#markdown;
  }

  /** Changes or rows wait for `takeRows`. */
  get isWaiting(): boolean {
    return this.#changes.length > 0 || this.#hasRows;
  }

  /** The parts that are not final yet. Empty while rows before them still have to be written. */
  get open(): readonly OpenPart[] {
    if (this.#hasRows) return [];
    const block = this.#layout === this.#markdown ? this.#markdown.openRows : [];
    return [
      ...(this.#held ?? []).map((row) => [row]),
      ...(this.#tail === '' ? [] : [[this.#tail]]),
      ...(block.length === 0 ? [] : [block]),
    ];
  }

  /** Makes the first open parts final as they are on the screen, because they can no longer be erased. */
  keepOpen(count: number): void {
    if (count === 0) return;
    const held = this.#held ?? [];
    const isTailKept = this.#tail !== '' && count > held.length;
    const before = held.length + (this.#tail === '' ? 0 : 1);
    this.#held = undefined;
    this.#push(held.slice(count));
    if (isTailKept) {
      this.#tail = '';
      this.#layout.tearOff();
    }
    if (count > before) this.#markdown.keepOpen();
  }

  print(text: string): void {
    this.#changes.push({ kind: 'print', text });
  }

  stream(text: string): void {
    this.#addText('stream', text);
  }

  output(text: string): void {
    this.#addText('output', text);
  }

  endStream(): void {
    this.#changes.push({ kind: 'end' });
  }

  markAnswer(): void {
    this.#changes.push({ kind: 'mark' });
  }

  /** Drops the current answer. Returns false if a part of it is final. */
  retractAnswer(): boolean {
    const marked = this.#changes.findLastIndex(({ kind }) => kind === 'mark');
    const after = this.#changes.slice(marked + 1);
    const isFinal = after.some(({ kind }) => kind !== 'stream' && kind !== 'end');
    if (isFinal || (marked < 0 && this.#held === undefined)) {
      this.endStream();
      return false;
    }
    this.#changes.splice(marked + 1);
    if (marked < 0) this.#changes.push({ kind: 'retract' });
    return true;
  }

  /** Makes the held rows final. */
  release(): void {
    this.#changes.push({ kind: 'release' });
  }

  /** Applies changes, and takes rows to write, at most about this many bytes. */
  takeRows(maxBytes: number): string[] {
    const rows: string[] = [];
    let bytes = 0;
    while (bytes < maxBytes) {
      const next = this.#ready[this.#taken];
      if (!next) {
        this.#ready = [];
        this.#taken = 0;
        const change = this.#nextChange();
        if (!change) break;
        this.#apply(change);
        // Laying out a text takes time, too.
        if ('text' in change) bytes += change.text.length;
        continue;
      }
      this.#taken++;
      const text = next.kind === 'row' ? next.text : printedRows(next.text, this.#columns());
      bytes += text.length;
      rows.push(...text.split('\n'));
    }
    return rows;
  }

  get #hasRows(): boolean {
    return this.#taken < this.#ready.length;
  }

  /** Joins deltas of the same text. */
  #addText(kind: 'stream' | 'output', text: string): void {
    const last = this.#changes.at(-1);
    if (last?.kind === kind) this.#changes.splice(-1, 1, { kind, text: last.text + text });
    else this.#changes.push({ kind, text });
  }

  #nextChange(): Change | undefined {
    const [change] = this.#changes;
    if (!change || !('text' in change) || change.kind === 'print' || change.text.length <= MAX_STEP_LENGTH)
      return this.#changes.shift();
    const { kind, text } = change;
    this.#changes[0] = { kind, text: text.slice(MAX_STEP_LENGTH) };
    return { kind, text: text.slice(0, MAX_STEP_LENGTH) };
  }

  #apply(change: Change): void {
    switch (change.kind) {
      case 'print':
        this.#tearOff();
        this.#release();
        return this.#print(change.text);
      case 'stream':
        if (this.#last === 'lines') this.#finish(['']);
        this.#last = 'text';
        return this.#flow(this.#markdown, change.text);
      case 'output':
        this.#release();
        this.#last = 'lines';
        return this.#flow(this.#raw, change.text);
      case 'end':
        return this.#end();
      case 'mark':
        this.#end();
        this.#release();
        this.#held = [];
        this.#lastBefore = this.#last;
        return;
      case 'release':
        return this.#release();
      case 'retract':
        this.#layout.end();
        this.#tail = '';
        this.#held = [];
        this.#last = this.#lastBefore;
        return;
    }
  }

  #print(text: string): void {
    const lines = text.split('\n');
    if (this.#last === 'text' && lines[0] !== '') this.#push(['']);
    for (const line of lines) this.#ready.push({ kind: 'line', text: line });
    this.#last = lines.at(-1) === '' ? 'empty' : 'lines';
  }

  #end(): void {
    this.#add(this.#layout.end());
    this.#endRow();
  }

  /** Ends the row for other output. The stream continues below it. */
  #tearOff(): void {
    if (this.#tail === '') return;
    this.#endRow();
    this.#layout.tearOff();
  }

  #release(): void {
    const held = this.#held;
    this.#held = undefined;
    if (held) this.#push(held);
  }

  #flow(layout: Layout, text: string): void {
    if (this.#layout !== layout) this.#end();
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
    if (this.#held.length > HELD_ROWS) this.#release();
  }

  #push(rows: readonly string[]): void {
    for (const text of rows) this.#ready.push({ kind: 'row', text });
  }
}
