/** The scripted model alone. The program loads it for the rehearsal model, without the fake servers and checkers. */
export * from './part.ts';
export * from './builders.ts';
export * from './errors.ts';
export type * from './act.ts';
export * from './acts.ts';
export * from './model.ts';
export type { JudgeOptions, Problem } from './judge.ts';
export { parseScript, type ReadScript } from './read-script.ts';
export { RecordedCall } from './recorded.ts';
