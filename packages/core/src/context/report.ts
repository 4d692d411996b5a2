/** What is told of a context level: events carry it, and the log keeps it. */
import type { JsonObject } from '../json.ts';
import type { CompactionLineage } from '../machine/effect.ts';
import type { Message } from '../messages/message.ts';

/** One record for what a level did and what it made of the history: a crash leaves the old history in force, or the new one. */
export interface ContextStep {
  readonly report: ContextReport;
  /** The history from here on, where the level replaced it. */
  readonly messages?: readonly Message[];
  /** Single messages that take the place of those with the same uuid, where the level replaced no more than these. */
  readonly replaced?: readonly Message[];
}

/** Why a conversation is compacted: it is nearly full, the user asked, or a request did not fit. */
export type CompactionTrigger = 'auto' | 'manual' | 'reactive';

/** What a context level did. `rewrotePrefix` announces that cached bytes were given up. */
export interface ContextReport {
  readonly level:
    | 'tool_result_budget'
    | 'snip'
    | 'microcompact'
    | 'cached_microcompact'
    | 'collapse'
    | 'autocompact'
    | 'reactive_compact'
    | 'manual_compact'
    | 'drain';
  readonly tokensBefore: number;
  readonly tokensAfter: number;
  readonly rewrotePrefix: boolean;
  readonly details?: JsonObject;
}

export const COMPACTION_LEVELS: ReadonlySet<ContextReport['level']> = new Set([
  'autocompact',
  'reactive_compact',
  'manual_compact',
]);

/** A report of a compaction names the one before it; other reports stay as they are. */
export function withLineage(report: ContextReport, lineage: CompactionLineage): ContextReport {
  if (!COMPACTION_LEVELS.has(report.level)) return report;
  const { previousId, turnsSince, failures } = lineage;
  const previous = previousId === undefined ? {} : { previousId, turnsSince };
  return { ...report, details: { ...report.details, ...previous, failures } };
}
