/** Continues a prompt that was cut off, from the log. Nothing of the run is stored beside its entries. */
import {
  type CutOffRun,
  cutOffRun,
  type Entry,
  type LoopEvent,
  type QueryParams,
  runConfigOf,
} from '@heddle/core';
import type { RunCounts } from './prompt-run.ts';
import type { Session } from '../session/open/open.ts';

export const NOTHING_TO_CONTINUE = 'There is nothing to continue: the last prompt has ended.';

export type CutOffPrompt = CutOffRun & {
  /** The entries of the run so far. The first one is the prompt. */
  readonly entries: readonly Entry[];
};

/** Returns the cut-off prompt of a session. Undefined if its last prompt has an end. */
export function findCutOffPrompt(session: Session, params: QueryParams): CutOffPrompt | undefined {
  const entries = session.unfinished?.();
  return entries && { ...cutOffRun(entries, runConfigOf(params)), entries };
}

/** Adds the earlier part of the run, so that its one result covers the whole run. */
export function countEarlier(counts: RunCounts, entries: readonly Entry[]): void {
  for (const entry of entries) {
    const event = countedEvent(entry);
    if (event) counts.note(event, entry.at);
  }
}

function countedEvent(entry: Entry): LoopEvent | undefined {
  switch (entry.type) {
    case 'assistant':
      return { type: 'message', message: entry.message };
    case 'answer': {
      const { responseId, model, usage, stopReason } = entry;
      return { type: 'answer_end', responseId, model, usage, stopReason: stopReason ?? undefined };
    }
    case 'spent':
    case 'tombstone':
    case 'transition':
      return entry;
    default:
      return undefined;
  }
}

/** The costs of the run before it was cut off. */
export function earlierCostUsd(entries: readonly Entry[]): number {
  return entries.reduce((total, entry) => {
    const isBilled = entry.type === 'answer' || entry.type === 'spent';
    return total + (isBilled ? (entry.costUsd ?? 0) : 0);
  }, 0);
}
