/**
 * Formats the Markdown of an answer while it streams. Prose is final word by word, code line by line, and a table when it
 * is complete. Until then, `openRows` shows the unfinished part. The result does not depend on the split into deltas.
 */
import { Prose } from '../terminal/layout/prose.ts';
import type { Layout } from '../terminal/layout/rows.ts';
import type { Style } from '../terminal/style.ts';
import { CodePainter } from './highlight.ts';
import { isDelimiterRow, tableRows } from './table.ts';

/** The block that contains the current line. */
type Block =
  /** The kind of the line is not known yet. */
  | { readonly kind: 'line start' }
  | { readonly kind: 'prose' }
  | { readonly kind: 'code'; readonly fence: string; readonly painter: CodePainter }
  | { readonly kind: 'table'; readonly lines: readonly string[] };

const LINE_START: Block = { kind: 'line start' };
const CODE_INDENT = '  ';

export class MarkdownLayout implements Layout {
  readonly #style: Style;
  readonly #columns: () => number;
  readonly #prose: Prose;
  #block: Block = LINE_START;
  /** Text that is not laid out yet. */
  #held = '';
  /** The start of the current code line is final, so an empty rest is not a line. */
  #isLineBegun = false;

  constructor(style: Style, columns: () => number) {
    this.#style = style;
    this.#columns = columns;
    this.#prose = new Prose(style, columns);
  }

  /** The unfinished code line or table, as it looks so far. */
  get openRows(): readonly string[] {
    switch (this.#block.kind) {
      case 'line start':
      case 'prose':
        return [];
      case 'code':
        return this.#held === '' ? [] : [CODE_INDENT + this.#block.painter.peek(this.#held)];
      case 'table': {
        const lines = this.#held === '' ? this.#block.lines : [...this.#block.lines, this.#held];
        return this.#draw(lines).split('\n').slice(0, -1);
      }
    }
  }

  add(text: string): string {
    this.#held += text;
    return this.#flow(false);
  }

  end(): string {
    const rest = this.#flow(true) + this.#endBlock();
    this.#block = LINE_START;
    return rest + this.#prose.end();
  }

  tearOff(): void {
    this.#prose.tearOff();
  }

  /** Makes the open rows final as they are. The text after them continues in a new row. */
  keepOpen(): void {
    if (this.#block.kind === 'code') {
      this.#block.painter.line(this.#held);
      this.#isLineBegun = true;
    } else this.#block = LINE_START;
    this.#held = '';
  }

  #flow(isWhole: boolean): string {
    let shown = '';
    while (this.#held !== '') {
      const step = this.#step(isWhole);
      if (step === undefined) break;
      shown += step;
    }
    return shown;
  }

  /** Lays out the next part. Returns undefined if more text is needed. */
  #step(isWhole: boolean): string | undefined {
    const block = this.#block;
    switch (block.kind) {
      case 'line start':
        return this.#beginLine(isWhole);
      case 'prose': {
        const end = this.#held.indexOf('\n') + 1;
        if (end > 0) this.#block = LINE_START;
        return this.#prose.add(this.#take(end > 0 ? end : this.#held.length));
      }
      case 'code': {
        const line = this.#takeLine(isWhole);
        if (line === undefined) return undefined;
        const isRest = this.#isLineBegun;
        this.#isLineBegun = false;
        if (isRest && line === '') return '';
        if (line.trim() !== block.fence) return `${CODE_INDENT}${block.painter.line(line)}\n`;
        this.#block = LINE_START;
        return '';
      }
      case 'table': {
        if (!isWhole && this.#held.trim() === '' && !this.#held.includes('\n')) return undefined;
        if (!this.#held.trimStart().startsWith('|')) {
          this.#block = LINE_START;
          return this.#draw(block.lines);
        }
        const line = this.#takeLine(isWhole);
        if (line === undefined) return undefined;
        this.#block = { kind: 'table', lines: [...block.lines, line] };
        return '';
      }
    }
  }

  #beginLine(isWhole: boolean): string | undefined {
    const start = this.#held.replace(/^[ \t]*/, '');
    if (!isWhole && (start === '' || '```'.startsWith(start) || '~~~'.startsWith(start))) return undefined;
    const fence = /^(?:`{3,}|~{3,})/.exec(start)?.[0];
    // Without colors, the fences stay, because nothing else would mark the code.
    if (fence !== undefined && this.#style.colors) {
      const line = this.#takeLine(isWhole);
      if (line === undefined) return undefined;
      const language = line.trim().slice(fence.length).trim().split(/\s/)[0] ?? '';
      this.#block = { kind: 'code', fence, painter: new CodePainter(language, this.#style) };
      return '';
    }
    this.#block = start.startsWith('|') ? { kind: 'table', lines: [] } : { kind: 'prose' };
    return '';
  }

  #endBlock(): string {
    return this.#block.kind === 'table' ? this.#draw(this.#block.lines) : '';
  }

  /** Draws a table. Lines that only look like a table stay as they are. */
  #draw(lines: readonly string[]): string {
    const [, second = ''] = lines;
    const isTable = lines.length > 1 && isDelimiterRow(second);
    const rows = isTable ? tableRows(lines, this.#columns() - 1, this.#style) : lines;
    return rows.map((row) => `${row}\n`).join('');
  }

  #takeLine(isWhole: boolean): string | undefined {
    const end = this.#held.indexOf('\n');
    if (end < 0) return isWhole ? this.#take(this.#held.length) : undefined;
    return this.#take(end + 1).slice(0, -1);
  }

  #take(length: number): string {
    const taken = this.#held.slice(0, length);
    this.#held = this.#held.slice(length);
    return taken;
  }
}
