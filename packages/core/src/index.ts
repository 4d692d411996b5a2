/** The loop: messages, the state machine, its driver, tool execution. No disk, no network, no clock, no process. */

// Basic data: messages, blocks, usage, errors as values.
export { type AbortCause, childScope, INTERRUPT, untilAborted } from './abort.ts';
export { Semaphore } from './semaphore.ts';
export { environmentIn } from './folder-environment.ts';
export { errorCode, errorMessage } from './thrown.ts';
export { findPackageFile, type PackageDisk, type PackagePlaces } from './package-lookup.ts';
export type * from './clock.ts';
export { isJsonObject, isRecord, type Json, type JsonObject, omitUndefined } from './json.ts';
export * from './messages/blocks.ts';
export * from './messages/history.ts';
export { isInterruption } from './messages/message.ts';
export * from './messages/message.ts';
export {
  modelError,
  type ModelError,
  type ModelErrorClass,
  type RateLimits,
} from './messages/model-error.ts';
export {
  addUsage,
  type AnswerCount,
  isSpent,
  NO_USAGE,
  type Spent,
  updateUsage,
  type Usage,
} from './messages/usage.ts';

// A model: the port to it, its facts, and the reader of its stream.
export type * from './model/port.ts';
export * from './model/facts.ts';
export { AnswerReader } from './model/reader.ts';

// The machine: decides the next step of the loop, also after each attempt inside a model call.
export * from './machine/attempts.ts';
export * from './machine/config.ts';
export * from './machine/decide.ts';
export type * from './machine/effects.ts';
export * from './machine/guards.ts';
export * from './machine/ledger.ts';
export * from './machine/state.ts';

// The request builder: makes a valid request from any history.
export * from './request/builder.ts';
export { normalizeMessagesForAPI } from './request/normalize/fold.ts';
export { MEDIA_REFUSED } from './request/texts.ts';
export { mapMedia } from './request/normalize/media.ts';
export { rejectedBlockName } from './request/normalize/model-steps.ts';
export { ensureToolResultPairing } from './request/normalize/pairing.ts';
export { mediaNote } from './request/texts.ts';
export {
  askAside,
  type CacheSafeParams,
  earlierRequests,
  type SideAnswer,
  type SideQueryDeps,
} from './request/side-query.ts';
export * from './request/request-spec.ts';

// Tools: their interface, and the scheduling of calls.
export { StreamingToolExecutor } from './tools/executor.ts';
export type { Slot } from './tools/slot.ts';
export * from './tools/tool.ts';
export type { Redact } from './tools/call-pipeline.ts';

// Context management: the port that the loop calls. `@heddle/context` implements it.
export * from './context/port.ts';

// The log: entries, their projection for the model, and their replay through the machine.
export { historyBeforeCompaction } from './log/projection.ts';
export type * from './log/entry.ts';
export { type OpenCall, projectLog, Projection } from './log/projection.ts';
export { type CutOffRun, cutOffRun, LastRun, type ResumePoint, unfinishedRun } from './log/resume-point.ts';
export {
  type RecordedDecision as Decided,
  type RecordedIteration,
  type RecordedRun,
  recordedRuns,
} from './log/recorded.ts';
export { type Mismatch, replayLogEntries, type ReplayResult as Replayed } from './log/replay.ts';
export { traceIterations, type TracedIteration, type TracedStep, traceRun } from './log/replay.ts';

// The loop: the parameters of a run, its events, and the driver.
export { runConfigOf } from './loop/environment.ts';
export { LocalMediaError } from './loop/params.ts';
export type * from './loop/params.ts';
export type * from './loop/events.ts';
export { finishCalls, query } from './loop/query.ts';
export { NO_STOP_HOOK_RESULT } from './loop/effects/turn-end.ts';
