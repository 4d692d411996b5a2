/** Finds the files whose text no request contains without a question. */
import { deniedFiles, compileRules } from './rules/compile.ts';
import { findObjectingRule } from './rules/match.ts';
import type { Rules } from './rules/rule.ts';
import { storedInData } from './shell/files/stored-parts.ts';
import type { PermissionWorld } from './world.ts';

/**
 * Returns a test for files that rules of these lists forbid to show, and for data of git that may show such a file. A call
 * that reads this data asks.
 */
export function withheldFiles(
  rules: Rules,
  world: PermissionWorld,
  lists: readonly ('deny' | 'ask')[],
): (file: string) => boolean {
  const isDenied = deniedFiles(rules, world, lists);
  return (file) => isDenied(file) || lists.some((list) => mayShowStoredFile(file, list, rules, world));
}

function mayShowStoredFile(
  file: string,
  list: 'deny' | 'ask',
  rules: Rules,
  world: PermissionWorld,
): boolean {
  const parts = storedInData([{ path: file, real: world.realpath(file) }], false, world);
  if (parts.length === 0) return false;
  const touched = parts.flatMap(({ places = [] }) => places.map(({ real }) => real));
  const compiled = compileRules(rules, world, () => touched);
  return parts.some((part) => findObjectingRule(part, list, compiled, world) !== undefined);
}
