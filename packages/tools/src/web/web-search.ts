/**
 * WebSearch: the model's own server searches, in a separate request beside the conversation. Offered only
 * if the server can.
 */
import type { Tool } from '@heddle/core';
import { inputSchemas } from '../generated/schemas.ts';
import type { SearchAnswer, SearchPort } from './ask-server.ts';
import type { WebSearchInput } from './schema.ts';
import { WEB_TOOL_TRAITS } from './deps.ts';

interface WebSearchData extends Omit<SearchAnswer, 'spent'> {
  readonly query: string;
}

export function createWebSearchTool(port: SearchPort): Tool<WebSearchInput, WebSearchData> {
  return {
    name: 'WebSearch',
    description:
      'Searches the web and shows what was found, with links. Name your sources when you use it; read a page whole with WebFetch.',
    inputJSONSchema: inputSchemas.WebSearch,
    inputSchema: async () => (await import('./schema.ts')).webSearchInput,
    ...WEB_TOOL_TRAITS,

    validateInput: ({ allowed_domains: allowed, blocked_domains: blocked }) =>
      allowed !== undefined && blocked !== undefined
        ? { ok: false, message: 'Give either allowed_domains or blocked_domains, not both.' }
        : { ok: true },

    async call(input, { signal }) {
      const { askServer } = await import('./ask-server.ts');
      const { spent, ...found } = await askServer(port, input, signal);
      return { data: { query: input.query, ...found }, spent };
    },

    toResult({ query, hits, text, problem }) {
      if (hits.length === 0 && text === '')
        return {
          content: `The search for "${query}" failed: ${problem ?? 'nothing came back'}`,
          isError: true,
        };
      const links = hits.map(({ title, url, age }) => `- ${title}: ${url}${age ? ` (${age})` : ''}`);
      const note = problem === undefined ? [] : [`(Not all was searched: ${problem})`];
      const list = links.length > 0 ? [links.join('\n')] : ['No links'];
      return { content: [...list, ...(text === '' ? [] : [text]), ...note].join('\n\n') };
    },
  };
}
