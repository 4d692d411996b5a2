/** Searches earlier prompts with Ctrl-R, the newest first, and reads keys from the terminal. */
import { StringDecoder } from 'node:string_decoder';
import type { Key } from './editor.ts';
import { KeyReader } from './key-reader.ts';

export interface Search {
  readonly query: string;
  /** The number of matches that were skipped. */
  readonly passed: number;
}

export type Searched =
  | { readonly kind: 'search'; readonly search: Search }
  /** Puts the match into the input line. `submit`: also sends it. */
  | { readonly kind: 'take'; readonly submit: boolean }
  | { readonly kind: 'cancel' };

export const NEW_SEARCH: Search = { query: '', passed: 0 };

export function searchKey({ query, passed }: Search, key: Key): Searched {
  const { name = '', sequence = '' } = key;
  if (key.ctrl && name === 'r') return on(query, query === '' ? 0 : passed + 1);
  if (key.ctrl && name === 's') return on(query, Math.max(0, passed - 1));
  if (key.ctrl && (name === 'c' || name === 'g')) return { kind: 'cancel' };
  if (name === 'backspace' || (key.ctrl && name === 'h')) return on(query.slice(0, -1), 0);
  if (name === 'return') return { kind: 'take', submit: true };
  const isTyped = !key.ctrl && !key.meta && sequence !== '' && !/^\p{Cc}/u.test(sequence);
  return isTyped ? on(query + sequence, 0) : { kind: 'take', submit: false };
}

/** Returns the selected match, at most the last one. Undefined if no prompt contains the text. */
export function found({ query, passed }: Search, newestFirst: readonly string[]): string | undefined {
  if (query === '') return undefined;
  const wanted = query.toLowerCase();
  const matches = newestFirst.filter((prompt) => prompt.toLowerCase().includes(wanted));
  return matches[Math.min(passed, matches.length - 1)];
}

/** The line of a prompt that contains the search text. */
export interface HistoryHit {
  readonly line: string;
  /** The start and the end of the match. */
  readonly from: number;
  readonly to: number;
}

export function hitOf({ query }: Search, prompt: string): HistoryHit {
  const wanted = query.toLowerCase();
  const line = prompt.split('\n').find((one) => one.toLowerCase().includes(wanted)) ?? '';
  const from = Math.max(0, line.toLowerCase().indexOf(wanted));
  return { line, from, to: from + query.length };
}

function on(query: string, passed: number): Searched {
  return { kind: 'search', search: { query, passed } };
}

interface KeyListener {
  readonly key: (key: Key) => void;
  readonly paste: (text: string) => void;
  /** The terminal was closed. */
  readonly end: () => void;
}

const PASTE_ON = '\u001b[?2004h';
const PASTE_OFF = '\u001b[?2004l';

/** Esc also starts the sequences of other keys. If nothing follows within this time, it was pressed alone. */
const ESC_ALONE_MS = 50;

export class Keyboard {
  readonly #input: NodeJS.ReadStream;
  readonly #output: NodeJS.WriteStream;
  readonly #listener: KeyListener;
  readonly #restore = (): void => this.release();
  readonly #reader: KeyReader;
  readonly #decoder = new StringDecoder('utf8');
  readonly #onData = (data: Buffer): void => this.#read(this.#decoder.write(data));
  #escTimer: NodeJS.Timeout | undefined;
  /** The input was typed before raw mode. The terminal has converted each Enter to a line feed. */
  #isEarly = true;

  constructor(input: NodeJS.ReadStream, output: NodeJS.WriteStream, listener: KeyListener) {
    this.#input = input;
    this.#output = output;
    this.#listener = listener;
    this.#reader = new KeyReader({ key: (key) => this.#take(key), paste: listener.paste });
    input.on('data', this.#onData);
    // Runs after the keys of the first chunk, which contains all early input.
    input.once('data', () => (this.#isEarly = false));
    // A closed terminal may report this more than once.
    input.once('end', listener.end).on('error', listener.end);
    process.once('exit', this.#restore);
    this.seize();
  }

  seize(): void {
    this.#input.setRawMode(true);
    this.#input.resume();
    this.#output.write(PASTE_ON);
  }

  /** Restores the terminal, for another program or for the end. */
  release(): void {
    this.#output.write(PASTE_OFF);
    this.#input.setRawMode(false);
    this.#input.pause();
  }

  close(): void {
    process.off('exit', this.#restore);
    clearTimeout(this.#escTimer);
    this.#input.off('data', this.#onData);
    this.release();
  }

  /** Handles Ctrl-Z: returns the terminal to the shell until the shell resumes the process. */
  suspend(onReturn: () => void): void {
    this.release();
    process.once('SIGCONT', () => {
      this.seize();
      onReturn();
    });
    process.kill(process.pid, 'SIGTSTP');
  }

  #read(text: string): void {
    clearTimeout(this.#escTimer);
    this.#reader.push(text);
    if (this.#reader.isWaiting) this.#escTimer = setTimeout(() => this.#reader.flush(), ESC_ALONE_MS);
  }

  #take(key: Key): void {
    this.#listener.key(this.#isEarly && key.name === 'enter' ? { name: 'return' } : key);
  }
}
