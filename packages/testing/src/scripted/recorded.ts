/**
 * One attempt as received by the scripted model: the request as a shape at any time, as a body or bytes on
 * demand.
 */
import type { ContentBlock, Done, ModelError, ModelErrorClass, ModelRequest } from '@heddle/core';
import { type RequestBody, bodyOf, messagesBytes } from '../request-body.ts';
import { shapeOf } from '../shapes.ts';

export class RecordedCall {
  /** Counted from 1. */
  readonly number: number;
  readonly request: ModelRequest;
  /** The start time, by the model's clock. 0 without one. */
  readonly at: number;
  #ended: 'done' | 'abandoned' | ModelErrorClass | undefined;

  constructor(number: number, request: ModelRequest, at: number) {
    this.number = number;
    this.request = request;
    this.at = at;
  }

  /** The end. `abandoned` if its reader left early, undefined while it runs. */
  get ended(): 'done' | 'abandoned' | ModelErrorClass | undefined {
    return this.#ended;
  }

  get shape(): string {
    return shapeOf(this.request);
  }

  /** The request as the API would get it. */
  body(): RequestBody {
    return bodyOf(this.request);
  }

  /** The bytes of the `messages` array. */
  bytes(): Uint8Array {
    return messagesBytes(this.request);
  }

  /** The size of the body, except a few bytes of its options. */
  byteLength(): number {
    const { system, tools, messagesJson } = this.request;
    let size = Buffer.byteLength(JSON.stringify({ system, tools }));
    for (const piece of messagesJson) size += piece.byteLength;
    return size;
  }

  /** Four bytes per token: an estimate, not a tokenizer. */
  inputTokens(): number {
    return Math.ceil(this.byteLength() / 4);
  }

  /** The same, with a fixed size for each image and document. Reads every block. */
  tokensOfWords(): number {
    const media = [...this.request.messages].flatMap(({ content }) => content.flatMap(mediaBytes));
    const bytes = media.reduce((sum, each) => sum + each, 0);
    return Math.ceil((this.byteLength() - bytes) / 4) + media.length * MEDIA_TOKENS;
  }

  end(record: Done | ModelError): void {
    this.#ended = record.type === 'done' ? 'done' : record.class;
  }

  abandonUnlessEnded(): void {
    this.#ended ??= 'abandoned';
  }
}

/** The API's tokens for a large image. */
const MEDIA_TOKENS = 1_600;

function mediaBytes(block: ContentBlock): number[] {
  if (block.type === 'tool_result')
    return typeof block.content === 'string' ? [] : block.content.flatMap(mediaBytes);
  if (block.type !== 'image' && block.type !== 'document') return [];
  return [block.source.type === 'base64' ? block.source.data.length : 0];
}
