/** A search that ends: a folder can be endless, and a file can keep its reader waiting. */
import { untilAborted } from '../files/abort.ts';

/** `search` gets a signal that is aborted with the call's, or when the time is up. */
export async function withTimeLimit<T>(
  limitMs: number,
  signal: AbortSignal,
  search: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const limit = AbortSignal.timeout(limitMs);
  const either = AbortSignal.any([signal, limit]);
  try {
    return await untilAborted(search(either), either);
  } catch (thrown) {
    signal.throwIfAborted();
    if (!limit.aborted) throw thrown;
    throw new Error(
      `The search was ended after ${limitMs / 1000} seconds. Search in a smaller folder, or for fewer files.`,
      { cause: thrown },
    );
  }
}
