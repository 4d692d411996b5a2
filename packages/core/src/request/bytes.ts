/**
 * Bytes that are only ever added to. What was handed out stays as it is: later bytes are written behind it, and when the
 * room is used up they move to a larger one while the old lives on with whoever holds a part of it.
 */
export class ByteTrunk {
  #room: Uint8Array;
  #length: number;

  constructor(beginning: Uint8Array) {
    this.#room = new Uint8Array(FIRST_ROOM);
    this.#length = 0;
    this.append(beginning);
  }

  get length(): number {
    return this.#length;
  }

  append(bytes: Uint8Array): void {
    const length = this.#length + bytes.length;
    if (length > this.#room.length) {
      const larger = new Uint8Array(Math.max(length, this.#room.length * 2));
      larger.set(this.bytes());
      this.#room = larger;
    }
    this.#room.set(bytes, this.#length);
    this.#length = length;
  }

  /** All of it, without a copy. */
  bytes(): Uint8Array {
    return this.#room.subarray(0, this.#length);
  }
}

const FIRST_ROOM = 64 * 1024;

/** A run of bytes in pieces, as it is sent. */
export type Pieces = readonly Uint8Array[];

export function lengthOf(pieces: Pieces): number {
  return pieces.reduce((length, piece) => length + piece.length, 0);
}

/** How many bytes two runs have in common from their beginning; the first `known` are known to be the same. */
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

/** A place in a run of pieces. */
class Cursor {
  readonly #pieces: Pieces;
  #piece = 0;
  #offset = 0;

  constructor(pieces: Pieces, offset: number) {
    this.#pieces = pieces;
    this.skip(offset);
  }

  /** What is left of the piece it stands in; empty at the end of the run. */
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
