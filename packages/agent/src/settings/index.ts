/** Settings files of all scopes, and their permission settings. */
export { type AppliedSettings, appliedSettings } from './applied-settings.ts';
export { addRuleTo, removeRuleFrom, type ScopeChanged, setSettingIn, setSettingsIn } from './change-scope.ts';
export { leftOutNotes, splitUntrustedNotes, trustedPart, untrustedNote } from './effective-settings.ts';
export { readFileOrPipe } from './json-file.ts';
export { loadSettings, type LoadedSettings, type SettingsRequest } from './load-settings.ts';
export { KNOWN_SETTINGS, type KnownSetting } from './known-settings.ts';
export { loopOverrides } from './loop-settings.ts';
export { isSwitchedOn, raisesMode, readSetting } from './known-settings.ts';
export { mergeSettings, valueAt } from './merge-settings.ts';
export { findRuleDoubt } from '../permission/rules/rule-doubts.ts';
export { doubtAboutPlace } from './permission-settings.ts';
export { parseRule } from '../permission/rules/rule.ts';
export { persistUpdates } from './change-scope.ts';
export { isSetByRepository } from './of-repository.ts';
export { type PermissionSettings, permissionSettings } from './permission-settings.ts';
export {
  acceptedRepositoryTop,
  configDirs,
  managedDir,
  possibleRepositoryTop,
  PROJECT_FOLDERS,
  projectRoot,
  type Scope,
  SCOPES,
  type SettingsFile,
  settingsFileOf,
  settingsFiles,
  type SettingsPlaces,
} from './scopes.ts';
export { type SandboxSettings, sandboxSettings } from './sandbox-settings.ts';
export {
  foreignTarget,
  holdTrust,
  isReallyWithin,
  isTrusted,
  isWithin,
  projectTop,
  realPath,
  stateFile,
  trustFolder,
  trustIn,
} from './trust.ts';
export type { LoadedFile } from './scopes.ts';
export { parseSettings } from './validate-settings.ts';
