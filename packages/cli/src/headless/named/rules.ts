/** Rules that the command line names. One that can never match would allow nothing, or worse: forbid nothing. */
import { parseRule } from '@heddle/agent/settings';
import type { RunOptions } from '../../arguments.ts';

/** What is wrong with them; undefined: nothing. */
export function wrongRule({
  allowedTools,
  disallowedTools,
}: Pick<RunOptions, 'allowedTools' | 'disallowedTools'>): string | undefined {
  const lists = [
    { flag: '--allowed-tools', list: 'allow', rules: allowedTools },
    { flag: '--disallowed-tools', list: 'deny', rules: disallowedTools },
  ] as const;
  for (const { flag, list, rules } of lists)
    for (const rule of rules) {
      const parsed = parseRule(rule, list);
      if (!parsed.ok) return `${flag}: ${parsed.message}`;
    }
  return undefined;
}
