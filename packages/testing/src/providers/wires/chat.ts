/** Chat Completions, streamed. */
import type { ApiEvent, ModelError, StopReason } from '@heddle/core';
import {
  type AnswerFacts,
  SSE_COMMENT,
  Counted,
  type Encoder,
  wireFieldsOf,
  wireListOf,
  type ProviderWire,
  sse,
  type Traffic,
} from '../wire.ts';
import { openAiError, openAiErrorFields } from './openai-errors.ts';

/** Variants of servers with the same format. */
interface WireFormat {
  readonly thinking: 'reasoning_content' | 'reasoning' | 'parts' | 'reasoning_details';
  /** The position of the usage: in its own chunk, or in the last one of the response. */
  readonly bill: 'apart' | 'with the end' | 'x_groq';
  readonly cached: 'prompt_tokens_details' | 'prompt_cache_hit_tokens';
  /** Reports the cost of the response: a dollar per million tokens. */
  readonly tellsCost?: true;
}

const USUAL: WireFormat = { thinking: 'reasoning_content', bill: 'apart', cached: 'prompt_tokens_details' };

export const chatWire: ProviderWire = wireOf(USUAL);
export const mistralWire: ProviderWire = {
  ...wireOf({ ...USUAL, thinking: 'parts', bill: 'with the end' }),
  ids: /^[a-zA-Z0-9]{9}$/,
};
export const groqWire: ProviderWire = wireOf({ ...USUAL, thinking: 'reasoning', bill: 'x_groq' });
export const openrouterWire: ProviderWire = wireOf({
  ...USUAL,
  thinking: 'reasoning_details',
  tellsCost: true,
});
export const deepseekWire: ProviderWire = wireOf({ ...USUAL, cached: 'prompt_cache_hit_tokens' });

function wireOf(wireFormat: WireFormat): ProviderWire {
  return {
    contentType: 'text/event-stream',
    modelAsked: (path, body) =>
      path.endsWith('/chat/completions') ? String(wireFieldsOf(body)['model']) : undefined,
    encoder: (facts) => new ChatEncoder(facts, wireFormat),
    error: openAiError,
    traffic: (body) =>
      wireListOf(wireFieldsOf(body)['messages']).flatMap((message): Traffic[] => {
        if (message['role'] === 'tool') return [{ is: 'result', id: String(message['tool_call_id']) }];
        return wireListOf(message['tool_calls']).map((call) => ({ is: 'call', id: String(call['id']) }));
      }),
  };
}

class ChatEncoder implements Encoder {
  readonly #facts: AnswerFacts;
  readonly #wireFormat: WireFormat;
  readonly #usage = new Counted();
  #calls = -1;
  /** The arguments of the current call. */
  #json: string | undefined;

  constructor(facts: AnswerFacts, wireFormat: WireFormat) {
    this.#facts = facts;
    this.#wireFormat = wireFormat;
  }

  encode(event: ApiEvent): readonly Uint8Array[] {
    this.#usage.add(event);
    switch (event.type) {
      case 'message_start':
        return [this.#chunk({ role: 'assistant', content: '' })];
      case 'content_block_start': {
        const { content_block: block } = event;
        if (block.type !== 'tool_use') return [];
        this.#calls++;
        this.#json = '';
        const begun = { id: block.id, type: 'function', function: { name: block.name, arguments: '' } };
        return [this.#call(begun)];
      }
      case 'content_block_delta':
        return this.#delta(event);
      case 'content_block_stop': {
        const isEmpty = this.#json === '';
        this.#json = undefined;
        return isEmpty ? [this.#call({ function: { arguments: '{}' } })] : [];
      }
      case 'message_delta':
        return this.#finish(reasonOf(event.delta.stop_reason));
      case 'message_stop':
        return [sse('[DONE]')];
      case 'ping':
        return [SSE_COMMENT];
      default:
        return [];
    }
  }

  fail(error: ModelError): readonly Uint8Array[] {
    return [sse({ error: openAiErrorFields(error) })];
  }

  #delta({ delta }: Extract<ApiEvent, { type: 'content_block_delta' }>): readonly Uint8Array[] {
    if (delta.type === 'text_delta') return [this.#chunk({ content: delta.text })];
    if (delta.type === 'thinking_delta') return [this.#chunk(this.#thought(delta.thinking))];
    if (delta.type === 'signature_delta') return this.#signature(delta.signature);
    if (delta.type !== 'input_json_delta' || delta.partial_json === '') return [];
    this.#json = (this.#json ?? '') + delta.partial_json;
    return [this.#call({ function: { arguments: delta.partial_json } })];
  }

  #call(fields: object): Uint8Array {
    return this.#chunk({ tool_calls: [{ index: this.#calls, ...fields }] });
  }

  #chunk(delta: object): Uint8Array {
    return sse({ ...this.#head(), choices: [{ index: 0, delta, finish_reason: null }] });
  }

  #thought(text: string): object {
    const { thinking } = this.#wireFormat;
    if (thinking === 'parts') return { content: [{ type: 'thinking', thinking: [{ type: 'text', text }] }] };
    if (thinking === 'reasoning_details') return { reasoning: text, reasoning_details: [detail({ text })] };
    return { [thinking]: text };
  }

  /** Only one of them signs. */
  #signature(signature: string): readonly Uint8Array[] {
    if (this.#wireFormat.thinking !== 'reasoning_details') return [];
    return [this.#chunk({ reasoning: null, reasoning_details: [detail({ signature })] })];
  }

  #finish(finish_reason: string | null): readonly Uint8Array[] {
    const { bill } = this.#wireFormat;
    const usage = this.#usageFields();
    const choices = [{ index: 0, delta: {}, finish_reason }];
    if (bill === 'with the end') return [sse({ ...this.#head(), choices, usage })];
    if (bill === 'x_groq') return [sse({ ...this.#head(), choices, x_groq: { usage } })];
    return [sse({ ...this.#head(), choices }), sse({ ...this.#head(), choices: [], usage })];
  }

  #usageFields(): object {
    const { input, output, cached, written } = this.#usage;
    return {
      ...(this.#wireFormat.tellsCost === undefined ? {} : { cost: (input + output) / 1e6, is_byok: false }),
      prompt_tokens: input,
      completion_tokens: output,
      total_tokens: input + output,
      ...(this.#wireFormat.cached === 'prompt_tokens_details'
        ? { prompt_tokens_details: { cached_tokens: cached, cache_write_tokens: written } }
        : { prompt_cache_hit_tokens: cached, prompt_cache_miss_tokens: input - cached }),
    };
  }

  #head() {
    const { call, model } = this.#facts;
    return { id: `chatcmpl-${call}`, object: 'chat.completion.chunk', created: 1_790_000_000, model };
  }
}

function detail(fields: object): object {
  return { type: 'reasoning.text', format: 'anthropic-claude-v1', index: 0, ...fields };
}

function reasonOf(reason: StopReason | null): string | null {
  switch (reason) {
    case null:
      return null;
    case 'tool_use':
      return 'tool_calls';
    case 'max_tokens':
    case 'model_context_window_exceeded':
      return 'length';
    case 'refusal':
      return 'content_filter';
    case 'end_turn':
    case 'stop_sequence':
    case 'pause_turn':
      return 'stop';
  }
}
