/** Changes settings files. Unknown keys stay in place. */
import { existsSync, lstatSync, mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { errorMessage, isJsonObject, type Json, type JsonObject } from '@heddle/core';
import { parseRule, type RuleList } from '../permission/rules/rule.ts';
import { withKey } from './merge-settings.ts';
import { parseSettings, stringsOf, validateSettings } from './validate-settings.ts';
import { readRegularFile, writeJson } from './json-file.ts';

export type EditedSettings =
  | { readonly ok: true; readonly changed: boolean }
  | { readonly ok: false; readonly message: string };

export function addRule(file: string, list: RuleList, rule: string): EditedSettings {
  const parsed = parseRule(rule, list);
  if (!parsed.ok) return { ok: false, message: parsed.message };
  return editRules(file, list, (rules) => (rules.includes(rule) ? rules : [...rules, rule]));
}

export function removeRule(file: string, list: RuleList, rule: string): EditedSettings {
  return editRules(file, list, (rules) =>
    rules.includes(rule) ? rules.filter((text) => text !== rule) : rules,
  );
}

/** A key and its new value. `sandbox.enabled` is a key inside an object. Undefined removes the key. */
export type SettingChange = readonly [key: readonly string[], value: Json | undefined];

/** Changes all keys in one write, or none. */
export function setSettings(file: string, changes: readonly SettingChange[]): EditedSettings {
  return edit(file, (settings) => {
    const changed = changes.reduce((so, [key, value]) => withKey(so, key, value), settings);
    return JSON.stringify(changed) === JSON.stringify(settings) ? settings : changed;
  });
}

function editRules(
  file: string,
  list: RuleList,
  change: (rules: readonly string[]) => readonly string[],
): EditedSettings {
  return edit(file, (settings) => {
    const permissions = isJsonObject(settings['permissions']) ? settings['permissions'] : {};
    const before = stringsOf(permissions[list]);
    const after = change(before);
    return after === before ? settings : { ...settings, permissions: { ...permissions, [list]: after } };
  });
}

/** A change that returns the same object writes nothing. */
function edit(file: string, change: (settings: JsonObject) => JsonObject): EditedSettings {
  try {
    return editOrThrow(file, change);
  } catch (thrown) {
    // The disk is full, or the folder belongs to another user.
    return unchanged(file, errorMessage(thrown));
  }
}

function editOrThrow(file: string, change: (settings: JsonObject) => JsonObject): EditedSettings {
  let settings: JsonObject = {};
  if (existsSync(file)) {
    // An unreadable file would be overwritten and lose its content.
    const parsed = parseSettings(readRegularFile(file));
    if (!parsed.ok) return unchanged(file, parsed.message);
    settings = parsed.settings;
  }
  const changed = change(settings);
  if (changed === settings) return { ok: true, changed: false };
  // Values that would be ignored must not be written.
  const earlier = new Set(validateSettings(settings).problems.map(({ message }) => message));
  const problem = validateSettings(changed).problems.find(({ message }) => !earlier.has(message));
  if (problem !== undefined) return { ok: false, message: problem.message };
  if (path.basename(file) === 'settings.local.json') ignoreLocally(path.dirname(file));
  writeJson(file, changed);
  return { ok: true, changed: true };
}

function unchanged(file: string, why: string): EditedSettings {
  return { ok: false, message: `${file} cannot be changed: ${why}` };
}

/** Keeps private settings out of commits. An existing ignore file, or a link of that name, is not changed. */
function ignoreLocally(folder: string): void {
  const ignore = path.join(folder, '.gitignore');
  if (lstatSync(ignore, { throwIfNoEntry: false })) return;
  mkdirSync(folder, { recursive: true });
  // The exclusive flag prevents writing through a link that was just created.
  writeFileSync(ignore, '.gitignore\nsettings.local.json\n', { flag: 'wx' });
}
