/** The engines by themselves, for whoever compares them. */
export { packagedRipgrep } from './ripgrep.ts';
export { WalkEngine } from './walk-engine.ts';
