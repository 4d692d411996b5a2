/** Permission: may this call run, and why. Loads the shell grammar: import it when the first call is to be decided. */
export { authorize } from './authorize.ts';
export { observeWorld, type WorldOptions as Surroundings } from './observe-world.ts';
export { suggestions } from './suggest/suggest.ts';
export type * from './request.ts';
export {
  joinRules,
  NO_RULES,
  parseRule,
  type PermissionRule as Rule,
  type RuleList,
  type Rules,
  type RuleSource,
} from './rules/rule.ts';
export type { PermissionWorld as World } from './world.ts';
