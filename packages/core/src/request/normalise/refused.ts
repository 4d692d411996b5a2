/**
 * Blocks that the API refused by name. A note takes their place. A call and its result become text, with all they contain.
 * The other half of a tool that ran on the server is removed with the refused half.
 */
import { fingerprint } from '../../fingerprint.ts';
import { type ContentBlock, isThought, text, type ToolResultBlock } from '../../messages/blocks.ts';
import {
  BLOCK_REFUSED,
  MEDIA_REFUSED,
  mediaNote,
  RESULT_RETOLD,
  retoldCall,
  retoldResultIntroduction,
} from '../texts.ts';
import { isDict } from './clean-json.ts';
import type { AnswerPart } from './fold.ts';
import { isMedia } from './media.ts';
import type { Mend } from './sanitise.ts';

/** Their names: see `refusedName`. */
export type RefusedBlocks = ReadonlySet<string>;

/** A block is known again by its words in the request that was refused. An image may be megabytes: the name is short. */
export function refusedName(block: ContentBlock): string {
  const json = JSON.stringify(block);
  return `${json.length}-${fingerprint([json])}`;
}

export function replaceRefusedWords(
  words: readonly ContentBlock[],
  refused: RefusedBlocks,
  mend: Mend,
): readonly ContentBlock[] {
  if (refused.size === 0) return words;
  return words.map((block) => (isRefused(block, refused, mend) ? noteFor(block) : block));
}

export interface AnsweredRound {
  readonly answer: readonly AnswerPart[];
  readonly results: readonly ToolResultBlock[];
  /** Results whose content is sent as text, because the API refused their call or their form. */
  readonly retold: readonly ContentBlock[];
}

/** A finished call never disappears: its input and its result are sent as text if they cannot be sent as blocks. */
export function replaceRefusedAnswer(
  { answer, results }: Pick<AnsweredRound, 'answer' | 'results'>,
  refused: RefusedBlocks,
  mend: Mend,
): AnsweredRound {
  if (refused.size === 0) return { answer, results, retold: [] };
  const hit = new Set(answer.filter(({ block }) => isRefused(block, refused, mend)));
  const lostCalls = new Map([...hit].map(({ block }) => [idOf(block), block] as const));
  const kept: ToolResultBlock[] = [];
  const retold: ContentBlock[] = [];
  for (const result of results) {
    const call = lostCalls.get(result.tool_use_id);
    if (call !== undefined) retold.push(...retoldResult(result, call));
    else if (!isRefused(result, refused, mend)) kept.push(result);
    else {
      const plain = withoutMedia(result);
      const isPlainRefused = plain === result || refused.has(refusedName(plain));
      kept.push(isPlainRefused ? { ...result, content: RESULT_RETOLD } : plain);
      if (isPlainRefused) retold.push(...retoldResult(plain, undefined));
    }
  }
  const keptAnswer = answer.flatMap((part): readonly AnswerPart[] => {
    if (hit.has(part)) return isThought(part.block) ? [] : [{ ...part, block: noteFor(part.block) }];
    const id = idOf(part.block);
    return id !== undefined && lostCalls.has(id) ? [] : [part];
  });
  return { answer: keptAnswer, results: kept, retold };
}

/** Some thinking of the answer was refused and left out. */
export function isThinkingRefused(before: readonly AnswerPart[], after: readonly AnswerPart[]): boolean {
  const thoughts = (parts: readonly AnswerPart[]): number =>
    parts.filter(({ block }) => isThought(block)).length;
  return thoughts(after) < thoughts(before);
}

function isRefused(block: ContentBlock, refused: RefusedBlocks, mend: Mend): boolean {
  if (!refused.has(refusedName(block))) return false;
  mend('a block that the API refused was replaced by a note');
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
  if (!isDict(fields)) return undefined;
  const id = fields['tool_use_id'] ?? fields['id'];
  return typeof id === 'string' ? id : undefined;
}
