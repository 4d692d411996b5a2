/** What the server found, out of the blocks of an answer. Pure: blocks are whatever came over the wire. */
import type { ContentBlock } from '@heddle/core';

export interface Hit {
  readonly title: string;
  readonly url: string;
  readonly age?: string;
}

/** Each address once, in the order of the searches. `problem`: why the last search that failed did. */
export function resultsIn(blocks: readonly ContentBlock[]): {
  readonly hits: readonly Hit[];
  readonly problem: string | undefined;
} {
  const hits = new Map<string, Hit>();
  let problem: string | undefined;
  for (const block of blocks) {
    const fields: unknown = block;
    if (!isFields(fields) || fields['type'] !== 'web_search_tool_result') continue;
    const { content } = fields;
    if (isFields(content)) problem = PROBLEMS[String(content['error_code'])] ?? String(content['error_code']);
    if (!Array.isArray(content)) continue;
    for (const hit of content.flatMap(hitOf)) if (!hits.has(hit.url)) hits.set(hit.url, hit);
  }
  return { hits: [...hits.values()], problem };
}

const PROBLEMS: Readonly<Record<string, string>> = {
  invalid_tool_input: 'the server could not read the query or the domains',
  unavailable: 'the search is not available now',
  max_uses_exceeded: 'more searches were wanted than one call may make',
  too_many_requests: 'there were too many searches in a short time',
  query_too_long: 'the query is too long',
  request_too_large: 'the request is too large',
};

function hitOf(value: unknown): Hit[] {
  if (!isFields(value) || value['type'] !== 'web_search_result') return [];
  const { title, url, page_age: age } = value;
  if (typeof url !== 'string') return [];
  const named = { title: plain(typeof title === 'string' ? title : url), url: plain(url) };
  return [typeof age === 'string' ? { ...named, age: plain(age) } : named];
}

/** On one line: a title cannot pose as further results. */
function plain(text: string): string {
  return text.replaceAll(/\s+/g, ' ').trim();
}

function isFields(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
