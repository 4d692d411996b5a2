/** Hosts that an allow rule names in full. Needs no shell grammar. */
import { currentName, parseRule, type Rules } from './rule.ts';

/** A pattern names nobody: `domain:*` was not written with this machine's own servers in mind. */
export function isHostNamed(host: string, { allow }: Rules): boolean {
  return allow.some(({ text }) => {
    const parsed = parseRule(text, 'allow');
    if (!parsed.ok || currentName(parsed.tool) !== 'WebFetch') return false;
    return parsed.specifier?.toLowerCase() === `domain:${host.toLowerCase()}`;
  });
}
