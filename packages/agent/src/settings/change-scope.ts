/**
 * Changes the settings file of a scope. Entries that Heddle writes into local settings are recorded, so that they count
 * at the next start without trust in the folder.
 */
import { errorMessage, type Json, type JsonObject } from '@heddle/core';
import { existsSync } from 'node:fs';
import type { PermissionUpdate } from '../permission/live-permissions.ts';
import type { RuleList } from '../permission/rules/rule.ts';
import { addRule, type EditedSettings, removeRule, type SettingChange, setSettings } from './edit.ts';
import { withKey } from './merge-settings.ts';
import {
  type Scope,
  type SettingsFile,
  settingsFileOf,
  settingsFiles,
  type SettingsPlaces,
} from './scopes.ts';
import { foreignTarget, recordWritten, trustIn } from './trust.ts';

export type ScopeChanged = EditedSettings & { readonly file: string };

export function addRuleTo(scope: Scope, list: RuleList, rule: string, places: SettingsPlaces): ScopeChanged {
  const target = settingsFileOf(scope, places);
  return change(target, places, (file) => addRule(file, list, rule), { permissions: { [list]: [rule] } });
}

/** A project may have several files of one scope. The rule is removed from each of them. */

export function removeRuleFrom(
  scope: Scope,
  list: RuleList,
  rule: string,
  places: SettingsPlaces,
): ScopeChanged {
  const chosen = settingsFileOf(scope, places);
  const others = settingsFiles(places).filter(
    ({ source, file, isAbove }) =>
      scope !== 'user' && source === scope && !isAbove && file !== chosen.file && existsSync(file),
  );
  const results = [chosen, ...others].map((target) =>
    change(target, places, (file) => removeRule(file, list, rule), {}),
  );
  const first = results.find((result) => !result.ok) ?? results.find((result) => result.ok && result.changed);
  return first ?? { ok: true, changed: false, file: chosen.file };
}

/** Sets one key. `sandbox.enabled` is a key inside an object. Undefined removes it. */
export function setSettingIn(
  scope: Scope,
  key: readonly string[],
  value: Json | undefined,
  places: SettingsPlaces,
): ScopeChanged {
  return setSettingsIn(scope, [[key, value]], places);
}

/** Changes all keys in one write, or none. */
export function setSettingsIn(
  scope: Scope,
  changes: readonly SettingChange[],
  places: SettingsPlaces,
): ScopeChanged {
  const wrote = changes.reduce<JsonObject>((so, [key, value]) => withKey(so, key, value), {});
  return change(settingsFileOf(scope, places), places, (file) => setSettings(file, changes), wrote);
}

function change(
  { source: scope, file, base }: SettingsFile,
  places: SettingsPlaces,
  edit: (file: string) => EditedSettings,
  wrote: JsonObject,
): ScopeChanged {
  const elsewhere = scope === 'user' ? undefined : foreignTarget(file, base, places);
  if (elsewhere !== undefined)
    return {
      ok: false,
      file,
      message: `${file} cannot be changed: it is a link to ${elsewhere}, and the folder is not trusted`,
    };
  const edited = edit(file);
  if (!edited.ok || scope !== 'local') return { ...edited, file };
  const unrecorded = (why: string): ScopeChanged => ({
    ok: false,
    file,
    message: `${file} was changed, but counts only in a trusted folder: ${why}`,
  });
  try {
    const isRecorded = recordWritten(file, wrote, places) || trustIn(places)(base);
    return isRecorded ? { ...edited, file } : unrecorded('it is reached through a link');
  } catch (thrown) {
    return unrecorded(errorMessage(thrown));
  }
}

const SCOPE_OF: Readonly<Partial<Record<PermissionUpdate['destination'], Scope>>> = {
  userSettings: 'user',
  projectSettings: 'project',
  localSettings: 'local',
};

/** Writes rules to settings files. A mode and folders end with the session. Returns messages about failed writes. */
export function persistUpdates(updates: readonly PermissionUpdate[], places: SettingsPlaces): string[] {
  return updates.flatMap((update) => {
    const scope = SCOPE_OF[update.destination];
    if (scope === undefined || (update.type !== 'addRules' && update.type !== 'removeRules')) return [];
    const change = update.type === 'addRules' ? addRuleTo : removeRuleFrom;
    return update.rules.flatMap(({ toolName, ruleContent }) => {
      const text = ruleContent === undefined ? toolName : `${toolName}(${ruleContent})`;
      const edited = change(scope, update.behavior, text, places);
      return edited.ok ? [] : [edited.message];
    });
  });
}
