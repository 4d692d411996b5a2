/** The Responses API, streamed. */
import type { ApiEvent, ContentBlock, ModelError } from '@heddle/core';
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

export const responsesWire: ProviderWire = {
  contentType: 'text/event-stream',
  modelAsked: (path, body) => (path.endsWith('/responses') ? String(wireFieldsOf(body)['model']) : undefined),
  encoder: (facts) => new ResponsesEncoder(facts),
  error: openAiError,
  traffic: (body) =>
    wireListOf(wireFieldsOf(body)['input']).flatMap((item): Traffic[] => {
      if (item['type'] === 'function_call') return [{ is: 'call', id: String(item['call_id']) }];
      return item['type'] === 'function_call_output' ? [{ is: 'result', id: String(item['call_id']) }] : [];
    }),
};

class ResponsesEncoder implements Encoder {
  readonly #facts: AnswerFacts;
  readonly #usage = new Counted();
  #block: ContentBlock | undefined;
  #index = -1;
  #text = '';
  #signature = '';
  #sequence = 0;

  constructor(facts: AnswerFacts) {
    this.#facts = facts;
  }

  encode(event: ApiEvent): readonly Uint8Array[] {
    this.#usage.add(event);
    switch (event.type) {
      case 'message_start':
        return [this.#event('response.created', { response: this.#response('in_progress') })];
      case 'content_block_start':
        return this.#begin(event.content_block);
      case 'content_block_delta':
        return this.#grow(event);
      case 'content_block_stop':
        return this.#end();
      case 'message_delta':
        return this.#finish(event.delta.stop_reason);
      case 'ping':
        return [SSE_COMMENT];
      default:
        return [];
    }
  }

  fail(error: ModelError): readonly Uint8Array[] {
    const { code, message } = openAiErrorFields(error);
    return [this.#event('error', { code: code ?? 'server_error', message, param: null })];
  }

  #begin(block: ContentBlock): readonly Uint8Array[] {
    this.#block = block;
    this.#index++;
    this.#text = '';
    this.#signature = '';
    const item = this.#item('in_progress');
    if (item === undefined) return [];
    const added = this.#event('response.output_item.added', { output_index: this.#index, item });
    if (block.type !== 'thinking') return [added];
    return [
      added,
      this.#event('response.reasoning_summary_part.added', {
        ...this.#at(),
        summary_index: 0,
        part: { type: 'summary_text', text: '' },
      }),
    ];
  }

  #grow({ delta }: Extract<ApiEvent, { type: 'content_block_delta' }>): readonly Uint8Array[] {
    switch (delta.type) {
      case 'text_delta':
        this.#text += delta.text;
        return [
          this.#event('response.output_text.delta', { ...this.#at(), content_index: 0, delta: delta.text }),
        ];
      case 'thinking_delta':
        this.#text += delta.thinking;
        return [
          this.#event('response.reasoning_summary_text.delta', {
            ...this.#at(),
            summary_index: 0,
            delta: delta.thinking,
          }),
        ];
      case 'signature_delta':
        this.#signature += delta.signature;
        return [];
      case 'input_json_delta':
        this.#text += delta.partial_json;
        return delta.partial_json === ''
          ? []
          : [
              this.#event('response.function_call_arguments.delta', {
                ...this.#at(),
                delta: delta.partial_json,
              }),
            ];
      default:
        return [];
    }
  }

  #end(): readonly Uint8Array[] {
    const item = this.#item('completed');
    const done = item && this.#event('response.output_item.done', { output_index: this.#index, item });
    this.#block = undefined;
    return done === undefined ? [] : [done];
  }

  #finish(reason: string | null): readonly Uint8Array[] {
    const { input, output, cached } = this.#usage;
    const incomplete =
      reason === 'max_tokens' ? 'max_output_tokens' : reason === 'refusal' ? 'content_filter' : null;
    const kind = incomplete === null ? 'completed' : 'incomplete';
    const response = {
      ...this.#response(kind),
      incomplete_details: incomplete === null ? null : { reason: incomplete },
      usage: {
        input_tokens: input,
        input_tokens_details: { cached_tokens: cached },
        output_tokens: output,
        output_tokens_details: { reasoning_tokens: 0 },
      },
    };
    return [this.#event(`response.${kind}`, { response })];
  }

  #item(status: 'in_progress' | 'completed'): object | undefined {
    const id = this.#at().item_id;
    switch (this.#block?.type) {
      case 'text': {
        const content =
          status === 'completed' ? [{ type: 'output_text', text: this.#text, annotations: [] }] : [];
        return { type: 'message', id, role: 'assistant', status, content };
      }
      case 'thinking': {
        const summary = status === 'completed' ? [{ type: 'summary_text', text: this.#text }] : [];
        return { type: 'reasoning', id, summary, status, encrypted_content: this.#signature || null };
      }
      case 'tool_use': {
        const { id: call_id, name } = this.#block;
        const json = this.#text === '' && status === 'completed' ? '{}' : this.#text;
        return { type: 'function_call', id, call_id, name, arguments: json, status };
      }
      default:
        return undefined;
    }
  }

  #at() {
    return { item_id: `item_${this.#facts.call}_${this.#index}`, output_index: this.#index };
  }

  #response(status: string) {
    const { call, model } = this.#facts;
    return { id: `resp_${call}`, object: 'response', created_at: 1_790_000_000, model, status, output: [] };
  }

  #event(type: string, fields: object): Uint8Array {
    return sse({ type, sequence_number: this.#sequence++, ...fields }, type);
  }
}
