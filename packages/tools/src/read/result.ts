/** What the model is shown of a file. */
import type { ResultContent, ToolResult } from '@heddle/core';
import { numbered } from './page.ts';
import type { ReadData, ShownPart } from './shown.ts';

export function resultOf({ parts }: ReadData): ToolResult {
  const [only] = parts;
  if (parts.length === 1 && only !== undefined && only.kind !== 'image') return { content: textOfPart(only) };
  return { content: parts.map(blockOf) };
}

function blockOf(part: ShownPart): ResultContent {
  if (part.kind !== 'image') return { type: 'text', text: textOfPart(part) };
  const { mediaType, base64 } = part;
  return { type: 'image', source: { type: 'base64', media_type: mediaType, data: base64 } };
}

function textOfPart(part: Exclude<ShownPart, { readonly kind: 'image' }>): string {
  if (part.kind === 'text') return part.text;
  return [numbered(part.lines, part.first), part.note].filter((text) => text !== '').join('\n');
}
