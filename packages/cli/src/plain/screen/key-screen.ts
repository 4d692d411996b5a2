/**
 * A terminal that can move its cursor. Only the line being typed is ever drawn again: it is erased before anything is
 * written above it, and what was written stays as it is.
 */
import { emitKeypressEvents } from 'node:readline';
import { stripVTControlCharacters } from 'node:util';
import type { Recall } from '../prompts/recall.ts';
import { type Draft, draftOf, EMPTY, insert, type Key, press, type Wish } from './editor.ts';
import { type Frame, frameOf, rowsAbove } from './frame.ts';
import type { Screen, ScreenListener } from './screen.ts';
import { wholeLines, wholeWords } from './words.ts';

/** Rows of the terminal that the line being typed leaves to the output, and the most it takes. */
const ROWS_ABOVE = 2;
const MOST_ROWS = 12;

const PASTE_ON = '\u001b[?2004h';
const PASTE_OFF = '\u001b[?2004l';
const ERASE_BELOW = '\u001b[J';

export class KeyScreen implements Screen {
  readonly #input: NodeJS.ReadStream;
  readonly #output: NodeJS.WriteStream;
  readonly #recall: Recall;
  readonly #restore = (): void => this.#leaveKeys();
  #listener: ScreenListener | undefined;
  #draft: Draft = EMPTY;
  #prompt = '';
  /** A line is asked for; else it is only shown while something is typed. */
  #asking = false;
  /** The line being typed, as it stands on the screen. */
  #shown: Frame | undefined;
  /** Streamed, and not shown yet. */
  #held = '';
  /** The output stands within a line. */
  #isMidLine = false;
  /** What was pasted so far, while a paste is under way. */
  #pasted: string | undefined;
  #closed = false;

  constructor(input: NodeJS.ReadStream, output: NodeJS.WriteStream, recall: Recall) {
    this.#input = input;
    this.#output = output;
    this.#recall = recall;
    emitKeypressEvents(input);
    input.on('keypress', (_text, key: Key) => this.#take(key));
    input.once('end', () => this.#listener?.end()).once('error', () => this.#listener?.end());
    output.on('resize', () => this.#redraw());
    // A terminal that went away takes nothing more; whoever waits for its input is told by that side.
    output.on('error', () => undefined);
    process.once('exit', this.#restore);
    this.#enterKeys();
  }

  listen(listener: ScreenListener): void {
    this.#listener = listener;
  }

  print(text: string): void {
    this.endStream();
    this.#above(`${text}\n`);
  }

  stream(text: string): void {
    this.#held += text;
    if (this.#shown) {
      const { now, later } = wholeLines(this.#held, this.#columns);
      this.#held = later;
      if (now !== '') this.#above(now);
      return;
    }
    const { now, later } = wholeWords(this.#held);
    this.#held = later;
    this.#write(now);
  }

  endStream(): void {
    const rest = this.#held;
    this.#held = '';
    if (this.#shown) {
      if (rest !== '') this.#above(`${rest}\n`);
    } else if (rest !== '' || this.#isMidLine) this.#write(`${rest}\n`);
  }

  ask(prompt: string): void {
    this.endStream();
    this.#prompt = prompt;
    this.#asking = true;
    this.#redraw();
  }

  busy(prompt: string): void {
    this.#prompt = prompt;
    this.#asking = false;
    this.#redraw();
  }

  put(text: string): void {
    const parts = [text, this.#draft.text].filter((part) => part !== '');
    this.#draft = draftOf(parts.join('\n'));
    this.#redraw();
  }

  takeDraft(): string {
    const { text } = this.#draft;
    this.#draft = EMPTY;
    this.#redraw();
    return text;
  }

  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#write(this.#erased());
    this.endStream();
    process.off('exit', this.#restore);
    this.#leaveKeys();
    this.#input.removeAllListeners('keypress');
    this.#input.pause();
  }

  #take(key: Key): void {
    if (this.#closed) return;
    if (key.name === 'paste-start') this.#pasted = '';
    else if (key.name === 'paste-end') {
      this.#draft = insert(this.#draft, this.#pasted ?? '');
      this.#pasted = undefined;
      this.#redraw();
    } else if (this.#pasted !== undefined) this.#pasted += key.sequence ?? '';
    else {
      const pressed = press(this.#draft, key);
      if (pressed.kind === 'wish') return this.#grant(pressed.wish);
      this.#draft = pressed.draft;
      this.#redraw();
    }
  }

  #grant(wish: Wish): void {
    switch (wish) {
      case 'submit':
        return this.#submit();
      case 'interrupt':
        return this.#listener?.interrupt();
      case 'leave':
        return this.#listener?.end();
      case 'escape':
        return this.#listener?.escape(this.#draft.text);
      case 'older':
      case 'newer': {
        const text = wish === 'older' ? this.#recall.older(this.#draft.text) : this.#recall.newer();
        if (text === undefined) return;
        this.#draft = draftOf(text);
        return this.#redraw();
      }
      case 'clear':
        this.#shown = undefined;
        this.#write('\u001b[H\u001b[2J');
        return this.#redraw();
      case 'suspend':
        return this.#suspend();
    }
  }

  #submit(): void {
    const { text } = this.#draft;
    this.#recall.rest();
    this.#draft = EMPTY;
    if (this.#asking) {
      this.#asking = false;
      const indent = ' '.repeat(stripVTControlCharacters(this.#prompt).length);
      this.#above(`${this.#prompt}${text.replaceAll('\n', `\n${indent}`)}\n`);
    } else this.#redraw();
    this.#listener?.line(text);
  }

  /** Writes above the line being typed, in one go: nothing flickers. */
  #above(text: string): void {
    this.#write(this.#erased() + text + this.#drawn());
  }

  #redraw(): void {
    if (this.#closed) return;
    const erased = this.#erased();
    this.#write(erased + this.#drawn());
  }

  #erased(): string {
    if (!this.#shown) return '';
    const above = rowsAbove(this.#shown, this.#columns);
    this.#shown = undefined;
    return `${up(above)}\r${ERASE_BELOW}`;
  }

  #drawn(): string {
    const isVisible = !this.#closed && (this.#asking || this.#draft.text !== '');
    if (!isVisible) return '';
    const frame = this.#layout();
    this.#shown = frame;
    const below = frame.rows.length - 1 - frame.cursorRow;
    const right = frame.cursorColumn > 0 ? `\u001b[${frame.cursorColumn}C` : '';
    return `${this.#isMidLine ? '\n' : ''}${frame.rows.join('\n')}${up(below)}\r${right}`;
  }

  #layout(): Frame {
    const maxRows = Math.max(1, Math.min(MOST_ROWS, (this.#output.rows || 24) - ROWS_ABOVE));
    const bare = stripVTControlCharacters(this.#prompt);
    return frameOf(bare, this.#draft, { columns: this.#columns, maxRows }, this.#prompt);
  }

  get #columns(): number {
    return this.#output.columns || 80;
  }

  #write(text: string): void {
    if (text === '') return;
    this.#isMidLine = this.#shown === undefined && !text.endsWith('\n') && !text.endsWith(ERASE_BELOW);
    this.#output.write(text);
  }

  #enterKeys(): void {
    this.#input.setRawMode(true);
    this.#input.resume();
    this.#output.write(PASTE_ON);
  }

  #leaveKeys(): void {
    this.#output.write(PASTE_OFF);
    this.#input.setRawMode(false);
  }

  /** As any program does on Ctrl-Z: the terminal goes back to the shell until it wakes us. */
  #suspend(): void {
    this.#write(this.#erased());
    this.#leaveKeys();
    process.once('SIGCONT', () => {
      this.#enterKeys();
      this.#redraw();
    });
    process.kill(process.pid, 'SIGTSTP');
  }
}

function up(rows: number): string {
  return rows > 0 ? `\u001b[${rows}A` : '';
}
