/** Checks single blocks: a known type, a valid position, and exactly the fields of the type. */
import { isRecord } from '@heddle/core';
import { isBlankText, isString, type JsonFields, type PlacedBlock } from './json.ts';
import type { Report } from './rules.ts';

interface Kind {
  readonly role: 'user' | 'assistant' | 'both';
  readonly fields: readonly string[];
  /** Allowed inside a tool result. */
  readonly inResult?: true;
}

/** A mark on thinking is a separate rule. */
const KINDS: Readonly<Record<string, Kind>> = {
  text: { role: 'both', fields: ['text', 'citations', 'cache_control'], inResult: true },
  image: { role: 'user', fields: ['source', 'cache_control'], inResult: true },
  document: {
    role: 'user',
    fields: ['source', 'title', 'context', 'citations', 'cache_control'],
    inResult: true,
  },
  search_result: {
    role: 'user',
    fields: ['source', 'title', 'content', 'citations', 'cache_control'],
    inResult: true,
  },
  tool_reference: { role: 'user', fields: ['tool_name', 'cache_control'], inResult: true },
  tool_result: { role: 'user', fields: ['tool_use_id', 'content', 'is_error', 'cache_control'] },
  tool_use: { role: 'assistant', fields: ['id', 'name', 'input', 'caller', 'cache_control'] },
  thinking: { role: 'assistant', fields: ['thinking', 'signature', 'cache_control'] },
  redacted_thinking: { role: 'assistant', fields: ['data', 'cache_control'] },
};

/** Blocks of the server's own tools come back unchanged. Their fields are not checked. */
const SERVER_KINDS =
  /^(?:server_tool_use|mcp_tool_use|mcp_tool_result|compaction|container_upload|(?:web_search|web_fetch|code_execution|bash_code_execution|text_editor_code_execution|tool_search|advisor)_tool_result)$/;

/** Fields of our own messages that must never reach the API on any block. */
const HOUSE_FIELDS = ['uuid', 'at', 'isMeta', 'isVirtual', 'responseId', 'toolUseResult'];

export function checkBlocks(
  blocks: readonly PlacedBlock[],
  knownTypes: ReadonlySet<string>,
  report: Report,
): void {
  for (const placed of blocks) checkBlock(placed, knownTypes, report);
}

function checkBlock(
  { block, path, role, inResult }: PlacedBlock,
  knownTypes: ReadonlySet<string>,
  report: Report,
): void {
  const type = typeof block['type'] === 'string' ? block['type'] : '';
  const kind = Object.hasOwn(KINDS, type) ? KINDS[type] : undefined;
  const unknown = (field: string) =>
    report(`${path}.${field}`, 'block-field', `${type}.${field}: Extra inputs are not permitted`);

  if (kind === undefined) {
    if (!SERVER_KINDS.test(type) && !knownTypes.has(type))
      report(path, 'block-type', `'${type}' is not known`);
    for (const field of HOUSE_FIELDS) if (field in block) unknown(field);
    return;
  }
  for (const field of Object.keys(block))
    if (field !== 'type' && !kind.fields.includes(field)) unknown(field);
  if (inResult) {
    if (kind.inResult !== true) report(path, 'result-content', `${type} cannot stand within a result`);
  } else if (type === 'tool_reference' || (kind.role !== 'both' && kind.role !== role)) {
    report(path, 'block-role', `${type} cannot stand in a message of ${String(role)}`);
  }
  checkForm(type, block, path, report);
}

function checkForm(type: string, block: JsonFields, path: string, report: Report): void {
  if (type === 'text') {
    if (typeof block['text'] !== 'string') report(path, 'block-form');
    else if (isBlankText(block['text'])) report(path, 'empty-text');
  }
  const incomplete =
    (type === 'redacted_thinking' && !isString(block['data'])) ||
    (type === 'thinking' && typeof block['thinking'] !== 'string') ||
    ((type === 'image' || type === 'document') && !isRecord(block['source']));
  if (incomplete) report(path, 'block-form');
}

// Checks images and documents: their types, data, size and number.

const IMAGE_TYPES = new Set<unknown>(['image/jpeg', 'image/png', 'image/gif', 'image/webp']);
const DOCUMENT_TYPES = new Set<unknown>(['application/pdf']);
const MOST_MEDIA = 100;
const MOST_IMAGE_BYTES = 5 * 1024 * 1024;

export function checkMedia(blocks: readonly PlacedBlock[], report: Report): void {
  let count = 0;
  for (const { block, path } of blocks) {
    const { type, source } = block;
    if (type !== 'image' && type !== 'document') continue;
    count++;
    if (isRecord(source)) checkSource(type, source, path, report);
  }
  if (count > MOST_MEDIA)
    report('messages', 'media-count', `${count} images and documents, at most ${MOST_MEDIA}`);
}

function checkSource(type: 'image' | 'document', source: JsonFields, path: string, report: Report): void {
  const { data, media_type } = source;
  switch (source['type']) {
    case 'base64': {
      const types = type === 'image' ? IMAGE_TYPES : DOCUMENT_TYPES;
      if (!types.has(media_type))
        report(`${path}.source.media_type`, 'media-type', `${String(media_type)} is not a type of ${type}`);
      if (!isBase64(data)) report(`${path}.source.data`, 'media-data');
      else if (type === 'image' && data.length > MOST_IMAGE_BYTES) {
        report(`${path}.source.data`, 'media-size', `image exceeds 5 MB maximum: ${data.length} bytes`);
      }
      return;
    }
    case 'url':
      if (!isString(source['url'])) report(`${path}.source.url`, 'media-data');
      return;
    case 'file':
      if (!isString(source['file_id'])) report(`${path}.source.file_id`, 'media-data');
      return;
    case 'text':
      if (type !== 'document' || media_type !== 'text/plain')
        report(`${path}.source.media_type`, 'media-type');
      else if (!isString(data)) report(`${path}.source.data`, 'media-data');
      return;
    case 'content':
      if (type !== 'document') report(`${path}.source`, 'media-data');
      return;
    default:
      report(`${path}.source`, 'media-data');
  }
}

function isBase64(data: unknown): data is string {
  return isString(data) && data.length % 4 === 0 && !/[^A-Za-z0-9+/]/.test(data.replace(/={1,2}$/, ''));
}
