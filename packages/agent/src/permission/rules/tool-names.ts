/** Facts about tools by name: which ones access files, in which input field, and which rules apply to them. */
import type { Json, JsonObject, RuleName } from '@heddle/core';
import { mayBeCutNameOf, possibleToolNames, readingsOf, shortenedName } from '@heddle/mcp/names';
import { fileAccess, pathTool } from './file-tools.ts';
import { currentName, parseRule, type RuleList, type Rules } from './rule.ts';
import { type Matcher, wildcardMatcher } from './wildcard.ts';

/** The call itself is a question to the user. It runs only with the user's answer. */
const QUESTIONS: ReadonlyMap<string, string> = new Map([
  ['AskUserQuestion', 'Decide yourself, and say what you assumed.'],
  ['ExitPlanMode', 'End your turn with the plan as your answer.'],
]);

export function isQuestion(tool: string): boolean {
  return QUESTIONS.has(tool);
}

/** The call asks the user to approve a plan. */
export function isPlan(tool: string): boolean {
  return tool === 'ExitPlanMode';
}

/** Tells the model how to continue if there is no user to ask. */
export function adviceWithoutUser(tool: string): string | undefined {
  return QUESTIONS.get(tool);
}

/** The tools whose input is a shell command. */
const SHELLS: ReadonlySet<string> = new Set(['Bash', 'Monitor']);

export function isShellTool(tool: string): boolean {
  return SHELLS.has(tool);
}

/** Read rules apply to all tools that read files, Edit rules to all that change them, Bash rules to all that run commands. */
export function governingTools(tool: string): readonly string[] {
  const pathRules = pathTool(tool);
  if (pathRules !== undefined) return [tool, pathRules];
  return isShellTool(tool) && tool !== 'Bash' ? [tool, 'Bash'] : [tool];
}

/** Reads a resource of an MCP server. Rules name both: `ReadMcpResourceTool(server uri)`. */
export const RESOURCES = 'ReadMcpResourceTool';

/** The field that a rule's specifier matches. `Tool(param:value)` matches the others. */
const MAIN_FIELDS: Readonly<Record<string, string>> = {
  Bash: 'command',
  Agent: 'subagent_type',
  Skill: 'skill',
  WebFetch: 'url',
  WebSearch: 'query',
  [RESOURCES]: 'uri',
};

/** The type of an agent whose call names none. */
export const DEFAULT_AGENT = 'general-purpose';

/** The value of a main field that a call leaves out. */
const DEFAULTS: Readonly<Record<string, string>> = { Agent: DEFAULT_AGENT };

export function mainField(tool: string): string | undefined {
  if (fileAccess(tool))
    return tool === 'NotebookEdit'
      ? 'notebook_path'
      : tool === 'Grep' || tool === 'Glob'
        ? 'path'
        : 'file_path';
  return Object.hasOwn(MAIN_FIELDS, tool) ? MAIN_FIELDS[tool] : undefined;
}

/** Returns the texts of a field, also those in lists and objects. The names in objects do not count. */
export function textsIn(value: Json): readonly string[] {
  const texts: string[] = [];
  const open: Json[] = [value];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (typeof next !== 'object') texts.push(String(next));
    else if (next !== null)
      for (const inner of Object.values(next)) if (inner !== undefined) open.push(inner);
  }
  return texts;
}

/** Returns the text that the specifier of an allow rule for another tool matches: `Agent(name)`, `Skill(name args)`, a server and a URI. */
export function calledName(tool: string, input: JsonObject): string | undefined {
  const field = mainField(tool);
  const main = field === undefined ? undefined : (input[field] ?? DEFAULTS[tool]);
  if (typeof main !== 'string') return undefined;
  if (tool === RESOURCES)
    return typeof input['server'] === 'string' ? `${input['server']} ${main}` : undefined;
  const args = tool === 'Skill' ? input['args'] : undefined;
  return typeof args === 'string' && args !== '' ? `${main} ${args}` : main;
}

/** Returns the texts that a deny or ask rule matches. A skill is named with its arguments, and alone; with a slash, or without. */
export function calledNames(tool: string, input: JsonObject): readonly RuleName[] {
  const called = calledName(tool, input);
  if (called === undefined) return [];
  const main = input[mainField(tool) ?? ''];
  const texts = [called, ...(typeof main === 'string' ? [main] : [])];
  const spellings = tool === 'Skill' ? texts.flatMap((text) => [text, text.replace(/^\//, '')]) : texts;
  return [...new Set(spellings)].map((name) => ({ tool, name }));
}

/**
 * A rule names a tool, a pattern of tools, or with `mcp__server` all tools of a server.
 *
 * `mcp__a__b__c` has two readings: the tool `b__c` of the server `a`, and the tool `c` of the server `a__b`. A deny or ask
 * rule matches if one of them does. An allow rule for a server matches only a name with a single reading, so that
 * `mcp__a` never covers the server `a__b`.
 *
 * A rule may contain the server's own name of a tool, which the model sees in another spelling.
 */
export function toolMatcher(name: string, list: RuleList): Matcher {
  const count = readingsOf(name).length;
  // `a..b` becomes `a__b`, which is also the tool `b` of the server `a`.
  const names = possibleToolNames(name).filter((one) => list !== 'allow' || readingsOf(one).length === count);
  const matchers = names.map((possible) => nameMatcher(possible, list));
  const server = list === 'allow' ? undefined : serverIn(name);
  return (tool) =>
    matchers.some((matches) => matches(tool)) || (server !== undefined && mayBeCutNameOf(server, tool));
}

/**
 * Returns whether a pattern may match the whole name of an MCP tool whose shown name was shortened. The rest of the whole
 * name is unknown.
 */
export function mayNameShortened(pattern: string, tool: string): boolean {
  const shortened = pattern.includes('*') ? shortenedName(tool) : undefined;
  if (shortened === undefined) return false;
  if (possibleToolNames(pattern).some((one) => wildcardMatcher(one)(shortened.beginning))) return true;
  // A star matches the known rest, and the unknown rest may match everything after it.
  return possibleToolNames(pattern).some((one) => {
    const fixed = one.slice(0, one.indexOf('*'));
    const { beginning, isCut } = shortened;
    return isCut && (beginning.startsWith(fixed) || fixed.startsWith(beginning));
  });
}

/** Returns the server of a rule for all tools of a server. */
function serverIn(name: string): string | undefined {
  const [, plain, starred] = /^mcp__(?:((?:(?!__)[^*])+)|([^*]+)__\*)$/.exec(name) ?? [];
  return plain ?? starred;
}

function nameMatcher(name: string, list: RuleList): Matcher {
  const isServer = /^mcp__.+$/.test(name) && !name.includes('*');
  const pattern = wildcardMatcher(name);
  const below = isServer ? wildcardMatcher(`${name}__*`) : undefined;
  const isPlain = !name.includes('*');
  return (tool) => {
    if (isPlain && tool === name) return true;
    if (!(isPlain ? below?.(tool) : pattern(tool))) return false;
    return list !== 'allow' || !tool.startsWith('mcp__') || readingsOf(tool).length === 1;
  };
}

/** Returns whether a tool is denied as a whole, so that the model is not offered it. Does not need the shell grammar. */
export function isToolDenied(tool: string, { deny }: Rules): boolean {
  const names = governingTools(currentName(tool));
  return deny.some(({ text }) => {
    const parsed = parseRule(text, 'deny');
    if (!parsed.ok || parsed.specifier !== undefined) return false;
    const matches = toolMatcher(parsed.tool, 'deny');
    return names.some(matches);
  });
}

/** The tools that `builtinTools` does not contain. A session adds them, because they need its tasks, jobs, subagents or team. */
export const ENGINE_TOOLS: readonly string[] = [
  'Agent',
  'SendMessage',
  'Monitor',
  'CronCreate',
  'CronList',
  'CronDelete',
  'TeamCreate',
  'TeamDelete',
];

/** Heddle's own tools, then those of other programs that read the same files. */
const KNOWN: readonly string[] = [
  ...(
    'Bash Read Edit Write NotebookEdit Glob Grep WebFetch WebSearch TodoWrite TaskStop TaskOutput AskUserQuestion ' +
    'EnterPlanMode ExitPlanMode ToolSearch SandboxNetworkAccess RunWithoutSandbox Skill StructuredOutput ' +
    'TaskCreate TaskGet TaskList TaskUpdate ListMcpResourcesTool ReadMcpResourceTool'
  ).split(' '),
  ...ENGINE_TOOLS,
  ...'SlashCommand MultiEdit NotebookRead LS LSP TodoRead Config PowerShell EnterWorktree ExitWorktree'.split(
    ' ',
  ),
];

/**
 * Returns a warning about a rule with an unknown tool, or undefined. The rule is kept, because a host may provide the
 * tool. But a misspelled rule would have no effect.
 */
export function unknownTool(text: string, list: RuleList): string | undefined {
  const parsed = parseRule(text, list);
  if (!parsed.ok || isKnown(parsed.tool)) return undefined;
  const meant = nearest(parsed.tool);
  return `${text}: no tool is named ${parsed.tool}${meant === undefined ? '' : `; did you mean ${meant}?`}`;
}

/** MCP tools contain the name of their server, and patterns may match any of them. */
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

/** Returns the number of letters to insert, delete or replace. */
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
