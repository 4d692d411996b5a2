/** Says so where the model is asked and nothing comes back: whoever waits should know that somebody else waits, too. */
import type { LoopEvent } from '@heddle/core';
import { timeOf } from '../render/amounts.ts';

/** After so long for the first time, and then ever more rarely. */
const FIRST_SIGN_MS = 10_000;

export class Silence {
  readonly #note: (text: string) => void;
  #timer: NodeJS.Timeout | undefined;

  constructor(note: (text: string) => void) {
    this.#note = note;
  }

  hear(event: LoopEvent): void {
    switch (event.type) {
      case 'stream_request_start':
      case 'compacting':
        return this.#wait(0, FIRST_SIGN_MS);
      case 'retry':
        return this.#wait(0, FIRST_SIGN_MS, event.delayMs);
      case 'stream_event':
        return event.event.type === 'ping' ? undefined : this.end();
      default:
        return this.end();
    }
  }

  end(): void {
    clearTimeout(this.#timer);
  }

  /** `pause`: nobody was asked for so long. */
  #wait(waitedMs: number, untilMs: number, pause = 0): void {
    this.end();
    const sign = (): void => {
      this.#note(`no answer yet, ${timeOf(untilMs)}; Ctrl-C interrupts`);
      this.#wait(untilMs, untilMs * 2);
    };
    this.#timer = setTimeout(sign, pause + untilMs - waitedMs).unref();
  }
}
