/** Reads keys from a terminal in raw mode. The terminal is restored on every way out. */
import { StringDecoder } from 'node:string_decoder';
import type { Key } from './editor.ts';
import { KeyReader, type KeyReaderListener } from './key-reader.ts';

interface KeyListener extends KeyReaderListener {
  /** The terminal was closed. */
  readonly end: () => void;
}

const PASTE_ON = '\u001b[?2004h';
const PASTE_OFF = '\u001b[?2004l';
/** Asks whether the terminal can name every key. Only then the mode is switched on, and it ends with the session. */
const ASK_NAMED_KEYS = '\u001b[?u';
const NAMED_KEYS_ON = '\u001b[>1u';
const NAMED_KEYS_OFF = '\u001b[<u';

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
  /** The terminal can name keys such as Shift-Enter. */
  #namesKeys = false;

  constructor(input: NodeJS.ReadStream, output: NodeJS.WriteStream, listener: KeyListener) {
    this.#input = input;
    this.#output = output;
    this.#listener = listener;
    this.#reader = new KeyReader({
      ...listener,
      key: (key) => this.#take(key),
      namesKeys: () => this.#nameKeys(),
    });
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
    this.#output.write(PASTE_ON + (this.#namesKeys ? NAMED_KEYS_ON : ASK_NAMED_KEYS));
  }

  /** Restores the terminal, for another program or for the end. */
  release(): void {
    this.#output.write((this.#namesKeys ? NAMED_KEYS_OFF : '') + PASTE_OFF);
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

  #nameKeys(): void {
    if (this.#namesKeys) return;
    this.#namesKeys = true;
    this.#output.write(NAMED_KEYS_ON);
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
