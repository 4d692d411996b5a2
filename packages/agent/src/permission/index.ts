/**
 * Permission: decides whether a call may run, and why. It loads the shell grammar, so import it with the first
 * decision.
 */
export { authorize } from './authorize.ts';
export { observeWorld, type WorldOptions as Surroundings } from './observe-world.ts';
export { suggestions } from './suggest/suggest.ts';
export type * from './request.ts';
export {
  currentName,
  joinRules,
  NO_RULES,
  parseRule,
  type PermissionRule as Rule,
  type RuleList,
  type Rules,
  type RuleSource,
} from './rules/rule.ts';
export type { PermissionWorld as World } from './world.ts';
