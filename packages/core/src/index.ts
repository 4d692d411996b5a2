/** The loop: messages, the state machine, its driver, tool execution. No disk, no network, no clock, no process. */
export type * from './clock.ts';
export type * from './json.ts';
export * from './messages/blocks.ts';
export * from './messages/history.ts';
export * from './messages/message.ts';
export * from './messages/usage.ts';
export type * from './model/error.ts';
export type * from './model/port.ts';
export * from './machine/budget.ts';
export * from './machine/config.ts';
export * from './machine/decide.ts';
export type * from './machine/effect.ts';
export * from './machine/guards.ts';
export type * from './machine/happened.ts';
export * from './machine/repetition.ts';
export * from './machine/state.ts';
export * from './machine/terminal.ts';
export * from './machine/transition.ts';
export * from './tools/context.ts';
export type * from './tools/hooks.ts';
export type * from './tools/permission.ts';
export type * from './tools/tool.ts';
export type * from './loop/deps.ts';
export type * from './loop/events.ts';
export { finishCalls } from './loop/finish-calls.ts';
export { LocalMediaError } from './loop/media-error.ts';
export type * from './loop/params.ts';
export { query } from './loop/query.ts';
export { NO_OBJECTION } from './loop/stop-hooks.ts';
export { SYNTHETIC_MODEL } from './loop/steps.ts';
export { toolError } from './tools/texts.ts';
export * from './request/builder.ts';
export { normalizeMessagesForAPI } from './request/normalise/fold.ts';
export { ensureToolResultPairing } from './request/normalise/pairing.ts';
export { mediaNote } from './request/texts.ts';
export type * from './request/view.ts';
export { StreamingToolExecutor } from './tools/executor.ts';
export { AnswerReader } from './model/reader.ts';
export * from './model/retry.ts';
export type * from './log/entry.ts';
export { type OpenCall, project, Projection } from './log/projection.ts';
export { isInterruption } from './loop/texts.ts';
export { type Decided, type RecordedIteration, type RecordedRun, recordedRuns } from './log/recorded.ts';
export { type Mismatch, replay, type Replayed } from './log/replay.ts';
export { type TracedIteration, type TracedStep, traceRun } from './log/trace.ts';
export * from './context/options.ts';
export * from './context/doors.ts';
export * from './context/door.ts';
export * from './context/breakdown.ts';
export type { ContextUsage } from './context/usage.ts';
export { type Thresholds, thresholdsOf, type WindowState, windowState } from './context/thresholds.ts';
export { estimateText } from './context/estimate/text.ts';
export { estimateMessage, estimateMessages } from './context/estimate/message.ts';
export { type Collapse, type CollapseStore, memoryCollapses } from './context/collapse/collapse.ts';
export {
  modelSummariser,
  type PromptHead,
  type Spent,
  type Summarise,
  type SummaryAnswer,
  type SummaryRequest,
} from './context/compaction/summarise.ts';
export { SUMMARY_MARK } from './context/compaction/prompt.ts';
export { type ServerEdits, serverEdits, withServerEdits } from './context/levels/server-edits.ts';
export { historyBeforeCompaction } from './context/compaction/undo.ts';
