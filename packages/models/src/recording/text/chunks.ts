import type { ApiEvent } from '@heddle/core';

// Replaces text that arrives in chunks. A replaced span may begin in one chunk and end in another.

export interface TextSpan {
  readonly start: number;
  readonly end: number;
  readonly by: string;
}

/** Returns as many chunks as before. The chunk in which a span begins gets the whole replacement. */
export function replaceInChunks(chunks: readonly string[], spans: readonly TextSpan[]): string[] {
  let start = 0;
  return chunks.map((chunk) => {
    const end = start + chunk.length;
    let replaced = '';
    let at = start;
    for (const span of spans) {
      if (span.end <= start || span.start >= end) continue;
      if (span.start >= start) replaced += chunk.slice(at - start, span.start - start) + span.by;
      at = Math.min(span.end, end);
    }
    replaced += chunk.slice(at - start);
    start = end;
    return replaced;
  });
}

export function replaceSpans(text: string, spans: readonly TextSpan[]): string {
  return spans.length === 0 ? text : replaceInChunks([text], spans).join('');
}

/** Of overlapping spans the first one stays. Of two with the same start the longer one stays. */
export function withoutOverlaps(spans: readonly TextSpan[]): TextSpan[] {
  const kept: TextSpan[] = [];
  for (const span of spans.toSorted((a, b) => a.start - b.start || b.end - a.end)) {
    if (span.start >= (kept.at(-1)?.end ?? 0)) kept.push(span);
  }
  return kept;
}

/** Returns a pattern that matches any of these texts, the longest first. Undefined if there are none. */
export function patternOfAny(texts: Iterable<string>): string | undefined {
  const longestFirst = [...new Set(texts)].sort((left, right) => right.length - left.length);
  return longestFirst.length === 0 ? undefined : longestFirst.map(escaped).join('|');
}

function escaped(text: string): string {
  return text.replaceAll(/[\\^$.*+?()[\]{}|/-]/g, '\\$&');
}

/** Replaces every text in a plain value, including field names. */
export function mapTexts(value: unknown, change: (text: string) => string): unknown {
  if (typeof value === 'string') return change(value);
  if (Array.isArray(value)) return value.map((item) => mapTexts(item, change));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, field]) => [change(key), mapTexts(field, change)]),
  );
}

interface DeltaText {
  /** Consecutive deltas of the same kind form one text. */
  readonly kind: string;
  readonly text: string;
}

export function deltaText(event: ApiEvent): DeltaText | undefined {
  if (event.type !== 'content_block_delta') return undefined;
  const { delta, index } = event;
  switch (delta.type) {
    case 'text_delta':
      return { kind: `${index} text`, text: delta.text };
    case 'input_json_delta':
      return { kind: `${index} json`, text: delta.partial_json };
    case 'thinking_delta':
      return { kind: `${index} thinking`, text: delta.thinking };
    default:
      return undefined;
  }
}

export function withDeltaText(event: ApiEvent, text: string): ApiEvent {
  if (event.type !== 'content_block_delta') return event;
  const { delta } = event;
  switch (delta.type) {
    case 'text_delta':
      return { ...event, delta: { ...delta, text } };
    case 'input_json_delta':
      return { ...event, delta: { ...delta, partial_json: text } };
    case 'thinking_delta':
      return { ...event, delta: { ...delta, thinking: text } };
    default:
      return event;
  }
}
