/** One row of a table while it is read. A table inside a cell is words of that cell; ends that were left out are supplied. */
export class TableRow {
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

  /** Of a table inside a cell nothing is a row or a cell of its own. */
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

  /** Undefined while it is not over, and for a row without words. */
  close(): { readonly line: string; readonly rule: string } | undefined {
    if (this.isInner || !this.#cells) return undefined;
    this.closeCell();
    const cells = this.#cells;
    this.#cells = undefined;
    if (cells.every((cell) => cell === '')) return undefined;
    return { line: `| ${cells.join(' | ')} |`, rule: `|${' - |'.repeat(cells.length)}` };
  }
}
