import type { ModelRequest, RequestOptions } from '@heddle/core';
import { requestOf } from '@heddle/testing';
import { describe, expect, it } from 'vitest';
import { betasOf, BodyWriter } from './request-body.ts';

function bodyOf(request: ModelRequest, writer = new BodyWriter()): unknown {
  const { pieces, length } = writer.write(request);
  const bytes = Buffer.concat(pieces);
  expect(bytes.length).toBe(length);
  return JSON.parse(bytes.toString());
}

function withOptions(options: RequestOptions): unknown {
  return bodyOf(requestOf([['user', 'x']], { options }));
}

describe('the body of a request', () => {
  it('consists of the head and the unchanged bytes of the messages', () => {
    const request = requestOf([['user', 'grüß dich']], {
      system: [{ type: 'text', text: 'Be brief.', cache_control: { type: 'ephemeral' } }],
      tools: [{ name: 'Read', description: 'Reads.', input_schema: { type: 'object' } }],
    });
    expect(bodyOf(request)).toEqual({
      model: 'scripted-1',
      max_tokens: 8_192,
      stream: true,
      system: request.system,
      tools: request.tools,
      messages: [{ role: 'user', content: [{ type: 'text', text: 'grüß dich' }] }],
    });
    const { pieces } = new BodyWriter().write(request);
    expect(pieces[1]).toBe(request.messagesJson[0]);
  });

  it.each<[string, RequestOptions, object]>([
    ['adaptive thinking', { thinking: { type: 'adaptive' } }, { thinking: { type: 'adaptive' } }],
    [
      'thinking within a budget',
      { thinking: { type: 'enabled', budget_tokens: 4_096 } },
      { thinking: { type: 'enabled', budget_tokens: 4_096 } },
    ],
    ['no thinking', { thinking: { type: 'disabled' } }, { thinking: { type: 'disabled' } }],
    ['effort', { effort: 'xhigh' }, { output_config: { effort: 'xhigh' } }],
    [
      'a task budget',
      { taskBudget: { total: 9, remaining: 4 } },
      { output_config: { task_budget: { type: 'tokens', total: 9, remaining: 4 } } },
    ],
    ['fast mode', { fastMode: true }, { speed: 'fast' }],
    [
      'edits of the context',
      { contextManagement: { edits: [{ type: 'clear_tool_uses_20250919' }] } },
      { context_management: { edits: [{ type: 'clear_tool_uses_20250919' }] } },
    ],
    ['metadata', { metadata: { user_id: 'u' } }, { metadata: { user_id: 'u' } }],
  ])('represents %s in the format of the API', (_what, options, fields) => {
    expect(withOptions(options)).toMatchObject(fields);
  });

  it.each([
    ['that fits leaves the cap as it is', 8_191, [], 8_192],
    ['as large as the cap raises it', 8_192, [], 16_384],
    ['larger than the cap raises it', 32_000, [], 40_192],
    ['for a whole turn may be larger', 32_000, ['interleaved-thinking-2025-05-14'], 8_192],
  ])('with a budget for thinking %s', (_what, budget_tokens, betas, max_tokens) => {
    const thinking = { type: 'enabled', budget_tokens } as const;
    expect(withOptions({ thinking, betas })).toMatchObject({ max_tokens, thinking });
  });

  it('omits options that were not set', () => {
    expect(Object.keys(withOptions({ fastMode: false }) as object)).toEqual([
      'model',
      'max_tokens',
      'stream',
      'messages',
    ]);
  });

  it('is rewritten when the tools change', () => {
    const writer = new BodyWriter();
    const tool = (name: string) => [{ name, description: '', input_schema: { type: 'object' } }];
    bodyOf(requestOf([['user', 'x']], { tools: tool('A') }), writer);
    expect(bodyOf(requestOf([['user', 'x']], { tools: tool('B') }), writer)).toMatchObject({
      tools: [{ name: 'B' }],
    });
  });
});

describe('the betas of a request', () => {
  it('are the requested ones and those that the options need, each once', () => {
    expect(
      betasOf({
        betas: ['interleaved-thinking-2025-05-14', 'fast-mode-2026-02-01'],
        fastMode: true,
        taskBudget: { total: 1, remaining: 1 },
        contextManagement: { edits: [{ type: 'compact_20260112' }] },
      }),
    ).toEqual([
      'interleaved-thinking-2025-05-14',
      'fast-mode-2026-02-01',
      'task-budgets-2026-03-13',
      'context-management-2025-06-27',
      'compact-2026-01-12',
    ]);
    expect(betasOf({})).toEqual([]);
  });
});
