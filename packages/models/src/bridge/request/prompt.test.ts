import type { ContentBlock } from '@heddle/core';
import { requestOf, type ShortMessage } from '@heddle/testing';
import { describe, expect, it } from 'vitest';
import { providerNamed } from '../../providers/providers.ts';
import { ToolNames } from './names.ts';
import { callOptions } from './options.ts';
import { toProviderPrompt } from './prompt.ts';

const PICTURE: ContentBlock = {
  type: 'image',
  source: { type: 'base64', media_type: 'image/png', data: 'aGk=' },
};
const PDF: ContentBlock = {
  type: 'document',
  title: 'report.pdf',
  source: { type: 'base64', media_type: 'application/pdf', data: 'aGk=' },
};
const CALL: ContentBlock = { type: 'tool_use', id: 't1', name: 'Look', input: { at: 'a' } };

function wireFormatOf(id: string) {
  const provider = providerNamed(id);
  if (provider === undefined) throw new Error(id);
  return { provider: id, features: provider.features, names: new ToolNames([]) };
}

function promptFor(id: string, ...messages: readonly ShortMessage[]) {
  return toProviderPrompt(requestOf(messages), wireFormatOf(id));
}

function result(content: string | readonly ContentBlock[], is_error = false): ContentBlock {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what a result may hold
  return { type: 'tool_result', tool_use_id: 't1', content: content as string, is_error };
}

describe('a conversation', () => {
  it('begins with the system prompt as one message', () => {
    const request = requestOf([['user', 'hello']], {
      system: [
        { type: 'text', text: 'One.' },
        { type: 'text', text: 'Two.', cache_control: { type: 'ephemeral' } },
      ],
    });
    expect(toProviderPrompt(request, wireFormatOf('openai'))).toEqual([
      { role: 'system', content: 'One.\n\nTwo.' },
      { role: 'user', content: [{ type: 'text', text: 'hello' }] },
    ]);
  });

  it('has results before the text that came with them, and names their tools', () => {
    const words: ContentBlock = { type: 'text', text: 'and hurry' };
    expect(
      promptFor('openai', ['user', 'go'], ['assistant', [CALL]], ['user', [result('seen'), words]]),
    ).toEqual([
      { role: 'user', content: [{ type: 'text', text: 'go' }] },
      {
        role: 'assistant',
        content: [{ type: 'tool-call', toolCallId: 't1', toolName: 'Look', input: { at: 'a' } }],
      },
      {
        role: 'tool',
        content: [
          {
            type: 'tool-result',
            toolCallId: 't1',
            toolName: 'Look',
            output: { type: 'text', value: 'seen' },
          },
        ],
      },
      { role: 'user', content: [{ type: 'text', text: 'and hurry' }] },
    ]);
  });

  it('puts text into the last result if no message may follow it', () => {
    const words: ContentBlock = { type: 'text', text: 'and hurry' };
    const prompt = promptFor('mistral', ['assistant', [CALL]], ['user', [result('seen'), words]]);
    expect(prompt.map(({ role }) => role)).toEqual(['assistant', 'tool']);
    expect(JSON.stringify(prompt)).toContain('seen\\n\\nand hurry');
  });

  it('distinguishes failed results', () => {
    const prompt = promptFor('openai', ['assistant', [CALL]], ['user', [result('no such file', true)]]);
    expect(prompt[1]).toMatchObject({ content: [{ output: { type: 'error-text', value: 'no such file' } }] });
  });

  it('omits empty responses and joins the messages around them', () => {
    const thought: ContentBlock = { type: 'thinking', thinking: 'hm', signature: 'of-another' };
    expect(promptFor('openai', ['user', 'a'], ['assistant', [thought]], ['user', 'b'])).toEqual([
      {
        role: 'user',
        content: [
          { type: 'text', text: 'a' },
          { type: 'text', text: 'b' },
        ],
      },
    ]);
  });
});

describe('media', () => {
  it('are placed as the provider accepts them', () => {
    const [message] = promptFor('openai', ['user', [PICTURE, PDF]]);
    expect(message).toMatchObject({
      content: [
        { type: 'file', mediaType: 'image/png', data: { type: 'data', data: 'aGk=' } },
        { type: 'file', mediaType: 'application/pdf', filename: 'report.pdf' },
      ],
    });
  });

  it.each(['mistral', 'vllm'])('of which %s takes no documents are replaced by a note', (id) => {
    const [message] = promptFor(id, ['user', [PICTURE, PDF]]);
    expect(message).toMatchObject({
      content: [
        { type: 'file' },
        { type: 'text', text: '[document report.pdf left out: this provider does not take it]' },
      ],
    });
  });

  it('are all replaced by notes if the model does not accept images', () => {
    const [message] = promptFor('deepseek', ['user', [PICTURE]]);
    expect(message).toMatchObject({
      content: [{ type: 'text', text: expect.stringContaining('image left out') }],
    });
  });

  it('that are text are sent as text everywhere', () => {
    const data = Buffer.from('Grüße').toString('base64');
    const note: ContentBlock = {
      type: 'document',
      title: 'note.txt',
      source: { type: 'base64', media_type: 'text/plain', data },
    };
    expect(promptFor('deepseek', ['user', [note]])).toEqual([
      { role: 'user', content: [{ type: 'text', text: 'note.txt:\nGrüße' }] },
    ]);
  });

  it('in the storage of another provider are not available', () => {
    const stored: ContentBlock = { type: 'image', source: { type: 'file', file_id: 'file_1' } };
    expect(JSON.stringify(promptFor('openai', ['user', [stored]]))).toContain('store of another provider');
  });

  it('in a result stay there if the provider accepts it', () => {
    const prompt = promptFor('openai', ['assistant', [CALL]], ['user', [result([PICTURE])]]);
    expect(prompt[1]).toMatchObject({
      content: [{ output: { type: 'content', value: [{ type: 'file' }] } }],
    });
  });

  it('in a result otherwise follow in the next message', () => {
    const seen: ContentBlock = { type: 'text', text: 'A picture:' };
    const prompt = promptFor('vllm', ['assistant', [CALL]], ['user', [result([seen, PICTURE])]]);
    expect(prompt.slice(1)).toMatchObject([
      {
        role: 'tool',
        content: [{ output: { type: 'text', value: expect.stringMatching(/^A picture:\n\[.*follows/) } }],
      },
      { role: 'user', content: [{ type: 'text', text: 'From the result of Look:' }, { type: 'file' }] },
    ]);
  });

  it('in a result become a note if no message may follow', () => {
    const prompt = promptFor('mistral', ['assistant', [CALL]], ['user', [result([PICTURE])]]);
    expect(prompt).toHaveLength(2);
    expect(JSON.stringify(prompt)).toContain('a result cannot hold it here');
    expect(JSON.stringify(prompt)).not.toContain('aGk=');
  });
});

describe('names of tools', () => {
  const long = `mcp__${'a-very-long-server-name'.repeat(4)}__tool`;
  const odd = ['mcp__s__read', 'with.dot', '1st', 'größe', long];
  const names = new ToolNames(odd.map((name) => ({ name, description: '', input_schema: {} })));

  it.each(odd)('%s reaches every provider and is mapped back', (name) => {
    expect(names.toWire(name)).toMatch(/^[a-zA-Z_][a-zA-Z0-9_-]{0,63}$/);
    expect(names.toOurs(names.toWire(name))).toBe(name);
  });

  it('are unchanged if they are valid, and stay distinct', () => {
    expect(names.toWire('mcp__s__read')).toBe('mcp__s__read');
    expect(names.toWire('a.b')).not.toBe(names.toWire('a_b'));
    expect(names.toWire(`${long}1`)).not.toBe(names.toWire(`${long}2`));
    expect(names.toOurs('never_heard_of')).toBe('never_heard_of');
  });
});

describe('options', () => {
  const requestFormat = {
    ...wireFormatOf('openai'),
    ownOptions: () => ({}),
    mustSayStrict: false,
    hasExtras: false,
  };

  it.each([
    [{}, undefined],
    [{ effort: 'xhigh' }, 'xhigh'],
    [{ thinking: { type: 'disabled' } }, 'none'],
    [{ thinking: { type: 'adaptive' } }, undefined],
    [{ thinking: { type: 'enabled', budget_tokens: 2_000 } }, 'low'],
    [{ thinking: { type: 'enabled', budget_tokens: 10_000 } }, 'medium'],
    [{ thinking: { type: 'enabled', budget_tokens: 60_000 } }, 'high'],
  ] as const)('%j means the effort %s', (options, reasoning) => {
    expect(callOptions(requestOf([['user', 'hello']], { options }), requestFormat).reasoning).toBe(reasoning);
  });

  it('omit tools if there are none', () => {
    const options = callOptions(requestOf([['user', 'hello']]), requestFormat);
    expect(options).toMatchObject({ maxOutputTokens: 8_192, includeRawChunks: false });
    expect(options).not.toHaveProperty('tools');
    expect(options).not.toHaveProperty('toolChoice');
  });
});
