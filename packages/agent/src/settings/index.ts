/** Settings files of all scopes, and what they say about permission. */
export { type AppliedSettings, appliedSettings } from './applied.ts';
export { addRuleTo, removeRuleFrom, type ScopeChanged, setSettingIn } from './change-scope.ts';
export { leftOutNotes } from './counting.ts';
export { loadSettings, type LoadedSettings, type SettingsRequest } from './load.ts';
export { KNOWN_SETTINGS, type KnownSetting } from './known.ts';
export { mergeSettings } from './merge.ts';
export { unknownTool } from '../permission/rules/known-tools.ts';
export { parseRule } from '../permission/rules/rule.ts';
export { persistUpdates } from './persist.ts';
export { type PermissionSettings, permissionSettings } from './permissions.ts';
export {
  configDirs,
  type Scope,
  SCOPES,
  settingsFileOf,
  settingsFiles,
  type SettingsPlaces,
} from './scopes.ts';
export { type SandboxSettings, sandboxSettings } from './sandbox.ts';
export { isTrusted, trustFolder } from './trust.ts';
export type { LoadedFile } from './scopes.ts';
