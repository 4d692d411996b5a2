/** A type of subagent: its prompt, tools, model and limits. Decoded from a file, from the command line or from a host. */
import { type Effort, isRecord, type PermissionMode } from '@heddle/core';

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
  readonly source: AgentSource;
  readonly file?: string | undefined;
}

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
}

const MODES: readonly PermissionMode[] = ['default', 'acceptEdits', 'plan', 'dontAsk', 'bypassPermissions'];
const EFFORTS: readonly Effort[] = ['low', 'medium', 'high', 'xhigh', 'max'];

/** Decodes the fields of a definition. Both spellings of a key are accepted: `maxTurns` and `max-turns`. */
export function decodeAgent(given: unknown, { name, source, file }: AgentOrigin): DecodedAgent {
  if (!isRecord(given)) return { definition: undefined, problems: [`The agent ${name} is not an object.`] };
  const problems: string[] = [];
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
    problems.push(`The agent ${name}: ${key} is not a number over 0.`);
    return undefined;
  };
  const choice = <T extends string>(key: string, allowed: readonly T[]): T | undefined => {
    const found = value(key);
    const known = allowed.find((one) => one === found);
    if (found !== undefined && known === undefined)
      problems.push(`The agent ${name}: ${key} must be one of ${allowed.join(', ')}.`);
    return known;
  };
  const prompt = text('prompt') ?? '';
  const description = text('description') ?? '';
  if (prompt === '') problems.push(`The agent ${name} has no prompt.`);
  if (description === '') problems.push(`The agent ${name} has no description.`);
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

/** A list, or a text with commas. A rule such as `Bash(git *)` counts as the tool. Undefined: no restriction. */
function toolNames(value: unknown): readonly string[] | undefined {
  const items = typeof value === 'string' ? value.split(/,(?![^(]*\))/) : value;
  if (!Array.isArray(items)) return undefined;
  const names = items
    .filter((item): item is string => typeof item === 'string')
    .map((item) => item.replace(/\(.*$/s, '').trim())
    .filter((item) => item !== '');
  return names.includes('*') ? undefined : names;
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
