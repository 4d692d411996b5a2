/**
 * The screen for terminals that cannot move their cursor, for screen readers and for pipes. It writes no escape sequences.
 * The terminal itself edits the line, and Ctrl-C arrives as a signal.
 */
import { createInterface, type Interface } from 'node:readline';
import { escapeControls } from './escape-controls.ts';
import { RawLayout } from './layout/rows.ts';
import { typedText } from './input/key-reader.ts';
import type { Screen, ScreenListener } from './screen.ts';

export class LineScreen implements Screen {
  readonly readsKeys = false;
  readonly isPipe: boolean;
  readonly pastedTexts: readonly string[] = [];
  readonly #output: NodeJS.WritableStream;
  readonly #lines: Interface;
  #listener: ScreenListener | undefined;
  /** Lines of a pipe that were not requested yet. */
  readonly #waiting: string[] = [];
  /** The previous lines that ended with a backslash. They belong to the next line. */
  #begun = '';
  #prompt: string | undefined;
  readonly #coming = new RawLayout();
  #isMidLine = false;
  #ended = false;

  constructor(input: NodeJS.ReadableStream & { isTTY?: boolean }, output: NodeJS.WritableStream) {
    this.#output = output;
    this.isPipe = input.isTTY !== true;
    this.#lines = createInterface({ input, terminal: false, crlfDelay: Number.POSITIVE_INFINITY });
    this.#lines.on('line', (line) => this.#take(line));
    this.#lines.once('close', () => {
      this.#ended = true;
      // The input ended after a backslash.
      if (this.#begun !== '') this.#waiting.push(this.#begun);
      this.#deliver();
    });
    output.on('error', () => undefined);
  }

  listen(listener: ScreenListener): void {
    this.#listener = listener;
    this.#deliver();
  }

  print(text: string): void {
    this.endStream();
    this.#write(`${this.#isMidLine ? '\n' : ''}${text}\n`);
    this.#askAgain();
  }

  stream(text: string): void {
    const now = this.#coming.add(text);
    if (this.#prompt !== undefined && this.#isMidLine && now !== '') this.#write('\n');
    this.#prompt = undefined;
    this.#write(now);
  }

  output(text: string): void {
    this.stream(text);
  }

  endStream(): void {
    const rest = this.#coming.end();
    if (this.#prompt === undefined && (rest !== '' || this.#isMidLine)) this.#write(`${rest}\n`);
  }

  markAnswer(): void {
    // Written text cannot be erased.
  }

  retractAnswer(): boolean {
    this.endStream();
    return false;
  }

  ask(prompt: string): void {
    this.endStream();
    this.#prompt = prompt;
    this.#askAgain();
    this.#deliver();
  }

  reprompt(prompt: string): void {
    if (this.#prompt !== undefined) this.#prompt = prompt;
  }

  status(): void {
    // This screen has no status row.
  }

  busy(): void {
    this.#prompt = undefined;
  }

  put(text: string): void {
    this.print(`(not sent: ${text.replaceAll('\n', ' ')})`);
  }

  /** Nothing is put into the line here. */
  putData(prompt: string): boolean {
    this.put(escapeControls(prompt));
    return false;
  }

  takeDraft(): string {
    return '';
  }

  close(): void {
    this.endStream();
    this.#lines.close();
  }

  #take(line: string): void {
    const text = this.#begun + escapeControls(withoutKeys(line));
    if (text.endsWith('\\')) {
      this.#begun = `${text.slice(0, -1)}\n`;
      return;
    }
    this.#begun = '';
    // The terminal has shown the typed text and its line break.
    if (!this.isPipe) this.#isMidLine = false;
    this.#waiting.push(text);
    this.#deliver();
  }

  /** Delivers lines. A user may type at any time, but each line of a pipe waits until it is requested. */
  #deliver(): void {
    while (this.#listener) {
      if (this.isPipe && this.#prompt === undefined) return;
      const text = this.#waiting.shift();
      if (text === undefined) break;
      if (this.isPipe) this.#write(`${text}\n`);
      this.#prompt = undefined;
      this.#listener.line(text);
    }
    if (this.#ended) this.#listener?.end();
  }

  #askAgain(): void {
    if (this.#prompt !== undefined) this.#write(`${this.#isMidLine ? '\n' : ''}${this.#prompt}`);
  }

  #write(text: string): void {
    if (text === '') return;
    this.#isMidLine = !text.endsWith('\n');
    this.#output.write(text);
  }
}

/** The number of letters of `yes`, the longest word that answers a question. */
const LONGEST_ANSWER = 3;

/** Only a bare key answers a question. So the sequences of other keys stay in a line that would be an answer without them. */
function withoutKeys(line: string): string {
  const typed = typedText(line);
  const { length } = typed.trim();
  return typed !== line && length > 0 && length <= LONGEST_ANSWER ? line : typed;
}
