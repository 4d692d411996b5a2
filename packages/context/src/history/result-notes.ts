/** Short notes in place of long tool results. Each note has a fixed beginning, so that no result is shortened twice. */
import { text, type ToolResultBlock } from '@heddle/core';
import { resultText } from './decode-message.ts';

const SPILLED = '[The output was too large to show';
const REMOVED = '[The output of ';

/** The most characters that a note has without its preview. */
const LONGEST_FRAME = 1_000;

export function isSpilled(output: string, preview: number): boolean {
  return output.startsWith(SPILLED) && output.length <= preview + LONGEST_FRAME;
}

export function isRemoved(output: string): boolean {
  return output.startsWith(REMOVED) && output.length <= LONGEST_FRAME;
}

/** Replaces an output by its beginning, its size and the path of the whole text. Media stay. */
export function spilledResult(
  result: ToolResultBlock,
  path: string | undefined,
  preview: number,
): ToolResultBlock {
  const output = resultText(result);
  const place =
    path === undefined
      ? 'It could not be stored apart; the session log has it.'
      : `All of it is in ${path}; read it there in parts.`;
  const shown = preview <= 0 ? '' : `\nIt begins:\n${beginning(output, preview)}\n[…]`;
  const note = `${SPILLED}: ${output.length} characters, ${countLines(output)} lines. ${place}]${shown}`;
  return withText(result, note);
}

/** Replaces an old output by a note that explains how to get it again. */
export function removedResult(result: ToolResultBlock, tool: string): ToolResultBlock {
  const output = resultText(result);
  const path = /All of it is in (.+); read it there in parts\.\]/.exec(output.slice(0, LONGEST_FRAME))?.[1];
  const again =
    path === undefined
      ? 'Call it again if you still need it.'
      : `All of it is in ${path} if you still need it.`;
  return withText(
    result,
    `${REMOVED}${tool} was removed to save space (${output.length} characters). ${again}]`,
  );
}

function withText(result: ToolResultBlock, note: string): ToolResultBlock {
  if (typeof result.content === 'string') return { ...result, content: note };
  const media = result.content.filter((part) => part.type === 'image' || part.type === 'document');
  return { ...result, content: media.length === 0 ? note : [text(note), ...media] };
}

/** Returns the first characters of a text without half of a surrogate pair at the end. */
export function beginning(full: string, length: number): string {
  const cut = full.slice(0, length);
  return cut.isWellFormed() ? cut : cut.slice(0, -1);
}

function countLines(output: string): number {
  let lines = 1;
  for (let at = output.indexOf('\n'); at >= 0; at = output.indexOf('\n', at + 1)) lines++;
  return lines;
}
