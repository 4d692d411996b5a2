/**
 * Names of tools that rules are written for. A rule with another name is kept, since a host may bring tools of its own; but a
 * slip of the pen would allow or forbid nothing, and its author should hear of it.
 */
import { currentName, parseRule, type RuleList } from './rule.ts';

/** Heddle's own first, then those of other programs that read the same files. */
const KNOWN: readonly string[] = (
  'Bash Read Edit Write NotebookEdit Glob Grep WebFetch WebSearch TodoWrite TaskStop TaskOutput AskUserQuestion ' +
  'EnterPlanMode ExitPlanMode ToolSearch SandboxNetworkAccess RunWithoutSandbox ' +
  'Agent Skill SlashCommand MultiEdit NotebookRead LS LSP TodoRead TaskCreate TaskGet TaskList TaskUpdate Monitor ' +
  'ListMcpResourcesTool ReadMcpResourceTool Config PowerShell EnterWorktree ExitWorktree SendMessage StructuredOutput'
).split(' ');

/** What is to be said about a rule whose tool nobody knows; undefined where there is nothing to say. */
export function unknownTool(text: string, list: RuleList): string | undefined {
  const parsed = parseRule(text, list);
  if (!parsed.ok || isKnown(parsed.tool)) return undefined;
  const meant = nearest(parsed.tool);
  return `${text}: no tool is named ${parsed.tool}${meant === undefined ? '' : `; did you mean ${meant}?`}`;
}

/** Tools of servers carry their server's name, and patterns may mean any of them. */
function isKnown(tool: string): boolean {
  return tool.includes('*') || tool.startsWith('mcp__') || KNOWN.includes(tool) || currentName(tool) !== tool;
}

function nearest(name: string): string | undefined {
  const ranked = KNOWN.map((known) => ({
    known,
    distance: distance(known.toLowerCase(), name.toLowerCase()),
  }));
  const [first] = ranked.toSorted((left, right) => left.distance - right.distance);
  return first && first.distance <= Math.ceil(name.length / 3) ? first.known : undefined;
}

/** How many letters must be put in, taken out or replaced. */
function distance(left: string, right: string): number {
  let previous = Array.from({ length: right.length + 1 }, (_, index) => index);
  for (const [row, letter] of Array.from(left).entries()) {
    const current = [row + 1];
    for (const [column, other] of Array.from(right).entries()) {
      const replaced = (previous[column] ?? 0) + (letter === other ? 0 : 1);
      current.push(Math.min(replaced, (previous[column + 1] ?? 0) + 1, (current[column] ?? 0) + 1));
    }
    previous = current;
  }
  return previous[right.length] ?? 0;
}
