/** ToolSearch: adds rarely used tools to the conversation on demand. Until then they cost nothing. */
import { type JsonObject, type Tool, text } from '@heddle/core';
import { inputSchemas } from '../generated/schemas.ts';
import type { ToolSearchInput } from './schema.ts';

interface ToolSearchData {
  readonly found: readonly {
    readonly name: string;
    readonly description: string;
    readonly schema: JsonObject;
  }[];
  readonly known: readonly string[];
}

const DEFAULT_RESULTS = 5;

/** A result without matches lists at most so many names. */
const NAMES_LISTED = 50;

/** Tools that come and go during a session. */
export interface ServerTools {
  readonly tools: () => readonly Tool[];
  /** Waits a limited time for servers that are still connecting. */
  readonly settle: (signal: AbortSignal) => Promise<void>;
}

/** The description names only `deferred`: it is part of every request, and tools of servers come and go. */
export function createToolSearchTool(
  deferred: readonly Tool[],
  servers?: ServerTools,
): Tool<ToolSearchInput, ToolSearchData> {
  const names = deferred.map(({ name }) => name).join(', ') || 'none';
  const all = (): readonly Tool[] => [...deferred, ...(servers?.tools() ?? [])];
  return {
    name: 'ToolSearch',
    description: `Loads further tools so that they can be called. There are: ${names}.${servers ? OF_SERVERS : ''}`,
    inputJSONSchema: inputSchemas.ToolSearch,
    inputSchema: async () => (await import('./schema.ts')).toolSearchInput,
    findsTools: true,
    restrictTo(isPermitted) {
      const permitted = (tools: readonly Tool[]) => tools.filter((tool) => isPermitted(tool.name));
      const limited = servers && { ...servers, tools: () => permitted(servers.tools()) };
      return createToolSearchTool(permitted(deferred), limited);
    },
    isReadOnly: () => true,
    isConcurrencySafe: () => false,
    maxResultSize: 100_000,
    interruptBehavior: 'cancel',

    async call({ query, max_results = DEFAULT_RESULTS }, { signal }) {
      let tools = matching(all(), query, max_results);
      if (tools.length === 0 && servers) {
        await servers.settle(signal);
        tools = matching(all(), query, max_results);
      }
      const found = tools.map(({ name, description, inputJSONSchema }) => ({
        name,
        description,
        schema: inputJSONSchema,
      }));
      return {
        data: { found, known: all().map(({ name }) => name) },
        newContext: (current) => {
          const present = new Set(current.tools.map(({ name }) => name));
          return { ...current, tools: [...current.tools, ...tools.filter(({ name }) => !present.has(name))] };
        },
      };
    },

    toResult({ found, known }) {
      if (found.length === 0) return { content: `No tool fits. There are: ${listed(known)}.` };
      const loaded = found.map(({ name, description, schema }) => ({
        type: 'tool_reference' as const,
        tool_name: name,
        definition: { description, input_schema: schema },
      }));
      const names = found.map(({ name }) => name).join(', ');
      return { content: [text(`These tools can be called now: ${names}.`), ...loaded] };
    },
  };
}
const OF_SERVERS = ' MCP servers have more. Messages announce them.';

function listed(names: readonly string[]): string {
  const more = names.length - NAMES_LISTED;
  const shown = names.slice(0, NAMES_LISTED).join(', ') || 'none';
  return more > 0 ? `${shown}, and ${more} more` : shown;
}

/** Finds the tools for a query: by name, or by words in their names and descriptions. */
interface Named {
  readonly name: string;
  readonly description: string;
}

const SELECT = 'select:';
/** A word in a name counts more than one in a description. */
const IN_NAME = 5;
const IN_DESCRIPTION = 1;

function matching<Item extends Named>(items: readonly Item[], query: string, limit: number): Item[] {
  if (query.startsWith(SELECT)) {
    const names = new Set(
      query
        .slice(SELECT.length)
        .split(',')
        .map((name) => name.trim().toLowerCase()),
    );
    return items.filter(({ name }) => names.has(name.toLowerCase()));
  }
  // Words of one or two letters occur in every description.
  const words = wordsOf(query).filter((word) => word.length > 2);
  return items
    .map((item) => ({ item, score: scoreOf(item, words) }))
    .filter(({ score }) => score > 0)
    .sort((left, right) => right.score - left.score || (left.item.name < right.item.name ? -1 : 1))
    .slice(0, limit)
    .map(({ item }) => item);
}

function scoreOf({ name, description }: Named, words: readonly string[]): number {
  const inName = wordsOf(name);
  const inDescription = wordsOf(description);
  let score = 0;
  for (const word of words) {
    if (inName.some((part) => part.startsWith(word))) score += IN_NAME;
    if (inDescription.some((part) => part === word || (word.length > 3 && part.startsWith(word))))
      score += IN_DESCRIPTION;
  }
  return score;
}

/** `mcp__github__createIssue` → mcp, github, create, issue. */
function wordsOf(text: string): string[] {
  return text
    .replaceAll(/([a-z0-9])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== '');
}
