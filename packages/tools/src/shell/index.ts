/** The shell reader: what a command says, and whether it is proven to change nothing. Loads the grammar: import it lazily. */
export type * from './command.ts';
export { readCommand } from './read.ts';
export { meaningOfOne } from './exit-meaning.ts';
export { areReadOnlyWords, isReadOnlyCommand, movesShell, type ProofOptions } from './proof/read-only.ts';
export { isHarmlessPrefix, isOwn, isSafe, isSafeName, pathOutside } from './variables.ts';
export { listsOnlyCommits } from './proof/git-readers.ts';
export { runsOnlyGit } from './proof/git.ts';
export { isHarmlessProgram } from './proof/harmless.ts';
export { isPlainScript as isPlainSedScript } from './proof/sed.ts';
export { xargsCommand } from './proof/xargs.ts';
export { type GitFacts, gitFactsFrom, readGitFacts, readOnlyGitEnvironment } from '../git/index.ts';
