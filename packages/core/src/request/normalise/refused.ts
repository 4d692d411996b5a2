/**
 * Blocks that the API refused by name. A note takes their place, and what cannot stand without them goes along: a call's
 * result, the other half of a tool that ran on the server.
 */
import { fingerprint } from '../../fingerprint.ts';
import { type ContentBlock, isThought, text, type ToolResultBlock } from '../../messages/blocks.ts';
import { BLOCK_REFUSED, MEDIA_REFUSED, mediaNote } from '../texts.ts';
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

export function replaceRefusedAnswer(
  {
    answer,
    results,
  }: { readonly answer: readonly AnswerPart[]; readonly results: readonly ToolResultBlock[] },
  refused: RefusedBlocks,
  mend: Mend,
): { readonly answer: readonly AnswerPart[]; readonly results: readonly ToolResultBlock[] } {
  if (refused.size === 0) return { answer, results };
  const hit = new Set(answer.filter(({ block }) => isRefused(block, refused, mend)));
  const lostCalls = new Set([...hit].map(({ block }) => idOf(block)).filter((id) => id !== undefined));
  const keptResults = results
    .filter((result) => !lostCalls.has(result.tool_use_id))
    .map((result) => (isRefused(result, refused, mend) ? emptied(result) : result));
  const keptAnswer = answer.flatMap((part): readonly AnswerPart[] => {
    if (hit.has(part)) return isThought(part.block) ? [] : [{ ...part, block: noteFor(part.block) }];
    const id = idOf(part.block);
    return id !== undefined && lostCalls.has(id) ? [] : [part];
  });
  return { answer: keptAnswer, results: keptResults };
}

function isRefused(block: ContentBlock, refused: RefusedBlocks, mend: Mend): boolean {
  if (!refused.has(refusedName(block))) return false;
  mend('a block that the API refused was replaced by a note');
  return true;
}

function noteFor(block: ContentBlock): ContentBlock {
  return text(isMedia(block) ? mediaNote(block.type, MEDIA_REFUSED) : BLOCK_REFUSED);
}

function emptied(result: ToolResultBlock): ToolResultBlock {
  return { ...result, content: BLOCK_REFUSED };
}

/** What ties a call, here or on the server, to its result. */
function idOf(block: ContentBlock): string | undefined {
  const fields: unknown = block;
  if (!isDict(fields)) return undefined;
  const id = fields['tool_use_id'] ?? fields['id'];
  return typeof id === 'string' ? id : undefined;
}
