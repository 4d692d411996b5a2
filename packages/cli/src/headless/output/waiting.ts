/** Tells whoever waits for a text that the model is still being waited for: a script's log should not just stand still. */
import type { LoopEvent } from '@heddle/core';
import { timeOf } from '../../plain/render/amounts.ts';

/** Many answers take as long as the first mark: it is worth one line a run. Hardly any takes as long as the second. */
const FIRST_MARK_MS = 10_000;
const SECOND_MARK_MS = 60_000;

export class Waiting {
  readonly #tell: (text: string) => void;
  #timers: readonly NodeJS.Timeout[] = [];
  #hasTold = false;

  constructor(tell: (text: string) => void) {
    this.#tell = tell;
  }

  hear(event: LoopEvent): void {
    switch (event.type) {
      case 'stream_request_start':
      case 'compacting':
        return this.#begin(0);
      case 'retry':
        return this.#begin(event.delayMs);
      case 'stream_event':
      case 'hook_progress':
        return;
      default:
        return this.end();
    }
  }

  end(): void {
    for (const timer of this.#timers) clearTimeout(timer);
  }

  /** `pauseMs`: nobody is asked for so long. */
  #begin(pauseMs: number): void {
    this.end();
    const first = (): void => {
      if (!this.#hasTold) this.#say(FIRST_MARK_MS);
      this.#hasTold = true;
    };
    this.#timers = [
      setTimeout(first, pauseMs + FIRST_MARK_MS).unref(),
      setTimeout(() => this.#say(SECOND_MARK_MS), pauseMs + SECOND_MARK_MS).unref(),
    ];
  }

  #say(waitedMs: number): void {
    this.#tell(`still waiting for the model's answer, ${timeOf(waitedMs)}`);
  }
}
