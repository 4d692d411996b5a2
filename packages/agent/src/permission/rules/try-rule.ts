/** Does one rule, alone in the world, speak of an example? */
import type { JsonObject } from '@heddle/core';
import { authorize } from '../authorize.ts';
import { bareWorld } from '../world.ts';
import { NO_RULES, parseRule, type PermissionRule, type RuleList } from './rule.ts';
import { mainField } from './tools.ts';

/** The example is the main field of an input; for tools without one, the tool's name. */
export function ruleMatches(rule: PermissionRule, list: RuleList, example: string, home: string): boolean {
  const parsed = parseRule(rule.text, list);
  if (!parsed.ok) return false;
  const field = mainField(parsed.tool);
  const tool = field === undefined ? example : parsed.tool;
  const input: JsonObject =
    field === undefined ? {} : { [field]: field === 'url' ? urlOf(example) : example };
  const request = { tool, input, readOnly: false, hookDecision: undefined };
  // Examples are relative to wherever the rule is anchored.
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
