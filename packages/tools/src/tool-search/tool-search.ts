/** ToolSearch: brings tools that are rarely needed into the conversation. Until then they cost nothing. */
import type { Tool } from '@heddle/core';
import { inputSchemas } from '../generated/schemas.ts';
import { matching } from './rank.ts';
import type { ToolSearchInput } from './schema.ts';

export interface ToolSearchData {
  readonly found: readonly { readonly name: string; readonly description: string; readonly schema: string }[];
  readonly known: readonly string[];
}

const DEFAULT_RESULTS = 5;

/** `deferred` is asked each time: servers come and go. */
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
