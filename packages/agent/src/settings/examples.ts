/**
 * A rule's own examples: `permissions.examples: { "Bash(npm run *)": { "match": ["npm run build"], "not_match": ["npm runner"] } }`.
 * Each is the main field of an input: a command, a path, an address, a name. Checked whenever the file is loaded.
 */
import type { JsonObject } from '@heddle/core';
import { ruleMatches } from '../permission/rules/try-rule.ts';
import type { PermissionRule, RuleList } from '../permission/rules/rule.ts';
import { stringsOf } from './shape.ts';

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
