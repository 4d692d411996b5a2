/**
 * Serializes messages to JSON bytes. The array of a request is `[`, the bytes of its rounds, and `]`. A round is
 * serialized once. Cache marks are not part of its bytes: `assembleBody` inserts them between the pieces.
 */
import type { RequestMessage } from '../model/port.ts';
import { isMarkable } from './marks.ts';

export interface RoundBytes {
  /** The bytes before the closing brace of the last block that can carry a mark. The mark goes between head and rest. */
  readonly head: Uint8Array;
  readonly rest: Uint8Array;
  /** The position of that block, counted from the round's first message. */
  readonly mark: { readonly message: number; readonly block: number } | undefined;
}

const encoder = new TextEncoder();

export const OPENING: Uint8Array = encoder.encode('[');
const CLOSING: Uint8Array = encoder.encode(']');
const MARK: Uint8Array = encoder.encode(',"cache_control":{"type":"ephemeral"}');

/** The length of the end of the last message. The next request may add blocks before it, so it is not prefix. */
export const MESSAGE_END = ']}'.length;

export function serializeRound(messages: readonly RequestMessage[], isFirst: boolean): RoundBytes {
  const mark = lastMarkable(messages);
  let json = '';
  let head = '';
  for (const [at, message] of messages.entries()) {
    json += `${isFirst && at === 0 ? '' : ','}{"role":"${message.role}","content":[`;
    for (const [index, block] of message.content.entries()) {
      json += (index === 0 ? '' : ',') + JSON.stringify(block);
      if (mark?.message !== at || mark.block !== index) continue;
      head = json.slice(0, -1);
      json = '}';
    }
    json += ']}';
  }
  return { head: encoder.encode(head), rest: encoder.encode(json), mark };
}

/** Returns the bytes of a request, with a mark before each offset. Offsets are ascending and inside the pieces. */
export function assembleBody(pieces: Pieces, offsets: readonly number[]): Uint8Array[] {
  const assembled: Uint8Array[] = [];
  let begin = 0;
  let next = 0;
  for (const piece of pieces) {
    let from = 0;
    for (let at = offsets[next]; at !== undefined && at <= begin + piece.length; at = offsets[++next]) {
      assembled.push(piece.subarray(from, at - begin), MARK);
      from = at - begin;
    }
    assembled.push(piece.subarray(from));
    begin += piece.length;
  }
  assembled.push(CLOSING);
  return assembled.filter((piece) => piece.length > 0);
}

function lastMarkable(messages: readonly RequestMessage[]): RoundBytes['mark'] {
  for (let message = messages.length - 1; message >= 0; message--) {
    const block = messages[message]?.content.findLastIndex(isMarkable) ?? -1;
    if (block >= 0) return { message, block };
  }
  return undefined;
}

/**
 * An append-only buffer. Views that it returned never change: later bytes are written behind them. A full buffer is
 * copied to a larger one, and earlier views keep the old one alive.
 */
export class ByteTrunk {
  #buffer: Uint8Array;
  #length: number;

  constructor(beginning: Uint8Array) {
    this.#buffer = new Uint8Array(INITIAL_BYTES);
    this.#length = 0;
    this.append(beginning);
  }

  get length(): number {
    return this.#length;
  }

  append(bytes: Uint8Array): void {
    const length = this.#length + bytes.length;
    if (length > this.#buffer.length) {
      const larger = new Uint8Array(Math.max(length, this.#buffer.length * 2));
      larger.set(this.bytes());
      this.#buffer = larger;
    }
    this.#buffer.set(bytes, this.#length);
    this.#length = length;
  }

  /** Returns a view of all bytes, without a copy. */
  bytes(): Uint8Array {
    return this.#buffer.subarray(0, this.#length);
  }
}

const INITIAL_BYTES = 64 * 1024;

/** A sequence of bytes in several pieces, in the order in which they are sent. */
export type Pieces = readonly Uint8Array[];

export function lengthOf(pieces: Pieces): number {
  return pieces.reduce((length, piece) => length + piece.length, 0);
}

/** Counts the bytes that two sequences share at their beginning. The first `known` bytes are not compared. */
export function commonLength(left: Pieces, right: Pieces, known: number): number {
  const [a, b] = [new Cursor(left, known), new Cursor(right, known)];
  let common = known;
  for (;;) {
    const [mine, yours] = [a.rest(), b.rest()];
    const step = Math.min(mine.length, yours.length);
    if (step === 0) return common;
    const same = sameBytes(mine, yours, step);
    common += same;
    if (same < step) return common;
    a.skip(step);
    b.skip(step);
  }
}

function sameBytes(left: Uint8Array, right: Uint8Array, length: number): number {
  let index = 0;
  while (index < length && left[index] === right[index]) index++;
  return index;
}

/** A position in a sequence of pieces. */
class Cursor {
  readonly #pieces: Pieces;
  #piece = 0;
  #offset = 0;

  constructor(pieces: Pieces, offset: number) {
    this.#pieces = pieces;
    this.skip(offset);
  }

  /** Returns the rest of the current piece. It is empty at the end of the sequence. */
  rest(): Uint8Array {
    return this.#pieces[this.#piece]?.subarray(this.#offset) ?? new Uint8Array(0);
  }

  skip(count: number): void {
    this.#offset += count;
    for (
      let piece = this.#pieces[this.#piece];
      piece !== undefined && this.#offset >= piece.length;
      piece = this.#pieces[this.#piece]
    ) {
      this.#offset -= piece.length;
      this.#piece++;
    }
  }
}
