/** Thinking and signatures pass through the history back to their own provider, and to no other. */
import { answer, call, say, think } from '@heddle/testing';
import { afterEach, describe, expect, it } from 'vitest';
import { closeStages } from '../../test/stage-api.ts';
import {
  CHAT,
  conversationOf,
  GEMINI,
  OTHERS,
  RESPONSES,
  type Ran,
  runOn,
  stageWire,
  type TestWire,
} from '../../test/wires.ts';
import { ask, requestTo } from '../../test/bridge.ts';

afterEach(closeStages);

/** The model thinks, calls a tool and responds. Returns the thinking in its second request. */
async function secondRequest(wire: TestWire): Promise<{ readonly body: string; readonly ran: Ran }> {
  const ran = await runOn(wire, [
    answer(think('Let me see.'), call('Look', { at: 'a' }, 't1')),
    say('Seen.'),
  ]);
  expect(conversationOf(ran.events)).toEqual([
    'assistant: Look {"at":"a"}',
    'user: seen a',
    'assistant: Seen.',
  ]);
  return { body: JSON.stringify(ran.server.requests[1]?.body), ran };
}

function wire(id: string): TestWire {
  const found = OTHERS.find((other) => other.id === id);
  if (found === undefined) throw new Error(id);
  return found;
}

describe('signed data', () => {
  it('OpenAI gets its encrypted reasoning back, and storage is disabled', async () => {
    const { body } = await secondRequest(RESPONSES);
    expect(body).toContain('"encrypted_content":"signed-11"');
    expect(body).toContain('"summary":[{"type":"summary_text","text":"Let me see."}]');
    expect(body).toContain('"store":false');
    expect(body).not.toContain('item_reference');
  });

  it('Gemini gets the signature back on the same call', async () => {
    const { ran } = await secondRequest(GEMINI);
    expect(ran.server.requests[1]?.body).toMatchObject({
      contents: [
        { role: 'user' },
        {
          role: 'model',
          parts: [
            { text: 'Let me see.', thought: true },
            { functionCall: { name: 'Look', args: { at: 'a' } }, thoughtSignature: 'signed-11' },
          ],
        },
        { role: 'user', parts: [{ functionResponse: { name: 'Look' } }] },
      ],
    });
  });

  it('xAI gets its encrypted reasoning back', async () => {
    expect((await secondRequest(wire('xai'))).body).toContain('"encrypted_content":"signed-11"');
  });

  it('Bedrock gets the signature of its thinking back', async () => {
    const { body } = await secondRequest(wire('bedrock'));
    expect(body).toContain('{"reasoningText":{"text":"Let me see.","signature":"signed-11"}}');
  });

  it('OpenRouter gets the details of its thinking back joined, and its text once', async () => {
    const { body, ran } = await secondRequest(wire('openrouter'));
    expect(ran.server.requests[1]?.body).toMatchObject({
      messages: [
        { role: 'system' },
        { role: 'user' },
        {
          role: 'assistant',
          reasoning_details: [
            {
              type: 'reasoning.text',
              text: 'Let me see.',
              signature: 'signed-11',
              format: 'anthropic-claude-v1',
              index: 0,
            },
          ],
          tool_calls: [{ id: 't1' }],
        },
        { role: 'tool' },
      ],
    });
    expect(body.split('Let me see.')).toHaveLength(2);
  });

  it.each(['deepseek', 'vllm'])('%s gets its thinking back as text', async (id) => {
    expect((await secondRequest(wire(id))).body).toContain('"reasoning_content":"Let me see."');
  });
});

describe('data signed by another provider', () => {
  it.each([CHAT, RESPONSES, GEMINI])('is not sent to $id', async (target) => {
    const { port, server } = await stageWire(target, [say('Yes.')]);
    const foreign = 'heddle-bridge:another:{"another":{"secretThought":"s"}}';
    await ask(
      port,
      requestTo(target, [
        ['user', 'hello'],
        [
          'assistant',
          [
            { type: 'thinking', thinking: 'of Claude', signature: 'EqQBCgIYAhIkcl' },
            { type: 'thinking', thinking: 'of another', signature: foreign },
            { type: 'redacted_thinking', data: foreign },
            { type: 'tool_use', id: 't1', name: 'Look', input: {} },
          ],
        ],
        ['user', [{ type: 'tool_result', tool_use_id: 't1', content: 'seen' }]],
      ]),
    );
    const body = JSON.stringify(server.requests[0]?.body);
    expect(body).toContain('seen');
    expect(body).not.toMatch(/of Claude|of another|secretThought|EqQB|heddle-bridge/);
    server.assertNoViolations();
  });
});
