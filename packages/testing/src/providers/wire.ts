/** The format of another provider: its events and errors, and its rejections. */
import { type ApiEvent, isRecord, type ModelError } from '@heddle/core';

export interface AnswerFacts {
  /** Counted from 1. */
  readonly call: number;
  readonly model: string;
}

/** Converts the events of one response to bytes, one after another. */
export interface Encoder {
  encode(event: ApiEvent): readonly Uint8Array[];
  /** An error after the response has begun. */
  fail(error: ModelError): readonly Uint8Array[];
}

export interface ProviderWireError {
  readonly status: number;
  readonly body: unknown;
}

export interface ProviderWire {
  readonly contentType: string;
  /** The requested model, if this is a call for a response. */
  modelAsked(path: string, body: unknown): string | undefined;
  encoder(facts: AnswerFacts): Encoder;
  /** An error instead of a response. */
  error(error: ModelError): ProviderWireError;
  /** Calls and results of a request, in their order. */
  traffic(body: unknown): readonly Traffic[];
  /** The required form of call ids, if there is one. */
  readonly ids?: RegExp;
}

export interface Traffic {
  readonly is: 'call' | 'result';
  readonly id: string;
}

export function sse(data: unknown, event?: string): Uint8Array {
  const name = event === undefined ? '' : `event: ${event}\n`;
  return Buffer.from(`${name}data: ${typeof data === 'string' ? data : JSON.stringify(data)}\n\n`);
}

/** Keeps the connection open without content. */
export const SSE_COMMENT: Uint8Array = Buffer.from(': ping\n\n');

export type WireFields = Readonly<Record<string, unknown>>;

export function wireFieldsOf(value: unknown): WireFields {
  return isRecord(value) ? value : {};
}

export function wireListOf(value: unknown): readonly WireFields[] {
  return Array.isArray(value) ? value.map(wireFieldsOf) : [];
}

/** The usage in the events so far. */
export class Counted {
  #usage: Record<string, unknown> = {};

  add(event: ApiEvent): void {
    if (event.type === 'message_start') Object.assign(this.#usage, event.message.usage);
    else if (event.type === 'message_delta') Object.assign(this.#usage, event.usage);
  }

  get output(): number {
    return this.#of('output_tokens');
  }

  get cached(): number {
    return this.#of('cache_read_input_tokens');
  }

  /** Written to the cache. */
  get written(): number {
    return this.#of('cache_creation_input_tokens');
  }

  /** Includes cache reads and writes, as every format except the Messages API counts. */
  get input(): number {
    return this.#of('input_tokens') + this.cached + this.written;
  }

  #of(name: string): number {
    const value = this.#usage[name];
    return typeof value === 'number' ? value : 0;
  }
}
