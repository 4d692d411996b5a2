/** The keys of a terminal, one by one: what is typed, what is pasted, and the way back to the shell. */
import { StringDecoder } from 'node:string_decoder';
import type { Key } from './editor.ts';
import { KeyReader } from './key-reader.ts';

export interface KeyListener {
  readonly key: (key: Key) => void;
  readonly paste: (text: string) => void;
  /** The terminal went away: no key will come any more. */
  readonly end: () => void;
}

const PASTE_ON = '\u001b[?2004h';
const PASTE_OFF = '\u001b[?2004l';

/** Esc also begins the sequences of other keys. If nothing follows for this long, it was pressed alone. */
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
  /** Typed before we read keys: of each Enter the terminal has made the end of a line. */
  #isEarly = true;

  constructor(input: NodeJS.ReadStream, output: NodeJS.WriteStream, listener: KeyListener) {
    this.#input = input;
    this.#output = output;
    this.#listener = listener;
    this.#reader = new KeyReader({ key: (key) => this.#take(key), paste: listener.paste });
    input.on('data', this.#onData);
    // After the keys of the first chunk, which holds all that was typed early.
    input.once('data', () => (this.#isEarly = false));
    // A terminal that went away may say so more than once.
    input.once('end', listener.end).on('error', listener.end);
    process.once('exit', this.#restore);
    this.seize();
  }

  seize(): void {
    this.#input.setRawMode(true);
    this.#input.resume();
    this.#output.write(PASTE_ON);
  }

  /** Leaves the terminal as it was found, for another program or for good. */
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

  /** As any program does on Ctrl-Z: the terminal goes back to the shell until it wakes us. */
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
