/**
 * Reads content of unknown shape into blocks that the API accepts. A known kind keeps its known fields in a fixed order,
 * so that the same block always has the same bytes. An unknown kind is not changed. The ids are those of the history:
 * `pairing.ts` makes them valid and unique.
 */
import { isRecord, type Json, type JsonObject } from '../../json.ts';
import {
  type ContentBlock,
  type ForeignBlock,
  type ResultContent,
  text,
  type TextBlock,
  type ToolResultBlock,
  type ToolUseBlock,
} from '../../messages/blocks.ts';
import { mediaNote, NO_OUTPUT } from '../texts.ts';
import { cleanJson, cleanObject, type Dict, isBlank, wellFormed } from './clean-json.ts';
import { isMedia, readMedia } from './media.ts';

export type Repair = (what: string) => void;

/** Fields that the API sends and requires in later requests. The loop does not use them. */
interface CitingText extends TextBlock {
  readonly citations?: readonly JsonObject[];
}
interface Call extends ToolUseBlock {
  readonly caller?: JsonObject;
}

interface ReadContent {
  readonly results: readonly ToolResultBlock[];
  readonly rest: readonly ContentBlock[];
}

/** Reads the content of an answer. Results do not belong to an answer, so the caller adds them to the user's side. */
export function readAnswer(content: unknown, repair: Repair): ReadContent {
  return sort(content, repair, (block) => {
    if (onlyInResults(blockKindOf(block)) || blockKindOf(block) === 'search_result') {
      repair(`a block of type ${blockKindOf(block)} was left out of an answer`);
      return undefined;
    }
    if (!isMedia(block)) return block;
    repair(`a block of type ${block.type} in an answer was replaced by a note`);
    return text(mediaNote(block.type, 'an answer cannot hold it'));
  });
}

/** Reads the content of a user message. */
export function readUserContent(content: unknown, repair: Repair): ReadContent {
  return sort(content, repair, (block) => {
    if (!onlyInAnswers(blockKindOf(block)) && !onlyInResults(blockKindOf(block))) return block;
    repair(`a block of type ${blockKindOf(block)} was left out of a user message`);
    return undefined;
  });
}

function sort(
  content: unknown,
  repair: Repair,
  admit: (block: ContentBlock) => ContentBlock | undefined,
): ReadContent {
  const results: ToolResultBlock[] = [];
  const rest: ContentBlock[] = [];
  for (const item of listOf(content)) {
    const read = readBlock(item, repair);
    const block = read === undefined ? undefined : admit(read);
    if (block?.type === 'tool_result') results.push(block);
    else if (block !== undefined) rest.push(block);
  }
  return { results, rest };
}

function listOf(content: unknown): readonly unknown[] {
  if (Array.isArray(content)) return content;
  return content === undefined || content === null ? [] : [content];
}

function onlyInAnswers(type: string): boolean {
  if (type === 'tool_use' || type === 'thinking' || type === 'redacted_thinking') return true;
  return type === 'server_tool_use' || type === 'mcp_tool_use' || type.endsWith('_tool_result');
}

export function onlyInResults(type: string): boolean {
  return type === 'tool_reference';
}

function readBlock(value: unknown, repair: Repair): ContentBlock | undefined {
  if (typeof value === 'string') return readText({ text: value });
  if (!isRecord(value) || typeof value['type'] !== 'string' || isBlank(value['type'])) {
    repair('something that is not a block was left out');
    return undefined;
  }
  switch (value['type']) {
    case 'text':
      return readText(value);
    case 'thinking':
    case 'redacted_thinking':
      return readThinking(value, repair);
    case 'tool_use':
      return readCall(value, repair);
    case 'tool_result':
      return readResult(value, repair);
    case 'image':
    case 'document':
      return readMedia(value, repair);
    case 'search_result':
      return readSearchResult(value);
    case 'tool_reference':
      return readToolReference(value);
    default:
      return readForeign(value, repair);
  }
}

/** Leaves out blank texts without reporting a repair, because the API refuses them and they contain nothing. */
function readText(value: Dict): CitingText | undefined {
  const content = value['text'];
  if (typeof content !== 'string' || isBlank(content)) return undefined;
  const citations = readCitations(value['citations']);
  const block: CitingText = { type: 'text', text: wellFormed(content) };
  return citations.length === 0 ? block : { ...block, citations };
}

/** A signature covers the exact text of its block, so an invalid block cannot be repaired. */
function readThinking(value: Dict, repair: Repair): ContentBlock | undefined {
  const { thinking, signature, data } = value;
  if (value['type'] === 'redacted_thinking') {
    if (isIntact(data) && !isBlank(data)) return { type: 'redacted_thinking', data };
  } else if (isIntact(thinking) && isIntact(signature) && !isBlank(signature))
    return { type: 'thinking', thinking, signature };
  repair('a thinking block without a valid signature was left out');
  return undefined;
}

function isIntact(value: unknown): value is string {
  return typeof value === 'string' && value.isWellFormed();
}

function readCall(value: Dict, repair: Repair): Call {
  const name = readName(value['name']);
  if (name !== value['name']) repair(`the tool name of a call was changed to ${name}`);
  const call: Call = { type: 'tool_use', id: readId(value['id']), name, input: readInput(value, repair) };
  const caller = value['caller'];
  return isRecord(caller) && typeof caller['type'] === 'string'
    ? { ...call, caller: cleanObject(caller) }
    : call;
}

const MAX_NAME = 128;

function readName(value: unknown): string {
  const name = typeof value === 'string' ? value.replaceAll(/[^a-zA-Z0-9_-]/g, '_').slice(0, MAX_NAME) : '';
  return name === '' ? 'unknown_tool' : name;
}

/** Reads ids of calls and results in the same way, so that they match even if both are invalid. */
function readId(value: unknown): string {
  if (typeof value === 'string') return wellFormed(value);
  return typeof value === 'number' ? String(value) : '';
}

function readInput(value: Dict, repair: Repair): ToolUseBlock['input'] {
  const input = value['input'];
  if (isRecord(input)) return cleanObject(input);
  repair('the input of a call was not an object');
  const clean = cleanJson(input) ?? null;
  return clean === null ? {} : { input: clean };
}

function readResult(value: Dict, repair: Repair): ToolResultBlock {
  const id = readId(value['tool_use_id']);
  const failed = value['is_error'] === true;
  const content = readOutput(value['content'], failed, repair);
  const result: ToolResultBlock = { type: 'tool_result', tool_use_id: id, content };
  return failed ? { ...result, is_error: true } : result;
}

function readOutput(value: unknown, failed: boolean, repair: Repair): ToolResultBlock['content'] {
  if (typeof value === 'string') return isBlank(value) ? NO_OUTPUT : wellFormed(value);
  const parts: ResultContent[] = [];
  for (const item of listOf(value)) {
    const block = readBlock(item, repair);
    if (block === undefined) continue;
    if (!isResultContent(block)) repair(`a block of type ${blockKindOf(block)} was left out of a result`);
    else parts.push(failed ? asText(block, repair) : block);
  }
  return parts.length === 0 ? NO_OUTPUT : parts;
}

function isResultContent(block: ContentBlock): block is ResultContent {
  return block.type !== 'tool_result' && !onlyInAnswers(blockKindOf(block));
}

/** The API accepts only text in the result of a failed call. */
function asText(block: ContentBlock, repair: Repair): TextBlock {
  if (block.type === 'text') return block;
  repair(`a block of type ${blockKindOf(block)} in a failed result was replaced by a note`);
  if (isMedia(block)) return text(mediaNote(block.type, 'the call failed'));
  return text(`[${blockKindOf(block)} left out: the call failed.]`);
}

/** Keeps a block of an unknown kind as it is, except its cache mark, which only the builder sets. */
function readForeign(value: Dict, repair: Repair): ContentBlock | undefined {
  const { cache_control: _, ...rest } = value;
  const clean: unknown = cleanObject('cache_control' in value ? rest : value);
  if (isForeign(clean)) return clean;
  repair('a block that could not be read was left out');
  return undefined;
}

/** The type of a block as a string. The type of a foreign block is not a literal type. */
export function blockKindOf(block: ContentBlock): string {
  return String(block.type);
}

function isForeign(value: unknown): value is ForeignBlock {
  return isRecord(value) && typeof value['type'] === 'string';
}

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

/** A title may be null. The API refuses a citation if any other field is missing. */
const OPTIONAL = new Set(['title', 'document_title']);

function readCitations(value: unknown): readonly JsonObject[] {
  if (!Array.isArray(value)) return [];
  const citations: JsonObject[] = [];
  for (const item of value) {
    const fields = isRecord(item) ? FIELDS.get(item['type']) : undefined;
    if (fields === undefined || !isRecord(item)) continue;
    const clean = cleanObject(item);
    const citation: Record<string, Json> = { type: clean['type'] ?? null };
    for (const field of fields) citation[field] = clean[field] ?? null;
    if (fields.every((field) => OPTIONAL.has(field) || citation[field] !== null)) citations.push(citation);
  }
  return citations;
}

/** Reads a passage with its source, which the model may cite. All fields are required, and its content is text. */
function readSearchResult(value: Dict): ContentBlock | undefined {
  const { source, title, citations } = value;
  if (typeof source !== 'string' || typeof title !== 'string' || !Array.isArray(value['content']))
    return undefined;
  const content = value['content'].flatMap((part: unknown) =>
    isRecord(part) && part['type'] === 'text' && typeof part['text'] === 'string' && !isBlank(part['text'])
      ? [{ type: 'text', text: part['text'] }]
      : [],
  );
  if (content.length === 0 || isBlank(source) || isBlank(title)) return undefined;
  const cites = isRecord(citations) && typeof citations['enabled'] === 'boolean';
  return asBlock({
    type: 'search_result',
    source,
    title,
    content,
    ...(cites ? { citations: { enabled: citations['enabled'] } } : {}),
  });
}

function readToolReference(value: Dict): ContentBlock | undefined {
  const { tool_name: name, definition } = value;
  if (typeof name !== 'string' || !/^[a-zA-Z0-9_-]{1,128}$/.test(name)) return undefined;
  const block = { type: 'tool_reference', tool_name: name } as const;
  if (!isRecord(definition) || typeof definition['description'] !== 'string') return block;
  if (!isRecord(definition['input_schema'])) return block;
  const description = wellFormed(definition['description']);
  return { ...block, definition: { description, input_schema: cleanObject(definition['input_schema']) } };
}

/** Makes a block of a kind that the API accepts and `ContentBlock` does not list. */
function asBlock(fields: object): ContentBlock | undefined {
  const clean: unknown = cleanJson(fields);
  return isBlock(clean) ? clean : undefined;
}

function isBlock(value: unknown): value is ContentBlock {
  return isRecord(value) && typeof value['type'] === 'string';
}
