/** Tools that the command line names. Old names still work. A missing tool prints a note, and a mistyped name is refused. */
import { isToolDenied, type LivePermissions } from '@heddle/agent';
import type { RunOptions } from '../arguments/arguments.ts';

type NamedTools =
  | { readonly ok: true; readonly notes: readonly string[] }
  | { readonly ok: false; readonly message: string };

/** Maps the old names of tools, which many scripts still use, to the current names. */
const TODAYS_NAMES: ReadonlyMap<string, string> = new Map([
  ['BashOutput', 'TaskOutput'],
  ['KillBash', 'TaskStop'],
  ['KillShell', 'TaskStop'],
  ['Task', 'Agent'],
]);

/** Tools that scripts list because other agents have them. These names are not typing errors. */
const ELSEWHERE: ReadonlySet<string> = new Set(['SlashCommand', 'MultiEdit', 'NotebookRead', 'LS']);

/** Present whenever there is something to search for, a skill to load, or a server with resources. */
const ON_THEIR_OWN: ReadonlySet<string> = new Set([
  'ToolSearch',
  'Skill',
  'ListMcpResourcesTool',
  'ReadMcpResourceTool',
]);

/** Tools of MCP servers come and go with their servers. */
function isOnItsOwn(name: string): boolean {
  return ON_THEIR_OWN.has(name) || name.startsWith('mcp__');
}

export function namedTools(names: readonly string[], known: readonly string[]): NamedTools {
  const unknown = names.filter((name) => !isOnItsOwn(name) && !known.includes(todaysName(name)));
  const wrong = unknown.find((name) => !ELSEWHERE.has(name));
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

/** A tool that is denied as a whole is not even shown to the model. */
export function offered(name: string, { tools }: RunOptions, permissions: LivePermissions): boolean {
  if (tools !== undefined && !isNamed(name, tools)) return false;
  return !isToolDenied(name, permissions.rules);
}
