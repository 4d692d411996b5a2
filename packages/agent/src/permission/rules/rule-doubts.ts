/** Finds rules that are kept, but have no effect as they are written. */
import { pathTool } from './file-tools.ts';
import { parseRule, type RuleList } from './rule.ts';
import { doubtAboutPath } from './spellings.ts';
import { isShellTool, unknownTool } from './tool-names.ts';

/** Returns a warning about a rule that probably has no effect, or undefined. */
export function findRuleDoubt(text: string, list: RuleList): string | undefined {
  if (SECOND_RULE.test(text)) return `${text} contains more than one rule; write each as a text of its own`;
  const parsed = parseRule(text, list);
  if (!parsed.ok) return undefined;
  const { tool, specifier } = parsed;
  const operator = specifier !== undefined && isShellTool(tool) ? operatorIn(specifier) : undefined;
  if (operator !== undefined && list !== 'allow')
    return `${text}: no command contains ${operator}; each command of a script is matched alone`;
  if (specifier !== undefined && isShellTool(tool) && LIST.test(specifier))
    return `${text}: a rule is about one command; write a rule for each`;
  const governing = specifier === undefined ? undefined : pathTool(tool);
  if (list === 'allow' && governing !== undefined && governing !== tool)
    return `${text} has no effect; write ${governing}(${specifier})`;
  return unknownTool(text, list) ?? doubtAboutPath(text, list);
}

/** Names of tools start with a capital letter. */
const SECOND_RULE = /^[^\s()]+\([^()]*\)[\s,;]+(?:[A-Z]\w*|mcp__[\w*-]+)\(.*\)$/s;

/** `rm:*,curl:*` and `{rm,curl}:*`: no command has such a name. */
const LIST = /^(?:[\w./-]+(?:[: ]?\*)?,\s*[\w./-]|\{[^{}\s]*,[^{}\s]*\})/;

/** Returns the first operator between commands. Quoted ones are text, and those beside `<` and `>` belong to a redirection. */
function operatorIn(pattern: string): string | undefined {
  const token = /'[^']*'|"(?:[^"\\]|\\[^])*"|\\[^]|[<>][&|]|&>|(&&|\|\||[|;&])|[^]/g;
  for (const [, operator] of pattern.matchAll(token)) if (operator !== undefined) return operator;
  return undefined;
}
