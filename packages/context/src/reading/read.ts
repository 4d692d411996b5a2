/** What stands in messages of any origin. A log may hold anything: what is not of the expected shape is not there. */
import {
  type ContentBlock,
  isRecord,
  isToolResult,
  isToolUse,
  type Message,
  text,
  textOf,
  type ToolResultBlock,
  type ToolUseBlock,
  type UserMessage,
} from '@heddle/core';

export function messageBlocks(message: Message): readonly ContentBlock[] {
  if (message?.type !== 'user' && message?.type !== 'assistant') return [];
  const content: unknown = message.content;
  if (typeof content === 'string') return [text(content)];
  return Array.isArray(content) ? content.filter(isBlock) : [];
}

function isBlock(value: unknown): value is ContentBlock {
  return isRecord(value) && 'type' in value;
}

export function callsIn(message: Message): readonly ToolUseBlock[] {
  return message?.type === 'assistant' ? messageBlocks(message).filter(isToolUse) : [];
}

export function toolResultsIn(message: Message): readonly ToolResultBlock[] {
  return message?.type === 'user' ? messageBlocks(message).filter(isToolResult) : [];
}

/** Part of an answer that is sent back. */
export function isAnswer(message: Message): message is Extract<Message, { type: 'assistant' }> {
  return (
    message?.type === 'assistant' &&
    message.apiError === undefined &&
    message.isVirtual !== true &&
    messageBlocks(message).length > 0
  );
}

/** The user's own words: not the loop's, not a tool's. */
export function isRequest(message: Message): message is UserMessage {
  if (message?.type !== 'user' || message.isMeta === true || message.isVirtual === true) return false;
  return messageBlocks(message).some((block) => block.type !== 'tool_result');
}

/** The words of a request or a queued command, media as notes; undefined for anything else. */
export function requestText(message: Message): string | undefined {
  if (message?.type === 'attachment' && message.attachment?.kind === 'queued_command')
    return wordsOf(message.attachment.prompt);
  return isRequest(message) ? wordsOf(message.content) : undefined;
}

function wordsOf(content: string | readonly ContentBlock[]): string {
  if (typeof content === 'string') return content;
  const words: string[] = [];
  for (const block of content) {
    if (block.type === 'text') words.push(block.text);
    else if (block.type === 'image' || block.type === 'document') words.push(`[${block.type}]`);
  }
  return words.join('\n');
}

/** The text of a result; its media are no part of it. */
export function resultText({ content }: ToolResultBlock): string {
  if (typeof content === 'string') return content;
  const parts: unknown = content;
  return Array.isArray(parts) ? textOf(parts.filter(isBlock)) : '';
}

/** The message with some of its results replaced; its uuid stays, since it takes the place of the old one. */
export function withResults(
  message: UserMessage,
  replace: (result: ToolResultBlock) => ToolResultBlock,
): UserMessage {
  if (typeof message.content === 'string') return message;
  let changed = false;
  const content = message.content.map((block): ContentBlock => {
    if (!isBlock(block) || !isToolResult(block)) return block;
    const next = replace(block);
    changed ||= next !== block;
    return next;
  });
  if (!changed) return message;
  // The structured output beside the result is for screens; it would keep alive what was just let go.
  const { toolUseResult: _, ...rest } = message;
  return { ...rest, content };
}

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
