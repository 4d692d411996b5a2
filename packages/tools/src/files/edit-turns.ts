/**
 * The order of edits that were permitted without a question, in all conversations of this process. Their decision depends on the
 * files at that time, so no other such edit may run between the decision and the end of the call.
 *
 * Contract:
 * - Each edit runs alone: a file tool, or a script of edits. A file can change what the next one means for git.
 * - If another edit ended since the decision, the decision is made again before the call runs.
 * - A wait ends with the signal of the call, and after a time limit. Then the call changes nothing.
 */
import type { CallContext } from '@heddle/core';
import { Interrupted, waitOrInterrupt } from './abort.ts';

/** Decides again. Returns why the call may not run, or undefined if the decision is the same. */
type DecideAgain = () => Promise<string | undefined>;

interface Decision {
  /** The number of edits that had ended. */
  readonly ended: number;
  readonly decideAgain: DecideAgain;
}

/** How long an edit waits for others. Most of them take milliseconds. */
const MOST_WAIT_MS = 60_000;

/** By the signal of a call and its id: a signal may belong to several calls. */
const decisions = new WeakMap<AbortSignal, Map<string, Decision>>();
/** The end of the last edit, and of those before it. */
let last: Promise<void> = Promise.resolve();
let ended = 0;

/** Remembers how to decide again about an edit. Call it before the files are looked at. */
export function editDecision(): (signal: AbortSignal, callId: string, decideAgain: DecideAgain) => void {
  const before = ended;
  return (signal, callId, decideAgain) => {
    const known = decisions.get(signal) ?? new Map<string, Decision>();
    decisions.set(signal, known.set(callId, { ended: before, decideAgain }));
  };
}

export async function inEditTurn<T>(
  { signal, toolUseId }: Pick<CallContext, 'signal' | 'toolUseId'>,
  work: () => Promise<T>,
  mostWaitMs = MOST_WAIT_MS,
): Promise<T> {
  const before = last;
  const turn = Promise.withResolvers<void>();
  // The next one also waits for the earlier ones, because this one may leave early.
  last = before.then(() => turn.promise);
  try {
    await waitFor(before, signal, mostWaitMs);
    const decision = decisions.get(signal)?.get(toolUseId);
    decisions.get(signal)?.delete(toolUseId);
    const refusal = decision && decision.ended !== ended ? await decision.decideAgain() : undefined;
    if (refusal !== undefined)
      throw new Interrupted(
        `Another call changed files before this one ran. Nothing was changed. ${refusal}`,
      );
    return await work();
  } finally {
    ended++;
    turn.resolve();
  }
}

async function waitFor(before: Promise<void>, signal: AbortSignal, mostWaitMs: number): Promise<void> {
  const limit = Promise.withResolvers<'too long'>();
  const timer = setTimeout(() => limit.resolve('too long'), mostWaitMs);
  try {
    const waited = await waitOrInterrupt(Promise.race([before, limit.promise]), signal);
    if (waited === 'too long')
      throw new Interrupted(
        'Another command that edits files is still running. Nothing was changed. Try again later.',
      );
  } finally {
    clearTimeout(timer);
  }
}
