/** Changes settings files. Keys that are not known here stay where they are. */
import { existsSync, lstatSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { errorMessage, isJsonObject, type Json, type JsonObject } from '@heddle/core';
import { parseRule, type RuleList } from '../permission/rules/rule.ts';
import { validateSettings, stringsOf } from './validate-settings.ts';
import { writeJson } from './write-file.ts';

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

/** Sets one key, `sandbox.enabled` for a key inside an object; undefined takes it out. */
export function setSetting(file: string, key: readonly string[], value: Json | undefined): EditedSettings {
  return edit(file, (settings) => {
    const changed = withKey(settings, key, value);
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

/** A change that gives the same object back changes nothing. */
function edit(file: string, change: (settings: JsonObject) => JsonObject): EditedSettings {
  try {
    return editOrThrow(file, change);
  } catch (thrown) {
    // A disk that is full, a folder that belongs to somebody else.
    return unchanged(file, errorMessage(thrown));
  }
}

function editOrThrow(file: string, change: (settings: JsonObject) => JsonObject): EditedSettings {
  let settings: JsonObject = {};
  if (existsSync(file)) {
    // A file that cannot be read would be overwritten with less than it holds.
    const checked = validateSettings(readFileSync(file, 'utf8'));
    if (!checked.ok) return unchanged(file, checked.message);
    settings = checked.settings;
  }
  const changed = change(settings);
  if (changed === settings) return { ok: true, changed: false };
  // What could not be read again must not be written.
  const readable = validateSettings(JSON.stringify(changed));
  if (!readable.ok) return { ok: false, message: readable.message };
  if (path.basename(file) === 'settings.local.json') ignoreLocally(path.dirname(file));
  writeJson(file, changed);
  return { ok: true, changed: true };
}

function unchanged(file: string, why: string): EditedSettings {
  return { ok: false, message: `${file} cannot be changed: ${why}` };
}

function withKey(
  settings: JsonObject,
  [name = '', ...inner]: readonly string[],
  value: Json | undefined,
): JsonObject {
  const { [name]: old, ...others } = settings;
  if (inner.length === 0) return value === undefined ? others : { ...settings, [name]: value };
  const nested = withKey(isJsonObject(old) ? old : {}, inner, value);
  const isEmptied = value === undefined && Object.keys(nested).length === 0;
  return isEmptied ? others : { ...settings, [name]: nested };
}

/** Keeps private settings out of commits. An ignore file that exists, or a link of that name, is left alone. */
function ignoreLocally(folder: string): void {
  const ignore = path.join(folder, '.gitignore');
  if (lstatSync(ignore, { throwIfNoEntry: false })) return;
  mkdirSync(folder, { recursive: true });
  // Exclusive, so that a link that appears meanwhile is not followed.
  writeFileSync(ignore, '.gitignore\nsettings.local.json\n', { flag: 'wx' });
}
