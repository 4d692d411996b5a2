/** Short words for tests of `authorize`. */
import type { JsonObject, PermissionMode } from '@heddle/core';
import { authorize } from '../authorize.ts';
import type { Authorization, AuthorizeRequest } from '../request.ts';
import type { PermissionRule, Rules } from '../rules/rule.ts';
import { worldOf, type WorldTable } from './world.ts';

export interface RuleTexts {
  readonly deny?: readonly string[];
  readonly ask?: readonly string[];
  readonly allow?: readonly string[];
}

/** Compiled rules are found by the object, so a theme of many commands compiles its rules once. */
const madeRules = new WeakMap<RuleTexts, Rules>();
const NO_RULES: RuleTexts = {};

function rulesOf(texts: RuleTexts): Rules {
  const { deny = [], ask = [], allow = [] } = texts;
  const rule = (text: string): PermissionRule => ({ text, source: 'user' });
  const rules = madeRules.get(texts) ?? { deny: deny.map(rule), ask: ask.map(rule), allow: allow.map(rule) };
  madeRules.set(texts, rules);
  return rules;
}

export interface Setting {
  readonly rules?: RuleTexts;
  readonly mode?: PermissionMode;
  readonly world?: WorldTable;
  readonly hook?: AuthorizeRequest['hookDecision'];
  readonly readOnly?: boolean;
  readonly leavesOutDenied?: boolean;
  readonly names?: AuthorizeRequest['names'];
}

export function decided(tool: string, input: JsonObject, setting: Setting = {}): Authorization {
  const {
    rules = NO_RULES,
    mode = 'default',
    world,
    hook,
    readOnly = false,
    leavesOutDenied = false,
  } = setting;
  const { names = [] } = setting;
  const request = { tool, input, readOnly, leavesOutDenied, hookDecision: hook, names };
  return authorize(request, rulesOf(rules), mode, worldOf(world));
}

export function shell(command: string, setting: Setting = {}): Authorization {
  return decided('Bash', { command }, setting);
}
