/** Writes the lines of one attempt: its events and its end. */
import {
  type ApiEvent,
  type Clock,
  type Done,
  isRecord,
  type ModelError,
  type ModelRecord,
} from '@heddle/core';
import { deltaText, replaceInChunks, type TextSpan, withDeltaText } from '../text/chunks.ts';
import type { Scrubber } from '../text/scrub.ts';
import type { RecordingFile } from './recording-file.ts';

interface AttemptSetup {
  readonly file: RecordingFile;
  readonly attempt: number;
  readonly clock: Clock;
  readonly scrubber: Scrubber;
  readonly signal: AbortSignal;
}

export class AttemptRecorder {
  readonly #setup: AttemptSetup;
  readonly #began: number;
  readonly #held: DeltaBuffer;
  #isOver = false;

  constructor(setup: AttemptSetup) {
    this.#setup = setup;
    this.#began = setup.clock.now();
    this.#held = new DeltaBuffer(setup.scrubber);
  }

  note(record: ModelRecord): void {
    this.#setup.file.guard(() => {
      if (isEnd(record)) this.#end(record);
      else this.#write(this.#held.take({ at: this.#now(), record }));
    });
  }

  /** Called when the reader stops before the end. */
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
    const ended = isModelRecord(clean) && isEnd(clean) ? clean : record;
    this.#setup.file.add({
      type: 'end',
      attempt: this.#setup.attempt,
      at: this.#now(),
      record: ended,
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

function isModelRecord(value: unknown): value is ModelRecord {
  return isRecord(value) && 'type' in value;
}

// Holds back the end of a streamed text while it may be the start of a secret. Redacts secrets that span
// several deltas. Certain text is released at once, so that a crash costs a word and not a block.

export interface TimedEvent {
  readonly at: number;
  readonly record: ApiEvent;
}

/** Characters before a text that identify it as a secret, such as `Authorization: Bearer`. */
const CONTEXT = 96;

export class DeltaBuffer {
  readonly #scrubber: Scrubber;
  #held: TimedEvent[] = [];
  #kind = '';
  /** The text that is held back. */
  #text = '';
  #before = '';

  constructor(scrubber: Scrubber) {
    this.#scrubber = scrubber;
  }

  /** Returns the events that can be written now, in order. */
  take(event: TimedEvent): TimedEvent[] {
    const delta = deltaText(event.record);
    if (delta === undefined) {
      if (isAside(event.record) && this.#held.length > 0) {
        this.#held.push(event);
        return [];
      }
      return [...this.end(), { ...event, record: this.#cleaned(event.record) }];
    }
    const ended = delta.kind === this.#kind ? [] : this.end();
    this.#kind = delta.kind;
    this.#held.push(event);
    this.#text += delta.text;
    return [...ended, ...this.#release(this.#scrubber.doubtful(this.#before + this.#text))];
  }

  /** Ends the block: no text is doubtful any more. */
  end(): TimedEvent[] {
    const released = this.#release(0);
    this.#kind = '';
    this.#before = '';
    return released;
  }

  /**
   * Releases the deltas before the doubtful end, except those with a part of a secret that continues after
   * them.
   */
  #release(doubtful: number): TimedEvent[] {
    const spans = this.#spans();
    const texts = this.#held.map(({ record }) => deltaText(record)?.text ?? '');
    const certain = this.#text.length - doubtful;
    let count = 0;
    let length = 0;
    let end = 0;
    for (const [at, text] of texts.entries()) {
      end += text.length;
      if (end > certain) break;
      if (spans.some((span) => span.start < end && end < span.end)) continue;
      count = at + 1;
      length = end;
    }
    const released = replaceInChunks(texts, spans).slice(0, count);
    const events = this.#held.slice(0, count);
    this.#before = (this.#before + this.#text.slice(0, length)).slice(-CONTEXT);
    this.#held = this.#held.slice(count);
    this.#text = this.#text.slice(length);
    return events.map(({ at, record }, index) => ({
      at,
      record: withDeltaText(record, released[index] ?? ''),
    }));
  }

  /** Finds the secrets in the held text. The text before it distinguishes them from words. */
  #spans(): TextSpan[] {
    const start = this.#before.length;
    return this.#scrubber
      .spans(this.#before + this.#text)
      .filter(({ end }) => end > start)
      .map((span) => ({ start: Math.max(0, span.start - start), end: span.end - start, by: span.by }));
  }

  #cleaned(record: ApiEvent): ApiEvent {
    const clean = this.#scrubber.value(record);
    return isEvent(clean) ? clean : record;
  }
}

/** Returns true for events that may occur between two deltas of one text. */
function isAside({ type }: ApiEvent): boolean {
  return !String(type).startsWith('content_block_') && !String(type).startsWith('message_');
}

function isEvent(value: unknown): value is ApiEvent {
  return isRecord(value) && 'type' in value;
}
