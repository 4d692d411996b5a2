/** Validates settings against the table of known settings. An invalid value is left out and reported; the rest counts. */
import { isJsonObject, type Json, type JsonObject } from '@heddle/core';
import { parseRule, type RuleList } from '../permission/rules/rule.ts';
import { specifierOfPath, spellingsOf } from '../permission/rules/spellings.ts';
import { isTooDeep, TOO_DEEP } from './json-file.ts';
import { describeJsonError } from './json-error.ts';
import type { JsonPath } from './find-line.ts';
import { KNOWN_SETTINGS, raisesMode } from './known-settings.ts';
import { valueAt, withKey } from './merge-settings.ts';

export type ParsedSettings =
  | { readonly ok: true; readonly settings: JsonObject }
  | { readonly ok: false; readonly message: string };

/** Reads the text of a settings file. Its values are not validated. */
export function parseSettings(text: string): ParsedSettings {
  const json = text.replace(/^\uFEFF/, '');
  if (isTooDeep(json)) return { ok: false, message: TOO_DEEP };
  try {
    const value: unknown = JSON.parse(json);
    return isJsonObject(value)
      ? { ok: true, settings: value }
      : { ok: false, message: 'it is not a JSON object' };
  } catch {
    return { ok: false, message: `it is not JSON: ${describeJsonError(json)}` };
  }
}

interface SettingsProblem {
  readonly path: JsonPath;
  /** A sentence about the value, which starts with its key. */
  readonly message: string;
}

export interface ValidatedSettings {
  /** The valid values, and the keys of other programs. */
  readonly settings: JsonObject;
  readonly problems: readonly SettingsProblem[];
  /** A protection, or a part of it, cannot be read. */
  readonly lacksProtection: boolean;
}

/** Settings of a project. They have limits. */
export function validateProjectSettings(given: JsonObject): ValidatedSettings {
  const { settings, problems } = limitRules(given);
  return validateSettings(settings, problems);
}

/** If a protection cannot be read or was left out, the same file does not grant anything. */
export function validateSettings(
  given: JsonObject,
  leftOut: readonly SettingsProblem[] = [],
): ValidatedSettings {
  const problems: SettingsProblem[] = [...leftOut];
  let settings = given;
  const isProtection = ({ path }: SettingsProblem): boolean =>
    KNOWN_SETTINGS[path.join('.')]?.role === 'protects';
  let lacksProtection = hasUnreadableRule(given) || leftOut.some(isProtection);
  for (const [key, setting] of Object.entries(KNOWN_SETTINGS)) {
    const path = key.split('.');
    if (settings[path[0] ?? key] === undefined) continue;
    const wrongObject = wrongParent(settings, path);
    if (wrongObject !== undefined) {
      const message = `${wrong(wrongObject, 'an object', valueAt(given, wrongObject))} It is ignored.`;
      problems.push({ path: wrongObject, message });
      settings = withKey(settings, wrongObject, undefined);
      lacksProtection ||= containsProtection(wrongObject);
      continue;
    }
    const value = valueAt(settings, path);
    if (value === undefined || setting.accepts(value)) continue;
    const usable = setting.salvage?.(value);
    const rest = usable === undefined ? 'It is ignored.' : 'Only its valid part counts.';
    problems.push({ path, message: `${wrong(path, setting.expects, value)} ${rest}` });
    settings = withKey(settings, path, usable);
    lacksProtection ||= setting.role === 'protects' && (usable === undefined || isPart(usable, value));
  }
  return lacksProtection
    ? { ...withoutGrants(settings, problems), lacksProtection }
    : { settings, problems, lacksProtection };
}

/** Rules of one list. */
const MOST_RULES = 1_000;
const MOST_RULE_CHARACTERS = 2_000;
/** Each star multiplies the ways to compare a rule with a text. */
const MOST_STARS = 50;
/** Patterns and characters that the braces and brackets of one list mean. Each pattern is compared like a rule. */
const MOST_PATTERNS = 1_000;
const MOST_PATTERN_CHARACTERS = 100_000;
/** Examples of all rules of a file. Each of them is a decision. */
const MOST_EXAMPLES = 200;
const MOST_EXAMPLE_CHARACTERS = 500;

/**
 * Limits the rules and examples of a file that a clone can contain. Rules are read at the start, and compared in each decision. Examples
 * are decided whenever the file is read.
 */
function limitRules(given: JsonObject): Pick<ValidatedSettings, 'settings' | 'problems'> {
  const { permissions } = given;
  if (!isJsonObject(permissions)) return { settings: given, problems: [] };
  const problems: SettingsProblem[] = [];
  let settings = given;
  for (const list of ['deny', 'ask', 'allow'] as const) {
    const rules = permissions[list];
    if (rules === undefined) continue;
    const path = ['permissions', list];
    const report = (limits: string): void => {
      problems.push({ path, message: `${path.join('.')} takes up to ${limits}. The others are ignored.` });
    };
    const given = Array.isArray(rules) ? rules : [rules];
    const short = given.slice(0, MOST_RULES).filter(isShort);
    if (short.length < given.length)
      report(
        `${MOST_RULES} rules, each with up to ${MOST_RULE_CHARACTERS} characters and ${MOST_STARS} stars`,
      );
    const kept = withFewPatterns(short, list);
    if (kept.length < short.length)
      report(
        `${MOST_PATTERNS} patterns with ${MOST_PATTERN_CHARACTERS} characters from braces and brackets of paths`,
      );
    if (kept.length < given.length) settings = withKey(settings, path, kept);
  }
  const { examples } = permissions;
  if (examples !== undefined && hasManyExamples(examples)) {
    const path = ['permissions', 'examples'];
    const message = `${path.join('.')} takes up to ${MOST_EXAMPLES} examples, each with up to ${MOST_EXAMPLE_CHARACTERS} characters. It is ignored.`;
    problems.push({ path, message });
    settings = withKey(settings, path, undefined);
  }
  return { settings, problems };
}

function isShort(rule: Json): boolean {
  if (typeof rule !== 'string') return true;
  return rule.length <= MOST_RULE_CHARACTERS && rule.split('*').length - 1 <= MOST_STARS;
}

/** Leaves out the rules with braces or brackets that follow the last one within the limit. */
function withFewPatterns(rules: readonly Json[], list: RuleList): Json[] {
  let patterns = 0;
  let characters = 0;
  return rules.filter((rule) => {
    const specifier = typeof rule === 'string' ? specifierOfPath(rule, list) : undefined;
    if (specifier === undefined || !/[{[]/.test(specifier)) return true;
    if (patterns > MOST_PATTERNS || characters > MOST_PATTERN_CHARACTERS) return false;
    const meant = spellingsOf(specifier, list === 'allow' ? 'allow' : 'deny');
    patterns += meant.length;
    characters += meant.reduce((sum, { length }) => sum + length, 0);
    return patterns <= MOST_PATTERNS && characters <= MOST_PATTERN_CHARACTERS;
  });
}

function hasManyExamples(examples: Json): boolean {
  if (!isJsonObject(examples)) return false;
  const all = Object.values(examples)
    .filter((rule) => isJsonObject(rule))
    .flatMap((rule) => [rule['match'] ?? [], rule['not_match'] ?? []].flat());
  return (
    all.length > MOST_EXAMPLES ||
    all.some((example) => typeof example === 'string' && example.length > MOST_EXAMPLE_CHARACTERS)
  );
}

/** Whether items of a list were left out. */
function isPart(usable: Json, value: Json): boolean {
  return Array.isArray(usable) && Array.isArray(value) && usable.length < value.length;
}

/** Whether the author of a deny or ask rule expects a protection that it does not give. */
function hasUnreadableRule({ permissions }: JsonObject): boolean {
  if (!isJsonObject(permissions)) return false;
  return (['deny', 'ask'] as const).some((list) => {
    const value = permissions[list];
    return stringsOf(typeof value === 'string' ? [value] : value).some(
      (text) => !parseRule(text, list).ok && !isComment(text),
    );
  });
}

/** JSON has no comments, so some people write them into lists. */
function isComment(text: string): boolean {
  return /^\s*($|#|\/\/)/.test(text);
}

function withoutGrants(
  settings: JsonObject,
  problems: readonly SettingsProblem[],
): Pick<ValidatedSettings, 'settings' | 'problems'> {
  const granting = Object.entries(KNOWN_SETTINGS)
    .filter(([key, { role }]) => {
      const value = valueAt(settings, key.split('.'));
      // The other modes do not permit more.
      return (
        role === 'grants' && (key === 'permissions.defaultMode' ? raisesMode(value) : value !== undefined)
      );
    })
    .map(([key]) => key);
  if (granting.length === 0) return { settings, problems };
  const message = `${granting.join(', ')} of this file are ignored too, because a protection beside them cannot be read.`;
  return {
    settings: granting.reduce((rest, key) => withKey(rest, key.split('.'), undefined), settings),
    problems: [...problems, { path: (granting[0] ?? '').split('.'), message }],
  };
}

/** The path of an enclosing value that should be an object and is not. */
function wrongParent(settings: JsonObject, path: readonly string[]): readonly string[] | undefined {
  return path
    .map((_, at) => path.slice(0, at))
    .find((parent) => {
      const value = valueAt(settings, parent);
      return value !== undefined && !isJsonObject(value);
    });
}

function containsProtection(parent: readonly string[]): boolean {
  const prefix = `${parent.join('.')}.`;
  return Object.entries(KNOWN_SETTINGS).some(
    ([key, { role }]) => role === 'protects' && key.startsWith(prefix),
  );
}

const MAX_SHOWN_CHARACTERS = 80;

function wrong(path: JsonPath, expects: string, value: Json | undefined): string {
  const shown = JSON.stringify(value) ?? 'nothing';
  const cut = shown.length > MAX_SHOWN_CHARACTERS ? `${shown.slice(0, MAX_SHOWN_CHARACTERS)}…` : shown;
  return `${path.join('.')} takes ${expects}, not ${cut}.`;
}

export function stringsOf(value: Json | undefined): string[] {
  return Array.isArray(value) ? value.filter((item): item is string => typeof item === 'string') : [];
}
