/** Searches that end. An expression can take longer than anybody lives, and in one thread nothing else runs meanwhile. */
import { createContext, isContext, Script } from 'node:vm';

/** Time for anything, and for its size. */
const SEARCH_MS = 500;
const CHARS_PER_MS = 20_000;

const room: { work: () => void } = { work: () => undefined };
let script: Script | undefined;

/** `chars`: how much there is to search. Throws where it takes too long. */
export function withinTime<T>(work: () => T, chars: number): T {
  let found: { readonly value: T } | undefined;
  room.work = () => void (found = { value: work() });
  script ??= new Script('work()');
  try {
    // The only way to stop an expression that is under way.
    script.runInContext(isContext(room) ? room : createContext(room), {
      timeout: SEARCH_MS + Math.ceil(chars / CHARS_PER_MS),
    });
  } catch (thrown) {
    if (codeOf(thrown) !== 'ERR_SCRIPT_EXECUTION_TIMEOUT') throw thrown;
  }
  if (!found) throw new Error('The expression takes too long; write one that repeats less.');
  return found.value;
}

/** It may come from that other context, whose errors are not instances of ours. */
function codeOf(thrown: unknown): unknown {
  return typeof thrown === 'object' && thrown !== null && 'code' in thrown ? thrown.code : undefined;
}
