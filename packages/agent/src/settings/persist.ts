/** Writes what an answer wants to be remembered into the settings file of its scope. */
import type { PermissionUpdate } from '../permission/live.ts';
import { addRuleTo, removeRuleFrom } from './change-scope.ts';
import type { Scope, SettingsPlaces } from './scopes.ts';

const SCOPE_OF: Readonly<Partial<Record<PermissionUpdate['destination'], Scope>>> = {
  userSettings: 'user',
  projectSettings: 'project',
  localSettings: 'local',
};

/** Only rules are written; a mode and folders end with the session. Says what could not be written. */
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
