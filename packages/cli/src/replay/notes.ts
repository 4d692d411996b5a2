/** What the log says beside the decisions, one line each: retries, what was taken back, what became of the history. */
import type { EntryBody } from '@heddle/core';

/** The few that explain a decision; all of them where everything is wanted. */
export function noteOf(entry: EntryBody, verbose: boolean): string[] {
  switch (entry.type) {
    case 'retry':
      return [`retried after ${entry.error.class}, attempt ${entry.attempt}`];
    case 'tombstone':
      return [`${entry.uuids.length} taken back`];
    case 'context': {
      const { level, tokensBefore, tokensAfter } = entry.report;
      return [`${level}: ${tokensBefore} → ${tokensAfter} tokens`];
    }
    case 'rewind':
      return [`rewound to ${entry.to}`];
    case 'system':
      return entry.message.subtype === 'model_fallback' || verbose ? [entry.message.content] : [];
    case 'ask_answer':
      return verbose ? [`asked about ${entry.toolUseId}: ${entry.behavior}`] : [];
    case 'intent':
      return verbose ? [`${entry.tool} ${entry.toolUseId} began`] : [];
    case 'outcome':
      return verbose ? [`${entry.toolUseId} ended${entry.isError ? ' with an error' : ''}`] : [];
    case 'answer':
      return verbose ? [`answer of ${entry.model}, ${entry.stopReason ?? 'no stop reason'}`] : [];
    case 'mended':
      return verbose ? [`mended: ${entry.mends.join('; ')}`] : [];
    default:
      return [];
  }
}
