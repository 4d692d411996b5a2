/** The steps that depend on the model and its settings: foreign signatures, step 3 (blocks of a beta), step 4 (media). */
import { isRecord } from '../../json.ts';
import { fingerprint } from '../../fingerprint.ts';
import { type ContentBlock, isThinking, text, type ToolResultBlock } from '../../messages/blocks.ts';
import type { ModelError } from '../../messages/model-error.ts';
import type { ModelRequest } from '../../model/port.ts';
import {
  BLOCK_REFUSED,
  MEDIA_REFUSED,
  MEDIA_TOO_MANY,
  mediaNote,
  RESULT_RETOLD,
  callAsText,
  resultAsTextIntroduction,
} from '../texts.ts';
import type { RequestSpec } from '../request-spec.ts';
import type { AnswerPart } from './fold.ts';
import { isMedia, mapMedia, mediaSize } from './media.ts';
import { blockKindOf, onlyInResults, type Repair } from './sanitize.ts';

/** Blocks that the API refuses unless a beta is on, and how that beta's header begins. */
const BETA_BLOCKS: ReadonlyMap<string, string> = new Map([
  ['advisor', 'advisor'],
  ['advisor_tool_result', 'advisor'],
  ['compaction', 'compact-'],
  ['mcp_tool_use', 'mcp-client-'],
  ['mcp_tool_result', 'mcp-client-'],
  ['container_upload', 'files-api-'],
]);

/** The kinds of `BETA_BLOCKS` that may not be sent under this spec. */
export function rejectedKinds(spec: RequestSpec): ReadonlySet<string> {
  const refused = new Set<string>();
  for (const [kind, header] of BETA_BLOCKS) {
    const on = spec.options.betas?.some((beta) => beta.startsWith(header)) ?? false;
    if (!on && !spec.allowedBetaBlocks.includes(kind)) refused.add(kind);
  }
  return refused;
}

export function stripBetaBlocks<T extends { readonly block: ContentBlock }>(
  parts: readonly T[],
  refused: ReadonlySet<string>,
  repair: Repair,
): readonly T[] {
  return parts.filter(({ block }) => {
    if (!refused.has(betaKind(block))) return true;
    repair(`a block of type ${blockKindOf(block)} was left out: its beta is off`);
    return false;
  });
}

/** A call of the advisor has the type of every server tool. Only its name identifies it. */
function betaKind(block: ContentBlock): string {
  const fields: unknown = block;
  const kind = blockKindOf(block);
  return kind === 'server_tool_use' && isRecord(fields) && fields['name'] === 'advisor' ? 'advisor' : kind;
}

/** Leaves out thinking that another model signed, because the API refuses it. */
export function stripForeignThinking(
  parts: readonly AnswerPart[],
  model: string,
  repair: Repair,
): readonly AnswerPart[] {
  return parts.filter((part) => {
    if (!isThinking(part.block) || isSameModel(part.model, model)) return true;
    repair('thinking of another model was left out');
    return false;
  });
}

/** Leaves out thinking at the end of a cut answer, because the API refuses it. */
export function stripTrailingThinking(parts: readonly AnswerPart[], repair: Repair): readonly AnswerPart[] {
  const last = parts.findLastIndex((part) => !isThinking(part.block));
  if (last < parts.length - 1) repair('thinking at the end of an answer was left out');
  return last < parts.length - 1 ? parts.slice(0, last + 1) : parts;
}

/** Returns true if another model wrote a part of the answer. */
export function isForeign(parts: readonly AnswerPart[], model: string): boolean {
  return parts.some((part) => !isSameModel(part.model, model));
}

/** Ignores dates: a model requested by its alias answers under its dated name. */
function isSameModel(written: unknown, asked: string): boolean {
  return typeof written === 'string' && undated(written) === undated(asked);
}

function undated(model: string): string {
  return model.replace(/^anthropic[/:]/, '').replace(/-(?:\d{8}|latest)$/, '');
}

/** Replaces the media before the `strip`-th without reporting a repair. Returns the sizes of all media. */
export function stripOldMedia(
  blocks: readonly ContentBlock[],
  before: number,
  strip: number,
): { readonly blocks: readonly ContentBlock[]; readonly sizes: readonly number[] } {
  const sizes: number[] = [];
  const kept = blocks.map((block) =>
    mapMedia(block, (media) => {
      sizes.push(mediaSize(media));
      return before + sizes.length > strip ? media : text(mediaNote(media.type, MEDIA_TOO_MANY));
    }),
  );
  return { blocks: kept, sizes };
}

// A note replaces each block that the API refused. A call and its result become text with their whole content. A server
// tool's other half is removed with the refused half.

/** The names of refused blocks: see `rejectedBlockName`. */
export type RejectedBlocks = ReadonlySet<string>;

/** Identifies a block by its content in the refused request. The name is short, because an image may be megabytes. */
export function rejectedBlockName(block: ContentBlock): string {
  const json = JSON.stringify(block);
  return `${json.length}-${fingerprint([json])}`;
}

/** Returns the name of the block that an error rejects, if a request without it can help: it is there, and was not replaced. */
export function newlyRejectedBlock(
  known: RejectedBlocks,
  request: ModelRequest,
  error: ModelError | undefined,
): string | undefined {
  if (!error?.block) return undefined;
  const block = request.messages.at(error.block.message)?.content[error.block.block];
  const name = block && rejectedBlockName(block);
  return name === undefined || known.has(name) ? undefined : name;
}

export function replaceRejectedUserBlocks(
  blocks: readonly ContentBlock[],
  refused: RejectedBlocks,
  repair: Repair,
): readonly ContentBlock[] {
  if (refused.size === 0) return blocks;
  return blocks.map((block) => (isRefused(block, refused, repair) ? noteFor(block) : block));
}

interface AnsweredRound {
  readonly answer: readonly AnswerPart[];
  readonly results: readonly ToolResultBlock[];
  /** Results whose content is sent as text, because the API refused their call or their form. */
  readonly asText: readonly ContentBlock[];
}

/** Sends the input and result of a finished call as text if they cannot be sent as blocks. No call is lost. */
export function replaceRejectedAnswerBlocks(
  { answer, results }: Pick<AnsweredRound, 'answer' | 'results'>,
  refused: RejectedBlocks,
  repair: Repair,
): AnsweredRound {
  if (refused.size === 0) return { answer, results, asText: [] };
  const hit = new Set(answer.filter(({ block }) => isRefused(block, refused, repair)));
  const lostCalls = new Map([...hit].map(({ block }) => [idOf(block), block] as const));
  const kept: ToolResultBlock[] = [];
  const asText: ContentBlock[] = [];
  for (const result of results) {
    const call = lostCalls.get(result.tool_use_id);
    if (call !== undefined) asText.push(...resultAsText(result, call));
    else if (!isRefused(result, refused, repair)) kept.push(result);
    else {
      const plain = withoutMedia(result);
      const isPlainRefused = plain === result || refused.has(rejectedBlockName(plain));
      kept.push(isPlainRefused ? { ...result, content: RESULT_RETOLD } : plain);
      if (isPlainRefused) asText.push(...resultAsText(plain, undefined));
    }
  }
  const keptAnswer = answer.flatMap((part): readonly AnswerPart[] => {
    if (hit.has(part)) return isThinking(part.block) ? [] : [{ ...part, block: noteFor(part.block) }];
    const id = idOf(part.block);
    return id !== undefined && lostCalls.has(id) ? [] : [part];
  });
  return { answer: keptAnswer, results: kept, asText };
}

/** Returns true if refused thinking of the answer was left out. */
export function isThinkingRefused(before: readonly AnswerPart[], after: readonly AnswerPart[]): boolean {
  const thoughts = (parts: readonly AnswerPart[]): number =>
    parts.filter(({ block }) => isThinking(block)).length;
  return thoughts(after) < thoughts(before);
}

function isRefused(block: ContentBlock, refused: RejectedBlocks, repair: Repair): boolean {
  if (!refused.has(rejectedBlockName(block))) return false;
  repair('a block that the API refused was replaced by a note');
  return true;
}

function noteFor(block: ContentBlock): ContentBlock {
  if (isMedia(block)) return text(mediaNote(block.type, MEDIA_REFUSED));
  return text(
    block.type === 'tool_use' ? callAsText(block.name, JSON.stringify(block.input)) : BLOCK_REFUSED,
  );
}

/** Returns the result without images and documents, which may have caused the refusal. */
function withoutMedia(result: ToolResultBlock): ToolResultBlock {
  if (typeof result.content === 'string' || !result.content.some(isMedia)) return result;
  const content = result.content.map((block) =>
    isMedia(block) ? text(mediaNote(block.type, MEDIA_REFUSED)) : block,
  );
  return { ...result, content };
}

function resultAsText(result: ToolResultBlock, call: ContentBlock | undefined): readonly ContentBlock[] {
  const name = call?.type === 'tool_use' ? call.name : undefined;
  const { content } = result;
  const blocks = typeof content === 'string' ? [text(content)] : content;
  const allowed = blocks.map((block) =>
    onlyInResults(blockKindOf(block)) ? text(JSON.stringify(block)) : block,
  );
  return [text(resultAsTextIntroduction(name, result.is_error === true)), ...allowed];
}

/** The id that connects a call with its result. */
function idOf(block: ContentBlock): string | undefined {
  const fields: unknown = block;
  if (!isRecord(fields)) return undefined;
  const id = fields['tool_use_id'] ?? fields['id'];
  return typeof id === 'string' ? id : undefined;
}
