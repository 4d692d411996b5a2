/** Context management: keeps a conversation within the model's window. Implements the `ContextPort` of `@heddle/core`. */
export type { BreakdownCategory, ContextUsage } from './pipeline/breakdown.ts';
export { memoryCollapses } from './collapse/collapse.ts';
export { modelSummarizer, SUMMARY_MARK } from './compaction/summarize.ts';
export * from './deps.ts';
export { estimateMessage, estimateMessages } from './estimate/message.ts';
export { estimateText } from './estimate/text.ts';
export { type ServerEdits, serverEdits, withServerEdits } from './levels/server-edits.ts';
export * from './options.ts';
export * from './pipeline/pipeline.ts';
export { type Thresholds, thresholdsOf, type WindowState, windowState } from './thresholds.ts';
