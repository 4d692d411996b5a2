/**
 * Where the cache marks of a conversation go.
 *
 * At a mark the server stores the prefix that ends there. To find a stored prefix it looks at each mark and at the 20
 * blocks or so before it, and only prefixes that ended at a mark were ever stored. So what a request must do to read all
 * that the previous one wrote is to mark the same place again: then the distance is nought, however many blocks the turn
 * added. Marks between the two would not help: nothing was stored there, and the next request marks this one's end.
 *
 * The API allows four marks. One stands at the end of tools and system, one at the end of the conversation, one where the
 * previous request ended; the last one stands where the request before that ended. It is for the day when the previous
 * request was never processed (a broken connection, a refusal, a model that was overloaded): its end was not stored, and
 * from there the look-back does not reach over a turn of twelve calls.
 */
import type { ContentBlock } from '../messages/blocks.ts';
import type { Mark } from '../model/port.ts';

export const MAX_MARKS = 4;

/** Ends of earlier requests that are remembered, for when a rewrite makes the latest ones worthless. */
const REMEMBERED = 16;

export interface PlacedMark extends Mark {
  /** Where in the bytes of the messages (without marks) its block's closing brace stands. */
  readonly offset: number;
}

/** The API refuses marks on thinking; whether a block it alone knows can carry one is not known here. */
export function isMarkable(block: ContentBlock): boolean {
  switch (block.type) {
    case 'text':
    case 'image':
    case 'document':
    case 'tool_use':
    case 'tool_result':
      return true;
    default:
      return false;
  }
}

/** The ends of earlier requests that are still stored prefixes of this one, of which `common` bytes are unchanged. */
export function stillStored(ends: readonly PlacedMark[], common: number): readonly PlacedMark[] {
  return ends.filter((end) => end.offset < common);
}

export function chooseMarks(
  ends: readonly PlacedMark[],
  end: PlacedMark | undefined,
  room: number,
): readonly PlacedMark[] {
  const earlier = end === undefined ? ends : ends.filter((known) => known.offset < end.offset);
  const kept = earlier.slice(-(end === undefined ? room : room - 1));
  return end === undefined ? kept : [...kept, end];
}

export function remember(ends: readonly PlacedMark[], end: PlacedMark | undefined): readonly PlacedMark[] {
  if (end === undefined || ends.at(-1)?.offset === end.offset) return ends;
  return [...ends.filter((known) => known.offset < end.offset), end].slice(-REMEMBERED);
}
