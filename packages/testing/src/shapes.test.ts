import type { ContentBlock, ModelRequest } from '@heddle/core';
import { describe, expect, it } from 'vitest';
import { requestOf, type ShortMessage } from './request-of.ts';
import { shapeLines, shapeOf, shapesOf } from './shapes.ts';

const text = (text: string): ContentBlock => ({ type: 'text', text });
const toolUse = (id: string): ContentBlock => ({ type: 'tool_use', id, name: 'Read', input: {} });
const result = (id: string, is_error = false): ContentBlock => ({
  type: 'tool_result',
  tool_use_id: id,
  content: 'x',
  ...(is_error ? { is_error } : {}),
});
const system: ModelRequest['system'] = [{ type: 'text', text: 's', cache_control: { type: 'ephemeral' } }];

const prompt: ShortMessage = ['user', [text('<system-reminder>today</system-reminder>'), text('fix it')]];
const turn: readonly ShortMessage[] = [
  ['assistant', [text('I read the test first'), toolUse('r1'), toolUse('b1')]],
  ['user', [result('r1'), result('b1', true), text('test.js changed')]],
];

describe('a request shape', () => {
  it('has one line a message, with marks, ids and errors', () => {
    const request = requestOf([prompt, ...turn], {
      system,
      marks: [
        { message: 0, block: 1 },
        { message: 2, block: 2 },
      ],
    });
    expect(shapeLines(request)).toEqual([
      'system[m]',
      'user:reminder text[m]',
      'assistant:text tool_use(r1) tool_use(b1)',
      'user:tool_result(r1) tool_result(b1)! text[m]',
    ]);
    expect(shapeOf(requestOf([prompt]))).toBe('user:reminder text');
  });

  it('names media, thinking and what it does not know', () => {
    const image: ContentBlock = { type: 'image', source: { type: 'url', url: 'u' } };
    const blocks = [
      { type: 'thinking', thinking: 't', signature: 's' },
      { type: 'redacted_thinking', data: 'd' },
      { type: 'poem' },
    ] as unknown as ContentBlock[];
    const shown: ContentBlock = { type: 'tool_result', tool_use_id: 'r1', content: [image] };
    expect(
      shapeOf(
        requestOf([
          ['user', [image]],
          ['assistant', blocks],
          ['user', [shown]],
        ]),
      ),
    ).toBe('user:image | assistant:thinking redacted_thinking poem | user:tool_result(r1:image)');
  });

  it('shows marked tools', () => {
    const tools: ModelRequest['tools'] = [
      {
        name: 'Read',
        description: '',
        input_schema: { type: 'object' },
        cache_control: { type: 'ephemeral' },
      },
    ];
    expect(shapeOf(requestOf([['user', 'a']], { tools }))).toBe('tools[m] | user:text');
  });
});

describe('the shapes of a run', () => {
  it('say what was added, and what is the same', () => {
    const first = requestOf([prompt], { system, marks: [{ message: 0, block: 1 }] });
    const marks = [
      { message: 0, block: 1 },
      { message: 2, block: 2 },
    ];
    const third = requestOf([prompt, ...turn], { system, marks });
    const rewritten = requestOf([['user', 'a summary']], { system });
    expect(shapesOf([first, first, third, { ...third, max_tokens: 64_000 }, rewritten])).toEqual([
      'system[m] | user:reminder text[m]',
      'same bytes as 1',
      '… [m] | assistant:text tool_use(r1) tool_use(b1) | user:tool_result(r1) tool_result(b1)! text[m]',
      'same messages as 3, max_tokens 64000',
      'system[m] | user:text',
    ]);
  });
});
