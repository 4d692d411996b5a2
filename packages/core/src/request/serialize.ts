/**
 * Messages as JSON bytes. The array of a request is `[`, its rounds one after another, and `]`; a round's bytes are made
 * once and never again. Cache marks are no part of them: they are put between the pieces when a request is assembled.
 */
import type { RequestMessage } from '../model/port.ts';
import type { Pieces } from './bytes.ts';
import { isMarkable } from './marks.ts';

export interface RoundBytes {
  /** Up to the closing brace of the last block that can carry a mark, which goes between the two. */
  readonly head: Uint8Array;
  readonly rest: Uint8Array;
  /** That block, counted from the round's first message. */
  readonly mark: { readonly message: number; readonly block: number } | undefined;
}

const encoder = new TextEncoder();

export const OPENING: Uint8Array = encoder.encode('[');
const CLOSING: Uint8Array = encoder.encode(']');
const MARK: Uint8Array = encoder.encode(',"cache_control":{"type":"ephemeral"}');

/** What closes the last message. The next request may go on before it, so it is no part of the prefix. */
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

/** The bytes of a request: the pieces with a mark before each offset (ascending, inside the pieces), and the end. */
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
