/** What the model is shown of a file. */
import type { ResultContent, ToolResult } from '@heddle/core';
import type { ReadData, ShownPart } from './shown.ts';

export function resultOf({ parts }: ReadData): ToolResult {
  const [only] = parts;
  if (parts.length === 1 && only?.kind === 'text') return { content: only.text };
  return { content: parts.map(blockOf) };
}

function blockOf(part: ShownPart): ResultContent {
  if (part.kind === 'text') return { type: 'text', text: part.text };
  const { mediaType, base64 } = part;
  return { type: 'image', source: { type: 'base64', media_type: mediaType, data: base64 } };
}
