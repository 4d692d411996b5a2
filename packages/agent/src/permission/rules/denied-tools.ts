/** Tools that are denied as a whole: the model is not even shown them. Needs no shell grammar. */
import { currentName, parseRule, type Rules } from './rule.ts';
import { governors } from './tools.ts';
import { wildcard } from './wildcard.ts';

export function isToolDenied(tool: string, { deny }: Rules): boolean {
  const names = governors(currentName(tool));
  return deny.some(({ text }) => {
    const parsed = parseRule(text, 'deny');
    if (!parsed.ok || parsed.specifier !== undefined) return false;
    const pattern = wildcard(parsed.tool);
    return names.some(
      (name) =>
        pattern.test(name) || (parsed.tool.startsWith('mcp__') && name.startsWith(`${parsed.tool}__`)),
    );
  });
}
