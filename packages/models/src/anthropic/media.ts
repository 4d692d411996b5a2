/** Does a request carry images or documents, at the top or inside results? Only asked when something went wrong. */
import type { ContentBlock, ModelRequest, ResultContent } from '@heddle/core';

export function hasMedia({ messages }: Pick<ModelRequest, 'messages'>): boolean {
  for (const { content } of messages) if (content.some(isOrHoldsMedia)) return true;
  return false;
}

function isOrHoldsMedia(block: ContentBlock): boolean {
  if (block.type === 'tool_result') return typeof block.content !== 'string' && block.content.some(isMedia);
  return isMedia(block);
}

function isMedia({ type }: ContentBlock | ResultContent): boolean {
  return type === 'image' || type === 'document';
}
