/** Short texts in place of long ones. Each is recognised by how it begins, so that nothing is shortened twice. */
import { text, type ToolResultBlock } from '../../messages/blocks.ts';
import { resultText } from './read.ts';

const SPILLED = '[The output was too large to show';
const REMOVED = '[The output of ';

/** Longer than any of these texts can be without its preview. */
const LONGEST_FRAME = 1_000;

export function isSpilled(words: string, preview: number): boolean {
  return words.startsWith(SPILLED) && words.length <= preview + LONGEST_FRAME;
}

export function isRemoved(words: string): boolean {
  return words.startsWith(REMOVED) && words.length <= LONGEST_FRAME;
}

/** The beginning of an output, its size, and where the whole of it is. Media stay. */
export function spilledResult(
  result: ToolResultBlock,
  path: string | undefined,
  preview: number,
): ToolResultBlock {
  const words = resultText(result);
  const place =
    path === undefined
      ? 'It could not be stored apart; the session log has it.'
      : `All of it is in ${path}; read it there in parts.`;
  const shown = preview <= 0 ? '' : `\nIt begins:\n${beginning(words, preview)}\n[…]`;
  const note = `${SPILLED}: ${words.length} characters, ${linesOf(words)} lines. ${place}]${shown}`;
  return withText(result, note);
}

/** A note in place of an old output. It says how to get it back. */
export function removedResult(result: ToolResultBlock, tool: string): ToolResultBlock {
  const words = resultText(result);
  const path = /All of it is in (.+); read it there in parts\.\]/.exec(words.slice(0, LONGEST_FRAME))?.[1];
  const again =
    path === undefined
      ? 'Call it again if you still need it.'
      : `All of it is in ${path} if you still need it.`;
  return withText(
    result,
    `${REMOVED}${tool} was removed to save room (${words.length} characters). ${again}]`,
  );
}

function withText(result: ToolResultBlock, words: string): ToolResultBlock {
  if (typeof result.content === 'string') return { ...result, content: words };
  const media = result.content.filter((part) => part.type === 'image' || part.type === 'document');
  return { ...result, content: media.length === 0 ? words : [text(words), ...media] };
}

/** The first characters, never half of one. */
export function beginning(words: string, length: number): string {
  const cut = words.slice(0, length);
  return cut.isWellFormed() ? cut : cut.slice(0, -1);
}

function linesOf(words: string): number {
  let lines = 1;
  for (let at = words.indexOf('\n'); at >= 0; at = words.indexOf('\n', at + 1)) lines++;
  return lines;
}
