/**
 * Reads git repositories without git. A repository controls which programs git runs, so a permission
 * decision must not start git.
 */
export { pathsOfAddress, percentDecoded, REPOSITORY_ENDINGS, repositoriesAt } from './addresses.ts';
export { readBoundedFile } from './bounded-file.ts';
export {
  includedFiles,
  readGitConfigFile,
  readGitSettings,
  resolveConfigPath,
  type ScopedSetting,
} from './config-files.ts';
export type { GitSetting } from './config-text.ts';
export {
  changedTest,
  type GitFacts,
  gitFactsFrom,
  readGitFacts,
  trackedFiles,
} from './facts.ts';
export { unusualData } from './data-links.ts';
export { gitPath } from './git-path.ts';
export { ignoredTest, type IgnoredTest } from './ignored-files.ts';
export { isHarmlessSetting } from './harmless-settings.ts';
export { readGitIndex } from './index-file.ts';
export { readOnlyGitEnvironment } from './read-only-environment.ts';
export { isBranch } from './refs.ts';
export { replacedAddresses } from './remotes.ts';
export { ADDRESS_PREFIX, type RepositoryPrograms, repositoryProgramsIn } from './repository-programs.ts';
export {
  GIT_DATA_NAMES,
  findRepository,
  isLinkedTree,
  isGitFolder,
  otherTrees,
  repositoriesAround,
  type GitRepository,
  type WorkingTrees,
  workingTreesReader,
} from './repository.ts';
export {
  gitSettingsOf,
  gitSourceReader,
  type GitSourceReader,
  type GitSources,
} from './sources.ts';
