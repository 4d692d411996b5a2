/**
 * Where the batches of an answer begin and end: neighbours that may run together make one. A call that was never fit to run
 * (unknown tool, bad input) is no neighbour and parts none.
 */
import type { Slot } from './slot.ts';

export function startOfBatch(slots: readonly Slot[], index: number): number {
  if (runsAlone(slots[index])) return index;
  let start = index;
  while (start > 0 && !runsAlone(slots[start - 1])) start--;
  return start;
}

/** The others of its batch. A call that runs alone has none. */
export function siblingsOf(slots: readonly Slot[], slot: Slot): Slot[] {
  const index = slots.indexOf(slot);
  if (index < 0 || runsAlone(slot)) return [];
  const start = startOfBatch(slots, index);
  const end = slots.findIndex((other, at) => at > index && runsAlone(other));
  return slots.slice(start, end < 0 ? slots.length : end).filter((other) => other !== slot && other.call);
}

function runsAlone(slot: Slot | undefined): boolean {
  return slot?.call !== undefined && !slot.call.safe;
}
