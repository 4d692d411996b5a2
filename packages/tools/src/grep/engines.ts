/** The engines alone, for tests and benchmarks that compare them. */
export { packagedRipgrep } from './ripgrep.ts';
export { WalkEngine } from './walk-engine.ts';
