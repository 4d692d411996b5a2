/** How a text that is still coming is laid out. What it answers with stands on the screen for good. */
export interface Layout {
  /** What may be shown now. */
  add(text: string): string;
  /** The rest, where nothing more comes. */
  end(): string;
  /** Something else was written in between: the text goes on in a new row. */
  tearOff(): void;
}
