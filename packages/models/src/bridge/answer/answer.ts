/** Converts the parts of a provider's stream to events of the Messages API. */
import type { JSONObject, JSONValue, LanguageModelV4StreamPart } from '@ai-sdk/provider';
import { type ApiEvent, isRecord } from '@heddle/core';
import { randomUUID } from 'node:crypto';
import type { ToolNames } from '../request/names.ts';
import { mergeMetadata, type Metadata, signMetadata, selectKeptMetadata } from '../signature.ts';
import { Blocks } from './blocks.ts';
import { answerEndOf, type Ending, usageFromProvider, type UsageSetting } from './finish.ts';
import { MarkupReader, type WrittenPart } from './markup-reader.ts';

interface AnswerSetting extends UsageSetting {
  /** The name in the request. Thinking belongs to the requested model. */
  readonly model: string;
  /** The provider whose mark the signatures contain. */
  readonly provider: string;
  readonly names: ToolNames;
  /**
   * Returns true if the conversation already contains this call id. Some servers restart their count for
   * every response.
   */
  readonly isTaken: (id: string) => boolean;
  /**
   * The server may pass thinking and calls on as text. Local servers do so if they do not know the model's
   * template.
   */
  readonly readsMarkup?: boolean;
}

/** The result of a part that the attempt must handle. Everything else was emitted as events. */
export type AnswerListenerEvents =
  | Ending
  | { readonly is: 'more' }
  | { readonly is: 'error'; readonly error: unknown };

const MORE = { is: 'more' } as const;

export class BridgeAnswer {
  /** The server's id of the response. */
  responseId: string | undefined;
  readonly #emit: (event: ApiEvent) => void;
  readonly #setting: AnswerSetting;
  readonly #blocks: Blocks;
  /** The metadata of each block, by the provider's block id. */
  readonly #metadata = new Map<string, Metadata>();
  readonly #ids = new Map<string, string>();
  /** The details of the current thinking block. */
  #details: readonly JSONObject[] = [];
  #hasBegun = false;
  readonly #markup: MarkupReader | undefined;
  #writtenCalls = 0;
  /** The provider's id of the last text. Text that was held back until the end belongs to it. */
  #lastText = '';

  constructor(setting: AnswerSetting, emit: (event: ApiEvent) => void) {
    this.#setting = setting;
    this.#emit = emit;
    this.#markup = setting.readsMarkup
      ? new MarkupReader((name) => setting.names.isKnown(name), setting.model)
      : undefined;
    this.#blocks = new Blocks(
      (event) => {
        this.#begin();
        emit(event);
      },
      (key) => signMetadata(setting.provider, this.#sealOf(key)),
    );
  }

  push(part: LanguageModelV4StreamPart): AnswerListenerEvents {
    switch (part.type) {
      case 'response-metadata':
        this.responseId = part.id ?? this.responseId;
        return MORE;
      case 'text-start':
      case 'text-delta':
        return this.#readText(part.id, 'delta' in part ? part.delta : '', part.providerMetadata);
      case 'reasoning-start':
      case 'reasoning-delta':
        this.#markup?.noteSeparateThinking();
        return this.#growThinking(part.id, 'delta' in part ? part.delta : '', part.providerMetadata);
      case 'reasoning-end':
        return this.#endThinking(part.id, part.providerMetadata);
      case 'tool-input-start':
        if (part.providerExecuted === true) return MORE;
        this.#markup?.noteSeparateCall();
        this.#beginCall(part.id, part.toolName, part.providerMetadata);
        return MORE;
      case 'tool-input-delta':
        this.#blocks.grow(keyOf('call', part.id), part.delta);
        return MORE;
      case 'tool-call':
        if (part.providerExecuted === true) return MORE;
        this.#markup?.noteSeparateCall();
        this.#beginCall(part.toolCallId, part.toolName, part.providerMetadata);
        this.#endCall(keyOf('call', part.toolCallId), part.input);
        return MORE;
      case 'finish':
        return this.#finish(part);
      case 'error':
        if (isUnknownEvent(part.error)) return MORE;
        return isBreakOff(part.error) ? { is: 'broken' } : { is: 'error', error: part.error };
      case 'raw':
        return this.#readExtras(part.rawValue);
      // The end of a text is ignored, because packages report it even when the stream broke. The next block
      // or the end of the response ends a text. Sources, files and provider-run tools were not requested.
      default:
        return MORE;
    }
  }

  /** Ends a broken stream and keeps the complete blocks. */
  breakOff(): void {
    this.#endMarkup();
    this.#blocks.breakOff();
  }

  #endMarkup(): void {
    for (const part of this.#markup?.end() ?? []) this.#take(this.#lastText, part);
  }

  #begin(): void {
    if (this.#hasBegun) return;
    this.#hasBegun = true;
    // Uses a generated id: a small server may send the same id every time, and fragments are joined by id.
    this.#emit({ type: 'message_start', message: { id: `msg_${randomUUID()}`, model: this.#setting.model } });
  }

  /** True if the model wrote a call as text in an unknown form. */
  get hasUnreadCall(): boolean {
    return this.#markup?.hasUnreadCall ?? false;
  }

  #readText(id: string, text: string, metadata: Metadata | undefined): AnswerListenerEvents {
    if (!this.#markup) return this.#growText(id, text, metadata);
    this.#lastText = id;
    this.#note(keyOf('text', id), metadata);
    for (const part of this.#markup.push(text)) this.#take(id, part);
    return MORE;
  }

  #take(id: string, part: WrittenPart): void {
    switch (part.kind) {
      case 'text':
        this.#growText(id, part.text, undefined);
        return;
      case 'thinking':
        this.#growThinking(id, part.text, undefined);
        return;
      case 'text was thinking':
        this.#takeAsThinking(id, part.text);
        return;
      case 'call': {
        const own = `written_${++this.#writtenCalls}`;
        this.#beginCall(own, part.name, undefined);
        this.#endCall(keyOf('call', own), part.input);
      }
    }
  }

  #takeAsThinking(id: string, text: string): void {
    const thinking = { key: keyOf('thinking', id), start: EMPTY_THINKING, text };
    if (!this.#blocks.replaceText(keyOf('text', id), thinking)) this.#growThinking(id, text, undefined);
  }

  #growText(id: string, text: string, metadata: Metadata | undefined): AnswerListenerEvents {
    const key = keyOf('text', id);
    this.#note(key, metadata);
    if (text === '') return MORE;
    if (!this.#blocks.has(key))
      this.#blocks.begin('text', key, { type: 'text', text: '' }, this.#markOf(key));
    this.#blocks.grow(key, text);
    return MORE;
  }

  #growThinking(id: string, text: string, metadata: Metadata | undefined): AnswerListenerEvents {
    const key = keyOf('thinking', id);
    this.#note(key, metadata);
    if (text === '') return MORE;
    if (!this.#blocks.has(key)) this.#beginThinking(key);
    this.#blocks.grow(key, text);
    return MORE;
  }

  /**
   * Thinking may arrive without text, only signed. Its signature may arrive after other blocks have begun.
   */
  #endThinking(id: string, metadata: Metadata | undefined): AnswerListenerEvents {
    const key = keyOf('thinking', id);
    this.#note(key, metadata);
    if (!this.#blocks.has(key) && selectKeptMetadata(this.#metadata.get(key))) this.#beginThinking(key);
    return MORE;
  }

  /** Reads a raw chunk. The package emits it before the parts that it makes from it. */
  #readExtras(chunk: unknown): AnswerListenerEvents {
    const { details, signatures } = extrasIn(chunk);
    for (const [id, signature] of signatures) this.#note(keyOf('call', id), signature);
    this.#details = joinDetails(this.#details, details);
    const key = keyOf('thinking', CHAT_THINKING);
    if (details.some(isSealed) && !this.#blocks.has(key)) this.#beginThinking(key);
    return MORE;
  }

  #sealOf(key: string): Metadata {
    const known = this.#metadata.get(key) ?? {};
    if (this.#details.length === 0) return known;
    const reasoning_details = [...this.#details];
    this.#details = [];
    return mergeMetadata(known, { openaiCompatible: { reasoning_details } });
  }

  #beginThinking(key: string): void {
    this.#blocks.begin('thinking', key, EMPTY_THINKING);
  }

  #beginCall(id: string, wireName: string, metadata: Metadata | undefined): void {
    const key = keyOf('call', id);
    if (this.#ids.has(key)) return;
    const { names, isTaken } = this.#setting;
    const valid = id.replaceAll(/[^a-zA-Z0-9_-]/g, '_');
    const own = valid === '' || isTaken(valid) ? `call_${randomUUID().replaceAll('-', '')}` : valid;
    this.#ids.set(key, own);
    this.#note(key, metadata);
    const start = { type: 'tool_use', id: own, name: names.toOurs(wireName), input: {} } as const;
    this.#blocks.begin('call', key, start, this.#markOf(key));
  }

  /**
   * Some servers give all calls of a response one id. Later data under this id belongs to another call.
   */
  #endCall(key: string, input: string): void {
    this.#blocks.endCall(key, input);
    this.#ids.delete(key);
    this.#metadata.delete(key);
  }

  #note(key: string, metadata: Metadata | undefined): void {
    if (metadata !== undefined)
      this.#metadata.set(key, mergeMetadata(this.#metadata.get(key) ?? {}, metadata));
  }

  #markOf(key: string): string | undefined {
    const metadata = selectKeptMetadata(this.#metadata.get(key));
    return metadata && signMetadata(this.#setting.provider, metadata);
  }

  #finish({
    finishReason,
    usage,
  }: Extract<LanguageModelV4StreamPart, { type: 'finish' }>): AnswerListenerEvents {
    if (answerEndOf(finishReason, 0).is !== 'answer') return answerEndOf(finishReason, 0);
    this.#endMarkup();
    this.#blocks.finish(finishReason.unified === 'length');
    const ending = answerEndOf(finishReason, this.#blocks.calls);
    if (ending.is !== 'answer') return ending;
    this.#begin();
    this.#emit({
      type: 'message_delta',
      delta: { stop_reason: ending.reason, stop_sequence: null },
      usage: usageFromProvider(usage, this.#setting),
    });
    this.#emit({ type: 'message_stop' });
    return ending;
  }
}

const EMPTY_THINKING = { type: 'thinking', thinking: '', signature: '' } as const;

/** The key that the package uses for all thinking of a response. */
const CHAT_THINKING = 'reasoning-0';

function keyOf(kind: string, id: string): string {
  return `${kind} ${id}`;
}

// Fields that some Chat Completions servers add and the package does not report: OpenRouter's
// `reasoning_details`, and Gemini's signatures on calls. Both servers expect them back unchanged.

interface Extras {
  readonly details: readonly JSONObject[];
  /** By the id of the call. */
  readonly signatures: ReadonlyMap<string, Metadata>;
}

/** Reads the extra fields of one raw chunk. */
function extrasIn(chunk: unknown): Extras {
  const [choice] = listOf(fieldsOf(chunk)['choices']);
  const delta = fieldsOf(choice?.['delta']);
  const signatures = new Map<string, Metadata>();
  for (const { id, extra_content: extra } of listOf(delta['tool_calls'])) {
    const thoughtSignature = fieldsOf(fieldsOf(extra)['google'])['thought_signature'];
    if (typeof id === 'string' && typeof thoughtSignature === 'string') {
      signatures.set(id, { google: { thoughtSignature } });
    }
  }
  return { details: listOf(delta['reasoning_details']), signatures };
}

/** Returns true if a detail contains more than text. The thinking block already contains the text. */
function isSealed({ signature, data }: JSONObject): boolean {
  return typeof signature === 'string' || typeof data === 'string';
}

/** Joins the fragments of each detail. */
function joinDetails(before: readonly JSONObject[], more: readonly JSONObject[]): readonly JSONObject[] {
  const all = [...before];
  for (const piece of more) {
    const last = all.at(-1);
    if (last === undefined || !isContinued(last, piece)) all.push(piece);
    else all[all.length - 1] = continued(last, piece);
  }
  return all;
}

function isContinued(last: JSONObject, piece: JSONObject): boolean {
  if (last['type'] !== piece['type'] || last['index'] !== piece['index']) return false;
  return (
    piece['type'] !== 'reasoning.encrypted' && (piece['id'] ?? last['id']) === (last['id'] ?? piece['id'])
  );
}

function continued(last: JSONObject, piece: JSONObject): JSONObject {
  const one: Record<string, JSONValue | undefined> = { ...last };
  for (const [name, value] of Object.entries(piece)) {
    if (value === null || value === undefined) continue;
    const known = one[name];
    const grows = (name === 'text' || name === 'summary') && typeof known === 'string';
    one[name] = grows && typeof value === 'string' ? known + value : value;
  }
  return one;
}

function fieldsOf(value: unknown): JSONObject {
  return isObject(value) ? value : {};
}

function listOf(value: unknown): readonly JSONObject[] {
  return Array.isArray(value) ? value.filter(isObject) : [];
}

/** Chunks were parsed from JSON. */
function isObject(value: unknown): value is JSONObject {
  return isRecord(value);
}

// Classifies errors of a package that could not read a part of a stream.

/** Returns true if the stream ended without a finish reason. Some packages report it as a data error. */
function isBreakOff(error: unknown): boolean {
  return error instanceof Error && /ended without a finish reason/.test(error.message);
}

/**
 * Returns true for an event of a kind that the package does not know. It is ignored unless it may be a
 * part of the response.
 */
function isUnknownEvent(error: unknown): boolean {
  if (!(error instanceof Error) || error.name !== 'AI_TypeValidationError' || !('value' in error))
    return false;
  const { value } = error;
  if (typeof value !== 'object' || value === null || !('type' in value) || 'error' in value) return false;
  return (
    typeof value.type === 'string' && /[._]|^(ping|keepalive)$/.test(value.type) && !CARRIES.test(value.type)
  );
}

/** Kinds of events that may contain a part of the response or its end. */
const CARRIES = /(delta|done|added|created|completed|incomplete|failed|cancelled)$/;
