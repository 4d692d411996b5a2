/**
 * Writes Markdown: handles blank lines, quotes, lists, tables and preformatted text, and does not depend
 * on HTML.
 */

interface List {
  readonly isOrdered: boolean;
  count: number;
}

/** Deeper levels cannot be distinguished by a reader. */
const DEEPEST = 8;

export class MarkdownWriter {
  readonly #parts: string[] = [];
  readonly #lists: List[] = [];
  readonly #row = new TableRow();
  #quotes = 0;
  /** Newlines pending before the next text, and the quote marks of the empty line among them. */
  #due = 0;
  #dueMarks = '';
  /** A space is pending before the next text, unless a line begins. */
  #isApart = false;
  #isEmpty = true;
  /** The prefix of the next text: a bullet, a number, the marks of a heading. */
  #lead = '';
  #pre: string[] | undefined;
  #language = '';
  #link: { readonly url: string; isOpen: boolean } | undefined;
  #isFirstRow = true;

  text(text: string): void {
    if (this.#pre) {
      this.#pre.push(text);
      return;
    }
    const words = text.replaceAll(/\s+/g, ' ');
    if (words.startsWith(' ')) this.#isApart = true;
    const inner = words.trim();
    if (inner === '') return;
    if (this.#link && !this.#link.isOpen) {
      this.#link.isOpen = true;
      this.#put('[');
    }
    this.#put(inner);
    this.#isApart = words.endsWith(' ');
  }

  block(): void {
    this.#break(2);
  }

  line(): void {
    this.#break(1);
  }

  heading(level: number): void {
    this.#break(2);
    this.#lead = `${'#'.repeat(level)} `;
  }

  rule(): void {
    this.#break(2);
    this.#put('---');
    this.#break(2);
  }

  openCode(language: string): void {
    if (!this.#pre) this.#put('`');
    else if (this.#language === '') this.#language = language;
  }

  closeCode(): void {
    if (!this.#pre) this.#attach('`');
  }

  openPre(language: string): void {
    this.closePre();
    this.#break(2);
    this.#pre = [];
    this.#language = language;
  }

  closePre(): void {
    const body = this.#pre?.join('').replace(/^\n/, '').trimEnd() ?? '';
    this.#pre = undefined;
    if (body.trim() === '') return;
    const ticks = body.includes('```') ? '````' : '```';
    this.#put(`${ticks}${this.#language}\n${body}\n${ticks}`.replaceAll('\n', `\n${this.#indent()}`));
    this.#break(2);
  }

  openLink(url: string | undefined): void {
    this.closeLink();
    this.#link = url === undefined ? undefined : { url, isOpen: false };
  }

  closeLink(): void {
    const link = this.#link;
    this.#link = undefined;
    if (link?.isOpen) this.#attach(`](${link.url})`);
  }

  image(alt: string, url: string | undefined): void {
    const text = alt.replaceAll(/\s+/g, ' ').trim();
    if (text !== '' && url !== undefined) this.#put(`![${text}](${url})`);
  }

  openList(isOrdered: boolean): void {
    this.#break(this.#lists.length === 0 ? 2 : 1);
    this.#lists.push({ isOrdered, count: 0 });
  }

  closeList(): void {
    this.#lists.pop();
    this.#break(this.#lists.length === 0 ? 2 : 1);
  }

  item(): void {
    this.#break(1);
    const list = this.#lists.at(-1);
    if (list) list.count++;
    this.#lead = list?.isOrdered ? `${list.count}. ` : '- ';
  }

  openQuote(): void {
    this.#break(2);
    this.#quotes++;
  }

  closeQuote(): void {
    this.#quotes = Math.max(this.#quotes - 1, 0);
    this.#break(2);
  }

  openTable(): void {
    this.#row.enterTable();
    this.#break(2);
  }

  closeTable(): void {
    if (!this.#row.isInner) this.closeRow();
    this.#row.leaveTable();
    this.#break(2);
  }

  openRow(): void {
    if (!this.#row.isInner) this.closeRow();
    // A table begins with an empty line before it.
    if (!this.#row.isOpen) this.#isFirstRow = this.#isEmpty || this.#due >= 2;
    this.#row.open();
  }

  openCell(): void {
    if (this.#row.isInner) this.#break(1);
    else this.#row.openCell();
  }

  closeCell(): void {
    this.#row.closeCell();
    this.#isApart = false;
  }

  closeRow(): void {
    const row = this.#row.close();
    if (row === undefined) return;
    this.#put(row.line);
    this.#break(1);
    if (!this.#isFirstRow) return;
    this.#put(row.rule);
    this.#break(1);
  }

  finish(): string {
    this.closePre();
    this.closeCell();
    this.closeRow();
    return this.#parts.join('').trim();
  }

  #break(lines: number): void {
    if (this.#pre) {
      this.#pre.push('\n');
      return;
    }
    if (this.#row.isInCell) {
      this.#isApart = true;
      return;
    }
    const marks = '> '.repeat(this.#quotes).trimEnd();
    if (this.#due === 0 || marks.length < this.#dueMarks.length) this.#dueMarks = marks;
    this.#due = Math.max(this.#due, lines);
    this.#isApart = false;
    // A heading without text is omitted. A bullet waits for the text of its paragraph.
    if (this.#lead.startsWith('#')) this.#lead = '';
  }

  /** Appends directly to the last text. A pending space follows it. */
  #attach(text: string): void {
    const isApart = this.#isApart;
    this.#isApart = false;
    this.#put(text);
    this.#isApart = isApart;
  }

  #put(text: string): void {
    const blank = this.#isApart ? ' ' : '';
    this.#isApart = false;
    if (this.#row.isInCell) {
      this.#row.add(blank, text);
      return;
    }
    const isLineStart = this.#isEmpty || this.#due > 0;
    if (!this.#isEmpty && this.#due > 0) this.#parts.push(this.#due > 1 ? `\n${this.#dueMarks}\n` : '\n');
    this.#parts.push(isLineStart ? this.#indent() + this.#lead : blank, text);
    this.#lead = '';
    this.#due = 0;
    this.#isEmpty = false;
  }

  #indent(): string {
    const depth = Math.max(this.#lists.length - (this.#lead === '' ? 0 : 1), 0);
    return '> '.repeat(Math.min(this.#quotes, DEEPEST)) + '  '.repeat(Math.min(depth, DEEPEST));
  }
}
/**
 * One row of a table while it is read. A table inside a cell becomes text of that cell. Missing end tags
 * are supplied.
 */
class TableRow {
  #depth = 0;
  #cells: string[] | undefined;
  #cell: string | undefined;

  get isOpen(): boolean {
    return this.#cells !== undefined;
  }

  get isInCell(): boolean {
    return this.#cell !== undefined;
  }

  enterTable(): void {
    this.#depth++;
  }

  leaveTable(): void {
    this.#depth = Math.max(this.#depth - 1, 0);
    if (this.#depth === 0) this.closeCell();
  }

  /** In a nested table nothing is a row or a cell of its own. */
  get isInner(): boolean {
    return this.#depth > 1;
  }

  open(): void {
    if (!this.isInner) this.#cells = [];
  }

  openCell(): void {
    if (this.isInner || !this.#cells) return;
    this.closeCell();
    this.#cell = '';
  }

  add(blank: string, text: string): void {
    this.#cell += (this.#cell === '' ? '' : blank) + text.replaceAll('\n', ' ');
  }

  closeCell(): void {
    if (this.#cell === undefined || this.isInner) return;
    this.#cells?.push(this.#cell.trim().replaceAll('|', String.raw`\|`));
    this.#cell = undefined;
  }

  /** Returns undefined while it is open, and for a row without text. */
  close(): { readonly line: string; readonly rule: string } | undefined {
    if (this.isInner || !this.#cells) return undefined;
    this.closeCell();
    const cells = this.#cells;
    this.#cells = undefined;
    if (cells.every((cell) => cell === '')) return undefined;
    return { line: `| ${cells.join(' | ')} |`, rule: `|${' - |'.repeat(cells.length)}` };
  }
}
