/** Tools that are denied as a whole: the model is not even shown them. Needs no shell grammar. */
import { currentName, parseRule, type Rules } from './rule.ts';
import { toolMatcher } from './tool-matcher.ts';
import { governors } from './tools.ts';

export function isToolDenied(tool: string, { deny }: Rules): boolean {
  const names = governors(currentName(tool));
  return deny.some(({ text }) => {
    const parsed = parseRule(text, 'deny');
    if (!parsed.ok || parsed.specifier !== undefined) return false;
    const matches = toolMatcher(parsed.tool, 'deny');
    return names.some(matches);
  });
}
