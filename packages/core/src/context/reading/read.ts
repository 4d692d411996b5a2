/** What stands in messages of any origin. A log may hold anything: what is not of the expected shape is not there. */
import type { ContentBlock, ToolResultBlock, ToolUseBlock } from '../../messages/blocks.ts';
import { isToolResult, isToolUse, text, textOf } from '../../messages/blocks.ts';
import type { Message, UserMessage } from '../../messages/message.ts';

export function blocksOf(message: Message): readonly ContentBlock[] {
  if (message?.type !== 'user' && message?.type !== 'assistant') return [];
  const content: unknown = message.content;
  if (typeof content === 'string') return [text(content)];
  return Array.isArray(content) ? content.filter(isBlock) : [];
}

function isBlock(value: unknown): value is ContentBlock {
  return typeof value === 'object' && value !== null && 'type' in value;
}

export function callsIn(message: Message): readonly ToolUseBlock[] {
  return message?.type === 'assistant' ? blocksOf(message).filter(isToolUse) : [];
}

export function resultsIn(message: Message): readonly ToolResultBlock[] {
  return message?.type === 'user' ? blocksOf(message).filter(isToolResult) : [];
}

/** Part of an answer that is sent back. */
export function isAnswer(message: Message): message is Extract<Message, { type: 'assistant' }> {
  return (
    message?.type === 'assistant' &&
    message.apiError === undefined &&
    message.isVirtual !== true &&
    blocksOf(message).length > 0
  );
}

/** The user's own words: not the loop's, not a tool's. */
export function isRequest(message: Message): message is UserMessage {
  if (message?.type !== 'user' || message.isMeta === true || message.isVirtual === true) return false;
  return blocksOf(message).some((block) => block.type !== 'tool_result');
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
