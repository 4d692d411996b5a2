/** The parts of a provider's stream as events of the Messages API. */
import type { JSONObject, JSONValue, LanguageModelV4StreamPart } from '@ai-sdk/provider';
import type { ApiEvent } from '@heddle/core';
import { randomUUID } from 'node:crypto';
import type { ToolNames } from '../request/names.ts';
import { merged, type Metadata, sign, worthKeeping } from '../signature.ts';
import { Blocks } from './blocks.ts';
import { answerEndOf, type Ending, usageFromProvider, type UsageSetting } from './finish.ts';
import { MarkupReader, type WrittenPart } from './markup-reader.ts';

interface AnswerSetting extends UsageSetting {
  /** As the request names it: thinking belongs to the model that was asked. */
  readonly model: string;
  /** Whose mark signatures bear. */
  readonly provider: string;
  readonly names: ToolNames;
  /** Was this id used before in the conversation? Some servers count their calls anew for every answer. */
  readonly isTaken: (id: string) => boolean;
  /** The server may pass thinking and calls on as text, as a local one does that does not know the model's template. */
  readonly readsMarkup?: boolean;
}

/** What the attempt must know of a part; the rest went out as events. */
export type AnswerListenerEvents =
  | Ending
  | { readonly is: 'more' }
  | { readonly is: 'error'; readonly error: unknown };

const MORE = { is: 'more' } as const;

export class BridgeAnswer {
  /** The server's own name for the answer. */
  responseId: string | undefined;
  readonly #tell: (event: ApiEvent) => void;
  readonly #setting: AnswerSetting;
  readonly #blocks: Blocks;
  /** What came with each block, by the provider's name for it. */
  readonly #metadata = new Map<string, Metadata>();
  readonly #ids = new Map<string, string>();
  /** Of the thinking that is being told. */
  #details: readonly JSONObject[] = [];
  #hasBegun = false;
  readonly #markup: MarkupReader | undefined;
  #writtenCalls = 0;

  constructor(setting: AnswerSetting, tell: (event: ApiEvent) => void) {
    this.#setting = setting;
    this.#tell = tell;
    this.#markup = setting.readsMarkup ? new MarkupReader((name) => setting.names.isKnown(name)) : undefined;
    this.#blocks = new Blocks(
      (event) => {
        this.#begin();
        tell(event);
      },
      (key) => sign(setting.provider, this.#sealOf(key)),
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
        return this.#growThinking(part.id, 'delta' in part ? part.delta : '', part.providerMetadata);
      case 'reasoning-end':
        return this.#endThinking(part.id, part.providerMetadata);
      case 'tool-input-start':
        if (part.providerExecuted !== true) this.#beginCall(part.id, part.toolName, part.providerMetadata);
        return MORE;
      case 'tool-input-delta':
        this.#blocks.grow(keyOf('call', part.id), part.delta);
        return MORE;
      case 'tool-call':
        if (part.providerExecuted === true) return MORE;
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
      // Ends of texts are no news: packages tell them even when the stream broke off. What follows ends a text, or the answer.
      // Sources, files and tools that the provider runs itself are nothing that we asked for.
      default:
        return MORE;
    }
  }

  /** No more will come: what is complete is kept. */
  breakOff(): void {
    this.#endMarkup();
    this.#blocks.breakOff();
  }

  #endMarkup(): void {
    for (const part of this.#markup?.end() ?? []) this.#take(WRITTEN, part);
  }

  #begin(): void {
    if (this.#hasBegun) return;
    this.#hasBegun = true;
    // An id of our own: that of a small server may be the same for every answer, and fragments are joined by it.
    this.#tell({ type: 'message_start', message: { id: `msg_${randomUUID()}`, model: this.#setting.model } });
  }

  /** The model wrote a call as text, and not in a form that is known here. */
  get hasUnreadCall(): boolean {
    return this.#markup?.hasUnreadCall ?? false;
  }

  #readText(id: string, text: string, metadata: Metadata | undefined): AnswerListenerEvents {
    if (!this.#markup) return this.#growText(id, text, metadata);
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
      case 'call': {
        const own = `written_${++this.#writtenCalls}`;
        this.#beginCall(own, part.name, undefined);
        this.#endCall(keyOf('call', own), part.input);
      }
    }
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

  /** Thinking may come without a word of it, only signed; or its signature when other blocks have begun. */
  #endThinking(id: string, metadata: Metadata | undefined): AnswerListenerEvents {
    const key = keyOf('thinking', id);
    this.#note(key, metadata);
    if (!this.#blocks.has(key) && worthKeeping(this.#metadata.get(key))) this.#beginThinking(key);
    return MORE;
  }

  /** Chunks as they came, told before what the package makes of them. */
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
    return merged(known, { openaiCompatible: { reasoning_details } });
  }

  #beginThinking(key: string): void {
    this.#blocks.begin('thinking', key, { type: 'thinking', thinking: '', signature: '' });
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

  /** Some servers give all calls of an answer one id: what begins under it from now on is another call. */
  #endCall(key: string, input: string): void {
    this.#blocks.endCall(key, input);
    this.#ids.delete(key);
    this.#metadata.delete(key);
  }

  #note(key: string, metadata: Metadata | undefined): void {
    if (metadata !== undefined) this.#metadata.set(key, merged(this.#metadata.get(key) ?? {}, metadata));
  }

  #markOf(key: string): string | undefined {
    const metadata = worthKeeping(this.#metadata.get(key));
    return metadata && sign(this.#setting.provider, metadata);
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
    this.#tell({
      type: 'message_delta',
      delta: { stop_reason: ending.reason, stop_sequence: null },
      usage: usageFromProvider(usage, this.#setting),
    });
    this.#tell({ type: 'message_stop' });
    return ending;
  }
}

/** The key of text that was held back until the answer ended. */
const WRITTEN = 'written';

/** What the package calls all thinking of an answer. */
const CHAT_THINKING = 'reasoning-0';

function keyOf(kind: string, id: string): string {
  return `${kind} ${id}`;
}

// What some who speak Chat Completions add to it, and the package does not tell: OpenRouter's `reasoning_details`, and the
// signatures that Gemini puts on calls. Both want to have them back as they were.

interface Extras {
  readonly details: readonly JSONObject[];
  /** By the call's id. */
  readonly signatures: ReadonlyMap<string, Metadata>;
}

/** Of one chunk as it came. */
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

/** Whether there is something in it beside words, which thinking has anyway. */
function isSealed({ signature, data }: JSONObject): boolean {
  return typeof signature === 'string' || typeof data === 'string';
}

/** Details come in pieces, like everything. What belongs to one of them is one again. */
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

/** Chunks were JSON. */
function isObject(value: unknown): value is JSONObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
/** What a package could not read of a stream, looked at a second time. */

/** The stream ended without a reason; some packages tell it as an error of the data. */
function isBreakOff(error: unknown): boolean {
  return error instanceof Error && /ended without a finish reason/.test(error.message);
}

/**
 * An event of a kind that the package has not heard of yet. It is left out, as everybody leaves out what he does not know;
 * unless it may be a part of the answer.
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

/** Kinds of which a piece of the answer, or its end, may be made. */
const CARRIES = /(delta|done|added|created|completed|incomplete|failed|cancelled)$/;
