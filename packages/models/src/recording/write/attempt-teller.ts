/** The lines of one attempt: its events as they pass, and its end. */
import type { Clock, Done, ModelError, ModelRecord } from '@heddle/core';
import type { Scrubber } from '../text/scrub.ts';
import { HeldDeltas, type TimedEvent } from './held-deltas.ts';
import type { LineFile } from './line-file.ts';

interface AttemptSetup {
  readonly file: LineFile;
  readonly attempt: number;
  readonly clock: Clock;
  readonly scrubber: Scrubber;
  readonly signal: AbortSignal;
}

export class AttemptTeller {
  readonly #setup: AttemptSetup;
  readonly #began: number;
  readonly #held: HeldDeltas;
  #isOver = false;

  constructor(setup: AttemptSetup) {
    this.#setup = setup;
    this.#began = setup.clock.now();
    this.#held = new HeldDeltas(setup.scrubber);
  }

  note(record: ModelRecord): void {
    this.#setup.file.guard(() => {
      if (isEnd(record)) this.#end(record);
      else this.#write(this.#held.take({ at: this.#now(), record }));
    });
  }

  /** Whoever reads has heard enough. */
  leave(): void {
    if (this.#isOver) return;
    this.#setup.file.guard(() => {
      this.#write(this.#held.end());
      this.#isOver = true;
      this.#setup.file.add({ type: 'left', attempt: this.#setup.attempt, at: this.#now() });
    });
  }

  #end(record: Done | ModelError): void {
    this.#write(this.#held.end());
    this.#isOver = true;
    const clean = this.#setup.scrubber.value(record);
    const aborted = this.#setup.signal.aborted ? { aborted: true as const } : {};
    const said = isRecord(clean) && isEnd(clean) ? clean : record;
    this.#setup.file.add({
      type: 'end',
      attempt: this.#setup.attempt,
      at: this.#now(),
      record: said,
      ...aborted,
    });
  }

  #write(events: readonly TimedEvent[]): void {
    for (const { at, record } of events)
      this.#setup.file.add({ type: 'event', attempt: this.#setup.attempt, at, record });
  }

  #now(): number {
    return this.#setup.clock.now() - this.#began;
  }
}

function isEnd(record: ModelRecord): record is Done | ModelError {
  return record.type === 'done' || record.type === 'model_error';
}

function isRecord(value: unknown): value is ModelRecord {
  return typeof value === 'object' && value !== null && 'type' in value;
}
