/** The explorer walks every reachable state of the machine and holds it against the laws of the specification. */
export * from './configurations.ts';
export * from './explore.ts';
export * from './graph.ts';
export * from './laws/field-table.ts';
export * from './laws/path-laws.ts';
export * from './laws/step-laws.ts';
export * from './permissive.ts';
export * from './prove.ts';
export * from './roads.ts';
export * from './scenario.ts';
export * from './step.ts';
export * from './violation.ts';
export * from './words.ts';
export * from './world.ts';
