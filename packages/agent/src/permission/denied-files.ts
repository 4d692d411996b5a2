/** Which files no tool may show: for searches, which walk over many and leave these out. */
import { compileRules } from './rules/compile.ts';
import type { Rules } from './rules/rule.ts';
import type { PermissionWorld } from './world.ts';

export function deniedFiles(rules: Rules, world: PermissionWorld): (file: string) => boolean {
  const compiled = compileRules(rules, world);
  const patterns = compiled.deny.flatMap(({ names, specifier }) =>
    specifier?.path && names('Read') ? [specifier.path] : [],
  );
  if (patterns.length === 0) return () => false;
  return (file) => compiled.concerns('deny', file) && patterns.some((pattern) => pattern.matches(file));
}
