/**
 * Everything that a test of an agent needs in place of a network: a scripted model, a fake API, a clock,
 * and a request validator.
 */
export * from './scripted/index.ts';
export * from './gate.ts';
export * from './clock.ts';
export * from './deadlines.ts';
export * from './ids.ts';
export * from './context.ts';
export * from './fake-tool.ts';
export * from './collect.ts';
export * from './deps/deps.ts';
export * from './deps/fake-context.ts';
export * from './deps/hooks.ts';
export * from './deps/attachments.ts';
export * from './shapes.ts';
export * from './loopback.ts';
export * from './once-per-run.ts';
export * from './request-body.ts';
export * from './validator/rules.ts';
export * from './validator/signatures.ts';
export * from './validator/validate.ts';
export * from './request-of.ts';
export * from './api/reply.ts';
export * from './api/server.ts';
export type { RecordedRequest } from './api/recorded.ts';
export * from './providers/server.ts';
export * from './cache/bill.ts';
export * from './cache/blocks.ts';
export * from './explorer/index.ts';
// Both the scripts and the explorer have steps, and both checkers have violations. The short names belong
// to the first.
export type { ScriptStep as Step } from './scripted/part.ts';
export type { RequestViolation as Violation } from './validator/rules.ts';
export type { ExploredStep } from './explorer/step.ts';
export type { LawViolation } from './explorer/violation.ts';
