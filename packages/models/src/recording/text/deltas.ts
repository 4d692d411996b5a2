/** The text that a delta carries, whatever its kind. */
import type { ApiEvent } from '@heddle/core';

export interface DeltaText {
  /** Deltas of the same kind, one after another, are one text. */
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
