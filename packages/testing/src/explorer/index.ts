/**
 * The explorer walks every reachable state of the machine and checks it against the laws of
 * `laws`.
 */
export { type Scenario, type ScenarioOptions, scenario, SMALL_LIMITS } from './scenario.ts';
export * from './configurations.ts';
export { type Pending, type PendingType, possibleEvents } from './world.ts';
export { type Exploration, type ExploreOptions, explore } from './explore.ts';
export type { Graph } from './graph.ts';
export type { ExploredStep } from './step.ts';
export { STEP_LAWS, type StepLaw } from './laws/step-laws.ts';
export { BOUNDS, type Bound, mostOnAnyPath, pathViolations } from './laws/path-laws.ts';
export * from './prove.ts';
export * from './violation.ts';
export * from './permissive.ts';
export * from './routes.ts';
export * from './attempts.ts';
