/** Citations on a text of the model. Answers carry fields that requests refuse, so only the known ones go back. */
import type { Json, JsonObject } from '../../json.ts';
import { cleanObject, isDict } from './clean-json.ts';

const IN_DOCUMENT = ['cited_text', 'document_index', 'document_title'];

const FIELDS: ReadonlyMap<unknown, readonly string[]> = new Map([
  ['char_location', [...IN_DOCUMENT, 'start_char_index', 'end_char_index']],
  ['page_location', [...IN_DOCUMENT, 'start_page_number', 'end_page_number']],
  ['content_block_location', [...IN_DOCUMENT, 'start_block_index', 'end_block_index']],
  ['web_search_result_location', ['cited_text', 'encrypted_index', 'title', 'url']],
  [
    'search_result_location',
    ['cited_text', 'search_result_index', 'source', 'title', 'start_block_index', 'end_block_index'],
  ],
]);

/** A title may be null; without any other field a citation is refused. */
const OPTIONAL = new Set(['title', 'document_title']);

export function readCitations(value: unknown): readonly JsonObject[] {
  if (!Array.isArray(value)) return [];
  const citations: JsonObject[] = [];
  for (const item of value) {
    const fields = isDict(item) ? FIELDS.get(item['type']) : undefined;
    if (fields === undefined || !isDict(item)) continue;
    const clean = cleanObject(item);
    const citation: Record<string, Json> = { type: clean['type'] ?? null };
    for (const field of fields) citation[field] = clean[field] ?? null;
    if (fields.every((field) => OPTIONAL.has(field) || citation[field] !== null)) citations.push(citation);
  }
  return citations;
}
