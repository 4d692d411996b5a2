/** Results of calls as tool messages. Media that a result cannot hold follow in the user's next words. */
import type { LanguageModelV4TextPart, LanguageModelV4ToolResultPart } from '@ai-sdk/provider';
import type { ResultContent, ToolResultBlock } from '@heddle/core';
import type { Features } from '../../providers/features.ts';
import { type MediaPart, mediaPart } from './media.ts';

type Output = LanguageModelV4ToolResultPart['output'];

export interface ReadResult {
  readonly output: Output;
  /** What did not fit. */
  readonly after: readonly MediaPart[];
}

export function readResult(result: ToolResultBlock, tool: string, features: Features): ReadResult {
  const parts = typeof result.content === 'string' ? [text(result.content)] : contentParts(result, features);
  const isPlain = parts.every((part) => part.type === 'text');
  if (isPlain) return { output: plain(parts, result.is_error === true), after: [] };
  if (features.mediaInResults) return { output: { type: 'content', value: [...parts] }, after: [] };
  const media = parts.filter((part) => part.type === 'file');
  if (!features.wordsAfterResults) {
    return { output: plain(parts.map(asWords), result.is_error === true), after: [] };
  }
  const words = parts.map((part) => (part.type === 'text' ? part : text(FOLLOWS)));
  return {
    output: plain(words, result.is_error === true),
    after: [text(`From the result of ${tool}:`), ...media],
  };
}

/** Adds words to a result, for providers that hear nobody between a result and the answer to it. */
export function withWords(output: Output, words: string): Output {
  if (output.type === 'text' || output.type === 'error-text') {
    return { ...output, value: `${output.value}\n\n${words}` };
  }
  return output.type === 'content'
    ? { ...output, value: [...output.value, { type: 'text', text: words }] }
    : output;
}

const FOLLOWS = '[The image or document follows in the next message.]';

function contentParts({ content }: ToolResultBlock, features: Features): readonly MediaPart[] {
  return typeof content === 'string' ? [] : content.flatMap((block) => contentPart(block, features));
}

function contentPart(block: ResultContent, features: Features): readonly MediaPart[] {
  if (block.type === 'text') return [text(block.text)];
  if (block.type === 'image' || block.type === 'document') return [mediaPart(block, features)];
  return [text(`[${String(block.type)} left out: this provider does not take it]`)];
}

function asWords(part: MediaPart): MediaPart {
  return part.type === 'text' ? part : text('[image or document left out: a result cannot hold it here]');
}

function plain(parts: readonly MediaPart[], failed: boolean): Output {
  const value = parts.map((part) => (part.type === 'text' ? part.text : '')).join('\n');
  return { type: failed ? 'error-text' : 'text', value };
}

function text(words: string): LanguageModelV4TextPart {
  return { type: 'text', text: words };
}
