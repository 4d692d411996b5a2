/** A type of subagent: its prompt, tools, model and limits. Decoded from a file, from the command line or from a host. */
import {
  type Effort,
  EFFORTS,
  isJsonObject,
  isRecord,
  type JsonObject,
  type PermissionMode,
} from '@heddle/core';
import { possibleToolNames } from '@heddle/mcp/names';
import { governingTools } from '../permission/rules/tool-names.ts';

export type AgentSource = 'managed' | 'caller' | 'project' | 'user' | 'plugin' | 'built-in';

export interface AgentDefinition {
  readonly name: string;
  /** Tells the model when to use it. */
  readonly description: string;
  /** Its system prompt. */
  readonly prompt: string;
  /** The names of its tools. Undefined: all tools of the parent. */
  readonly tools?: readonly string[] | undefined;
  readonly disallowedTools?: readonly string[] | undefined;
  /** A model name, an alias, or `inherit`. */
  readonly model?: string | undefined;
  /** Applies only if it is stricter than the mode of the parent. */
  readonly permissionMode?: PermissionMode | undefined;
  readonly maxTurns?: number | undefined;
  readonly maxBudgetUsd?: number | undefined;
  readonly effort?: Effort | undefined;
  /** It runs in the background unless the call says otherwise. */
  readonly isBackground?: boolean | undefined;
  readonly isolation?: 'worktree' | undefined;
  /** Skills that it has read before its task. */
  readonly skills?: readonly string[] | undefined;
  /** Facts from task to task: of all projects of the user, of the project, or of the project on this machine. */
  readonly memory?: AgentMemory | undefined;
  /** Servers whose tools it has beside `tools`. */
  readonly mcpServers?: readonly string[] | undefined;
  /** The servers among them that the definition describes, as `.mcp.json` does. They run as long as the agent. */
  readonly serverEntries?: JsonObject | undefined;
  /** Hooks that run for it alone, in the form of the settings. */
  readonly hooks?: JsonObject | undefined;
  /** Precedes the first prompt if the main conversation runs as this agent. */
  readonly initialPrompt?: string | undefined;
  readonly color?: AgentColor | undefined;
  readonly source: AgentSource;
  readonly file?: string | undefined;
  /** It is of a project that is not trusted, so the user did not choose its model. */
  readonly isUntrusted?: true | undefined;
}

type AgentMemory = 'user' | 'project' | 'local';
type AgentColor = (typeof COLORS)[number];

export interface DecodedAgent {
  /** Undefined if it cannot be used. */
  readonly definition: AgentDefinition | undefined;
  /** Sentences about fields that have no effect. */
  readonly problems: readonly string[];
}

interface AgentOrigin {
  readonly name: string;
  readonly source: AgentSource;
  readonly file?: string | undefined;
  /** Names the place of a field for reports. */
  readonly placeOf?: ((key: string) => string) | undefined;
}

const MODES: readonly PermissionMode[] = ['default', 'acceptEdits', 'plan', 'dontAsk', 'bypassPermissions'];
const COLORS = ['red', 'blue', 'green', 'yellow', 'purple', 'orange', 'pink', 'cyan'] as const;

/** Decodes the fields of a definition. Both spellings of a key are accepted: `maxTurns` and `max-turns`. */
export function decodeAgent(given: unknown, { name, source, file, placeOf }: AgentOrigin): DecodedAgent {
  if (!isRecord(given)) return { definition: undefined, problems: [`The agent ${name} is not an object.`] };
  const problems: string[] = [];
  const report = (key: string, message: string): void => {
    problems.push(placeOf === undefined ? message : `${placeOf(key)}: ${message}`);
  };
  const value = (key: string): unknown =>
    given[key] ?? given[key.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)] ?? undefined;
  const text = (key: string): string | undefined => {
    const found = value(key);
    return typeof found === 'string' && found.trim() !== '' ? found.trim() : undefined;
  };
  const amount = (key: string): number | undefined => {
    const found = value(key);
    if (found === undefined) return undefined;
    if (Number(found) > 0) return Number(found);
    report(key, `The agent ${name}: ${key} is not a number over 0.`);
    return undefined;
  };
  const choice = <T extends string>(key: string, allowed: readonly T[]): T | undefined => {
    const found = value(key);
    const known = allowed.find((one) => one === found);
    if (found !== undefined && known === undefined)
      report(key, `The agent ${name}: ${key} must be one of ${allowed.join(', ')}.`);
    return known;
  };
  const hooks = value('hooks');
  if (hooks !== undefined && !isJsonObject(hooks))
    report('hooks', `The agent ${name}: hooks is not an object.`);
  const prompt = text('prompt') ?? '';
  const description = text('description') ?? '';
  if (prompt === '') report('prompt', `The agent ${name} has no prompt.`);
  if (description === '') report('description', `The agent ${name} has no description.`);
  const maxTurns = amount('maxTurns');
  const definition: AgentDefinition = {
    name,
    description,
    prompt,
    tools: toolNames(value('tools')),
    disallowedTools: toolNames(value('disallowedTools')),
    model: text('model'),
    permissionMode: choice('permissionMode', MODES),
    maxTurns: maxTurns === undefined ? undefined : Math.ceil(maxTurns),
    maxBudgetUsd: amount('maxBudgetUsd'),
    effort: choice('effort', EFFORTS),
    isBackground: value('background') === true || value('background') === 'true',
    isolation: choice('isolation', ['worktree']),
    skills: listOf(value('skills')),
    memory: choice('memory', ['user', 'project', 'local']),
    ...serversIn(value('mcpServers')),
    hooks: isJsonObject(hooks) ? hooks : undefined,
    initialPrompt: text('initialPrompt'),
    color: choice('color', COLORS),
    source,
    file,
  };
  return { definition: prompt === '' ? undefined : definition, problems };
}

/** Decodes an object of definitions by name, from `--agents` or from the `initialize` request of a host. */
export function decodeAgents(given: unknown): {
  readonly definitions: readonly AgentDefinition[];
  readonly problems: readonly string[];
} {
  if (!isRecord(given)) return { definitions: [], problems: ['The agents are not an object.'] };
  const decoded = Object.entries(given).map(([name, fields]) =>
    decodeAgent(fields, { name, source: 'caller' }),
  );
  return {
    definitions: decoded.flatMap(({ definition }) => definition ?? []),
    problems: decoded.flatMap(({ problems }) => problems),
  };
}

/** A list, or a text with commas. */
function listOf(value: unknown): readonly string[] | undefined {
  const items = typeof value === 'string' ? value.split(',') : value;
  if (!Array.isArray(items)) return undefined;
  const texts = items.flatMap((item) => (typeof item === 'string' ? [item.trim()] : []));
  return texts.filter((text) => text !== '');
}

/** A list of names of configured servers, and of objects that describe servers by name. One object alone is accepted, too. */
function serversIn(value: unknown): Pick<AgentDefinition, 'mcpServers' | 'serverEntries'> {
  const items = isJsonObject(value) ? [value] : value;
  const names = listOf(items);
  if (names === undefined || !Array.isArray(items)) return {};
  const entries: JsonObject = Object.fromEntries(
    items.filter(isJsonObject).flatMap((item) => Object.entries(item)),
  );
  const described = Object.keys(entries);
  return {
    mcpServers: [...names, ...described],
    ...(described.length > 0 && { serverEntries: entries }),
  };
}

/** A list, or a text with commas. A rule such as `Bash(git *)` counts as the tool. Undefined: no restriction. */
function toolNames(value: unknown): readonly string[] | undefined {
  const items = typeof value === 'string' ? (value.match(/(?:[^,(]+|\([^)]*\)?)+/g) ?? []) : value;
  if (!Array.isArray(items)) return undefined;
  const names = items
    .filter((item): item is string => typeof item === 'string')
    .map((item) => item.replace(/\(.*$/s, '').trim())
    .filter((item) => item !== '');
  return names.includes('*') ? undefined : names;
}

/** Whether an agent with this definition has a tool, if the session has it. Like a deny rule, `Bash` also excludes Monitor. */
export function agentHasTool(
  {
    tools,
    disallowedTools = [],
    mcpServers = [],
  }: Pick<AgentDefinition, 'tools' | 'disallowedTools' | 'mcpServers'>,
  name: string,
): boolean {
  if (governingTools(name).some((tool) => namesTool(disallowedTools, tool))) return false;
  return tools === undefined || namesTool([...tools, ...mcpServers.map(serverTools)], name);
}

/** Whether the definition itself names the tool, so that it is loaded without a search. */
export function agentNamesTool(
  { tools = [], mcpServers = [] }: Pick<AgentDefinition, 'tools' | 'mcpServers'>,
  name: string,
): boolean {
  return namesTool([...tools, ...mcpServers.map(serverTools)], name);
}

/** The names in the definition that belong to MCP servers: of a tool, or of all tools of a server. */
export function serverToolNames({
  tools = [],
  mcpServers = [],
}: Pick<AgentDefinition, 'tools' | 'mcpServers'>): readonly string[] {
  return [...tools.filter((name) => name.startsWith('mcp__')), ...mcpServers.map(serverTools)];
}

function namesTool(names: readonly string[], tool: string): boolean {
  return names.some((one) => matchesTool(one, tool));
}

function serverTools(server: string): string {
  return `mcp__${server}`;
}

/** A definition may name a tool, a server (`mcp__github`), or a pattern with a star at its end. */
function matchesTool(named: string, tool: string): boolean {
  return possibleToolNames(named).some((name) => matchesName(name, tool));
}

function matchesName(named: string, tool: string): boolean {
  if (named.endsWith('*')) return tool.startsWith(named.slice(0, -1));
  return named === tool || (named.startsWith('mcp__') && tool.startsWith(`${named}__`));
}

const PRIORITY: readonly AgentSource[] = ['managed', 'caller', 'project', 'user', 'plugin', 'built-in'];

/** Of several definitions with one name, keeps that of the highest source. Sorted by name. */
export function mergeAgents(definitions: readonly AgentDefinition[]): readonly AgentDefinition[] {
  const byName = new Map<string, AgentDefinition>();
  const ranked = definitions.toSorted((a, b) => PRIORITY.indexOf(a.source) - PRIORITY.indexOf(b.source));
  for (const definition of ranked)
    if (!byName.has(definition.name.toLowerCase())) byName.set(definition.name.toLowerCase(), definition);
  // Not `localeCompare`: its tables cost 13 ms at the first call, and depend on the language of the user.
  return [...byName].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, definition]) => definition);
}

/** Finds a definition by name. Letter case does not matter, because models write `explore` and `Explore`. */
export function findAgent(
  definitions: readonly AgentDefinition[],
  name: string,
): AgentDefinition | undefined {
  return definitions.find((definition) => definition.name.toLowerCase() === name.toLowerCase());
}
