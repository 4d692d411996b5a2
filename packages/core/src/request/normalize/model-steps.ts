/** The steps that depend on the model and its settings: foreign signatures, step 3 (blocks of a beta), step 4 (media). */
import { isRecord } from '../../json.ts';
import { fingerprint } from '../../fingerprint.ts';
import { type ContentBlock, isThinking, text, type ToolResultBlock } from '../../messages/blocks.ts';
import {
  BLOCK_REFUSED,
  MEDIA_REFUSED,
  MEDIA_TOO_MANY,
  mediaNote,
  RESULT_RETOLD,
  retoldCall,
  retoldResultIntroduction,
} from '../texts.ts';
import type { RequestView } from '../view.ts';
import type { AnswerPart } from './fold.ts';
import { isMedia, mapMedia, mediaSize } from './media.ts';
import { blockKindOf, type Repair } from './sanitize.ts';

/** Blocks that the API refuses unless a beta is on, and how that beta's header begins. */
const BETA_BLOCKS: ReadonlyMap<string, string> = new Map([
  ['advisor', 'advisor'],
  ['advisor_tool_result', 'advisor'],
  ['compaction', 'compact-'],
  ['mcp_tool_use', 'mcp-client-'],
  ['mcp_tool_result', 'mcp-client-'],
  ['container_upload', 'files-api-'],
]);

/** The kinds of `BETA_BLOCKS` that may not be sent under this view. */
export function rejectedKinds(view: RequestView): ReadonlySet<string> {
  const refused = new Set<string>();
  for (const [kind, header] of BETA_BLOCKS) {
    const on = view.options.betas?.some((beta) => beta.startsWith(header)) ?? false;
    if (!on && !view.allowedBetaBlocks.includes(kind)) refused.add(kind);
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

/** The call of the advisor is one of the server's tools by its type, and the advisor only by its name. */
function betaKind(block: ContentBlock): string {
  const fields: unknown = block;
  const kind = blockKindOf(block);
  return kind === 'server_tool_use' && isRecord(fields) && fields['name'] === 'advisor' ? 'advisor' : kind;
}

/** A model refuses thinking that another one signed. */
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

/** Thinking leads to something; at the end of an answer, where it was cut, the API refuses it. */
export function stripTrailingThinking(parts: readonly AnswerPart[], repair: Repair): readonly AnswerPart[] {
  const last = parts.findLastIndex((part) => !isThinking(part.block));
  if (last < parts.length - 1) repair('thinking at the end of an answer was left out');
  return last < parts.length - 1 ? parts.slice(0, last + 1) : parts;
}

/** Another model wrote some of the answer. */
export function isForeign(parts: readonly AnswerPart[], model: string): boolean {
  return parts.some((part) => !isSameModel(part.model, model));
}

/** Asked for by an alias, a model answers under its dated name. */
function isSameModel(written: unknown, asked: string): boolean {
  return typeof written === 'string' && undated(written) === undated(asked);
}

function undated(model: string): string {
  return model.replace(/^anthropic[/:]/, '').replace(/-(?:\d{8}|latest)$/, '');
}

/** Silently replaces the media that come before the `strip`-th, and tells the sizes of all. */
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

// Blocks that the API refused by name. A note takes their place. A call and its result become text, with all they contain.
// The other half of a tool that ran on the server is removed with the refused half.

/** Their names: see `refusedName`. */
export type RejectedBlocks = ReadonlySet<string>;

/** A block is known again by its words in the request that was refused. An image may be megabytes: the name is short. */
export function rejectedBlockName(block: ContentBlock): string {
  const json = JSON.stringify(block);
  return `${json.length}-${fingerprint([json])}`;
}

export function replaceRejectedUserBlocks(
  words: readonly ContentBlock[],
  refused: RejectedBlocks,
  repair: Repair,
): readonly ContentBlock[] {
  if (refused.size === 0) return words;
  return words.map((block) => (isRefused(block, refused, repair) ? noteFor(block) : block));
}

interface AnsweredRound {
  readonly answer: readonly AnswerPart[];
  readonly results: readonly ToolResultBlock[];
  /** Results whose content is sent as text, because the API refused their call or their form. */
  readonly retold: readonly ContentBlock[];
}

/** A finished call never disappears: its input and its result are sent as text if they cannot be sent as blocks. */
export function replaceRejectedAnswerBlocks(
  { answer, results }: Pick<AnsweredRound, 'answer' | 'results'>,
  refused: RejectedBlocks,
  repair: Repair,
): AnsweredRound {
  if (refused.size === 0) return { answer, results, retold: [] };
  const hit = new Set(answer.filter(({ block }) => isRefused(block, refused, repair)));
  const lostCalls = new Map([...hit].map(({ block }) => [idOf(block), block] as const));
  const kept: ToolResultBlock[] = [];
  const retold: ContentBlock[] = [];
  for (const result of results) {
    const call = lostCalls.get(result.tool_use_id);
    if (call !== undefined) retold.push(...retoldResult(result, call));
    else if (!isRefused(result, refused, repair)) kept.push(result);
    else {
      const plain = withoutMedia(result);
      const isPlainRefused = plain === result || refused.has(rejectedBlockName(plain));
      kept.push(isPlainRefused ? { ...result, content: RESULT_RETOLD } : plain);
      if (isPlainRefused) retold.push(...retoldResult(plain, undefined));
    }
  }
  const keptAnswer = answer.flatMap((part): readonly AnswerPart[] => {
    if (hit.has(part)) return isThinking(part.block) ? [] : [{ ...part, block: noteFor(part.block) }];
    const id = idOf(part.block);
    return id !== undefined && lostCalls.has(id) ? [] : [part];
  });
  return { answer: keptAnswer, results: kept, retold };
}

/** Some thinking of the answer was refused and left out. */
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
    block.type === 'tool_use' ? retoldCall(block.name, JSON.stringify(block.input)) : BLOCK_REFUSED,
  );
}

/** What the result says, without the images and documents that may be the reason for the refusal. */
function withoutMedia(result: ToolResultBlock): ToolResultBlock {
  if (typeof result.content === 'string' || !result.content.some(isMedia)) return result;
  const content = result.content.map((block) =>
    isMedia(block) ? text(mediaNote(block.type, MEDIA_REFUSED)) : block,
  );
  return { ...result, content };
}

function retoldResult(result: ToolResultBlock, call: ContentBlock | undefined): readonly ContentBlock[] {
  const name = call?.type === 'tool_use' ? call.name : undefined;
  const { content } = result;
  const said = typeof content === 'string' ? [text(content)] : content;
  return [text(retoldResultIntroduction(name, result.is_error === true)), ...said];
}

/** What ties a call, here or on the server, to its result. */
function idOf(block: ContentBlock): string | undefined {
  const fields: unknown = block;
  if (!isRecord(fields)) return undefined;
  const id = fields['tool_use_id'] ?? fields['id'];
  return typeof id === 'string' ? id : undefined;
}
