/**
 * Holds back the end of a text that streams, as long as it may be the beginning of a secret, and takes secrets out that came
 * in several deltas. What is certain is released at once, so that a crash costs a word and not a block.
 */
import type { ApiEvent } from '@heddle/core';
import { replaceInChunks, type Span } from '../text/chunks.ts';
import { deltaText, withDeltaText } from '../text/deltas.ts';
import type { Scrubber } from '../text/scrub.ts';

export interface TimedEvent {
  readonly at: number;
  readonly record: ApiEvent;
}

/** Characters before a text that tell what it is: `Authorization: Bearer`. */
const CONTEXT = 96;

export class HeldDeltas {
  readonly #scrubber: Scrubber;
  #held: TimedEvent[] = [];
  #kind = '';
  /** The text of what is held. */
  #text = '';
  #before = '';

  constructor(scrubber: Scrubber) {
    this.#scrubber = scrubber;
  }

  /** What may be written now, in order. */
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

  /** The block is over: nothing is doubtful any more. */
  end(): TimedEvent[] {
    const released = this.#release(0);
    this.#kind = '';
    this.#before = '';
    return released;
  }

  /** Releases the deltas that lie before the doubtful end, and hold no part of a secret that goes on behind them. */
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

  /** The secrets in what is held; what was before it tells them apart from words. */
  #spans(): Span[] {
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

/** May stand between two deltas of one text. */
function isAside({ type }: ApiEvent): boolean {
  return !String(type).startsWith('content_block_') && !String(type).startsWith('message_');
}

function isEvent(value: unknown): value is ApiEvent {
  return typeof value === 'object' && value !== null && 'type' in value;
}
