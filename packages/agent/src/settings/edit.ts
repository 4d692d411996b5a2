/** Adds and removes rules in a settings file. Keys that are not known here stay where they are. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { JsonObject } from '@heddle/core';
import { parseRule, type RuleList } from '../permission/rules/rule.ts';
import { checkSettings, isObject, stringsOf } from './shape.ts';
import { writeJson } from './write-file.ts';

export type Edited =
  | { readonly ok: true; readonly changed: boolean }
  | { readonly ok: false; readonly message: string };

export function addRule(file: string, list: RuleList, rule: string): Edited {
  const parsed = parseRule(rule, list);
  if (!parsed.ok) return { ok: false, message: parsed.message };
  return edit(file, list, (rules) => (rules.includes(rule) ? rules : [...rules, rule]));
}

export function removeRule(file: string, list: RuleList, rule: string): Edited {
  return edit(file, list, (rules) => (rules.includes(rule) ? rules.filter((text) => text !== rule) : rules));
}

function edit(file: string, list: RuleList, change: (rules: readonly string[]) => readonly string[]): Edited {
  let settings: JsonObject = {};
  if (existsSync(file)) {
    // A file that cannot be read would be overwritten with less than it holds.
    const checked = checkSettings(readFileSync(file, 'utf8'));
    if (!checked.ok) return { ok: false, message: `${file} cannot be changed: ${checked.message}` };
    settings = checked.settings;
  }
  const permissions = isObject(settings['permissions']) ? settings['permissions'] : {};
  const before = stringsOf(permissions[list]);
  const after = change(before);
  if (after === before) return { ok: true, changed: false };
  if (path.basename(file) === 'settings.local.json') ignoreLocally(path.dirname(file));
  writeJson(file, { ...settings, permissions: { ...permissions, [list]: after } });
  return { ok: true, changed: true };
}

/** Private settings are not to be committed by accident. An ignore file that exists is somebody's own. */
function ignoreLocally(folder: string): void {
  const ignore = path.join(folder, '.gitignore');
  if (existsSync(ignore)) return;
  mkdirSync(folder, { recursive: true });
  writeFileSync(ignore, '.gitignore\nsettings.local.json\n');
}
