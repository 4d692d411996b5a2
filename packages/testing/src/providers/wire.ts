/** A format of another provider: how it spells events and errors, and what it refuses. */
import { type ApiEvent, isRecord, type ModelError } from '@heddle/core';

export interface AnswerFacts {
  /** Counted from 1. */
  readonly call: number;
  readonly model: string;
}

/** Turns the events of one answer into what goes over the wire, one after another. */
export interface Encoder {
  encode(event: ApiEvent): readonly Uint8Array[];
  /** An error when the answer has begun. */
  fail(error: ModelError): readonly Uint8Array[];
}

export interface ProviderWireError {
  readonly status: number;
  readonly body: unknown;
}

export interface ProviderWire {
  readonly contentType: string;
  /** The model that is asked, if this is a call for an answer. */
  modelAsked(path: string, body: unknown): string | undefined;
  encoder(facts: AnswerFacts): Encoder;
  /** An error instead of an answer. */
  error(error: ModelError): ProviderWireError;
  /** Calls and results of a request, in their order. */
  traffic(body: unknown): readonly Traffic[];
  /** The form that ids of calls must have, where there is one. */
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

/** Keeps the line open and says nothing. */
export const COMMENT: Uint8Array = Buffer.from(': ping\n\n');

export type Fields = Readonly<Record<string, unknown>>;

export function fieldsOf(value: unknown): Fields {
  return isRecord(value) ? value : {};
}

export function listOf(value: unknown): readonly Fields[] {
  return Array.isArray(value) ? value.map(fieldsOf) : [];
}

/** Usage as the events told it so far. */
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

  /** Into the cache. */
  get written(): number {
    return this.#of('cache_creation_input_tokens');
  }

  /** With what came from the cache and went into it, as everybody but the Messages API counts. */
  get input(): number {
    return this.#of('input_tokens') + this.cached + this.written;
  }

  #of(name: string): number {
    const value = this.#usage[name];
    return typeof value === 'number' ? value : 0;
  }
}
