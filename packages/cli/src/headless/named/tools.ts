/** Tools that the command line names. Old names still count; one that there is not yet is told, a typing error is refused. */

export type NamedTools =
  | { readonly ok: true; readonly notes: readonly string[] }
  | { readonly ok: false; readonly message: string };

/** What tools were called when many scripts were written. */
const TODAYS_NAMES: ReadonlyMap<string, string> = new Map([
  ['BashOutput', 'TaskOutput'],
  ['KillBash', 'TaskStop'],
  ['KillShell', 'TaskStop'],
]);

/** Tools that scripts list because other agents have them: nobody mistyped these. */
const ELSEWHERE: ReadonlySet<string> = new Set([
  'Agent',
  'Task',
  'Skill',
  'SlashCommand',
  'Monitor',
  'MultiEdit',
  'NotebookRead',
  'LS',
  'TaskCreate',
  'TaskGet',
  'TaskList',
  'TaskUpdate',
  'ListMcpResourcesTool',
  'ReadMcpResourceTool',
]);

/** There whenever there is something to search for. */
const ON_ITS_OWN = 'ToolSearch';

export function namedTools(names: readonly string[], known: readonly string[]): NamedTools {
  const unknown = names.filter((name) => name !== ON_ITS_OWN && !known.includes(todaysName(name)));
  const wrong = unknown.find((name) => !ELSEWHERE.has(name) && !name.startsWith('mcp__'));
  if (wrong !== undefined)
    return { ok: false, message: `--tools: there is no tool named ${wrong}; there are ${known.join(', ')}` };
  return { ok: true, notes: unknown.map((name) => `--tools: there is no ${name} yet`) };
}

/** Is this tool one of those that were named? */
export function isNamed(tool: string, names: readonly string[]): boolean {
  return names.some((name) => todaysName(name) === tool);
}

function todaysName(name: string): string {
  return TODAYS_NAMES.get(name) ?? name;
}
