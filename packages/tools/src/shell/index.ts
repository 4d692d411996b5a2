/** The shell reader: parses a command and proves that it changes nothing. It loads the grammar, so import it lazily. */
export type * from './command.ts';
export { readCommand } from './read-command.ts';
export { meaningOfOne } from './exit-meaning.ts';
export {
  areReadOnlyWords,
  isReadOnlyCommand,
  mayRunGit,
  movesShell,
  type ProofOptions,
  wordArguments,
} from './proof/read-only.ts';
export { type Allowed, type Arg, isName, mergeAllowed, onlyAllowed } from './proof/options.ts';
export {
  hasPlainValue,
  isHarmlessPrefix,
  isOwn,
  isSafe,
  isSafeSetting,
  safeLocale,
  startFilesOf,
  withoutFileFilters,
  withoutShellOptions,
} from './variables.ts';
export { codeOutside, hasProgramsOfSystem, isSystemFolder, settingsOutside } from './code-places.ts';
export { isManagedProgram } from './managed-programs.ts';
export { codePlacesOf, withHome } from './code-variables.ts';
export { isDockerLocal } from './docker-service.ts';
export { listsOnlyCommits } from './proof/git-readers.ts';
export { runsOnlyGit } from './proof/git.ts';
export { isHarmlessProgram } from './proof/allowed-options.ts';
export { loadsJqModules, provenOptions } from './proof/programs.ts';
export { isPlainScript as isPlainSedScript, maySedRunProgram, sedFiles } from './proof/sed.ts';
export { mayShowEnvironment } from './proof/ps-options.ts';
export { endOfFindRun, isReadingExpression, xargsCommand } from './proof/special-programs.ts';
export { type GitFacts, gitFactsFrom, readGitFacts, readOnlyGitEnvironment } from '../git/index.ts';
