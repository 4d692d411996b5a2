/**
 * Where the conversation is shown and typed: output above, the line being typed below. Two kinds: `KeyScreen` on a terminal
 * that can move its cursor, `LineScreen` on one that cannot, on a screen reader and on a pipe.
 */
export interface Screen {
  /** Keys come one by one; else the terminal itself edits the line. */
  readonly readsKeys: boolean;
  /** What is typed comes through a pipe: its end is the end of a script, not of a person. */
  readonly isPipe: boolean;
  /** Whole lines, above whatever is being typed. */
  print(text: string): void;
  /** A piece of the model's words, which go on: wrapped at words where the screen knows its width. */
  stream(text: string): void;
  /** A piece of a command's output, which goes on: as it is. */
  output(text: string): void;
  /** What was streamed is complete. */
  endStream(): void;
  /** What is streamed from here on may be retracted. */
  markAnswer(): void;
  /** Erases what was streamed since the mark. Returns false if it cannot: then all of it stays. */
  retractAnswer(): boolean;
  /** Asks for a line, with this before it. */
  ask(prompt: string): void;
  /** Other words before the line that is asked for, from its next drawing on. */
  reprompt(prompt: string): void;
  /** A line about what is under way, written over by the next one; undefined takes it away. Only where keys are read. */
  status(text: string | undefined): void;
  /** Something is under way: what is typed is taken, but not asked for. */
  busy(prompt: string): void;
  /** Puts a text into the line being typed, before what is there. */
  put(text: string): void;
  /** Takes what is being typed away, to be put back later. */
  takeDraft(): string;
  listen(listener: ScreenListener): void;
  /** Leaves the terminal as it was found. */
  close(): void;
}

export interface ScreenListener {
  /** A whole line, or several that were typed as one. */
  readonly line: (text: string) => void;
  /** Any other key than Ctrl-C was pressed, or something was pasted. Only where keys are read. */
  readonly touched: () => void;
  /** Ctrl-C. */
  readonly interrupt: () => void;
  /** Esc, with what was being typed. */
  readonly escape: (draft: string) => void;
  /** Shift-Tab. */
  readonly nextMode: () => void;
  /** Ctrl-D, or the end of the pipe: nothing more will be typed. */
  readonly end: () => void;
  /** The terminal went away: nobody sees anything any more. */
  readonly gone: () => void;
}

/** What a screen is given: whole lines, and a text that is still coming. */
export type OutputPart =
  | { readonly kind: 'line'; readonly text: string }
  /** A part of a line that goes on. */
  | { readonly kind: 'stream'; readonly text: string }
  | { readonly kind: 'end of stream' }
  /** An answer begins: what streams from here on may be retracted. */
  | { readonly kind: 'answer begins' }
  /** What streamed since is void. `erased` is printed if the screen could erase it, `left` if it could not. */
  | { readonly kind: 'retract'; readonly erased: string | undefined; readonly left: string };
