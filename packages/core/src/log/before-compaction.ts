/** Takes back the last compaction: the log holds everything, so the history is projected as if it had not been. Pure. */
import { COMPACTION_LEVELS } from '../context/report.ts';
import type { EntryBody } from './entry.ts';
import { Projection } from './projection.ts';
import type { Message } from '../messages/message.ts';

/** What was there before the last compaction, with all that came after it; undefined where nothing was compacted. */
export function historyBeforeCompaction(entries: Iterable<EntryBody>): readonly Message[] | undefined {
  const all = [...entries];
  const last = all.findLastIndex(isCompaction);
  // One that was taken back, or went with a rewind, is no longer the last.
  const rewound = all.findLastIndex((entry) => entry.type === 'rewind' && entry.messages !== undefined);
  if (last < 0 || rewound > last) return undefined;
  const projection = new Projection();
  for (const [index, entry] of all.entries()) {
    // Whatever replaced the whole history after it was made from what it had left.
    if (index >= last && entry.type === 'context' && entry.messages) continue;
    projection.apply(entry);
  }
  return [...projection.messages];
}

function isCompaction(entry: EntryBody): boolean {
  return (
    entry.type === 'context' && entry.messages !== undefined && COMPACTION_LEVELS.has(entry.report.level)
  );
}
