/**
 * Reads the events of one answer into finished blocks. A block without its end stays open: it is not yielded, and a call
 * in it does not run. No function here throws, whatever a server sends.
 */
import { isJsonObject, type JsonObject } from '../json.ts';
import type { ContentBlock, ToolUseBlock } from '../messages/blocks.ts';
import { modelError, type ModelError, type ModelErrorClass } from '../messages/model-error.ts';
import { NO_USAGE, updateUsage, type Usage } from '../messages/usage.ts';
import type { ApiEvent, BlockDelta, StopReason } from './port.ts';

export interface FinishedBlock {
  readonly block: ContentBlock;
  /** Set if the model's JSON is invalid. It becomes the error result of the call. */
  readonly badInput?: string;
}

/** The error classes of a stream that ended without an error record, but not well. */
type EndClass = Extract<ModelErrorClass, 'network' | 'output_cap' | 'overflow' | 'refusal'>;

export const END_ERRORS: Readonly<Record<EndClass, ModelError>> = {
  network: modelError('network', 'The stream ended before the answer was complete.'),
  output_cap: modelError('output_cap', 'The answer was cut off at the output limit.'),
  overflow: modelError('overflow', "The answer ran into the end of the model's context window."),
  refusal: modelError(
    'refusal',
    'The model declined to answer. Rephrase the request, or choose another model.',
  ),
};

interface OpenBlock {
  readonly index: number;
  readonly start: ContentBlock;
  readonly text: GatheredText;
  readonly signature: GatheredText;
  readonly json: GatheredText;
}

export class AnswerReader {
  responseId = '';
  model = '';
  usage: Usage = NO_USAGE;
  stopReason: StopReason | undefined;
  /** Edits that the server made to the conversation before the model read it. */
  appliedEdits: readonly JsonObject[] = [];
  /** `message_stop` was received. */
  stopped = false;
  #open: OpenBlock | undefined;

  /** Processes one event. Returns the block that it finished, if any. */
  push(event: ApiEvent): FinishedBlock | undefined {
    switch (event.type) {
      case 'message_start':
        this.responseId = event.message.id;
        this.model = event.message.model;
        this.usage = updateUsage(NO_USAGE, event.message.usage);
        this.#noteEdits(event.message.context_management);
        return undefined;
      case 'content_block_start':
        this.#open = openBlock(event.index, event.content_block);
        return undefined;
      case 'content_block_delta':
        if (this.#open?.index === event.index) grow(this.#open, event.delta);
        return undefined;
      case 'content_block_stop': {
        const open = this.#open;
        if (open?.index !== event.index) return undefined;
        this.#open = undefined;
        return finish(open);
      }
      case 'message_delta':
        this.stopReason = event.delta.stop_reason ?? this.stopReason;
        this.usage = updateUsage(this.usage, event.usage);
        this.#noteEdits(event.context_management);
        return undefined;
      case 'message_stop':
        this.stopped = true;
        return undefined;
      default:
        return undefined;
    }
  }

  /** The end of an answer repeats the edits of its beginning. The last list counts. */
  #noteEdits(management: unknown): void {
    const edits = isJsonObject(management) ? management['applied_edits'] : undefined;
    if (Array.isArray(edits)) this.appliedEdits = edits.filter(isJsonObject);
  }

  /** Returns the text of an unfinished text block. Unfinished blocks of other kinds are not kept. */
  unfinishedText(): string {
    const open = this.#open;
    return open?.start.type === 'text' ? given(open.start.text) + open.text : '';
  }

  /** A stream ends well only with `message_stop`. Some stop reasons are errors with a recovery. */
  get endError(): ModelError | undefined {
    if (!this.stopped) return END_ERRORS.network;
    switch (this.stopReason) {
      case 'max_tokens':
        return END_ERRORS.output_cap;
      case 'model_context_window_exceeded':
        return END_ERRORS.overflow;
      case 'refusal':
        return END_ERRORS.refusal;
      default:
        return undefined;
    }
  }

  /** The answer did not end by itself: the output cap or the context window cut it off. */
  get wasCut(): boolean {
    return this.stopReason === 'max_tokens' || this.stopReason === 'model_context_window_exceeded';
  }

  hasOpenBlock(): boolean {
    return this.#open !== undefined;
  }
}

function openBlock(index: number, start: ContentBlock): OpenBlock {
  return { index, start, text: new GatheredText(), signature: new GatheredText(), json: new GatheredText() };
}

function grow(open: OpenBlock, delta: BlockDelta): void {
  switch (delta.type) {
    case 'text_delta':
      open.text.add(delta.text);
      return;
    case 'thinking_delta':
      open.text.add(delta.thinking);
      return;
    case 'signature_delta':
      open.signature.add(delta.signature);
      return;
    case 'input_json_delta':
      open.json.add(delta.partial_json);
      return;
    default:
      return;
  }
}

function finish(open: OpenBlock): FinishedBlock {
  const { start, text, signature } = open;
  const json = String(open.json);
  switch (start.type) {
    case 'text':
      return { block: { ...start, text: given(start.text) + text } };
    case 'thinking': {
      const thinking = given(start.thinking) + text;
      return { block: { ...start, thinking, signature: given(start.signature) + signature } };
    }
    case 'tool_use':
      return finishToolUse(start, json);
    default:
      return { block: json === '' ? start : withInput(start, json) };
  }
}

/** Some servers leave out fields at the start of a block that its deltas contain. */
function given(beginning: unknown): string {
  return typeof beginning === 'string' ? beginning : '';
}

function finishToolUse(start: ToolUseBlock, json: string): FinishedBlock {
  if (json.trim() === '') return { block: { ...start, input: isJsonObject(start.input) ? start.input : {} } };
  const input = parseObject(json) ?? parseEncodedObject(json);
  if (input) return { block: { ...start, input } };
  const shown = json.length > 200 ? `${json.slice(0, 200)}…` : json;
  return { block: { ...start, input: {} }, badInput: `The input is not a JSON object: ${shown}` };
}

/** Server tools stream their input in the same way. A foreign block with invalid input is not changed. */
function withInput(start: ContentBlock, json: string): ContentBlock {
  const input = parseObject(json);
  return input ? Object.assign({}, start, { input }) : start;
}

function parseObject(json: string): JsonObject | undefined {
  const value = parseJson(json);
  return isJsonObject(value) ? value : undefined;
}

/** Some models encode the input twice: a JSON text whose content is the object. */
function parseEncodedObject(json: string): JsonObject | undefined {
  const text = parseJson(json);
  return typeof text === 'string' ? parseObject(text) : undefined;
}

function parseJson(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return undefined;
  }
}

/**
 * Text that arrives in very many pieces. A string built by `+=` keeps every piece in memory. Joining the pieces from time
 * to time reduces the memory to the characters of the text.
 */
export class GatheredText {
  #whole = '';
  #pieces: string[] = [];

  add(piece: string): void {
    this.#pieces.push(piece);
    if (this.#pieces.length === MOST_PIECES) this.#join();
  }

  toString(): string {
    this.#join();
    return this.#whole;
  }

  #join(): void {
    this.#whole += this.#pieces.join('');
    this.#pieces = [];
  }
}

const MOST_PIECES = 1_024;
