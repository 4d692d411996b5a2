/** Converts the conversation to the messages of the provider interface. */
import type {
  JSONValue,
  LanguageModelV4FilePart,
  LanguageModelV4Message,
  LanguageModelV4Prompt,
  LanguageModelV4TextPart,
  LanguageModelV4ToolResultPart,
} from '@ai-sdk/provider';
import type {
  ContentBlock,
  DocumentBlock,
  ImageBlock,
  ModelRequest,
  RequestMessage,
  ResultContent,
  ToolResultBlock,
} from '@heddle/core';
import type { Features } from '../../provider.ts';
import { type Metadata, readSignature } from '../signature.ts';
import { type IdForm, type ToolNames, wireId } from './names.ts';

export interface PromptFormat {
  /** The provider whose signatures are sent back. */
  readonly provider: string;
  readonly features: Features;
  readonly names: ToolNames;
  readonly ids?: IdForm;
  /**
   * The metadata for the message up to which the provider caches. Undefined if the provider does not need
   * it.
   */
  readonly mark?: Metadata | undefined;
  /** The metadata goes to the last part of the message instead. */
  readonly marksParts?: boolean;
}

type AnswerPart = Extract<LanguageModelV4Message, { role: 'assistant' }>['content'][number];

export function toProviderPrompt(request: ModelRequest, wireFormat: PromptFormat): LanguageModelV4Prompt {
  const prompt: LanguageModelV4Prompt = [];
  const system = request.system.map((layer) => layer.text).join('\n\n');
  const isMarked = request.system.some(({ cache_control }) => cache_control !== undefined);
  if (system !== '')
    prompt.push({ role: 'system', content: system, ...(isMarked ? markOf(wireFormat) : {}) });
  const marked = new Set(request.marks.map(({ message }) => message));
  /** Results contain only the id of their call, but some providers require the tool's name. */
  const tools = new Map<string, string>();
  let at = 0;
  for (const message of request.messages) {
    if (message.role === 'assistant') addAnswer(prompt, message, wireFormat, tools);
    else addUserMessage(prompt, message, wireFormat, tools);
    const last = prompt.at(-1);
    if (marked.has(at++) && last !== undefined) Object.assign(markedIn(last, wireFormat), markOf(wireFormat));
  }
  return prompt;
}

function markedIn(message: LanguageModelV4Message, { marksParts }: PromptFormat): object {
  const isWhole = marksParts !== true || message.role === 'system' || message.role === 'assistant';
  return isWhole ? message : (message.content.at(-1) ?? message);
}

function markOf({ mark }: PromptFormat): { readonly providerOptions?: Metadata } {
  return mark === undefined ? {} : { providerOptions: mark };
}

function addAnswer(
  prompt: LanguageModelV4Prompt,
  { content }: RequestMessage,
  wireFormat: PromptFormat,
  tools: Map<string, string>,
): void {
  const parts: AnswerPart[] = [];
  let mark: Metadata | undefined;
  for (const block of content) {
    // A mark precedes the text or call that it belongs to.
    if (block.type === 'redacted_thinking') {
      mark = readSignature(wireFormat.provider, block.data);
      continue;
    }
    if (block.type === 'tool_use') tools.set(block.id, block.name);
    const part = answerPart(block, wireFormat);
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
  { provider, features, names, ids = 'any' }: PromptFormat,
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
      const metadata = features.thinking === 'dropped' ? undefined : readSignature(provider, block.signature);
      return metadata && { type: 'reasoning', text: block.thinking, providerOptions: metadata };
    }
    // Blocks that only another provider understands.
    default:
      return undefined;
  }
}

function addUserMessage(
  prompt: LanguageModelV4Prompt,
  { content }: RequestMessage,
  { features, names, ids = 'any' }: PromptFormat,
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
    last.output = withText(last.output, words.splice(0).map(inWords).join('\n\n'));
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

// `reasoning_details` belong to a whole response, but the history stores them with each thinking block.
// They contain the text of the thinking, so it is not sent twice.

type AnswerMessage = Extract<LanguageModelV4Message, { role: 'assistant' }>;

function liftDetails(message: AnswerMessage): void {
  const details = message.content.flatMap((part) => detailsOf(part.providerOptions));
  if (details.length === 0) return;
  const others = message.content.filter((part) => detailsOf(part.providerOptions).length === 0);
  message.content.splice(0, message.content.length, ...others);
  const before = detailsOf(message.providerOptions);
  message.providerOptions = {
    ...message.providerOptions,
    openaiCompatible: {
      ...message.providerOptions?.['openaiCompatible'],
      reasoning_details: [...before, ...details],
    },
  };
}

function detailsOf(options: AnswerMessage['providerOptions']): readonly JSONValue[] {
  const details = options?.['openaiCompatible']?.['reasoning_details'];
  return isList(details) ? details : [];
}

function isList(value: JSONValue | undefined): value is JSONValue[] {
  return Array.isArray(value);
}

type Output = LanguageModelV4ToolResultPart['output'];

interface ReadResult {
  readonly output: Output;
  /** The media that did not fit. */
  readonly after: readonly MediaPart[];
}

function readResult(result: ToolResultBlock, tool: string, features: Features): ReadResult {
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

/** Adds text to a result, for providers that accept no message between a result and the response to it. */
function withText(output: Output, words: string): Output {
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

type MediaPart = LanguageModelV4FilePart | LanguageModelV4TextPart;

function mediaPart(block: ImageBlock | DocumentBlock, features: Features): MediaPart {
  const { source } = block;
  if (source.type === 'file') return note(block, 'it lies in a store of another provider');
  const mediaType = source.type === 'base64' ? source.media_type : USUAL[block.type];
  if (source.type === 'base64' && mediaType.startsWith('text/')) return textOf(block, source.data);
  const isTaken = block.type === 'image' ? features.images : features.documents && isPdf(mediaType);
  if (!isTaken) return note(block, 'this provider does not take it');
  const data: LanguageModelV4FilePart['data'] | undefined =
    source.type === 'base64' ? { type: 'data', data: source.data } : urlData(source.url);
  if (data === undefined) return note(block, 'its address cannot be read');
  return { type: 'file', mediaType, data, ...titleOf(block) };
}

const USUAL = { image: 'image/*', document: 'application/pdf' } as const;

function isPdf(mediaType: string): boolean {
  return mediaType === 'application/pdf';
}

function urlData(address: string): LanguageModelV4FilePart['data'] | undefined {
  const url = URL.parse(address);
  return url === null ? undefined : { type: 'url', url };
}

function titleOf(block: ImageBlock | DocumentBlock): { filename?: string } {
  return block.type === 'document' && block.title !== undefined ? { filename: block.title } : {};
}

/** A document that is plain text needs no special feature. */
function textOf(block: ImageBlock | DocumentBlock, data: string): LanguageModelV4TextPart {
  const { filename = 'Document' } = titleOf(block);
  return { type: 'text', text: `${filename}:\n${Buffer.from(data, 'base64').toString('utf8')}` };
}

function note(block: ImageBlock | DocumentBlock, why: string): LanguageModelV4TextPart {
  const { filename } = titleOf(block);
  const what = filename === undefined ? block.type : `${block.type} ${filename}`;
  return { type: 'text', text: `[${what} left out: ${why}]` };
}
