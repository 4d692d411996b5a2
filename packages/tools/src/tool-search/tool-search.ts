/** ToolSearch: adds rarely used tools to the conversation on demand. Until then they cost nothing. */
import type { Tool } from '@heddle/core';
import { inputSchemas } from '../generated/schemas.ts';
import type { ToolSearchInput } from './schema.ts';

interface ToolSearchData {
  readonly found: readonly { readonly name: string; readonly description: string; readonly schema: string }[];
  readonly known: readonly string[];
}

const DEFAULT_RESULTS = 5;

/** `deferred` is called each time, because servers connect and disconnect. */
export function createToolSearchTool(deferred: () => readonly Tool[]): Tool<ToolSearchInput, ToolSearchData> {
  return {
    name: 'ToolSearch',
    get description() {
      const names = deferred().map(({ name }) => name);
      return `Loads further tools so that they can be called. There are: ${names.join(', ') || 'none'}.`;
    },
    inputJSONSchema: inputSchemas.ToolSearch,
    inputSchema: async () => (await import('./schema.ts')).toolSearchInput,
    findsTools: true,
    isReadOnly: () => true,
    isConcurrencySafe: () => false,
    maxResultSize: 100_000,
    interruptBehavior: 'cancel',

    call({ query, max_results = DEFAULT_RESULTS }) {
      const all = deferred();
      const tools = matching(all, query, max_results);
      const found = tools.map(({ name, description, inputJSONSchema }) => ({
        name,
        description,
        schema: JSON.stringify(inputJSONSchema),
      }));
      return Promise.resolve({
        data: { found, known: all.map(({ name }) => name) },
        newContext: (current) => {
          const present = new Set(current.tools.map(({ name }) => name));
          return { ...current, tools: [...current.tools, ...tools.filter(({ name }) => !present.has(name))] };
        },
      });
    },

    toResult({ found, known }) {
      if (found.length === 0) return { content: `No tool fits. There are: ${known.join(', ') || 'none'}.` };
      const shown = found.map(({ name, description, schema }) => `${name}: ${description}\n${schema}`);
      return { content: `These tools can be called now.\n\n${shown.join('\n\n')}` };
    },
  };
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
