/** Random runs of the loop with faults at every port, and their checks. Needs fast-check. */
export * from './arbitrary/code-point.ts';
export * from './arbitrary/plan.ts';
export * from './checks/index.ts';
export { checkProjection, type EntriesOf } from './checks/projection.ts';
export * from './hits.ts';
export * from './plan.ts';
export * from './play.ts';
export * from './reading.ts';
export * from './story.ts';
