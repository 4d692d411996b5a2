/** What is told of a compaction that is over. A failure is told, too: it costs tokens, and it counts. */
import type { MessageHistory } from '../../messages/message.ts';
import type { Compacted, LevelStep } from '../door.ts';
import type { CompactionTrigger, ContextReport } from '../report.ts';
import type { CompactionOutcome } from './compact.ts';

const LEVELS = {
  auto: 'autocompact',
  manual: 'manual_compact',
  reactive: 'reactive_compact',
} as const satisfies Record<CompactionTrigger, ContextReport['level']>;

/** Counts the tokens of a request with this conversation, as well as they are known. */
export type CountTokens = (messages: MessageHistory) => number;

/** `before`: what a request with the conversation counted. */
export function stepOf(
  outcome: CompactionOutcome,
  trigger: CompactionTrigger,
  before: number,
  count: CountTokens,
): LevelStep {
  const { spent } = outcome;
  const report = reportOf(outcome, trigger, before, count);
  return outcome.ok ? { report, spent, messages: outcome.messages.since(0) } : { report, spent };
}

export function compactedOf(
  outcome: CompactionOutcome,
  trigger: CompactionTrigger,
  before: number,
  count: CountTokens,
): Compacted {
  const { spent } = outcome;
  const report = reportOf(outcome, trigger, before, count);
  if (!outcome.ok) return { ok: false, why: outcome.why, nothingToDo: outcome.nothingToDo, spent, report };
  const { id, messages } = outcome;
  return { ok: true, id, messages, replacedTokens: replacedBy(outcome), report, spent };
}

export function replacedBy({ tokensBefore, tokensAfter }: Extract<CompactionOutcome, { ok: true }>): number {
  return Math.max(0, tokensBefore - tokensAfter);
}

function reportOf(
  outcome: CompactionOutcome,
  trigger: CompactionTrigger,
  before: number,
  count: CountTokens,
): ContextReport {
  const level = LEVELS[trigger];
  if (!outcome.ok) {
    const details = { trigger, failed: outcome.why };
    return { level, tokensBefore: before, tokensAfter: before, rewrotePrefix: false, details };
  }
  const { id, by, spent } = outcome;
  return {
    level,
    tokensBefore: before,
    tokensAfter: count(outcome.messages),
    rewrotePrefix: true,
    details: { trigger, id, by, calls: spent.length },
  };
}
