/** One change of a file at a time, whoever asks: the main thread, subagents, a rewind. In the order they asked. */
import { untilAborted } from './abort.ts';

const lines = new Map<string, Promise<void>>();

/** `file` is a real path. An abort while waiting gives up the place in the line. */
export async function inOrder<T>(file: string, signal: AbortSignal, work: () => Promise<T>): Promise<T> {
  const before = lines.get(file);
  const turn = Promise.withResolvers<void>();
  // Whoever comes next waits for those before as well: this one may leave the line early.
  const end = before === undefined ? turn.promise : before.then(() => turn.promise);
  lines.set(file, end);
  // The line is over when its last one is, not when that one leaves: those before may still be at work.
  void end.then(() => lines.get(file) === end && lines.delete(file));
  try {
    if (before !== undefined) await untilAborted(before, signal);
    return await work();
  } finally {
    turn.resolve();
  }
}
