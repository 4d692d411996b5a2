/** The conversation in the words of the provider interface. */
import type {
  LanguageModelV4Message,
  LanguageModelV4Prompt,
  LanguageModelV4ToolResultPart,
} from '@ai-sdk/provider';
import type { ContentBlock, ModelRequest, RequestMessage } from '@heddle/core';
import type { Features } from '../../providers/features.ts';
import { type Metadata, signedBy } from '../signature.ts';
import { type MediaPart, mediaPart } from './media.ts';
import type { ToolNames } from './names.ts';
import { liftDetails } from './details.ts';
import { type IdForm, wireId } from './ids.ts';
import { readResult, withWords } from './results.ts';

export interface Dialect {
  /** Whose signatures are sent back. */
  readonly provider: string;
  readonly features: Features;
  readonly names: ToolNames;
  readonly ids?: IdForm;
  /** What is said to a message up to which the provider shall cache; undefined where it needs no telling. */
  readonly mark?: Metadata | undefined;
  /** It is said to the last part of the message instead. */
  readonly marksParts?: boolean;
}

type AnswerPart = Extract<LanguageModelV4Message, { role: 'assistant' }>['content'][number];

export function promptOf(request: ModelRequest, dialect: Dialect): LanguageModelV4Prompt {
  const prompt: LanguageModelV4Prompt = [];
  const system = request.system.map((layer) => layer.text).join('\n\n');
  const isMarked = request.system.some(({ cache_control }) => cache_control !== undefined);
  if (system !== '') prompt.push({ role: 'system', content: system, ...(isMarked ? markOf(dialect) : {}) });
  const marked = new Set(request.marks.map(({ message }) => message));
  /** Results name only the id of their call; some providers want the tool's name. */
  const tools = new Map<string, string>();
  let at = 0;
  for (const message of request.messages) {
    if (message.role === 'assistant') addAnswer(prompt, message, dialect, tools);
    else addUserMessage(prompt, message, dialect, tools);
    const last = prompt.at(-1);
    if (marked.has(at++) && last !== undefined) Object.assign(markedIn(last, dialect), markOf(dialect));
  }
  return prompt;
}

function markedIn(message: LanguageModelV4Message, { marksParts }: Dialect): object {
  const isWhole = marksParts !== true || message.role === 'system' || message.role === 'assistant';
  return isWhole ? message : (message.content.at(-1) ?? message);
}

function markOf({ mark }: Dialect): { readonly providerOptions?: Metadata } {
  return mark === undefined ? {} : { providerOptions: mark };
}

function addAnswer(
  prompt: LanguageModelV4Prompt,
  { content }: RequestMessage,
  dialect: Dialect,
  tools: Map<string, string>,
): void {
  const parts: AnswerPart[] = [];
  let mark: Metadata | undefined;
  for (const block of content) {
    // A mark stands before the text or call that it belongs to.
    if (block.type === 'redacted_thinking') {
      mark = signedBy(dialect.provider, block.data);
      continue;
    }
    if (block.type === 'tool_use') tools.set(block.id, block.name);
    const part = answerPart(block, dialect);
    if (part === undefined) continue;
    parts.push(mark === undefined || part.type === 'reasoning' ? part : { ...part, providerOptions: mark });
    if (part.type !== 'reasoning') mark = undefined;
  }
  if (parts.length === 0) return;
  const last = prompt.at(-1);
  if (last?.role === 'assistant') last.content.push(...parts);
  else prompt.push({ role: 'assistant', content: parts });
  const answer = prompt.at(-1);
  if (answer?.role === 'assistant') liftDetails(answer);
}

function answerPart(
  block: ContentBlock,
  { provider, features, names, ids = 'any' }: Dialect,
): AnswerPart | undefined {
  switch (block.type) {
    case 'text':
      return { type: 'text', text: block.text };
    case 'tool_use':
      return {
        type: 'tool-call',
        toolCallId: wireId(block.id, ids),
        toolName: names.toWire(block.name),
        input: block.input,
      };
    case 'thinking': {
      const metadata = features.thinking === 'dropped' ? undefined : signedBy(provider, block.signature);
      return metadata && { type: 'reasoning', text: block.thinking, providerOptions: metadata };
    }
    // What only another provider understands.
    default:
      return undefined;
  }
}

function addUserMessage(
  prompt: LanguageModelV4Prompt,
  { content }: RequestMessage,
  { features, names, ids = 'any' }: Dialect,
  tools: ReadonlyMap<string, string>,
): void {
  const results: LanguageModelV4ToolResultPart[] = [];
  const words: MediaPart[] = [];
  for (const block of content) {
    if (block.type === 'tool_result') {
      const tool = tools.get(block.tool_use_id) ?? 'unknown_tool';
      const { output, after } = readResult(block, tool, features);
      const toolName = names.toWire(tool);
      const toolCallId = wireId(block.tool_use_id, ids);
      results.push({ type: 'tool-result', toolCallId, toolName, output });
      words.push(...after);
    } else if (block.type === 'text') words.push({ type: 'text', text: block.text });
    else if (block.type === 'image' || block.type === 'document') words.push(mediaPart(block, features));
  }
  const last = results.at(-1);
  if (last !== undefined && words.length > 0 && !features.wordsAfterResults) {
    last.output = withWords(last.output, words.splice(0).map(inWords).join('\n\n'));
  }
  if (results.length > 0) prompt.push({ role: 'tool', content: results });
  if (words.length === 0) return;
  const before = prompt.at(-1);
  if (before?.role === 'user') before.content.push(...words);
  else prompt.push({ role: 'user', content: words });
}

function inWords(part: MediaPart): string {
  return part.type === 'text'
    ? part.text
    : '[image or document left out: it cannot stand beside results here]';
}
