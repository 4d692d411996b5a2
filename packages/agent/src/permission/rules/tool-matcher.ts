/** Whether the tool position of a rule names a tool. */
import type { RuleList } from './rule.ts';
import { type Matcher, wildcard } from './wildcard.ts';

/**
 * A rule names a tool, a pattern of tools, or with `mcp__server` all tools of a server.
 *
 * `mcp__a__b__c` has two readings: the tool `b__c` of the server `a`, and the tool `c` of the server `a__b`. A deny or ask
 * rule matches if one of them does. An allow rule for a server matches only a name with a single reading, so that
 * `mcp__a` never covers the server `a__b`.
 */
export function toolMatcher(name: string, list: RuleList): Matcher {
  const isServer = /^mcp__.+$/.test(name) && !name.includes('*');
  const pattern = wildcard(name);
  const below = isServer ? wildcard(`${name}__*`) : undefined;
  const isPlain = !name.includes('*');
  return (tool) => {
    if (isPlain && tool === name) return true;
    if (!(isPlain ? below?.(tool) : pattern(tool))) return false;
    return list !== 'allow' || !tool.startsWith('mcp__') || readings(tool) === 1;
  };
}

/** In how many places a tool's name can be divided into a server and a tool of it. */
function readings(tool: string): number {
  const [, body = ''] = /^mcp__([\s\S]*)$/.exec(tool) ?? [];
  let count = 0;
  for (let at = body.indexOf('__', 1); at > 0 && at + 2 < body.length; at = body.indexOf('__', at + 1))
    count++;
  return count;
}
