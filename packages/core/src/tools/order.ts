/**
 * Whose turn it is. The order of the calls decides: neighbours that are safe go on together, as many as there is room for,
 * every other call alone, and nothing overtakes a call that must run alone.
 */
import { isActive, isOpen, isUnderWay, isWaiting, type ClassifiedCall, type Slot } from './slot.ts';

export interface NextCall {
  readonly slot: Slot;
  readonly call: ClassifiedCall;
  readonly index: number;
}

/** The calls that wait and may go on now. Before the answer has ended these are only calls that may be thrown away. */
export function nextCalls(slots: readonly Slot[], concurrency: number, streamEnded: boolean): NextCall[] {
  const next: NextCall[] = [];
  // Those that started early count, too, wherever they stand in the line.
  let room = concurrency - slots.filter(isUnderWay).length;
  let isFirst = true;
  for (const [index, slot] of slots.entries()) {
    if (!isOpen(slot)) continue;
    const { call } = slot;
    // Not read yet: what comes behind it may have to wait for it.
    if (!call) return next;
    const itsTurn = call.safe || (isFirst && !slots.some((other) => other !== slot && isActive(other)));
    if (isWaiting(slot) && itsTurn && (streamEnded || call.early)) {
      if (room <= 0) return next;
      next.push({ slot, call, index });
      room--;
    }
    if (!call.safe) return next;
    isFirst = false;
  }
  return next;
}
