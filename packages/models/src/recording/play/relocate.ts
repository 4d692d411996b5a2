/** What the model said in another folder, said in this one: its calls must find the files they mean. */
import type { ApiEvent } from '@heddle/core';
import { mapTexts, replaceInChunks, replaceSpans, type Span } from '../text/chunks.ts';
import { deltaText, withDeltaText } from '../text/deltas.ts';

interface Timed {
  readonly at: number;
  readonly record: ApiEvent;
}

/** A folder may begin in one delta and end in another, so the deltas of a text are changed together. */
export function relocated(
  events: readonly Timed[],
  find: (text: string) => readonly Span[],
): readonly Timed[] {
  const kinds = new Map<string, number[]>();
  for (const [at, { record }] of events.entries()) {
    const kind = deltaText(record)?.kind;
    if (kind !== undefined) kinds.set(kind, [...(kinds.get(kind) ?? []), at]);
  }
  const texts = new Map<number, string>();
  for (const places of kinds.values()) {
    const chunks = places.map((at) => textAt(events, at));
    const spans = find(chunks.join(''));
    if (spans.length === 0) continue;
    for (const [index, text] of replaceInChunks(chunks, spans).entries())
      texts.set(places[index] ?? -1, text);
  }
  return events.map((event, at) => {
    const text = texts.get(at);
    if (text !== undefined) return { ...event, record: withDeltaText(event.record, text) };
    return event.record.type === 'content_block_start'
      ? { ...event, record: whole(event.record, find) }
      : event;
  });
}

function textAt(events: readonly Timed[], at: number): string {
  const event = events[at];
  return (event && deltaText(event.record)?.text) ?? '';
}

/** A block that comes whole has its texts inside. */
function whole(record: ApiEvent, find: (text: string) => readonly Span[]): ApiEvent {
  const moved = mapTexts(record, (text) => replaceSpans(text, find(text)));
  return isEvent(moved) ? moved : record;
}

function isEvent(value: unknown): value is ApiEvent {
  return typeof value === 'object' && value !== null && 'type' in value;
}
