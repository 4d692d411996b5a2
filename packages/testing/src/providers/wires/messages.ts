/** The Messages API of a cloud: its addresses contain the model. */
import type { ApiEvent, ModelError } from '@heddle/core';
import { envelopeOf } from '../../api/errors.ts';
import { type Encoder, wireFieldsOf, wireListOf, type ProviderWire, sse, type Traffic } from '../wire.ts';

export const vertexMessagesWire: ProviderWire = {
  contentType: 'text/event-stream',
  modelAsked: (path) => /\/publishers\/anthropic\/models\/([^/:]+):streamRawPredict$/.exec(path)?.[1],
  encoder: () => new MessagesEncoder(),
  error: (error) => ({ status: error.status ?? 500, body: envelopeOf(error, 'req_1') }),
  traffic: (body) =>
    wireListOf(wireFieldsOf(body)['messages']).flatMap(({ content }) =>
      wireListOf(content).flatMap((block): Traffic[] => {
        if (block['type'] === 'tool_use') return [{ is: 'call', id: String(block['id']) }];
        return block['type'] === 'tool_result' ? [{ is: 'result', id: String(block['tool_use_id']) }] : [];
      }),
    ),
};

class MessagesEncoder implements Encoder {
  encode(event: ApiEvent): readonly Uint8Array[] {
    return [sse(event, String(event.type))];
  }

  fail(error: ModelError): readonly Uint8Array[] {
    return [sse(envelopeOf(error, 'req_1'), 'error')];
  }
}
