/**
 * Shows the conversation and reads input: output above, the input line below. `RichScreen` is for terminals that can move
 * their cursor. `LineScreen` is for other terminals, screen readers and pipes.
 */
import type { LoopEvent } from '@heddle/core';
import type { Dialog } from './dialog.ts';

export interface Screen {
  /** Present if the screen has a region that is redrawn. */
  readonly live?: LiveView;
  /** The screen reads single keys. Otherwise the terminal edits the line. */
  readonly readsKeys: boolean;
  /** The input comes from a pipe. Its end is the end of a script. */
  readonly isPipe: boolean;
  /** Long texts that were pasted. The input line shows only a mark for each. */
  readonly pastedTexts: readonly string[];
  /** Prints complete lines above the input line. */
  print(text: string): void;
  /** Prints a part of the model's text. It is wrapped at words if the width is known. */
  stream(text: string): void;
  /** Prints a part of a command's output unchanged. */
  output(text: string): void;
  /** Ends the stream. */
  endStream(): void;
  /** Marks the start of an answer, which may be retracted. */
  markAnswer(): void;
  /** Erases the text since the mark. Returns false if that is not possible; then all of it stays. */
  retractAnswer(): boolean;
  /** Requests a line, with this prompt. */
  ask(prompt: string): void;
  /** Changes the prompt of the requested line. */
  reprompt(prompt: string): void;
  /** Sets the status row; undefined removes it. Only screens that read keys show it. */
  status(text: string | undefined): void;
  /** Stops requesting a line during other work. Typed lines are still delivered. */
  busy(prompt: string): void;
  /** Inserts a text at the start of the input line. */
  put(text: string): void;
  /**
   * Inserts an earlier prompt that the user may not have typed. Nothing in it counts as a command or a mention of the user.
   * Returns true if the line shows only a mark for it.
   */
  putData(prompt: string): boolean;
  /** Removes and returns the text of the input line. */
  takeDraft(): string;
  listen(listener: ScreenListener): void;
  /** Restores the terminal. */
  close(): void;
}

/** Shows state beside the transcript, in the region at the bottom of a rich screen. */
export interface LiveView {
  /** Receives each event of the current run. */
  observe(event: LoopEvent): void;
  /** Shows a question until it is answered. Undefined closes it. `waiting`: the number of questions after it. */
  showDialog(dialog: Dialog<unknown> | undefined, waiting: number): void;
  /** Shows the prompts that join the current run before its next request. */
  showQueued(prompts: readonly string[]): void;
  /** Shows facts about the session, the most important first. */
  showFacts(facts: readonly string[]): void;
}

export interface ScreenListener {
  /** A complete line, or several lines of one prompt. */
  readonly line: (text: string) => void;
  /** A key other than Ctrl-C was pressed, or text was pasted. Only on screens that read keys. */
  readonly touched: () => void;
  /** Ctrl-C. */
  readonly interrupt: () => void;
  /** Esc, with the text of the input line. */
  readonly escape: (draft: string) => void;
  /** Shift-Tab. */
  readonly nextMode: () => void;
  /** Returns the queued prompts as one text, to edit them. Undefined if there are none. */
  readonly takeQueued: () => string | undefined;
  /** Ctrl-D, or the end of the pipe. No more input will follow. */
  readonly end: () => void;
  /** The terminal was closed. */
  readonly gone: () => void;
}

/** A part of the output: a complete line, or a part of a streaming text. */
export type OutputPart =
  | { readonly kind: 'line'; readonly text: string }
  /** A part of a line. */
  | { readonly kind: 'stream'; readonly text: string }
  | { readonly kind: 'end of stream' }
  /** An answer starts. The text after it may be retracted. */
  | { readonly kind: 'answer begins' }
  /** Retracts the answer. `erased` is printed if the screen could erase it, `left` if it could not. */
  | { readonly kind: 'retract'; readonly erased: string | undefined; readonly left: string };
