/**
 * Lists of a server, page by page. Items are read one by one: a bad item is left out, and the others are used. The number
 * of pages and items is bounded, because a server may never end its list.
 */
import type { Client, StandardSchemaV1 } from '@modelcontextprotocol/client';
import { errorCode, isRecord } from '@heddle/core';

const MAX_PAGES = 100;
const MAX_ITEMS = 2_000;

type Item = Readonly<Record<string, unknown>>;

interface ListKind {
  readonly method: string;
  /** The field of the result that contains the items. */
  readonly field: string;
  readonly capability: 'tools' | 'resources' | 'prompts';
}

export const LISTS = {
  tools: { method: 'tools/list', field: 'tools', capability: 'tools' },
  resources: { method: 'resources/list', field: 'resources', capability: 'resources' },
  templates: { method: 'resources/templates/list', field: 'resourceTemplates', capability: 'resources' },
  prompts: { method: 'prompts/list', field: 'prompts', capability: 'prompts' },
} as const satisfies Record<string, ListKind>;

/** Returns no items if the server does not have the capability. Throws if it does not answer. */
export async function listItems(
  client: Client,
  { method, field, capability }: ListKind,
  options: { readonly timeout: number; readonly signal: AbortSignal },
): Promise<readonly Item[]> {
  if (!client.getServerCapabilities()?.[capability]) return [];
  const items: Item[] = [];
  const cursors = new Set<string>();
  let cursor: string | undefined;
  for (let page = 0; page < MAX_PAGES && items.length < MAX_ITEMS; page++) {
    const params = cursor === undefined ? {} : { cursor };
    const result = await client.request({ method, params }, ANYTHING, options);
    if (!isRecord(result)) break;
    const found: unknown = result[field];
    if (Array.isArray(found)) items.push(...found.filter(isRecord));
    const next = result['nextCursor'];
    if (typeof next !== 'string' || cursors.has(next)) break;
    cursors.add(next);
    cursor = next;
  }
  return items.slice(0, MAX_ITEMS);
}

/**
 * Lists tools. The newer revision over HTTP copies fields of inputs to headers; the library leaves out tools that it
 * cannot do that for. It rejects a whole list with one bad item, so such a list is read item by item.
 */
export async function listTools(
  client: Client,
  hasHeaders: boolean,
  options: { readonly timeout: number; readonly signal: AbortSignal },
): Promise<readonly Item[]> {
  const isModern = (client.getNegotiatedProtocolVersion() ?? '') >= FIRST_MODERN;
  if (!hasHeaders || !isModern) return listItems(client, LISTS.tools, options);
  try {
    const { tools } = await client.listTools({}, options);
    return tools.slice(0, MAX_ITEMS);
  } catch (thrown) {
    options.signal.throwIfAborted();
    if (errorCode(thrown) !== 'INVALID_RESULT') throw thrown;
    return listItems(client, LISTS.tools, options);
  }
}

const FIRST_MODERN = '2026-07-28';

/** A schema that accepts every result. The reader of the result checks what it uses. */
export const ANYTHING: StandardSchemaV1<unknown, unknown> = {
  '~standard': { version: 1, vendor: 'heddle', validate: (value) => ({ value }) },
};
