/** Combines all permission settings. */
import { existsSync } from 'node:fs';
import path from 'node:path';
import { isJsonObject, type JsonObject, type PermissionMode, omitUndefined } from '@heddle/core';
import { findRuleDoubt } from '../permission/rules/rule-doubts.ts';
import { parseRule, type PermissionRule, type RuleList, type Rules } from '../permission/rules/rule.ts';
import { literalStart } from '../permission/rules/path-pattern.ts';
import { specifierOfPath, spellingsOf } from '../permission/rules/spellings.ts';
import type { LoadedSettings } from './load-settings.ts';
import { leftOutNotes } from './effective-settings.ts';
import { describePlace } from './find-line.ts';
import { raisesMode } from './known-settings.ts';
import { isOfProject } from './of-repository.ts';
import { stringsOf } from './validate-settings.ts';
import type { LoadedFile } from './scopes.ts';

export interface PermissionSettings {
  readonly rules: Rules;
  readonly defaultMode: PermissionMode | undefined;
  readonly bypassDisabled: boolean;
  readonly directories: readonly string[];
  /** One line if settings of a folder did not count in full. */
  readonly leftOut: readonly string[];
  /** Rules that can never match, and rules that fail their own examples. */
  readonly problems: readonly string[];
  /** Rules for unknown tools, and patterns that may match nothing. They are kept, but may be misspelled. */
  readonly doubts: readonly string[];
}

const LISTS: readonly RuleList[] = ['deny', 'ask', 'allow'];
const MODES: readonly PermissionMode[] = ['default', 'acceptEdits', 'plan', 'dontAsk', 'bypassPermissions'];

export async function permissionSettings(
  { files, problems }: LoadedSettings,
  home: string,
): Promise<PermissionSettings> {
  const rules: Record<RuleList, PermissionRule[]> = { deny: [], ask: [], allow: [] };
  const allProblems = [...problems];
  const doubts: string[] = [];
  for (const loaded of files) {
    for (const list of LISTS) {
      const { kept, reports } = await rulesOf(loaded, list, home);
      allProblems.push(...reports);
      doubts.push(...doubtsAbout(kept, list, loaded));
      rules[list].push(...kept);
    }
  }
  const modes: PermissionMode[] = [];
  for (const loaded of files) modes.push(...(await modeOf(loaded, home, allProblems)));
  return {
    rules,
    defaultMode: modes[0],
    bypassDisabled: files.some(
      (loaded) => permissionsOf(loaded)['disableBypassPermissionsMode'] === 'disable',
    ),
    directories: files.flatMap((loaded) => directoriesOf(loaded, home)),
    leftOut: leftOutNotes(files),
    problems: allProblems,
    doubts,
  };
}

function doubtsAbout(rules: readonly PermissionRule[], list: RuleList, loaded: LoadedFile): string[] {
  const doubts: string[] = [];
  for (const { text } of rules) {
    const doubt = doubtAbout(text, list, loaded);
    if (doubt !== undefined) doubts.push(doubt);
    if (doubts.length >= MOST_REPORTS) break;
  }
  return doubts;
}

function doubtAbout(text: string, list: RuleList, loaded: LoadedFile): string | undefined {
  const ofUser = loaded.source === 'user' || loaded.source === 'managed';
  const doubt = findRuleDoubt(text, list) ?? (ofUser ? doubtAboutPlace(text, list, loaded.base) : undefined);
  if (doubt === undefined) return undefined;
  const at = stringsOf(permissionsOf(loaded)[list]).indexOf(text);
  return `${describePlace(loaded, ['permissions', list, at])}: ${doubt}`;
}

/**
 * Returns a warning about a rule of settings outside of projects that forbids a place below their folder, if nothing exists
 * there. Most authors of such a rule mean the root or the project.
 */
export function doubtAboutPlace(text: string, list: RuleList, base: string): string | undefined {
  const specifier = list === 'allow' ? undefined : specifierOfPath(text, list);
  if (specifier === undefined || !/^\/[^/]/.test(specifier)) return undefined;
  const places = spellingsOf(specifier, 'deny').map((one) =>
    path.join(base, ...literalStart(one.split('/'))),
  );
  if (places.some((place) => existsSync(place))) return undefined;
  return `${text}: / means the folder of these settings, and ${places[0] ?? base} does not exist; write / twice for the root, ./ for the project`;
}

/** A rule that fails its own examples may still forbid, but no longer allow. */
async function rulesOf(
  loaded: LoadedFile,
  list: RuleList,
  home: string,
): Promise<{ readonly kept: readonly PermissionRule[]; readonly reports: readonly string[] }> {
  const { source, file, base } = loaded;
  const permissions = permissionsOf(loaded);
  const examples = isJsonObject(permissions['examples']) ? permissions['examples'] : {};
  const reports: string[] = [];
  const kept: PermissionRule[] = [];
  let further = 0;
  const report = (at: number, message: string): void => {
    if (reports.length >= MOST_REPORTS) further++;
    else reports.push(`${describePlace(loaded, ['permissions', list, at])}: ${message}`);
  };
  for (const [at, text] of stringsOf(permissions[list]).entries()) {
    const rule: PermissionRule = { text, source, base, ...omitUndefined({ file }) };
    const parsed = parseRule(text, list);
    if (!parsed.ok) report(at, `${parsed.message}.`);
    const example = examples[text];
    const broken = isJsonObject(example) && parsed.ok ? await brokenBy(rule, list, example, home) : [];
    for (const message of broken) report(at, message);
    if (parsed.ok && (broken.length === 0 || list !== 'allow')) kept.push(rule);
  }
  if (further > 0)
    reports.push(`${describePlace(loaded, ['permissions', list])}: ${further} more rules are wrong.`);
  return { kept, reports };
}

/** The lines of the reports of one list are searched in its file. */
const MOST_REPORTS = 20;

/** Examples need the shell grammar, which is loaded only if there are any. */
async function brokenBy(
  rule: PermissionRule,
  list: RuleList,
  example: JsonObject,
  home: string,
): Promise<string[]> {
  const { brokenExamples } = await import('./examples.ts');
  return brokenExamples(rule, list, example, home);
}

async function modeOf(loaded: LoadedFile, home: string, problems: string[]): Promise<PermissionMode[]> {
  const value = permissionsOf(loaded)['defaultMode'];
  if (typeof value !== 'string') return [];
  const where = describePlace(loaded, ['permissions', 'defaultMode']);
  if (raisesMode(value) && (await isOfProject(loaded, ['permissions', 'defaultMode'], home))) {
    const command = `heddle config set permissions.defaultMode ${value} --scope local`;
    problems.push(`${where}: a project cannot raise its own mode to ${value}. To raise it here: ${command}`);
    return [];
  }
  const mode = MODES.find((candidate) => candidate === (value === 'manual' ? 'default' : value));
  if (mode === undefined) problems.push(`${where}: there is no mode ${value}.`);
  return mode === undefined ? [] : [mode];
}

function directoriesOf(loaded: LoadedFile, home: string): string[] {
  return stringsOf(permissionsOf(loaded)['additionalDirectories']).map((folder) =>
    path.resolve(loaded.base, folder.replace(/^~(?=\/|$)/, home)),
  );
}

function permissionsOf({ counting }: LoadedFile): JsonObject {
  const { permissions } = counting;
  return isJsonObject(permissions) ? permissions : {};
}
