/** Bedrock's ConverseStream: events in the binary framing of AWS. */
import { crc32 } from 'node:zlib';
import type { ApiEvent, ModelError, ModelErrorClass } from '@heddle/core';
import {
  Counted,
  type Encoder,
  wireFieldsOf,
  wireListOf,
  type ProviderWire,
  type Traffic,
  type ProviderWireError,
} from '../wire.ts';

export const converseWire: ProviderWire = {
  contentType: 'application/vnd.amazon.eventstream',
  modelAsked(path) {
    const [, model] = /\/model\/([^/]+)\/converse-stream$/.exec(path) ?? [];
    return model === undefined ? undefined : decodeURIComponent(model);
  },
  encoder: () => new ConverseEncoder(),
  error: converseError,
  traffic: (body) =>
    wireListOf(wireFieldsOf(body)['messages']).flatMap(({ content }) =>
      wireListOf(content).flatMap(({ toolUse, toolResult }): Traffic[] => {
        if (toolUse !== undefined) return [{ is: 'call', id: String(wireFieldsOf(toolUse)['toolUseId']) }];
        return toolResult === undefined
          ? []
          : [{ is: 'result', id: String(wireFieldsOf(toolResult)['toolUseId']) }];
      }),
    ),
};

class ConverseEncoder implements Encoder {
  readonly #usage = new Counted();

  encode(event: ApiEvent): readonly Uint8Array[] {
    this.#usage.add(event);
    switch (event.type) {
      case 'message_start':
        return [frame('messageStart', { role: 'assistant' })];
      case 'content_block_start': {
        const { content_block: block, index: contentBlockIndex } = event;
        const start =
          block.type === 'tool_use' ? { toolUse: { toolUseId: block.id, name: block.name } } : undefined;
        return start === undefined ? [] : [frame('contentBlockStart', { contentBlockIndex, start })];
      }
      case 'content_block_delta': {
        const { delta, index: contentBlockIndex } = event;
        const text = deltaOf(delta);
        return text === undefined ? [] : [frame('contentBlockDelta', { contentBlockIndex, delta: text })];
      }
      case 'content_block_stop':
        return [frame('contentBlockStop', { contentBlockIndex: event.index })];
      case 'message_delta': {
        const { input, output, cached, written } = this.#usage;
        const stopReason =
          event.delta.stop_reason === 'refusal' ? 'guardrail_intervened' : event.delta.stop_reason;
        const usage = {
          inputTokens: input - cached - written,
          outputTokens: output,
          totalTokens: input + output,
          cacheReadInputTokens: cached,
          cacheWriteInputTokens: written,
        };
        return [
          frame('messageStop', { stopReason }),
          frame('metadata', { usage, metrics: { latencyMs: 1 } }),
        ];
      }
      default:
        return [];
    }
  }

  fail(error: ModelError): readonly Uint8Array[] {
    const { type, message } = WORDS[error.class] ?? WRONG;
    return [frame(type, { message }, 'exception')];
  }
}

function deltaOf(delta: Extract<ApiEvent, { type: 'content_block_delta' }>['delta']): object | undefined {
  switch (delta.type) {
    case 'text_delta':
      return { text: delta.text };
    case 'thinking_delta':
      return { reasoningContent: { text: delta.thinking } };
    case 'signature_delta':
      return { reasoningContent: { signature: delta.signature } };
    case 'input_json_delta':
      return delta.partial_json === '' ? undefined : { toolUse: { input: delta.partial_json } };
    default:
      return undefined;
  }
}

interface Words {
  readonly status: number;
  readonly type: string;
  readonly message: string;
}

const WRONG: Words = { status: 400, type: 'validationException', message: 'The request is not valid.' };

const WORDS: Partial<Record<ModelErrorClass, Words>> = {
  overflow: { ...WRONG, message: 'Input is too long for requested model.' },
  rate_limit: { status: 429, type: 'throttlingException', message: 'Too many requests, please wait.' },
  server: { status: 500, type: 'internalServerException', message: 'The system met an error.' },
  overloaded: { status: 503, type: 'serviceUnavailableException', message: 'Model is at capacity.' },
  permission: {
    status: 403,
    type: 'AccessDeniedException',
    message: "You don't have access to the model with the specified model ID.",
  },
  not_found: {
    status: 404,
    type: 'ResourceNotFoundException',
    message: 'Could not resolve the foundation model from the provided model identifier.',
  },
  auth: {
    status: 403,
    type: 'UnrecognizedClientException',
    message: 'The security token included in the request is invalid.',
  },
};

function converseError(error: ModelError): ProviderWireError {
  const { status, message } = error.message.startsWith('TEST: ')
    ? { ...WRONG, message: error.message }
    : (WORDS[error.class] ?? WRONG);
  return { status, body: { message } };
}

/** Length, length of headers, checksum, headers, payload, checksum. */
function frame(type: string, payload: object, kind: 'event' | 'exception' = 'event'): Uint8Array {
  const headers = Buffer.concat([
    header(kind === 'event' ? ':event-type' : ':exception-type', type),
    header(':content-type', 'application/json'),
    header(':message-type', kind),
  ]);
  const body = Buffer.from(JSON.stringify(payload));
  const prelude = Buffer.alloc(8);
  prelude.writeUInt32BE(16 + headers.length + body.length, 0);
  prelude.writeUInt32BE(headers.length, 4);
  const head = Buffer.concat([prelude, checksum(prelude), headers, body]);
  return Buffer.concat([head, checksum(head)]);
}

const STRING = 7;

function header(name: string, value: string): Uint8Array {
  const length = Buffer.alloc(2);
  length.writeUInt16BE(Buffer.byteLength(value));
  return Buffer.concat([
    Buffer.from([Buffer.byteLength(name)]),
    Buffer.from(name),
    Buffer.from([STRING]),
    length,
    Buffer.from(value),
  ]);
}

function checksum(bytes: Uint8Array): Uint8Array {
  const sum = Buffer.alloc(4);
  sum.writeUInt32BE(crc32(bytes));
  return sum;
}
