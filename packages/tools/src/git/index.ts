/** Reads git repositories without git: a repository decides what git runs, so a decision must not start it. */
export { readBoundedFile } from './bounded-file.ts';
export { readGitConfigFile, readGitSettings, resolveConfigPath, type ScopedSetting } from './config-files.ts';
export type { GitSetting } from './config-text.ts';
export { type GitFacts, gitFactsFrom, readGitFacts, trackedFiles } from './facts.ts';
export { isHarmlessSetting } from './harmless-settings.ts';
export { readGitIndex } from './index-file.ts';
export { readOnlyGitEnvironment } from './read-only-environment.ts';
export { findRepository, type GitRepository } from './repository.ts';
