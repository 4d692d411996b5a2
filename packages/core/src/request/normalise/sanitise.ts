/**
 * Content of unknown shape read into blocks that the API takes: known kinds with their known fields in a fixed order (so
 * that the same block always makes the same bytes), kinds this version does not know as they came. Ids are still the
 * history's own here; `pairing.ts` makes them valid and unique.
 */
import {
  type ContentBlock,
  type ForeignBlock,
  type ResultContent,
  text,
  type TextBlock,
  type ToolResultBlock,
  type ToolUseBlock,
} from '../../messages/blocks.ts';
import type { JsonObject } from '../../json.ts';
import { mediaNote, NO_OUTPUT } from '../texts.ts';
import { readCitations } from './citations.ts';
import { cleanJson, cleanObject, type Dict, isBlank, isDict, wellFormed } from './clean-json.ts';
import { isMedia, readMedia } from './media.ts';
import { readSearchResult, readToolReference } from './search.ts';

export type Mend = (what: string) => void;

/** Fields the API sends and wants back, of which the loop itself has no use. */
interface CitingText extends TextBlock {
  readonly citations?: readonly JsonObject[];
}
interface Call extends ToolUseBlock {
  readonly caller?: JsonObject;
}

export interface ReadContent {
  readonly results: readonly ToolResultBlock[];
  readonly rest: readonly ContentBlock[];
}

/** The content of an answer. Results are never part of one; they are handed over to the user's side. */
export function readAnswer(content: unknown, mend: Mend): ReadContent {
  return sort(content, mend, (block) => {
    if (onlyInResults(kindOf(block)) || kindOf(block) === 'search_result') {
      mend(`a block of type ${kindOf(block)} was left out of an answer`);
      return undefined;
    }
    if (!isMedia(block)) return block;
    mend(`a block of type ${block.type} in an answer was replaced by a note`);
    return text(mediaNote(block.type, 'an answer cannot hold it'));
  });
}

/** The content of a user message. */
export function readWords(content: unknown, mend: Mend): ReadContent {
  return sort(content, mend, (block) => {
    if (!onlyInAnswers(kindOf(block)) && !onlyInResults(kindOf(block))) return block;
    mend(`a block of type ${kindOf(block)} was left out of a user message`);
    return undefined;
  });
}

function sort(
  content: unknown,
  mend: Mend,
  admit: (block: ContentBlock) => ContentBlock | undefined,
): ReadContent {
  const results: ToolResultBlock[] = [];
  const rest: ContentBlock[] = [];
  for (const item of listOf(content)) {
    const read = readBlock(item, mend);
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

function onlyInResults(type: string): boolean {
  return type === 'tool_reference';
}

function readBlock(value: unknown, mend: Mend): ContentBlock | undefined {
  if (typeof value === 'string') return readText({ text: value });
  if (!isDict(value) || typeof value['type'] !== 'string' || isBlank(value['type'])) {
    mend('something that is no block was left out');
    return undefined;
  }
  switch (value['type']) {
    case 'text':
      return readText(value);
    case 'thinking':
    case 'redacted_thinking':
      return readThinking(value, mend);
    case 'tool_use':
      return readCall(value, mend);
    case 'tool_result':
      return readResult(value, mend);
    case 'image':
    case 'document':
      return readMedia(value, mend);
    case 'search_result':
      return readSearchResult(value);
    case 'tool_reference':
      return readToolReference(value);
    default:
      return readForeign(value, mend);
  }
}

/** Blank texts are refused by the API and say nothing: they go without a word. */
function readText(value: Dict): CitingText | undefined {
  const words = value['text'];
  if (typeof words !== 'string' || isBlank(words)) return undefined;
  const citations = readCitations(value['citations']);
  const block: CitingText = { type: 'text', text: wellFormed(words) };
  return citations.length === 0 ? block : { ...block, citations };
}

/** A signature covers its block to the letter, so a block that would have to be mended cannot be. */
function readThinking(value: Dict, mend: Mend): ContentBlock | undefined {
  const { thinking, signature, data } = value;
  if (value['type'] === 'redacted_thinking') {
    if (isIntact(data) && !isBlank(data)) return { type: 'redacted_thinking', data };
  } else if (isIntact(thinking) && isIntact(signature) && !isBlank(signature))
    return { type: 'thinking', thinking, signature };
  mend('a thinking block without a valid signature was left out');
  return undefined;
}

function isIntact(value: unknown): value is string {
  return typeof value === 'string' && value.isWellFormed();
}

function readCall(value: Dict, mend: Mend): Call {
  const name = readName(value['name']);
  if (name !== value['name']) mend(`the tool name of a call was changed to ${name}`);
  const call: Call = { type: 'tool_use', id: readId(value['id']), name, input: readInput(value, mend) };
  const caller = value['caller'];
  return isDict(caller) && typeof caller['type'] === 'string'
    ? { ...call, caller: cleanObject(caller) }
    : call;
}

const MAX_NAME = 128;

function readName(value: unknown): string {
  const name = typeof value === 'string' ? value.replaceAll(/[^a-zA-Z0-9_-]/g, '_').slice(0, MAX_NAME) : '';
  return name === '' ? 'unknown_tool' : name;
}

/** The same for a call and its result, so that the two find each other whatever was wrong with both. */
function readId(value: unknown): string {
  if (typeof value === 'string') return wellFormed(value);
  return typeof value === 'number' ? String(value) : '';
}

function readInput(value: Dict, mend: Mend): ToolUseBlock['input'] {
  const input = value['input'];
  if (isDict(input)) return cleanObject(input);
  mend('the input of a call was not an object');
  const clean = cleanJson(input) ?? null;
  return clean === null ? {} : { input: clean };
}

function readResult(value: Dict, mend: Mend): ToolResultBlock {
  const id = readId(value['tool_use_id']);
  const failed = value['is_error'] === true;
  const content = readOutput(value['content'], failed, mend);
  const result: ToolResultBlock = { type: 'tool_result', tool_use_id: id, content };
  return failed ? { ...result, is_error: true } : result;
}

function readOutput(value: unknown, failed: boolean, mend: Mend): ToolResultBlock['content'] {
  if (typeof value === 'string') return isBlank(value) ? NO_OUTPUT : wellFormed(value);
  const parts: ResultContent[] = [];
  for (const item of listOf(value)) {
    const block = readBlock(item, mend);
    if (block === undefined) continue;
    if (!isResultContent(block)) mend(`a block of type ${kindOf(block)} was left out of a result`);
    else parts.push(failed ? asText(block, mend) : block);
  }
  return parts.length === 0 ? NO_OUTPUT : parts;
}

function isResultContent(block: ContentBlock): block is ResultContent {
  return block.type !== 'tool_result' && !onlyInAnswers(kindOf(block));
}

/** The result of a failed call may hold nothing but text. */
function asText(block: ContentBlock, mend: Mend): TextBlock {
  if (block.type === 'text') return block;
  mend(`a block of type ${kindOf(block)} in a failed result was replaced by a note`);
  if (isMedia(block)) return text(mediaNote(block.type, 'the call failed'));
  return text(`[${kindOf(block)} left out: the call failed.]`);
}

/** A kind this version does not know goes back as it came; only the cache marks are ours to set. */
function readForeign(value: Dict, mend: Mend): ContentBlock | undefined {
  const { cache_control: _, ...rest } = value;
  const clean: unknown = cleanObject('cache_control' in value ? rest : value);
  if (isForeign(clean)) return clean;
  mend('a block that could not be read was left out');
  return undefined;
}

/** The type of a block as a word: that of a foreign block is a string, too. */
export function kindOf(block: ContentBlock): string {
  return String(block.type);
}

function isForeign(value: unknown): value is ForeignBlock {
  return isDict(value) && typeof value['type'] === 'string';
}
