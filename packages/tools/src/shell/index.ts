/** The shell reader: what a command says, and whether it is proven to change nothing. Loads the grammar: import it lazily. */
export type * from './command.ts';
export { readCommand } from './read.ts';
export { meaningOfOne } from './exit-meaning.ts';
export { areReadOnlyWords, isReadOnlyCommand, movesShell, type ProofOptions } from './proof/read-only.ts';
export { type GitFacts, readGitFacts } from './git-facts.ts';
