/**
 * Gemini's streamGenerateContent, as server-sent events. A call arrives whole, so this format cannot
 * express broken JSON.
 */
import type { ApiEvent, ContentBlock, ModelError, ModelErrorClass, StopReason } from '@heddle/core';
import {
  type AnswerFacts,
  SSE_COMMENT,
  Counted,
  type Encoder,
  type WireFields,
  wireFieldsOf,
  wireListOf,
  type ProviderWire,
  sse,
  type Traffic,
  type ProviderWireError,
} from '../wire.ts';
import { omitUndefined } from '@heddle/core';

export const geminiWire: ProviderWire = {
  contentType: 'text/event-stream',
  modelAsked: (path) => /\/models\/([^/:]+):streamGenerateContent$/.exec(path)?.[1],
  encoder: (facts) => new GeminiEncoder(facts),
  error: geminiError,
  // Ids are optional here: calls and results are matched by the tool's name, in their order.
  traffic: (body) =>
    wireListOf(wireFieldsOf(body)['contents']).flatMap(({ parts }) =>
      wireListOf(parts).flatMap((part): Traffic[] => {
        const call = wireFieldsOf(part['functionCall']);
        const result = wireFieldsOf(part['functionResponse']);
        if (part['functionCall'] !== undefined) return [{ is: 'call', id: idOf(call) }];
        return part['functionResponse'] === undefined ? [] : [{ is: 'result', id: idOf(result) }];
      }),
    ),
};

function idOf(part: WireFields): string {
  return String(part['id'] ?? part['name']);
}

class GeminiEncoder implements Encoder {
  readonly #facts: AnswerFacts;
  readonly #usage = new Counted();
  #block: ContentBlock | undefined;
  #json = '';
  /** The signature of the preceding thinking: the next part carries it. */
  #signature: string | undefined;

  constructor(facts: AnswerFacts) {
    this.#facts = facts;
  }

  encode(event: ApiEvent): readonly Uint8Array[] {
    this.#usage.add(event);
    switch (event.type) {
      case 'content_block_start':
        this.#block = event.content_block;
        this.#json = '';
        return [];
      case 'content_block_delta':
        return this.#grow(event);
      case 'content_block_stop':
        return this.#end();
      case 'message_delta':
        return [this.#chunk([], reasonOf(event.delta.stop_reason))];
      case 'ping':
        return [SSE_COMMENT];
      default:
        return [];
    }
  }

  fail(error: ModelError): readonly Uint8Array[] {
    return [sse(geminiError(error).body)];
  }

  #grow({ delta }: Extract<ApiEvent, { type: 'content_block_delta' }>): readonly Uint8Array[] {
    if (delta.type === 'text_delta') return [this.#chunk([{ text: delta.text, ...this.#signed() }])];
    if (delta.type === 'thinking_delta') return [this.#chunk([{ text: delta.thinking, thought: true }])];
    if (delta.type === 'signature_delta') this.#signature = delta.signature;
    if (delta.type === 'input_json_delta') this.#json += delta.partial_json;
    return [];
  }

  #end(): readonly Uint8Array[] {
    const block = this.#block;
    this.#block = undefined;
    if (block?.type !== 'tool_use') return [];
    const args: unknown = this.#json === '' ? {} : JSON.parse(this.#json);
    const functionCall = { id: block.id, name: block.name, args };
    return [this.#chunk([{ functionCall, ...this.#signed() }])];
  }

  #signed(): { thoughtSignature?: string } {
    const thoughtSignature = this.#signature;
    this.#signature = undefined;
    return thoughtSignature === undefined ? {} : { thoughtSignature };
  }

  #chunk(parts: readonly object[], finishReason?: string): Uint8Array {
    const { input, output, cached } = this.#usage;
    return sse({
      candidates: [
        {
          content: { role: 'model', parts },
          index: 0,
          ...omitUndefined({ finishReason }),
        },
      ],
      usageMetadata: {
        promptTokenCount: input,
        candidatesTokenCount: output,
        totalTokenCount: input + output,
        cachedContentTokenCount: cached,
      },
      modelVersion: this.#facts.model,
      responseId: `gem_${this.#facts.call}`,
    });
  }
}

function reasonOf(reason: StopReason | null): string | undefined {
  if (reason === null) return undefined;
  if (reason === 'refusal') return 'SAFETY';
  return reason === 'max_tokens' || reason === 'model_context_window_exceeded' ? 'MAX_TOKENS' : 'STOP';
}

interface Words {
  readonly code: number;
  readonly status: string;
  readonly message: string;
  readonly details?: readonly object[];
}

const BAD: Words = {
  code: 400,
  status: 'INVALID_ARGUMENT',
  message: 'Request contains an invalid argument.',
};

const WORDS: Partial<Record<ModelErrorClass, Words>> = {
  overflow: {
    ...BAD,
    message: 'The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).',
  },
  media: { ...BAD, message: 'Unable to process input image. Please retry or report.' },
  rate_limit: {
    code: 429,
    status: 'RESOURCE_EXHAUSTED',
    message: 'You exceeded your current quota, please check your plan and billing details.',
  },
  overloaded: {
    code: 503,
    status: 'UNAVAILABLE',
    message: 'The model is overloaded. Please try again later.',
  },
  server: { code: 500, status: 'INTERNAL', message: 'An internal error has occurred.' },
  auth: { ...BAD, message: 'API key not valid. Please pass a valid API key.' },
  permission: { code: 403, status: 'PERMISSION_DENIED', message: 'The caller does not have permission.' },
  not_found: {
    code: 404,
    status: 'NOT_FOUND',
    message: 'models/gemini-nine is not found for API version v1beta.',
  },
};

function geminiError(error: ModelError): ProviderWireError {
  const own = error.message.startsWith('TEST: ') ? { ...BAD, message: error.message } : WORDS[error.class];
  const words = own ?? BAD;
  // Google sends the delay in the body.
  const details =
    error.retryAfterMs === undefined
      ? []
      : [
          {
            '@type': 'type.googleapis.com/google.rpc.RetryInfo',
            retryDelay: `${error.retryAfterMs / 1_000}s`,
          },
        ];
  return { status: words.code, body: { error: { ...words, details } } };
}
