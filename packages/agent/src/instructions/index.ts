/** Instruction files: `CLAUDE.md`, `AGENTS.md`, `HEDDLE.md`, rules and imports. */
export type { InstructionFile, InstructionPlaces } from './instruction-files.ts';
export { appliedInstructions } from './instruction-text.ts';
export { SessionInstructions } from './session-instructions.ts';
