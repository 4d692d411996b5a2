/** Two kinds of blocks that tools make for the model's own search: found passages, and references to tools. */
import type { ContentBlock } from '../../messages/blocks.ts';
import { cleanJson, type Dict, isBlank, isDict } from './clean-json.ts';

/** A passage with its source, which the model may cite. Needs all its fields; its content is text. */
export function readSearchResult(value: Dict): ContentBlock | undefined {
  const { source, title, citations } = value;
  if (typeof source !== 'string' || typeof title !== 'string' || !Array.isArray(value['content']))
    return undefined;
  const content = value['content'].flatMap((part: unknown) =>
    isDict(part) && part['type'] === 'text' && typeof part['text'] === 'string' && !isBlank(part['text'])
      ? [{ type: 'text', text: part['text'] }]
      : [],
  );
  if (content.length === 0 || isBlank(source) || isBlank(title)) return undefined;
  const cites = isDict(citations) && typeof citations['enabled'] === 'boolean';
  return asBlock({
    type: 'search_result',
    source,
    title,
    content,
    ...(cites ? { citations: { enabled: citations['enabled'] } } : {}),
  });
}

export function readToolReference(value: Dict): ContentBlock | undefined {
  const name = value['tool_name'];
  if (typeof name !== 'string' || !/^[a-zA-Z0-9_-]{1,128}$/.test(name)) return undefined;
  return asBlock({ type: 'tool_reference', tool_name: name });
}

/** Kinds that the API knows and the loop has no name for. */
function asBlock(fields: object): ContentBlock | undefined {
  const clean: unknown = cleanJson(fields);
  return isBlock(clean) ? clean : undefined;
}

function isBlock(value: unknown): value is ContentBlock {
  return isDict(value) && typeof value['type'] === 'string';
}
