/** The keys of a terminal, one by one: what is typed, what is pasted, and the way back to the shell. */
import { emitKeypressEvents, type Interface } from 'node:readline';
import type { Key } from './editor.ts';

export interface KeyListener {
  readonly key: (key: Key) => void;
  readonly paste: (text: string) => void;
  /** The terminal went away: no key will come any more. */
  readonly end: () => void;
}

const PASTE_ON = '\u001b[?2004h';
const PASTE_OFF = '\u001b[?2004l';

/** Esc begins the sequences of other keys, too: after so long it was pressed alone. The type wants a whole interface. */
// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- nothing else of it is read
const ESC_ALONE = { escapeCodeTimeout: 50 } as unknown as Interface;

export class Keyboard {
  readonly #input: NodeJS.ReadStream;
  readonly #output: NodeJS.WriteStream;
  readonly #listener: KeyListener;
  readonly #restore = (): void => this.release();
  /** What was pasted so far, while a paste is under way. */
  #pasted: string | undefined;
  /** Typed before we read keys: of each Enter the terminal has made the end of a line. */
  #isEarly = true;

  constructor(input: NodeJS.ReadStream, output: NodeJS.WriteStream, listener: KeyListener) {
    this.#input = input;
    this.#output = output;
    this.#listener = listener;
    emitKeypressEvents(input, ESC_ALONE);
    input.on('keypress', (_text, key: Key) => this.#take(key));
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

  /** Leaves the terminal as it was found, for somebody else or for good. */
  release(): void {
    this.#output.write(PASTE_OFF);
    this.#input.setRawMode(false);
    this.#input.pause();
  }

  close(): void {
    process.off('exit', this.#restore);
    this.#input.removeAllListeners('keypress');
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

  #take(key: Key): void {
    if (key.name === 'paste-start') this.#pasted = '';
    else if (key.name === 'paste-end') {
      this.#listener.paste(this.#pasted ?? '');
      this.#pasted = undefined;
    } else if (this.#pasted !== undefined) this.#pasted += key.sequence ?? '';
    else this.#listener.key(this.#isEarly && key.name === 'enter' ? { name: 'return' } : key);
  }
}
