/** Settings files of all scopes, and what they say about permission. */
export { addRule, type Edited, removeRule } from './edit.ts';
export { loadSettings, type LoadedFile, type LoadedSettings, type SettingsRequest } from './load.ts';
export { mergeSettings } from './merge.ts';
export { persistUpdates } from './persist.ts';
export { type PermissionSettings, permissionSettings } from './permissions.ts';
export { configDirs, type Scope, SCOPES, settingsFileOf, type SettingsPlaces } from './scopes.ts';
export { isTrusted, trustFolder } from './trust.ts';
