/** Context management: keeps a conversation within the model's window. Implements the `ContextPort` of `@heddle/core`. */
export { type BreakdownCategory } from './breakdown.ts';
export { type Collapse, type CollapseStore, memoryCollapses } from './collapse/collapse.ts';
export {
  modelSummarizer,
  SUMMARY_MARK,
} from './compaction/summarize.ts';
export * from './deps.ts';
export { estimateMessage, estimateMessages } from './estimate/message.ts';
export { estimateText } from './estimate/text.ts';
export { type ServerEdits, serverEdits, withServerEdits } from './levels/server-edits.ts';
export * from './options.ts';
export * from './pipeline.ts';
export { type Thresholds, thresholdsOf, type WindowState, windowState } from './thresholds.ts';
export type { Summarize } from './deps.ts';
export type { SummaryAnswer } from './deps.ts';
export type { SummaryRequest } from './deps.ts';
