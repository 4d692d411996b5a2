/**
 * Checks the examples of a rule: `permissions.examples: { "Bash(npm run *)": { "match": ["npm run build"], "not_match":
 * ["npm runner"] } }`.
 * Each is the main field of an input: a command, a path, an address, a name. They are checked whenever the file is
 * loaded.
 */
import type { JsonObject } from '@heddle/core';
import { authorize } from '../permission/authorize.ts';
import { NO_RULES, parseRule, type PermissionRule, type RuleList } from '../permission/rules/rule.ts';
import { mainField } from '../permission/rules/tool-names.ts';
import { bareWorld } from '../permission/world.ts';
import { stringsOf } from './validate-settings.ts';

export function brokenExamples(
  rule: PermissionRule,
  list: RuleList,
  examples: JsonObject,
  home: string,
): string[] {
  const broken = (field: 'match' | 'not_match', wanted: boolean) =>
    stringsOf(examples[field])
      .filter((example) => ruleMatches(rule, list, example, home) !== wanted)
      .map((example) => `${rule.text} ${wanted ? 'does not match' : 'matches'} its own example ${example}.`);
  return [...broken('match', true), ...broken('not_match', false)];
}

/**
 * Returns whether one rule alone matches an example: the main field of an input, or the tool's name for tools without
 * one.
 */
function ruleMatches(rule: PermissionRule, list: RuleList, example: string, home: string): boolean {
  const parsed = parseRule(rule.text, list);
  if (!parsed.ok) return false;
  const field = mainField(parsed.tool);
  const tool = field === undefined ? example : parsed.tool;
  const input: JsonObject =
    field === undefined ? {} : { [field]: field === 'url' ? urlOf(example) : example };
  const request = { tool, input, readOnly: false, hookDecision: undefined };
  // Examples are relative to the anchor of the rule.
  const world = bareWorld('/project', home);
  const { decision, parts } = authorize(
    request,
    { ...NO_RULES, [list]: [{ ...rule, base: world.root }] },
    'default',
    world,
  );
  const speaks = parts.some((part) => part.rule === rule.text);
  // An allow rule that covers only a part of a command does not cover it.
  return list === 'allow' ? speaks && decision === 'allow' : speaks;
}

function urlOf(example: string): string {
  return example.includes('://') ? example : `https://${example}/`;
}
