/**
 * Tracks the compactions of a conversation in its log: the id of the last one, the turns since, and how often
 * autocompact failed in a row. A run starts from it, so breaker and lineage outlast a prompt and a restart.
 */
import { COMPACTION_LEVELS, type ContextReport } from '../context/port.ts';
import { oneTurnOlder } from '../machine/ledger.ts';
import { type AutoCompactTracking, NEVER_COMPACTED } from '../machine/state.ts';
import type { EntryBody } from './entry.ts';

/** Returns the tracking after one more entry. The machine tracks the same values within a run. */
export function trackCompactions(
  tracking: AutoCompactTracking | undefined,
  entry: EntryBody,
): AutoCompactTracking | undefined {
  switch (entry.type) {
    case 'context':
      return COMPACTION_LEVELS.has(entry.report.level) ? afterCompaction(tracking, entry.report) : tracking;
    case 'transition':
      return entry.transition.reason === 'next_turn' ? oneTurnOlder(tracking) : tracking;
    case 'end':
      return oneTurnOlder(tracking);
    default:
      return tracking;
  }
}

function afterCompaction(
  before: AutoCompactTracking | undefined,
  { level, details = {} }: ContextReport,
): AutoCompactTracking | undefined {
  const known = before ?? NEVER_COMPACTED;
  const { id, failed, failures } = details;
  if (failed !== undefined) {
    if (level !== 'autocompact') return before;
    return { ...known, consecutiveFailures: known.consecutiveFailures + 1 };
  }
  // A log that is read from this boundary on has no earlier failures, so the report repeats them.
  const earlier = typeof failures === 'number' ? failures : known.consecutiveFailures;
  return {
    compacted: true,
    turnCounter: 0,
    id: typeof id === 'string' ? id : '',
    consecutiveFailures: level === 'reactive_compact' ? earlier : 0,
  };
}
