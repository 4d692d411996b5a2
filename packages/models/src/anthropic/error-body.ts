/** The body of an answer that tells of an error. It is short, or only its beginning matters. */
import type { Readable } from 'node:stream';

const LONGEST = 64 * 1024;

export class ErrorBody {
  readonly #response: Readable;
  readonly #onRead: (body: string) => void;
  readonly #decoder = new TextDecoder();
  #text = '';
  #isRead = false;

  /** `onRead` is called once, with all that came, however it ended. */
  constructor(response: Readable, onRead: (body: string) => void) {
    this.#response = response;
    this.#onRead = onRead;
    response
      .on('data', (chunk: Uint8Array) => this.#add(chunk))
      .on('end', () => this.#finish())
      .on('error', () => this.#finish())
      .on('close', () => this.#finish());
  }

  /** Makes do with what is here. */
  giveUp(): void {
    this.#response.destroy();
    this.#finish();
  }

  #add(chunk: Uint8Array): void {
    this.#text += this.#decoder.decode(chunk, { stream: true });
    if (this.#text.length > LONGEST) this.giveUp();
  }

  #finish(): void {
    if (this.#isRead) return;
    this.#isRead = true;
    this.#onRead(this.#text);
  }
}
